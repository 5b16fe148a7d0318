"""Stubs under the targets' form of URL are taken out; sparse records are not."""

from __future__ import annotations

import pytest

from gwc_crawler.learn.lookalikes.apart import set_bare_apart
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probes import Split

TEMPLATE = frozenset({"div#main", "h1", "p.price", "dl.facts", "p.text"})


def probe(name: str, marks: frozenset[str], *fields: str, is_sample: bool = False) -> Probe:
    return Probe(name, marks, is_sample, found=len(fields) / 2, fields=frozenset(fields))


RECORDS = [probe(str(n), TEMPLATE, "title", "price", is_sample=n < 2) for n in range(8)]
STUBS = [probe(f"stub{n}", frozenset({"p"}), "title") for n in range(5)]


def test_pages_without_what_tells_a_record_and_without_its_template_are_taken_out() -> None:
    split = set_bare_apart(Split([*RECORDS, *STUBS], [], []), {"title"})
    assert split.good == RECORDS
    assert split.foreign == [STUBS]
    assert split.reasons == ["none of price there, nor what the other pages have in common"]


@pytest.mark.parametrize(
    ("others", "anywhere"),
    [
        pytest.param([probe(f"s{n}", TEMPLATE - {"p.price"}, "title") for n in range(5)], {"title"}, id="sparse"),
        pytest.param(STUBS, set(), id="the title tells"),
        pytest.param(STUBS[:1], {"title"}, id="a single one"),
        pytest.param(STUBS, {"title", "price"}, id="nothing tells"),
    ],
)
def test_else_they_stay(others: list[Probe], anywhere: set[str]) -> None:
    split = Split([*RECORDS, *others], [], [])
    assert set_bare_apart(split, anywhere) is split
