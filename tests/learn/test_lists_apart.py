"""Lists of whole records among the targets: told by fields that stand several times, or by what all lists have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gwc_crawler.learn.marks import Probe, Split, set_lists_apart

CHROME = frozenset(["body>div.top>a", "p:Imprint"])
PRODUCT = frozenset(f"div.product>{name}>span" for name in "abcdefgh")
LIST = frozenset({"main>ul.items>li", "main>form.sort>select"})
FIELDS = frozenset({"title", "price", "maker"})


def products(count: int = 40) -> list[Probe]:
    return [Probe(f"/{number}", CHROME | PRODUCT, number < 2, None, 1.0, fields=FIELDS) for number in range(count)]


def listing(name: str) -> Probe:
    """Many whole records, in less than their template: all fields stand several times."""
    return Probe(f"/{name}", CHROME | PRODUCT - {"div.product>h>span"} | LIST, False, None, 1.0, several=FIELDS)


def short(name: str) -> Probe:
    """A list of one record."""
    return replace(listing(name), fields=FIELDS, several=frozenset())


LISTS = [listing(f"list/{number}") for number in range(3)]


def test_a_page_on_which_several_fields_stand_several_times_is_a_list() -> None:
    split, single, marks = set_lists_apart(Split([*products(), listing("all")], [], []), [])
    assert [probe.url for probe in split.lists] == ["/all"]
    assert single == sorted(FIELDS)
    assert marks == []


def test_without_any_list_on_the_site_nothing_is_checked() -> None:
    whole = Split([*products(), short("one")], [], [])
    assert set_lists_apart(whole, []) == (whole, [], [])


@pytest.mark.parametrize("inside", [0, 2], ids=["lists elsewhere", "lists among the targets"])
def test_a_list_of_one_record_is_told_by_what_the_other_lists_have_in_common(inside: int) -> None:
    split, single, marks = set_lists_apart(Split([*products(), *LISTS[:inside], short("one")], [], []), LISTS[inside:])
    assert [probe.url for probe in split.lists] == [*(probe.url for probe in LISTS[:inside]), "/one"]
    assert len(split.good) == 40
    assert single == sorted(FIELDS)
    assert marks == sorted(LIST)


def test_two_lists_are_too_few_to_tell_what_lists_have_in_common() -> None:
    split, _, marks = set_lists_apart(Split([*products(), short("one")], [], []), LISTS[:2])
    assert (split.lists, marks) == ([], [])


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([replace(products()[0], marks=CHROME | PRODUCT | LIST)], id="a sample has it"),
        pytest.param([replace(short("whole"), marks=CHROME | PRODUCT | LIST)], id="a whole target has it"),
        pytest.param([short(f"short/{number}") for number in range(8)], id="more pages than there are lists"),
    ],
)
def test_what_targets_have_too_tells_no_list(others: list[Probe]) -> None:
    whole = Split([*products(), *others], [], [])
    assert set_lists_apart(whole, LISTS) == (whole, sorted(FIELDS), [])


def test_a_page_with_all_of_the_template_is_a_list_where_it_leads_to_more_pages_than_others() -> None:
    whole = replace(short("one"), marks=CHROME | PRODUCT | LIST)
    leading = replace(whole, leads_to=frozenset({"/3", "/5"}))
    assert set_lists_apart(Split([*products(), leading], [], []), LISTS)[0].lists == [leading]
    assert set_lists_apart(Split([*products(), whole], [], []), LISTS)[0].lists == []


@pytest.mark.parametrize(("lists", "is_list"), [(5, True), (4, False)])
def test_one_page_that_may_be_a_target_does_not_hide_what_five_lists_have(lists: int, is_list: bool) -> None:
    whole = replace(short("one"), marks=CHROME | PRODUCT | LIST)
    models = [listing(f"list/{number}") for number in range(lists)]
    assert bool(set_lists_apart(Split([*products(), whole], [], []), models)[0].lists) == is_list


def test_of_many_marks_that_lists_have_some_are_asked_for_and_the_reason_says_so() -> None:
    many = LIST | {f"main>ul.items>li.{number}" for number in range(90)}
    lists, one = ([replace(probe, marks=probe.marks | many) for probe in some] for some in (LISTS, [short("one")]))
    split, _, marks = set_lists_apart(Split([*products(), *one], [], []), lists)
    assert len(marks) == 32
    assert split.reasons == ["they have what all lists have in common, and no other page has"]
    nearly = replace(products()[5], url="/nearly", marks=CHROME | PRODUCT | set(marks))
    kept, _, told = set_lists_apart(Split([*products(), nearly, *one], [], []), lists)
    assert nearly in kept.good
    assert not nearly.marks.issuperset(told)
