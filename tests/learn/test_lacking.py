"""Pages of all kinds under one form of URL, which a field that others lack and the lists of the site tell apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gwc_crawler.learn.lookalikes.apart import set_listed_apart
from gwc_crawler.learn.lookalikes.probe import Probe, no_lists
from gwc_crawler.learn.lookalikes.probes import Split

ALWAYS = frozenset({"title", "text"})


def of_a_manual(name: str, count: int, mark: str, lists: str, *fields: str) -> list[Probe]:
    """Each page is linked from one of ten pages; the first two of those with fields are samples."""
    shown = ALWAYS | frozenset(fields)
    return [
        Probe(
            f"/{name}{n}",
            frozenset({"h1", mark}),
            bool(fields) and name != "event" and n < 2,
            None,
            1.0,
            fields=shown,
            linked_from=frozenset({f"{lists}{n % 10}", f"/before{name}{n}"}),
        )
        for n in range(count)
    ]


OBJECTS = of_a_manual("object", 40, "p:Interfaces:", "/objects", "interfaces", "properties")
EVENTS = of_a_manual("event", 20, "p:Event class:", "/events")


def test_what_a_site_lists_apart_is_another_kind_where_all_of_the_site_is_taken() -> None:
    events = [replace(one, linked_from=one.linked_from | {f"/objects{n % 10}"}) for n, one in enumerate(EVENTS[:1])]
    others = [*events, *EVENTS[1:], *of_a_manual("context", 20, "p:Accepts:", "/contexts")]
    split, told = set_listed_apart(Split([*OBJECTS, *others], [], []), no_lists, 0.95)
    assert (split.good, split.foreign, told) == (OBJECTS, [others], ["interfaces", "properties"])
    assert split.reasons[0].startswith("interfaces, properties not there, and the site lists these pages apart")


@pytest.mark.parametrize(
    ("others", "taken"),
    [
        (EVENTS, 0.5),
        (of_a_manual("event", 20, "p:Event class:", "/objects"), 0.95),
        (of_a_manual("event", 20, "h1", "/events"), 0.95),
        (EVENTS[:8], 0.95),
        (of_a_manual("event", 20, "p:Event class:", "/events", "properties"), 0.95),
    ],
    ids=[
        *("the site has other pages", "they are listed together", "they have nothing of their own", "they are few"),
        "they lack one alone",
    ],
)
def test_else_what_lacks_a_field_of_the_samples_is_a_sparse_target(others: list[Probe], taken: float) -> None:
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
