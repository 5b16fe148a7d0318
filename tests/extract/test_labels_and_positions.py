"""Which candidate goes first: a label before a position that errs, the whole of a text before a part of another one."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import Finder, PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.judging import calls
from gwc_crawler.learn.wrapper.judging.candidates import Ranked
from gwc_crawler.learn.wrapper.ranking import later_in_its_section
from gwc_crawler.learn.wrapper.ranking.fallbacks import fallbacks
from gwc_crawler.page import parse_html
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


def sense(word_: str, *groups: list[str]) -> str:
    boxes = ["".join(f"<li>{text}</li>" for text in some) for some in groups]
    shown = "".join(f"<div class=reading><p>{n}</p><ol>{box}</ol></div>" for n, box in enumerate(boxes))
    shown = shown if len(boxes) > 1 else f"<p>0</p><ol>{boxes[0]}</ol>"
    return f"<body><h1>{word_}</h1><div class=senses>{shown}</div><div class=other><ol><li>Other</li></ol></div></body>"


def test_items_are_found_deeper_in_their_box_where_a_page_parts_them() -> None:
    senses = [f"The {word(n)} of a thing." for n in range(40)]
    samples = [(sense(word(n), senses[n : n + 3]), {"senses": senses[n : n + 3]}) for n in (0, 4)]
    more = [sense(word(n), senses[n : n + 2], *[senses[n + 5 : n + 7]] * (n % 3 == 0)) for n in range(8, 20)]
    wrapper = learned(samples, more)
    assert wrapper.extract(sense("new", senses[30:32], senses[33:36])) == {"senses": senses[30:32] + senses[33:36]}


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


def test_a_list_is_looked_for_up_to_the_next_heading_where_it_does_not_stand_right_behind_its_own() -> None:
    heading, items = "<h2>Errors</h2>", "<ul><li>E1</li><li>E2</li></ul>"
    known = Finder(Family.LABEL, '//h2[text()[normalize-space()="Errors"]]/following-sibling::*[1][self::ul]/li')
    later, *_ = later_in_its_section(
        [known], Finder.every, [page(heading + items), page(f"{heading}<p>See there.</p>{items}")]
    )
    assert later.every(page(f"{heading}<p>They are:</p>{items}<h2>Notes</h2>")) == ["E1", "E2"]
    assert later.every(page(f"{heading}<p>None.</p><h2>Notes</h2>{items}")) == []
    assert later_in_its_section([known], Finder.every, [page(heading + items)]) == []


def test_an_empty_cell_is_not_filled_with_what_follows_another_one() -> None:
    """The next row stands there."""
    cell = Finder(Family.PATH, "./following-sibling::div[2]")
    behind = Finder(Family.PATH, "./following-sibling::div[1]", read="after:like")
    ranked = [Ranked(one, ["a"] * 6, ["a"] * 6) for one in (cell, behind)]
    assert fallbacks(ranked[0], ranked[1:], optional=False) == []
    assert fallbacks(ranked[1], ranked[:1], optional=False) == ranked[:1]


def test_a_sign_that_parts_a_value_from_what_follows_is_none_of_it() -> None:
    def episode(n: int, link: str = "") -> str:
        more = f"· <a>{link}</a>" if link else ""
        return f"<body><h1>{word(n)}</h1><p class=meta><b>May {n}</b> · {n} min {more}</p></body>"

    samples = [(episode(n), {"duration": f"{n} min"}) for n in (37, 41)]
    wrapper = learned(samples, [episode(n, "Guests" * (n % 3 == 0)) for n in range(20, 34)])
    assert wrapper.extract(episode(51, "Guests")) == {"duration": "51 min"}
    assert wrapper.extract(episode(52)) == {"duration": "52 min"}
