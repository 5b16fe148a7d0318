"""How much of a text a field is, where both samples have one paragraph of it; and which of several places is meant."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.affixes import Affixes
from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.places.paths import PathMaker
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.wrapper.ranking.candidates import NEAR_LABEL_COST
from gwc_crawler.learn.wrapper.ranking.rank import choose, names_in_urls
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import ONE, OTHER, learned

SITE = "http://a.test"
NAMES = ("Thor", "Odin", "Loki", "Freya", "Hel", "Tyr", "Ran", "Sif", "Bor", "Buri")
FURTHER = "Elsewhere it has long been told in another way."


def sections(name: str, *said: tuple[str, str], closing: str = "") -> str:
    told = "".join(f"<h2>{heading}</h2>\n{text}\n" for heading, text in said)
    return f"<html><body><h1>{name}</h1><p>Of {name}.</p>{told}{closing}</body></html>"


def under(heading: str, *paragraphs: str) -> tuple[str, str]:
    return heading, "\n".join(f"<p>{one}</p>" for one in paragraphs)


@pytest.mark.parametrize(("called", "is_cell"), [(True, True), (False, False)])
def test_what_pages_are_called_in_their_urls_says_which_place_has_their_name(called: bool, is_cell: bool) -> None:
    usage = Locator(Family.CLASS, '//pre[contains(concat(" ",@class," ")," usage ")]', cost=2.5)
    cell = Locator(Family.TAG, "//td", cut=Affixes(after=" {", whole_after=False), cost=2.0)
    names = [name.casefold() for name in NAMES]
    said = {usage: ["require", *names[1:8], "library", names[9]], cell: names}
    urls = names if called else []
    chosen = choose([usage, cell], lambda one, n: said[one][n], len(names), ["a", "b"], called=urls)
    assert chosen.locators[0] == (cell if is_cell else usage)


@pytest.mark.parametrize(
    ("name", "urls", "found"),
    [("name", ["thor", "odin"], ["loki"]), ("family", ["thor", "odin"], []), ("name", ["thor", "ran"], [])],
)
def test_only_names_are_looked_for_in_urls(name: str, urls: list[str], found: list[str]) -> None:
    def page(name: str) -> LearnPage:
        return LearnPage(parse_html("<body><h1>x</h1></body>"), f"{SITE}/of/{name}.html")

    samples = [ExampleContext(page(one), value) for one, value in zip(urls, ("Thor", "Odin"), strict=True)]
    assert names_in_urls(name, samples, [page("Loki")]) == found


def test_a_list_has_the_order_in_which_the_page_shows_it() -> None:
    def page(name: str, *tags: str) -> str:
        data = "".join(f'<meta property="article:tag" content="{one}">' for one in sorted(tags))
        shown = "".join(f"<a rel=tag>{one}</a> " for one in tags)
        return f"<html><head>{data}</head><body><h1>{name}</h1><p>{OTHER}</p><div class=t>{shown}</div></body></html>"

    samples = [
        (page("Thor", "hammer", "storm"), {"name": "Thor", "tags": ["hammer", "storm"]}),
        (page("Odin", "eye", "raven"), {"name": "Odin", "tags": ["eye", "raven"]}),
    ]
    more = [page(name, f"{name} b", f"{name} a") for name in NAMES[2:]]
    assert learned(samples, more).extract(page("Ymir", "ice", "fire"))["tags"] == ["ice", "fire"]


def test_a_list_under_a_heading_ends_at_the_next_one_though_no_page_seen_has_any() -> None:
    def page(name: str, *methods: str, types: tuple[str, ...] = ()) -> str:
        listed = "".join(f"<h4>{one}()</h4><p>{OTHER}</p>" for one in methods)
        below = "<h3>Types</h3>" + "".join(f"<h4>{one}</h4>" for one in types) if types else ""
        return f"<html><body><h1>{name}</h1><p>{ONE}</p><h3>Methods</h3>{listed}{below}</body></html>"

    samples = [
        (page("Thor", "throw", "catch"), {"name": "Thor", "methods": ["throw()", "catch()"]}),
        (page("Odin", "see", "hang"), {"name": "Odin", "methods": ["see()", "hang()"]}),
    ]
    more = [page(name, f"call_{name}", "go") for name in NAMES[2:]]
    assert learned(samples, more).extract(page("Ymir", "melt", types=("Ice",)))["methods"] == ["melt()"]


def dish(name: str, original: str, *related: str) -> str:
    """A dish that may be made after another one, and the names of a few others."""
    told = f"<h2 id=原型>原型</h2><p>{original}</p>" if original else ""
    boxes = "".join(f"<a class=card href={one}><div class=info><div class=n>{one}</div></div></a>" for one in related)
    told += f"<h2>角色</h2><p>{name}</p><div class=r>{boxes}</div>"
    return f"<html><body><h1>{name}</h1><p>{OTHER}</p>{told}</body></html>"


def test_what_few_pages_have_under_a_heading_is_no_name_in_a_box_that_all_have() -> None:
    samples = [
        (dish("鳗鱼饭", "茶泡饭", "茶泡饭", "甜甜花"), {"title": "鳗鱼饭", "base": "茶泡饭"}),
        (dish("甜甜花", "", "蟹肉煲", "烤鱼"), {"title": "甜甜花"}),
    ]
    names = [f"{one}{other}{kind}" for one in "炸烤蒸" for other in "蟹虾鸡鱼" for kind in "饭面"]
    more = [dish(name, names[n - 5] if n % 8 == 0 else "", names[n - 1], names[n - 2]) for n, name in enumerate(names)]
    wrapper = learned(samples, more)
    assert wrapper.extract(dish("肉酱面", "炸酱面", "烤鱼", "蒸鱼"))["base"] == "炸酱面"
    assert not wrapper.extract(dish("肉酱面", "", "烤鱼", "蒸鱼"))["base"]


def test_where_the_section_is_missing_no_other_one_is_read() -> None:
    def page(name: str, *paragraphs: str, other: str = OTHER) -> str:
        told = [under("Trivia", *paragraphs)] if paragraphs else []
        return f"<div class=content>{sections(name, *told, under('Notes', other))}</div>"

    samples = [
        (page("Thor", "He is played by a tall man."), {"name": "Thor", "trivia": "He is played by a tall man."}),
        (
            page("Odin", "He was once cast as a wanderer."),
            {"name": "Odin", "trivia": "He was once cast as a wanderer."},
        ),
    ]
    more = [
        page(name, f"{name} has a song of its own there.", *([FURTHER] * (n % 2))) for n, name in enumerate(NAMES[2:])
    ]
    assert not learned(samples, more).extract(page("Ymir", other="Nothing but this is said of him here."))["trivia"]


def test_an_empty_paragraph_below_a_heading_is_none_of_its_section() -> None:
    """The value is a table and a paragraph: it is read from the heading, not from the empty paragraph before it."""

    def page(name: str, *credits: str, table: bool = True) -> str:
        lines = "".join(f"<tr><td>{one}</td></tr>" for one in credits)
        shown = f"<p> </p><table>{lines}</table><p> </p><p>New in 4.0</p>" if table else f"<p>{credits[0]}</p>"
        return sections(name, ("Credits", shown), under("Notes", OTHER))

    given = {name: (f"Author: {name} of Asgard", f"{name} House") for name in NAMES[:2]}
    samples = [(page(name, *some), {"credits": f"{' '.join(some)} New in 4.0"}) for name, some in given.items()]
    more = [page(name, f"Author: {name} of Vanaheim", "Sea", table=n % 2 == 0) for n, name in enumerate(NAMES[2:])]
    found = learned(samples, more).extract(page("Ymir", "Example written by Ymir of Niflheim.", table=False))
    assert found["credits"] == "Example written by Ymir of Niflheim."


@pytest.mark.parametrize(("amid", "costs_more"), [("是一件", True), ("", False)])
def test_words_amid_a_text_cost_more_to_go_by_than_a_label_of_its_own(amid: str, costs_more: bool) -> None:
    told = f"<b>赦罪</b>{amid}<a>单手剑</a>" if amid else "是一件"
    page = LearnPage(parse_html(f"<body><div><p>{told}</p><p>{ONE}</p></div></body>"), SITE)
    shared = Shared([page.index, page.index], [ONE], [])
    node = page.tree.xpath("//p[2]")[0]
    found = [one for one in PathMaker(page.index, shared, None).addresses(node) if "是一件" in one.path]
    assert found
    assert (min(one.cost for one in found if one.path.endswith("[self::p]")) > NEAR_LABEL_COST) == costs_more
