"""The summary at the end of a crawl: the first records as a table that fits, and the sums."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from rich.console import Console

from gwc_crawler.frontier.protocol import FrontierCounts
from gwc_crawler.operate.summary import Summary, render_summary


def rendered(width: int = 100, **changes: Any) -> str:
    values: dict[str, Any] = {
        "site": "books",
        "database": Path("data/books/crawl.db"),
        "pages": 120,
        "seconds": 60.0,
        "counts": FrontierCounts(1, 2, 3, 4, ready_now=True, next_ready_at=None),
        "pages_by_kind": {"directory": 20, "target": 100},
        "records": 98,
        "exceptions": 5,
    }
    out = io.StringIO()
    render_summary(Summary(**(values | changes)), Console(file=out, width=width))
    return out.getvalue()


def test_the_sums() -> None:
    text = rendered()
    for part in (
        "120 pages in 1:00, 2.0 pages/s",
        "120: 100 target, 20 directory",
        "records  98",
        "exceptions  5",
        "1 waiting, 2 running, 3 complete, 4 error",
        "data/books/crawl.db",
    ):
        assert part in text
    assert "to learn from" not in text
    assert "40 of them fetched to learn from" in rendered(reused=40)


def test_why_a_run_ended_before_everything_was_done() -> None:
    assert "ended by" not in rendered()
    assert "ended by  max_pages reached" in rendered(ended="max_pages reached")


def test_a_run_without_pages_divides_by_nothing() -> None:
    assert "0 pages in 0:00, 0.0 pages/s" in rendered(pages=0, seconds=0.0, pages_by_kind={})


def test_the_table_of_records_names_what_does_not_fit() -> None:
    fields = {f"field {n}": f"value {n}" for n in range(20)}
    record = {"url": "http://a.example/", "fetched_at": 1.0, **fields}
    text = rendered(width=80, first_records=[record])
    assert "value 0" in text
    assert "further fields" in text
    assert "field 19" in text
    assert "http://a.example/" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_values_are_shown_as_they_stand() -> None:
    text = rendered(first_records=[{"title": "[bold]Thor[/bold]", "tags": ["a", "b"], "gone": None}])
    assert "[bold]Thor[/bold]" in text
    assert '["a", "b"]' in text
    assert "–" in text
