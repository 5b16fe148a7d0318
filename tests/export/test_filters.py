"""`--where`: what less and more mean for numbers, and for texts that look like some or don't."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.export.filters import Judge, parse_filter


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
        ("title<M", "Thor", False),
        ("title>M", "Infinity", False),
        ("born<2011", "12 June 2010", False),
        ("born>2009", "12 June 2010", False),
        ("born>=2010-06", "June 2010", False),
        ("born<2010-07-01", "2010-06-12T08:00:00", True),
        ("born<=2010-06-12", "2010-06-12T08:00:00", True),
        ("born>2010-06-12", "2010-06-12T08:00:00", False),
        ("born<2010-06-12T00:00Z", "2010-06-12T04:00:00+08:00", True),
        ("born>=2010-06-12T00:00", "2010-06-12T04:00:00+08:00", False),
        ("born<yesterday", "2010-06-12", False),
        ("price==9.5", 9.5, True),
        ("title==Thor", "Thor", True),
        ("pages<10", "9 pages", False),
        ("pages>10", "9 pages", False),
        ("tags>5", '["6"]', False),
        ("tags>a", '["b"]', False),
        ("price<10", -0.5, True),
        ("price<=1e3", 1000, True),
        ("price<nan", 1.0, False),
        ("price<10", "", False),
        ("fetched_at>2026-03-01", 1_772_400_000.0 + 86_400, True),
        ("fetched_at<2026-03-01", 1_772_400_000.0 + 86_400, False),
        ("fetched_at>1d", 1_000_000_000.0, False),
    ],
)
def test_less_and_more(condition: str, value: float | str | None, holds: bool) -> None:
    assert parse_filter(condition).takes(value) is holds


@pytest.mark.parametrize(
    ("condition", "values", "words"),
    [
        ("price<50", ["$20.37", "$9.99", None], "'$20.37', which are neither less nor more than '50'; with its type"),
        ("price>=50", ["20,37 €"], '[types] price = "price"'),
        ("pages<10", ["9 pages", ""], "'9 pages'"),
        ("born<2011", ["12 June 2010"], '"date"'),
        ("born>2010-01-02", ["June 2010"], '"date"'),
        ("price<cheap", [11.5], "price holds numbers, such as 11.5, and 'cheap' is none"),
        ("price=cheap", [11.5, 7], "price holds numbers, such as 11.5, and 'cheap' is none"),
        ("price=$11.50", [11.5], "'$11.50' is none"),
        ("tags=red", ['["red", "blue"]'], "tags holds lists; `tags~TEXT`"),
        ("tags<5", ['["6"]'], "tags holds lists"),
    ],
)
def test_a_filter_that_no_value_can_pass_says_why(condition: str, values: list[object], words: str) -> None:
    judge = Judge(parse_filter(condition))
    assert sum(judge.takes(value) for value in values) == 0
    with pytest.raises(InputError, match="no record can pass --where") as caught:
        judge.check()
    assert words in str(caught.value)


def test_a_filter_that_every_list_passes_says_why() -> None:
    judge = Judge(parse_filter("tags!=red"))
    assert all(judge.takes(value) for value in ('["red", "blue"]', None))
    with pytest.raises(InputError, match=r"every record passes --where 'tags!=red': tags holds lists; .*`tags!~TEXT`"):
        judge.check()


@pytest.mark.parametrize(
    ("condition", "values", "taken", "note"),
    [
        ("price<50", [20.37, "$20.37", 60], 1, "leaves out 1 of 3 values: price holds texts, such as '$20.37'"),
        ("pages<10", ["9", "10", "many"], 1, "leaves out 1 of 3 values"),
        ("title=Thor", ["Hulk"], 0, "holds for none of 1 values, such as 'Hulk'"),
        ("price=20.37", [None, "$20.37", "$9.99"], 0, "holds for none of 2 values, such as '$20.37'"),
        ("price<50", [None, ""], 0, "holds for none of 2 empty ones"),
        ("price!=50", [1, 2, "free"], 3, ""),
        ("price=", [None, 1, "x"], 1, ""),
        ("price!=cheap", [11.5], 1, ""),
        ("price~9", [9.5, "19", 8], 2, ""),
        ("tags~red", ['["red"]'], 1, ""),
        ("price>5", [], 0, ""),
        ("price>100", [11.5, 7], 0, "holds for none of 2 values, such as '11.5'"),
    ],
)
def test_what_could_pass_is_no_mistake_and_what_is_left_out_is_told(
    condition: str, values: list[object], taken: int, note: str
) -> None:
    judge = Judge(parse_filter(condition))
    assert sum(judge.takes(value) for value in values) == taken
    judge.check()
    assert note in judge.note
    assert bool(note) is bool(judge.note)


@pytest.mark.parametrize("condition", ["price<$50", "price>50 €", "price<1,000", "born<12 June 2010", "price>=¥ 5"])
def test_what_is_meant_for_a_number_and_is_none_is_refused(condition: str) -> None:
    with pytest.raises(InputError, match="is no number; write numbers as"):
        parse_filter(condition)


@pytest.mark.parametrize(
    ("condition", "words"),
    [("price<", "names no value"), ("price>= ", "names no value"), ("price=>10", "write >= for =>"),
     ("born=<2010-06-12", "write <= for =<")],
)  # fmt: skip
def test_a_slip_in_a_condition_is_named(condition: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_filter(condition)
