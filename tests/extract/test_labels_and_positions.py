"""Which candidate goes first: a label before a position that errs, the whole of a text before a part of another one."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking.candidates import Ranked
from gwc_crawler.learn.wrapper.ranking.named import calls
from gwc_crawler.learn.wrapper.ranking.rank import fallbacks
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word


def paper(n: int, *, msc: str = "", comments: str = "") -> str:
    """The label is broken up by an element, and stands in another row, too; a class has the field's name."""
    rows = [("comments", "Comments", comments), ("acm-classes", "<abbr>ACM</abbr> classes:", f"F.{n}")]
    rows += [("msc-classes", "<abbr>MSC</abbr> classes:", msc)]
    shown = "".join(f'<tr><td>{name}</td><td class="cell {own}">{text}</td></tr>' for own, name, text in rows if text)
    return f"<body><h1>{word(n)}</h1><div class=meta><table>{shown}</table></div></body>"


def test_a_class_with_the_fields_name_leads_to_it_though_one_page_alone_has_it() -> None:
    samples = [(paper(0, msc="30C81, 05A34", comments="9 pages"), {"msc": "30C81, 05A34"}), (paper(1), {})]
    more = [paper(n, comments=f"{n} pages" * (n % 2)) for n in range(2, 12)] + [paper(20, msc="11A05")] * 3
    wrapper = learned(samples, more)
    assert wrapper.extract(paper(30, msc="13B22")) == {"msc": "13B22"}
    assert wrapper.extract(paper(30, comments="7 pages")) == {"msc": None}


@pytest.mark.parametrize(
    ("name", "text", "is_called"),
    [("msc", "msc-classes", True), ("authors", "Author and editor of it", True), ("use", "How to use it", False)],
)
def test_a_class_or_heading_says_a_fields_name_whole_if_that_is_short(name: str, text: str, is_called: bool) -> None:
    assert calls(name, text) == is_called


def test_one_list_in_a_box_beside_is_another_one() -> None:
    def goods(n: int, *tags: str, related: bool = False) -> str:
        own = f"<ul>{''.join(f'<li>{tag}</li>' for tag in tags)}</ul>" if tags else ""
        beside = "<div class=rel><ul><li>Other one</li><li>Another</li></ul></div>" if related else ""
        return f"<body><h1>{word(n)}</h1><div class=info><p>About</p>{own}{beside}</div></body>"

    samples = [(goods(n, word(n), word(n + 9)), {"tags": [word(n), word(n + 9)]}) for n in (0, 1)]
    more = [goods(n, *[word(n), word(n + 5)] * (n % 4 > 0), related=n % 4 == 0) for n in range(2, 16)]
    assert learned(samples, more).extract(goods(30, related=True)) == {"tags": []}


@pytest.mark.parametrize(("price", "given"), [("免费", "免费"), ("Check in store", None)])
def test_a_price_may_be_said_in_words(price: str, given: str | None) -> None:
    def page(said: str) -> str:
        return f"<body><h1>{len(said)}</h1><span class=cost>{said}</span></body>"

    samples = [(page(f"￥{n}"), {"cost": f"￥{n}"}) for n in (80, 50)]
    wrapper = learned(samples, [page(f"￥{n}" if n % 3 else price) for n in range(20)])
    assert wrapper.extract(page(price)) == {"cost": given}


def page(body: str) -> PageView:
    return PageView(parse_html(f"<body>{body}</body>"), "http://a.test/")


def test_an_empty_cell_is_not_filled_with_what_follows_another_one() -> None:
    """The next row stands there."""
    cell = Locator(Family.PATH, "./following-sibling::div[2]")
    behind = Locator(Family.PATH, "./following-sibling::div[1]", read="after:like")
    ranked = [Ranked(one, ["a"] * 6, ["a"] * 6) for one in (cell, behind)]
    assert fallbacks(ranked[0], ranked[1:], optional=False) == []
    assert fallbacks(ranked[1], ranked[:1], optional=False) == ranked[:1]
