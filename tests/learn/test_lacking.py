"""Pages of all kinds under one form of URL, where only a field that others lack tells the samples' kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gwc_crawler.learn.marks import Probe, Split, set_blank_apart, set_lacking_apart, set_listed_apart
from gwc_crawler.learn.marks.listings import no_lists

ALWAYS = frozenset({"title", "text"})


def pages(name: str, count: int, *fields: str, samples: int = 0) -> list[Probe]:
    shown, marks = ALWAYS | frozenset(fields), frozenset({"h1", f"p:A {name}"})
    return [Probe(f"/{name}{n}", marks, n < samples, None, 1.0, fields=shown) for n in range(count)]


TABLES = pages("table", 12, "columns", samples=2)
CHAPTERS = pages("chapter", 40)
COMMANDS = pages("command", 12)


def test_a_seldom_field_tells_where_the_others_stand_on_pages_of_all_kinds() -> None:
    split, told = set_lacking_apart(Split([*TABLES, *CHAPTERS], [], []), COMMANDS)
    assert (split.good, split.foreign, told) == (TABLES, [CHAPTERS], ["columns"])
    assert split.reasons[0].startswith("columns not there")


@pytest.mark.parametrize(
    ("good", "beside"),
    [
        ([*TABLES, *CHAPTERS], [Probe(f"/list{n}", frozenset(), False, None, 0.0) for n in range(12)]),
        ([*TABLES, *CHAPTERS], COMMANDS[:5]),
        ([*pages("table", 30, "columns", samples=2), *CHAPTERS], COMMANDS),
        ([*TABLES, *CHAPTERS[:8]], COMMANDS),
        ([*TABLES, *(replace(one, marks=frozenset({"h1"})) for one in CHAPTERS)], COMMANDS),
    ],
    ids=["titles tell the targets", "hardly any other page", "many have it", "few lack it", "they only lack it"],
)
def test_else_what_lacks_a_field_is_a_sparse_target(good: list[Probe], beside: list[Probe]) -> None:
    assert set_lacking_apart(Split(good, [], []), beside) == (Split(good, [], []), [])


def of_a_manual(name: str, count: int, mark: str, lists: str, *fields: str) -> list[Probe]:
    """Each page is linked from one of ten pages; the first two of those with fields are samples."""
    shown = ALWAYS | frozenset(fields)
    return [
        Probe(
            f"/{name}{n}",
            frozenset({"h1", mark}),
            bool(fields) and n < 2,
            None,
            1.0,
            fields=shown,
            linked_from=frozenset({f"{lists}{n % 10}", f"/before{name}{n}"}),
        )
        for n in range(count)
    ]


OBJECTS = of_a_manual("object", 40, "p:Interfaces:", "/objects", "interfaces")
EVENTS = of_a_manual("event", 20, "p:Event class:", "/events")


def test_what_a_site_lists_apart_is_another_kind_where_all_of_the_site_is_taken() -> None:
    events = [replace(one, linked_from=one.linked_from | {f"/objects{n % 10}"}) for n, one in enumerate(EVENTS[:1])]
    others = [*events, *EVENTS[1:], *of_a_manual("context", 20, "p:Accepts:", "/contexts")]
    split, told = set_listed_apart(Split([*OBJECTS, *others], [], []), no_lists, 0.95)
    assert (split.good, split.foreign, told) == (OBJECTS, [others], ["interfaces"])
    assert split.reasons[0].startswith("interfaces not there, and the site lists these pages apart")


@pytest.mark.parametrize(
    ("others", "taken"),
    [
        (EVENTS, 0.5),
        (of_a_manual("event", 20, "p:Event class:", "/objects"), 0.95),
        (of_a_manual("event", 20, "h1", "/events"), 0.95),
        (EVENTS[:8], 0.95),
    ],
    ids=["the site has other pages", "they are listed together", "they have nothing of their own", "they are few"],
)
def test_else_what_lacks_a_field_of_the_samples_is_a_sparse_target_too(others: list[Probe], taken: float) -> None:
    split = Split([*OBJECTS, *others], [], [])
    assert set_listed_apart(split, no_lists, taken) == (split, [])


DOCUMENT = ("number", "agency", "topic", "written")


@pytest.mark.parametrize(
    ("lists", "fields", "is_taken_apart"),
    [("/news", (), True), ("/news", DOCUMENT[1:], False), ("/documents", (), False)],
    ids=["news", "documents without a number", "in the documents' lists"],
)
def test_what_is_listed_apart_and_lacks_half_of_the_fields_is_another_kind_though_it_has_nothing_of_its_own(
    lists: str, fields: tuple[str, ...], is_taken_apart: bool
) -> None:
    documents = of_a_manual("document", 40, "td:Number:", "/documents", *DOCUMENT)
    news = [replace(one, is_sample=False) for one in of_a_manual("news", 40, "h1", lists, *fields)]
    split, told = set_listed_apart(Split([*documents, *news], [], []), no_lists, 0.9)
    assert (split.foreign, told) == (([news], sorted(DOCUMENT)) if is_taken_apart else ([], []))


@pytest.mark.parametrize(
    ("mark", "fields", "is_taken_apart"),
    [("h1", 3, True), ("h1", 4, False), ("td:Number:", 3, False)],
    ids=["a genus", "it lacks two fields alone", "it is like a species"],
)
def test_so_it_is_anywhere_if_it_has_hardly_anything_of_the_samples_and_lacks_several_fields(
    mark: str, fields: int, is_taken_apart: bool
) -> None:
    """The genus has three of the six fields that all species have."""
    named = ("title", "text", "family", "author", "form", "use")
    species = of_a_manual("species", 40, "td:Number:", "/genera", *named)
    others = of_a_manual("genus", 40, mark, "/families")
    genera = [replace(one, is_sample=False, fields=frozenset(named[:fields])) for one in others]
    split, told = set_listed_apart(Split([*species, *genera], [], []), no_lists, 0.33)
    assert (split.foreign, told) == (([genera], sorted(named[3:])) if is_taken_apart else ([], []))


COMPANY = frozenset({"contact", "capital", "founded", "mode"})


def companies(count: int = 30) -> list[Probe]:
    """In two templates, each linking to ten others."""
    leads = frozenset(f"/c{n}/" for n in range(10))
    return [
        Probe(f"/c{n}/", frozenset({f"template {n % 2}"}), n < 2, None, 1.0, COMPANY | {"name"}, leads_to=leads)
        for n in range(count)
    ]


def province(links: int = 25, linked_from: int = 0, *fields: str) -> Probe:
    leads, linking = frozenset(f"/x{n}" for n in range(links)), frozenset(f"/c{n}" for n in range(linked_from))
    shown = frozenset({"name", *fields})
    return Probe("/fujian/", frozenset({"h1"}), False, None, 0.2, shown, linked_from=linking, leads_to=leads)


@pytest.mark.parametrize("page", [province(), province(0, 30)], ids=["a list", "in the menus"])
def test_what_has_none_of_several_fields_that_all_records_have_is_a_list_though_no_mark_tells(page: Probe) -> None:
    split, told = set_blank_apart(Split([*companies(), page], [], []), [])
    assert (split.foreign, told) == ([[page]], sorted(COMPANY))


@pytest.mark.parametrize(
    "good",
    [
        [*companies(), province(8)],
        [*companies(), province(25, 0, "mode")],
        [*companies(), province(), replace(province(8), url="/c99/")],
        [replace(one, fields=one.fields - {"mode"}) for one in companies()] + [province()],
        companies(),
    ],
    ids=["it leads to few", "it has one", "another page lacks them, too", "three fields", "no such page"],
)
def test_else_it_may_be_a_sparse_record(good: list[Probe]) -> None:
    assert set_blank_apart(Split(good, [], []), []) == (Split(good, [], []), [])


def employers(*fields: str, mark: str = "h2:Vacancies") -> list[Probe]:
    shown = frozenset({"name", *fields})
    return [Probe(f"/e{n}.html", frozenset({mark}), False, None, 0.3, shown) for n in range(4)]


@pytest.mark.parametrize(
    ("pages", "are_others"),
    [
        (employers(), True),
        (employers("price", "since"), False),
        (employers(mark="template 0"), False),
    ],
    ids=["other pages", "they state three things that lists do not", "they have nothing of their own"],
)
def test_so_is_what_has_nothing_of_the_samples_though_it_is_no_list(pages: list[Probe], are_others: bool) -> None:
    good = [replace(one, marks=one.marks | {"p.template"}) for one in companies()]
    lists = [Probe(f"/list{n}", frozenset({"ul"}), False, None, 0.0) for n in range(5)]
    split, told = set_blank_apart(Split([*good, *pages], [], []), lists)
    assert (split.foreign, told) == (([pages], sorted(COMPANY)) if are_others else ([], []))


def test_where_one_page_links_to_all_records_it_is_no_menu() -> None:
    everywhere = frozenset({"/"})
    sparse = [replace(province(0), url=f"/s{n}/", marks=frozenset({"template 0"})) for n in range(3)]
    good = [replace(one, linked_from=everywhere) for one in [*companies(), *sparse]]
    assert set_blank_apart(Split(good, [], []), []) == (Split(good, [], []), [])
