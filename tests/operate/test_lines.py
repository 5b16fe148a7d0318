"""Lines of logs and figures, as the programs that read them understand them."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from gwc_crawler.frontier.protocol import FrontierCounts
from gwc_crawler.network.masking import hide
from gwc_crawler.operate.monitor import (
    STATISTICS_HEAD,
    Alert,
    Alerts,
    FinishedRequest,
    Gauges,
    JsonFormat,
    JsonFormatter,
    Totals,
    crawl_line,
    families,
    metrics_text,
    rotated,
    statistics_line,
)

ONE = FinishedRequest("http://a.example/x y", 200, 310, "text/html", 1090452579.422, 0.01, 2, 1, 3, b"\0" * 20)
NOTHING: Mapping[str, int] = {}


def test_a_crawl_line_has_twelve_columns() -> None:
    columns = crawl_line(ONE, 1090452580.438).split()
    assert len(columns) == 12
    assert columns[:5] == ["2004-07-21T23:29:40.438Z", "200", "310", "http://a.example/x%20y", "LLR"]
    assert columns[8] == "20040721232939422+10"
    assert columns[9:] == ["sha1:" + "A" * 32, "-", "3t"]
    hide("not-for-logs")
    odd = FinishedRequest("http://a.example/\n?k=not-for-logs", -4, 0, "text/ html\n", 0.0, -1.0)
    assert len(crawl_line(odd, 0.0).split()) == 12
    assert "not-for-logs" not in crawl_line(odd, 0.0)


def test_a_line_of_statistics_has_the_columns_of_its_head() -> None:
    counts = FrontierCounts(2, 1, 7, 0, ready_now=True, next_ready_at=None)
    rates = {"docs": (1.5, 1.25), "kilobytes": (20.0, 30.0), "depth": (3, 1.5)}
    line = statistics_line(1090452580.4, counts, Totals(), **rates)
    assert len(line.split()) == len(STATISTICS_HEAD.split())
    assert line.split()[:5] == ["2004-07-21T23:29:40Z", "10", "2", "7", "1.50(1.25)"]


def test_a_log_never_takes_more_than_six_files(tmp_path: Path) -> None:
    handler = rotated(tmp_path / "deep" / "crawl.log", 1_000)
    log = logging.Logger("journal")
    log.addHandler(handler)
    for _ in range(200):
        log.info("%s", crawl_line(ONE, 0.0))
    handler.close()
    files = list((tmp_path / "deep").iterdir())
    assert len(files) == 6
    assert all(path.stat().st_size <= 1_000 for path in files)


def test_prometheus_reads_the_figures_of_several_sites() -> None:
    totals = Totals()
    totals.add(ONE)
    totals.add(FinishedRequest("http://a.example/", -1, 0, "", 0.0, 0.0))
    now = Gauges(7, {"target": 3}, 3, 1, {"U": 2}, True, 0, 1, {"hits": 5}, {'ti"tle\n\\': 0.5}, 2)
    text = metrics_text([families("shop", now, totals), families("o'ther", now, totals)])
    found = {one.name: one for one in text_string_to_metric_families(text)}
    assert [sample.labels["site"] for sample in found["gwc_pages"].samples] == ["shop", "o'ther"]
    assert found["gwc_pages"].type == "counter"
    by_status = {sample.labels["status"]: sample.value for sample in found["gwc_responses"].samples}
    assert by_status == {"200": 1, "-1": 1}
    assert found["gwc_field_coverage"].samples[0].labels["field"] == 'ti"tle\n\\'
    assert found["gwc_paused"].samples[0].value == 1
    assert metrics_text([]) == "\n"


def test_log_lines_are_objects_with_their_tracebacks() -> None:
    try:
        raise ValueError("no")
    except ValueError:
        record = logging.LogRecord("a", logging.ERROR, "", 1, 'said "%s"\n', ("it",), sys.exc_info())
    lines = JsonFormatter().format(record).splitlines()
    assert len(lines) == 1
    told = json.loads(lines[0])
    assert (told["level"], told["logger"], told["message"]) == ("ERROR", "a", 'said "it"\n')
    assert "ValueError: no" in told["error"]
    early = logging.Formatter(JsonFormat("%(message)s")).format(logging.LogRecord("a", 20, "", 1, "x", (), None))
    assert json.loads(early)["message"] == "x"


def test_alerts_are_tried_again_and_never_waited_for() -> None:
    sent: list[tuple[str, str]] = []
    hang = threading.Event()

    def refuses(title: str, text: str) -> bool:
        raise OSError("away")

    def sends(title: str, text: str) -> bool:
        hang.wait(60)
        sent.append((title, text))
        return True

    alerts = Alerts([refuses, sends], ("end",), retry_seconds=0.0)
    for number in range(200):
        alerts.tell(Alert("end", "shop", f"{number}"))
    alerts.tell(Alert("drift", "shop", "is not wanted"))
    assert alerts.dropped >= 99
    hang.set()
    alerts.finish(60)
    assert sent[0] == ("GWC Crawler: end, shop", "0")
    assert len(sent) == 200 - alerts.dropped
    assert alerts.failed == len(sent)
