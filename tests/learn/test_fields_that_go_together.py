"""Pages of two kinds under one form of URL, told apart by several fields that go together."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.lookalikes.apart import set_other_kind_apart
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probes import Split
from gwc_crawler.page.parse import parse_html
from tests.learn.test_kinds import SITE, Kind, fields
from tests.learn.test_kinds_and_fields import site_of

ALWAYS = frozenset({"title", "text"})
MARKS = frozenset({"h1", "p:Number", "p:Place", "p:Date", "p:Office"})


def probes(name: str, count: int, shown: frozenset[str], *marks: str, samples: int = 0) -> list[Probe]:
    """So many pages; every fifth one lacks a field and an office by chance."""
    return [
        Probe(
            f"/{name}{n}",
            frozenset({"h1", *marks} - {"p:Office"} if n % 5 == 4 else {"h1", *marks}),
            n < samples,
            found=1.0,
            fields=shown - {sorted(shown)[n % len(shown)]} if n % 5 == 4 else shown,
        )
        for n in range(count)
    ]


OWN = ("p:Speaker", "p:Room")
TALKS = probes("talk", 30, ALWAYS | {"number", "place", "date"}, *MARKS, samples=2)
SHORT = ALWAYS | {"number", "place"}
NOTES = [replace(one, fields=SHORT) for one in probes("note", 30, SHORT, *MARKS, samples=2)]
"""The samples' kind, with three fields or two."""


@pytest.mark.parametrize(
    ("good", "others"),
    [
        pytest.param(TALKS, probes("news", 12, ALWAYS, "p:Place", *OWN), id="three fields"),
        pytest.param(NOTES, probes("news", 12, ALWAYS, *OWN), id="two, and nothing of the samples"),
    ],
)
def test_pages_without_several_fields_that_go_together_are_another_kind(good: list[Probe], others: list[Probe]) -> None:
    split, told = set_other_kind_apart(Split([*good, *others], [], []))
    assert (split.good, split.foreign) == (good, [others])
    assert told == sorted(good[0].shown - ALWAYS)
    assert split.reasons[0].endswith("not there, which go together on the other pages")


@pytest.mark.parametrize(
    ("good", "others"),
    [
        pytest.param(TALKS, probes("sparse", 12, ALWAYS, "p:Place"), id="nothing of their own"),
        pytest.param(TALKS, probes("sparse", 12, ALWAYS, *MARKS, *OWN), id="as like the samples"),
        pytest.param(NOTES, probes("sparse", 12, ALWAYS, "p:Office", *OWN), id="two fields"),
        pytest.param(TALKS, probes("sparse", 4, ALWAYS, "p:Place", *OWN), id="a few pages"),
    ],
)
def test_else_they_are_sparse_pages_of_the_same_kind(good: list[Probe], others: list[Probe]) -> None:
    split = Split([*good, *others], [], [])
    assert set_other_kind_apart(split) == (split, [])


def test_pages_that_have_more_than_two_of_the_fields_are_sparse_pages_with_a_notice() -> None:
    more = {"author", "office"}
    good = [replace(one, fields=one.fields | more) for one in TALKS]
    others = probes("sparse", 12, ALWAYS | more, "p:Place", *OWN)
    split = Split([*good, *others], [], [])
    assert set_other_kind_apart(split) == (split, [])


def test_fields_that_are_missing_by_themselves_tell_no_kind() -> None:
    """Each page lacks one of the three, and some have things of their own."""
    names = ("number", "place", "date")
    others = [
        one
        for k in range(3)
        for one in probes(f"sparse{k}", 8, ALWAYS | {name for name in names if name != names[k]}, "p:Place", *OWN)
    ]
    split = Split([*TALKS, *others], [], [])
    assert set_other_kind_apart(split) == (split, [])


DOCUMENT = Kind("entry", ("number", "place", "date", "office", "text"))
NEWS = Kind("entry", ("text", "speaker"))
SPARSE = Kind("entry", ("text",))


@pytest.mark.parametrize(("other", "is_refused"), [(NEWS, True), (SPARSE, False)], ids=["of another kind", "sparse"])
def test_crawled_pages_without_several_fields_that_go_together_are_refused(other: Kind, is_refused: bool) -> None:
    """All under one form of URL; every fifth document lacks something."""
    pages, titles = {}, {}
    for n in range(60):
        kind, path = DOCUMENT if n < 40 else other, f"/entry/{n * 37 % 997}.html"
        skipped = [kind.sections[n % len(kind.sections)]] if n % 5 == 4 and n < 40 else []
        html = re.sub(" class='[a-z]+-text'", "", kind.html(f"E{n}", skipped=skipped))
        pages[path], titles[path] = html, f"E{n}"
    samples = {path: fields(DOCUMENT, titles[path]) for path in list(pages)[2:8:5]}
    knowledge = site_of(dict(sorted(pages.items())), samples)
    wrapper = Wrapper.from_json(knowledge.wrapper)
    refused = [
        path
        for path, html in pages.items()
        if page_agrees(
            parse_html(html.encode(), "utf-8"), None, wrapper.extract(html, SITE + path), knowledge.page_check
        )
    ]
    assert refused == (list(pages)[40:] if is_refused else [])
