"""Manuals: references, guides and lists in one flat directory, with the same frame around all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gwc_crawler.learn.kinds.cuts import structure
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.splits import _split
from gwc_crawler.learn.kinds.words import words_of
from gwc_crawler.learn.lookalikes.apart import set_listed_apart
from gwc_crawler.learn.lookalikes.probe import Probe, no_lists
from gwc_crawler.learn.lookalikes.probes import Split, split_probes
from gwc_crawler.learn.urls.url_parts import row_of

SITE = "http://manual.example"


def matrix_of(paths: list[str], marks: list[set[str]]) -> FeatureMatrix:
    return FeatureMatrix([words_of(row_of(SITE + path)) for path in paths], [frozenset(some) for some in marks], [0, 1])


@pytest.mark.parametrize(("capitals", "is_cut"), [(1, True), (12, False)])
def test_the_case_of_a_names_first_letter_tells_no_kind_beside_pages_that_are_as_like(
    capitals: int, is_cut: bool
) -> None:
    """Most opcodes begin with a small letter, some with a capital, as all chapters do."""
    paths = [f"/{chr(97 + n % 26)}op{n}x.html" for n in range(100)]
    paths += [f"/Op{n}x.html" for n in range(capitals)] + [f"/Chapter{n}x.html" for n in range(60)]
    marks = [set("abcdefgh")] * (100 + capitals) + [{"h"}] * 60
    matrix = matrix_of(paths, marks)
    assert (_split(matrix, matrix.everywhere) is not None) == is_cut


@pytest.mark.parametrize(
    ("filters", "alike", "mixed", "is_cut"),
    [(30, 0, True, True), (30, 6, True, False), (30, 6, False, False), (30, 20, False, False), (80, 0, True, False)],
    ids=["none beside them", "some as like", "listed apart", "many as like", "most pages have the prefix"],
)
def test_a_prefix_that_few_pages_have_tells_a_kind_where_hardly_another_one_is_like_the_samples(
    filters: int, alike: int, mixed: bool, is_cut: bool
) -> None:
    others = 200 - filters
    paths = [f"/prog-filter-{chr(97 + n % 26)}{n}.html" for n in range(filters)]
    paths += [f"/prog-{'tool' if n % 2 else 'concept'}{n}.html" for n in range(others)]
    marks = [set("abcdefgh")] * filters + [set("abcdefgh")] * alike + [{"a"}, {"h"}] * 100
    matrix = matrix_of(paths, marks[:200])
    cut = structure(matrix, matrix.everywhere, lambda kept, dropped: mixed)
    assert (cut is not None and matrix.members(cut.pages) == list(range(filters))) == is_cut


FRAME = frozenset(["div#top>a", "div#nav>ul>li", "p:Version 5"])
MODULE = frozenset(f"div.module>h3#{name}>span" for name in "abcdefghijklmnop") | {"h3:Exports"}
CHAPTER = frozenset(["h3:Chapters", "p:User's Guide", "div.guide>p>code"])


def probes(linked: str, fields: frozenset[str]) -> list[Probe]:
    """Modules, whose lists all stand in one place, and chapters with some of their fields."""
    everything = frozenset({"title", "version", "book", "summary"})
    modules = [
        Probe(f"/m{n}", FRAME | MODULE, n < 2, None, 1.0, fields=everything, linked_from=frozenset({f"/all{n % 8}"}))
        for n in range(40)
    ]
    chapters = [
        Probe(f"/c{n}", FRAME | CHAPTER, False, None, 0.8, fields=fields, linked_from=frozenset({f"{linked}{n % 8}"}))
        for n in range(20)
    ]
    return [*modules, *chapters]


def test_what_lacks_one_of_many_fields_is_a_record_of_another_sort() -> None:
    """Audio books beside books: listed apart, with their name in the class of the page's body, and without pages."""
    fields = frozenset({"title", "version", "book", "summary", "author", "price", "isbn", "maker", "date", "text"})
    books = [replace(one, fields=fields - {"text"} if "/c" in one.url else fields) for one in probes("/guide", fields)]
    assert split_probes(books).foreign == []


@pytest.mark.parametrize(("stated", "is_taken_apart"), [(("parameters", "returns"), False), ((), True)])
def test_pages_with_several_of_the_fields_are_no_other_kind_where_both_samples_have_a_rare_one(
    stated: tuple[str, ...], is_taken_apart: bool
) -> None:
    """Few functions say what they throw, and both samples do; of the others most state what they take and return."""

    def pages(name: str, lists: str, mark: str, *shown: str) -> list[Probe]:
        return [
            Probe(
                f"/{name}{n}",
                frozenset({"h1", mark}),
                name == "throwing" and n < 2,
                None,
                1.0,
                fields=frozenset({"title", "declaration", *(one for one in shown if n < 2 or n % 5)}),
                linked_from=frozenset({f"{lists}{n % 10}", f"/before{name}{n}"}),
            )
            for n in range(40)
        ]

    throwing = pages("throwing", "/strings", "h3:Exceptions", "parameters", "returns")
    throwing = [replace(one, fields=one.fields | {"throws"}) for one in throwing]
    plain = pages("plain", "/numbers", "h3:Notes", *stated)
    split, told = set_listed_apart(Split([*throwing, *plain], [], []), no_lists, 0.9)
    assert (split.foreign, bool(told)) == (([plain], True) if is_taken_apart else ([], False))
