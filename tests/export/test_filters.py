"""`--where`: what less and more mean for numbers, and for texts that look like some or don't."""

from __future__ import annotations

import pytest

from gwc_crawler.export import parse_filter


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        ("price<10", 9.5, True),
        ("price<10", None, False),
        ("price<10", "$11.48", False),
        ("price<10", "$9.99", False),
        ("price>10", "$11.48", False),
        ("price>10", "free", False),
        ("pages<10", "9", True),
        ("pages>9", "10", True),
        ("born<2011", "2010-06-12", True),
        ("born>=2010-06", "2010-06-12", True),
        ("title>M", "Thor", True),
    ],
)
def test_less_and_more(condition: str, value: float | str | None, holds: bool) -> None:
    assert parse_filter(condition).takes(value) is holds
