"""Single judgements of the learning, each by itself: whole pages often have other ways to the right value."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract import Affixes, Finder, PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.texts import ExampleContext, LearnPage, Shared
from gwc_crawler.learn.wrapper.finders import scalar_finders
from gwc_crawler.learn.wrapper.ranking import rank
from gwc_crawler.learn.wrapper.ranking.candidates import Ranked
from gwc_crawler.learn.wrapper.surroundings import Surroundings
from tests.extract.pages import word


def learn_pages(*bodies: str) -> list[LearnPage]:
    return [LearnPage.of(PageView.parse(f"<body>{body}</body>", f"http://a.test/{n}")) for n, body in enumerate(bodies)]


def by_label(path: str, read: str = "text", cut: Affixes | None = None) -> Finder:
    return Finder(Family.LABEL, path, read, cut=cut or Affixes())


def test_words_before_a_value_do_not_reach_into_it() -> None:
    first = ("The", "The", "The", "The", "Old", "New", "Big")
    pages = learn_pages(*(f"<ul><li>Owner {the} {word(n)}</li></ul>" for n, the in enumerate(first)))
    values = [f"The {word(n)}" for n in (0, 1)]
    contexts = [ExampleContext(page, value) for page, value in zip(pages, values, strict=False)]
    paths = {one.path for one in scalar_finders(contexts, Shared([page.index for page in pages], values))}
    assert any('"Owner "' in path for path in paths)
    assert not any('"Owner The "' in path for path in paths)


def surroundings(pages: list[LearnPage], values: list[Any]) -> Surroundings:
    contexts = [ExampleContext(page, value) for page, value in zip(pages, values, strict=False)]
    shared = Shared([page.index for page in pages], [value for value in values if isinstance(value, str)])
    return Surroundings(contexts, shared, [page.page for page in pages[len(values) :]])


def test_what_stands_in_a_card_is_another_things() -> None:
    def thing(own: str, *others: str) -> str:
        inside = "<div><div><div><div><div><dl><dt>Grade</dt><dd>{}</dd></dl></div></div></div></div></div>"
        cards = (f"<div class=card>{inside.format(one)}</div>" for one in others)
        return (f"<div class=own>{inside.format(own)}</div>" if own else "") + "".join(cards)

    pages = learn_pages(thing("A", "B", "C"), thing("D", "E"), thing("", "F", "G"), thing("H", "A"))
    around = surroundings(pages, ["A", "D"])
    finder = by_label('//dt[text()[normalize-space()="Grade"]]/following-sibling::*[1][self::dd]')
    assert [around.are_strange(finder, page) for page in pages] == [False, False, True, False]


def ranked(finder: Finder, values: list[Any], coverage: float = 1.0) -> Ranked:
    return Ranked(finder, values, list(values), coverage=coverage)


@pytest.mark.parametrize(("found", "is_strange"), [("Ann Show of B", True), ("Bob", False)])
def test_what_is_cut_out_of_all_is_refuted_with_what_is_read_alone(found: str, is_strange: bool) -> None:
    alone = ranked(by_label("//b"), ["Ann"])
    cut = ranked(by_label("//div", cut=Affixes(before="Curator:", whole_before=False)), [found])
    rank._refute([alone, cut], 1, lambda finder, _: finder is alone.finder)
    assert (cut.values == [None]) is is_strange
