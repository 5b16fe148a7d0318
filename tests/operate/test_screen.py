"""The pictures of `scrapy status`, and the full screen of `--watch` as lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.frontier.sqlite.stats import Tally, read_past
from gwc_crawler.items import Done, Link, PageKind
from gwc_crawler.operate.status import CrawlStatus, SiteStatus, WorkerStatus
from gwc_crawler.operate.view import Trend, class_tree, overview_screen, site_screen, sparkline
from gwc_crawler.store.sqlite.database import CrawlDatabase


def crawl(reason: str = "HTTP 404") -> CrawlStatus:
    weights = {weight: {"U": 3, "R": 0, "C": 10 * weight, "E": 0} for weight in range(12)}
    hosts = {f"{'very-' * 30}long{n}.example": {"U": 1, "R": 0, "C": 2, "E": 0} for n in range(20)}
    return CrawlStatus(
        database="crawl.db",
        running_as="process 12",
        tally=Tally({"U": 36, "R": 2, "C": 660, "E": 4}, {"target": 600}, weights, hosts, {reason: 4}, 60, 600),
        records=600,
        exceptions={"title": 2},
        workers=(WorkerStatus("one:12", 2, activity="running", pages_per_second=31.2),),
        paused_hosts={},
    )


def shop(**of_crawl: str) -> SiteStatus:
    knowledge = {
        "targets": ["http://shop.example/p/[^/]+"],
        "directories": [f"http://shop.example/list/{n}/[0-9]+" for n in range(30)],
    }
    return SiteStatus("shop", 1000.0, knowledge, crawl=crawl(**of_crawl))


@pytest.mark.parametrize(("width", "height"), [(80, 23), (40, 10), (20, 5), (5, 2), (1, 1), (200, 60)])
def test_a_screen_has_room_for_its_lines(width: int, height: int) -> None:
    trend = Trend()
    for _ in range(300):
        trend.add(shop())
    lines = site_screen(shop(), trend, width=width, height=height)
    assert 0 < len(lines) <= height
    assert max(map(len, lines)) <= width
    assert max(map(len, overview_screen([shop()] * 99, width=width, height=height))) <= width


def test_all_sites_and_the_workers_of_a_fleet() -> None:
    resting = SiteStatus("other", 1000.0)
    lines = overview_screen([resting, shop()], crawl().workers, width=120, height=24)
    assert [line.split()[0] for line in lines[1:]] == ["shop", "other", "worker"]
    assert "31.2 pages/s, 2 leased" in lines[-1]


def test_what_a_screen_of_the_usual_size_tells() -> None:
    trend = Trend()
    trend.add(shop())
    text = "\n".join(site_screen(shop(), trend, width=80, height=23))
    for part in ("crawling (process 12)", "36 waiting", "31.2", "█", "5 and on", "4 HTTP 404", "more lines"):
        assert part in text
    assert "p/[^/]+  target" in "\n".join(site_screen(shop(), trend, width=80, height=60))


def test_foreign_text_stays_text_and_wide_letters_take_two_places() -> None:
    lines = site_screen(shop(reason="\x1b[2J\n" + "字" * 99), Trend(), width=40, height=60)
    (line,) = [line for line in lines if "字" in line]
    assert "\x1b" not in line
    assert line.count("字") < 20


def test_a_sparkline_shows_the_last_and_nothing_as_a_dot() -> None:
    assert sparkline([9, 0, 8, 0.01], 3) == "·█▁"
    assert sparkline([], 10) == sparkline([1], 0) == ""


def test_a_tree_joins_what_is_common() -> None:
    told = class_tree([("http://a/x/y/1", "one"), ("http://a/x/y/2", "two"), ("http://a/x", "three"), ("q[^/]", "")])
    assert told == ["http://a", "└─ x  three", "   └─ y", "      ├─ 1  one", "      └─ 2  two", "q[^/]"]


def test_the_past_of_a_crawl(tmp_path: Path) -> None:
    now = [1000.0]
    database = CrawlDatabase(tmp_path / "crawl.db")
    assert read_past(database) is None
    frontier = SqliteFrontier(database, max_weight=3, lease_seconds=1000, clock=lambda: now[0])
    frontier.add([Link(f"http://a.example/{n}", depth=1) for n in range(4)])
    for lease in frontier.lease(3, "one:1"):
        now[0] += 10
        frontier.complete([Done(lease, lease.url, PageKind.TARGET, relevant=True)])
    past = read_past(database, steps=3)
    assert past is not None
    lately = read_past(database, steps=3, longest_seconds=30.0)
    database.close()
    assert lately == past
    assert (past.until, past.step_seconds) == (1030.0, 10.0)
    assert (sum(past.pages), past.waiting[-1]) == (3, 1)
    assert past.waiting == tuple(sorted(past.waiting, reverse=True))
