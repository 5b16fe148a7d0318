"""Pages of all kinds under one form of URL, where only a field that others lack tells the samples' kind."""

from __future__ import annotations

import pytest

from gwc_crawler.learn.marks import Probe, Split, set_lacking_apart

ALWAYS = frozenset({"title", "text"})


def pages(name: str, count: int, *fields: str, samples: int = 0) -> list[Probe]:
    shown = ALWAYS | frozenset(fields)
    return [Probe(f"/{name}{n}", frozenset(), n < samples, None, 1.0, fields=shown) for n in range(count)]


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
    ],
    ids=["their titles tell the targets", "hardly any other page", "many have it", "few lack it"],
)
def test_else_what_lacks_a_field_is_a_sparse_target(good: list[Probe], beside: list[Probe]) -> None:
    assert set_lacking_apart(Split(good, [], []), beside) == (Split(good, [], []), [])
