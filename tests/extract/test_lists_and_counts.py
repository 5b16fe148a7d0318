"""Lists of which the samples show too little to say where they end, labels that count, names inside other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.ranking.corrections import as_it_should_be
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word

URL = "https://a.example/{}"


def learn(*samples: tuple[str, dict[str, Any]], more: list[str]) -> Wrapper:
    given = [Sample(URL.format(n), page, fields) for n, (page, fields) in enumerate(samples)]
    return learn_wrapper(given, [(URL.format(100 + n), page) for n, page in enumerate(more)])


def names(start: int, count: int) -> list[str]:
    return [word(number).capitalize() for number in range(start, start + count)]


def entry(n: int, kinds: list[str]) -> str:
    linked = ", ".join(f"<a href='/{one}'>{one}</a>" for one in kinds)
    rows = f"<dl><dt>Kinds:</dt><dd>{linked}</dd></dl>" if kinds else ""
    rows += f"<dl><dt>Known:</dt><dd><a href='/x'>{word(n + 60)}</a>, <a href='/y'>{word(n + 61)}</a></dd></dl>"
    return f"<html><body><h1>{word(n)}</h1><div>{rows}</div></body></html>"


def test_a_list_of_one_is_cut_as_the_lists_of_further_pages_are() -> None:
    more = [entry(n, names(3 * n, n % 3)) for n in range(10, 22)]
    wrapper = learn((entry(1, ["Map"]), {"kinds": ["Map"]}), (entry(2, []), {}), more=more)
    assert wrapper.extract(entry(3, ["Map", "Set", "List"]))["kinds"] == ["Map", "Set", "List"]
    assert wrapper.extract(entry(4, ["Map"]))["kinds"] == ["Map"]
    assert not wrapper.extract(entry(5, []))["kinds"]


def test_a_list_of_one_is_cut_also_where_a_few_further_lists_have_words_beside_their_items() -> None:
    more = [entry(n, names(3 * n, 1 + n % 3)) for n in range(10, 28)]
    more += [entry(n, names(3 * n, 2)).replace("</a>, <a", "</a> of many, <a", 1) for n in (28, 29)]
    wrapper = learn((entry(1, ["Map"]), {"kinds": ["Map"]}), (entry(2, ["Set"]), {"kinds": ["Set"]}), more=more)
    assert wrapper.extract(entry(3, ["Map", "Set", "List"]))["kinds"] == ["Map", "Set", "List"]


def test_an_item_with_signs_in_it_is_not_cut_at_words() -> None:
    def page(n: int, items: list[str]) -> str:
        rows = "".join(
            f"<li><a href='/{one}'>{one.partition(' ')[0]}</a> {one.partition(' ')[2]}</li>" for one in items
        )
        return f"<html><body><h1>{word(n)}</h1><ul>{rows}</ul></body></html>"

    more = [page(n, [f"{one} of the kind" for one in names(3 * n, 2)]) for n in range(10, 18)]
    wrapper = learn((page(1, ["Map "]), {"items": ["Map"]}), (page(2, ["Set "]), {"items": ["Set"]}), more=more)
    assert wrapper.extract(page(3, ["List of words", "Set of words"]))["items"] == ["List of words", "Set of words"]


def diary(n: int, links: int, tags: list[str]) -> str:
    text = "".join(f"<p>See <a href='/x{n}{k}'>{word(n * 7 + k)}</a>.</p>" for k in range(links))
    listed = "".join(f"<li><a href='/tags/{tag}'>{tag}</a></li>" for tag in tags)
    menu = "<header><ul><li><a href='/t'>Tags</a></li><li><a href='/a'>About</a></li></ul></header>"
    body = f"<h1>{word(n)}</h1>{text}<p>The end of {word(n + 3)}</p><ul class='tags'>{listed}</ul>"
    foot = "<ul class='next'><li><a href='/n'>Next</a></li></ul>"
    return (
        f"<html><body><div>{menu}<main class='content' role='main'><article class='entry'>{body}</article></main>"
        f"{foot}</div></body></html>"
    )


def test_links_of_the_text_are_no_items_of_the_list_below_it() -> None:
    more = [diary(n, 2 if n % 3 == 0 else 0, names(5 * n, 1 + n % 2)) for n in range(10, 22)]
    wrapper = learn(
        (diary(1, 0, ["Games", "Life"]), {"tags": ["Games", "Life"]}), (diary(2, 0, ["Work"]), {"tags": ["Work"]}),
        more=more,
    )  # fmt: skip
    assert wrapper.extract(diary(3, 3, ["Music", "Life"]))["tags"] == ["Music", "Life"]


def methods(n: int, called: list[str]) -> str:
    rows = "".join(
        f"<tr><td>{word(n + k)}</td><td><code><span class='name'>{one}</span>({one[::-1]} it)</code>"
        f"<div>Does {word(n + k + 50)}.</div></td></tr>"
        for k, one in enumerate(called)
    )
    told = "".join(f"<h4>{one}</h4><p>Told of {word(n + 70 + k)} at length.</p>" for k, one in enumerate(called))
    return (
        f"<html><body><h1>{word(n)}</h1><table class='all'>{rows}</table><div class='told'>{told}</div></body></html>"
    )


def records(n: int, called: list[str]) -> list[dict[str, str]]:
    return [
        {"gives": word(n + k), "name": one, "call": f"{one}({one[::-1]} it)", "does": f"Does {word(n + k + 50)}."}
        for k, one in enumerate(called)
    ]


def test_a_name_inside_another_value_is_found_there_and_not_below() -> None:
    first, second = names(200, 4), ["Single"]
    wrapper = learn(
        (methods(1, first), {"methods": records(1, first)}), (methods(2, second), {"methods": records(2, second)}),
        more=[methods(n, names(7 * n, 3)) for n in range(10, 18)],
    )  # fmt: skip
    assert wrapper.extract(methods(3, ["Alpha", "Beta"]))["methods"] == records(3, ["Alpha", "Beta"])


def unit(n: int, names: Sequence[str], *, links: bool, dash: str = "‒") -> str:
    shown = ", ".join(f"<a href='/{one}'>{one}</a>" if links else one for one in names) or dash
    return f"<html><body><h1>{word(n)}</h1><table><tr><th>Advances to:</th><td>{shown}</td></tr></table></body></html>"


@pytest.mark.parametrize("links", [True, False])
def test_a_dash_in_place_of_a_list_is_no_item(links: bool) -> None:
    names = [[f"Unit{n}", f"Troop{n}"] if n % 3 == 1 else [f"Unit{n}"] if n % 5 else [] for n in range(40)]
    more = [unit(n, names[n], links=links) for n in range(10, 40)]
    samples = ((unit(n, names[n], links=links), {"advances": names[n]}) for n in (1, 2))
    wrapper = learn(*samples, more=more)
    assert [wrapper.extract(page)["advances"] or [] for page in more] == names[10:]


def test_a_dash_among_other_items_is_one() -> None:
    names = [["-", f"+{n}"] if n % 2 else [f"*{n}"] for n in range(30)]
    more = [unit(n, names[n], links=True) for n in range(10, 30)]
    wrapper = learn(*((unit(n, names[n], links=True), {"advances": names[n]}) for n in (1, 2)), more=more)
    assert [wrapper.extract(page)["advances"] for page in more] == names[10:]


def test_a_list_with_a_name_of_its_own_goes_before_one_that_has_more_here_and_there() -> None:
    wide = Locator(Family.CLASS, "//article//a", cost=2.5)
    tight = Locator(Family.CLASS, "//ul[@class='tags']//a", cost=2.6)
    by_place = Locator(Family.PATH, "//article/ul/li/a", cost=2.4)
    pages = [PageView.parse(diary(n, int(n % 3 == 0), names(n, 2)), URL.format(n)) for n in range(12)]
    assert as_it_should_be([wide], [wide, by_place, tight], pages)[0] is tight
    assert as_it_should_be([wide], [wide, by_place], pages) == [wide]
    seldom = [PageView.parse(diary(n, int(n % 3 > 0), names(n, 2)), URL.format(n)) for n in range(12)]
    assert as_it_should_be([wide], [wide, tight], seldom) == [wide]


def test_a_list_in_another_order_is_found_though_the_other_samples_single_item_stands_in_a_text_too() -> None:
    def tagged(n: int, *tags: str) -> str:
        links = "".join(f"<a class='tag' href='/tag/{tag}'>#{tag}</a> " for tag in tags)
        text = f"{word(n)} {word(n + 1)}, {tags[0]} {word(n + 2)}." if n < 10 else f"{word(n)} {word(n + 1)}."
        metas = "".join(f"<meta property='article:tag' content='{tag}'>" for tag in tags)
        return f"<html><head>{metas}</head><body><h1>{word(n + 5)}</h1><p>{text}</p><div>{links}</div></body></html>"

    names = ("sea", "film", "food", "code")
    more = [tagged(n, *(names[n % 4 :] or names)) for n in range(10, 25)]
    wrapper = learn(
        (tagged(1, "sea"), {"tags": ["sea"]}),
        (tagged(2, "film", "code", "food"), {"tags": ["film", "food", "code"]}),
        more=more,
    )
    assert wrapper.extract(tagged(31, "food", "sea"))["tags"] == ["food", "sea"]
