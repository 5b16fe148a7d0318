"""The progress line."""

from __future__ import annotations

from dataclasses import replace

from gwc_crawler.operate.summary import Progress, clock, progress_line

NOW = Progress("mall", 120, 80, 30, 16, 0, 3725.0, 31.26)


def test_a_crawl_with_records() -> None:
    assert progress_line(NOW) == "mall  120 pages  80 records  30 waiting  16 running  31.3 pages/s  1:02:05"


def test_what_is_nothing_is_not_said() -> None:
    line = progress_line(replace(NOW, records=0))
    assert "records" not in line
    assert "error" not in line


def test_errors_are_counted_in_good_english() -> None:
    assert "  1 error  " in progress_line(replace(NOW, errors=1))
    assert "  2 errors  " in progress_line(replace(NOW, errors=2))


def test_a_limit_is_shown() -> None:
    assert "120 of 4000 pages" in progress_line(replace(NOW, limit=4000))


def test_durations() -> None:
    assert [clock(seconds) for seconds in (0, 59.9, 60, 3599, 3600)] == ["0:00", "0:59", "1:00", "59:59", "1:00:00"]


def test_a_pause_takes_the_place_of_the_rate() -> None:
    line = progress_line(replace(NOW, paused=True))
    assert "16 running  paused  1:02:05" in line
    assert "pages/s" not in line
