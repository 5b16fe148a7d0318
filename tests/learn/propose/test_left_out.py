"""What is no field: menus, badges, buttons, boxes of other things, sentences with a colon; and what is one."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.learn.propose.fields import propose_fields
from gwc_crawler.learn.propose.page_reading import ReadPage

HOST = "http://notes.example"
NAMES = ("Lantern evening", "Harvest morning", "Winter market")
STORY = "Something that nobody but this entry says, at some length. "


def proposed(*below: str, head: str = "", above: str = "", heading: str = "<h1>{}</h1>") -> dict[str, list[Any]]:
    """What is proposed for pages that differ in what stands *below* their titles."""
    pages = [
        f"<title>{name} | Notes</title>{head}<body>{above}{heading.format(name)}{text}"
        f"<div class='text'>{f'<p>{number} {STORY}</p>' * 4}</div></body>"
        for number, (name, text) in enumerate(zip(NAMES, below, strict=False))
    ]
    found = propose_fields([ReadPage(f"{HOST}/entry/{n}", page.encode()) for n, page in enumerate(pages)])
    assert {"title", "body"} <= {one.name for one in found}
    return {one.name: one.values for one in found if one.name not in ("title", "body")}


def cards(first: int, count: int = 3) -> str:
    """A box of other entries, with a picture and a price each."""
    return "".join(
        f"<div class='card'><a href='/entry/{n}'><img src='/i/{n}.jpg'></a><p>Price: ${n}.50</p></div>"
        for n in range(first, first + count)
    )


@pytest.mark.parametrize(
    "below",
    [
        pytest.param([f"<div class='more'>{cards(10 * n)}</div>" for n in (2, 3)], id="a value in a card of another"),
        pytest.param([f"<b>See also</b><div>{cards(10 * n)}</div>" for n in (2, 3)], id="a box under a label"),
        pytest.param(["<i class='ai-title'>AI summary</i>", ""], id="a badge on one page alone"),
        pytest.param(
            [f"<span class='replies'><a href='/entry/{n}#respond'>{n + 2} replies</a></span>" for n in (0, 1)],
            id="a link within the page",
        ),
        pytest.param(
            [f"<p>字数总计: <b>{words}</b> | 阅读时长: <b>{n}分钟</b></p>" for n, words in ((2, "955"), (3, "1k"))],
            id="how long the text is",
        ),
        pytest.param([f"<i class='reading-time'>{n} min read</i>" for n in (2, 3)], id="how long it is read"),
    ],
)
def test_it_is_no_field(below: list[str]) -> None:
    assert proposed(*below) == {}


def test_what_stands_above_the_title_on_all_pages_is_of_the_site() -> None:
    assert proposed("", "", above="<p><b>Motto:</b> All that shines</p>") == {}


def test_a_sentence_with_an_amount_is_no_price() -> None:
    assert "price" not in proposed("<p>Buy 32 or more for $10.44 each.</p>", "<p>Buy 48 or more for $2.84 each.</p>")


def test_a_menu_is_none_though_one_of_its_entries_changes() -> None:
    entries = "".join(f"<a href='/{name}'>{name}</a> " for name in ("Fiction", "Gifts", "Music"))
    below = [f"<p><b>New:</b> <a href='/{one}'>{one}</a> {entries}</p>" for one in ("Spring", "Summer")]
    assert proposed(*below) == {}


def test_what_is_told_in_the_body_is_no_field_besides() -> None:
    told = f"<div class='story'><p>{STORY * 6}</p><ul><li>Colour: {{}}</li></ul></div>"
    assert "colour" not in proposed(told.format("red"), told.format("blue"))


def test_what_one_page_alone_has_beside_a_term_is_a_field() -> None:
    assert proposed("<dl><dt>Since:</dt><dd>Version two</dd></dl>", "")["since"] == ["Version two", None]


def test_rows_of_a_table_with_heads_are_a_field_each() -> None:
    row = "<tr><th>{}</th><td>{}</td></tr>"
    facts = [
        f"<table>{row.format('Brand', n)}{row.format('Heat', n + 3)}{more}</table>" for n, more in ((1, ""), (2, row))
    ]
    found = proposed(facts[0], facts[1].replace("{}", "Weight", 1).replace("{}", "9 g"))
    assert found == {"brand": ["1", "2"], "heat": ["4", "5"], "weight": [None, "9 g"]}


def test_a_body_begins_below_the_heading_that_all_have() -> None:
    pages = [
        f"<title>{name}</title><h1>{name}</h1><div class='about'><h3>About it</h3><p>{number} {STORY * 4}</p></div>"
        for number, name in enumerate(NAMES[:2])
    ]
    found = propose_fields([ReadPage(f"{HOST}/{n}", page.encode()) for n, page in enumerate(pages)])
    assert [one.values[0][:2] for one in found if one.name == "body"] == ["0 "]


def test_a_badge_that_says_other_things_elsewhere_and_a_number_are_fields() -> None:
    kind = "<i class='kind'>{}</i>"
    assert proposed(kind.format("Soup"), "", kind.format("Cake"))["kind"] == ["Soup", None]
    assert proposed("<i class='stars'>4.5</i>", "")["stars"] == ["4.5", None]


def test_a_sentence_with_a_colon_is_no_label() -> None:
    tip = "<p class='tip'>{}</p>"
    found = proposed(tip.format("The point is: fry it."), tip.format("Stir."))
    assert found == {"tip": ["The point is: fry it.", "Stir."]}


def test_a_button_in_a_heading_is_not_of_the_title() -> None:
    pages = [
        ReadPage(f"{HOST}/{n}", f"<title>{name} - Notes</title><h1><b>{name}</b><a href='/up'>Upload</a></h1>".encode())
        for n, name in enumerate(NAMES)
    ]
    assert propose_fields(pages)[0].values == list(NAMES[:2])


def test_a_label_without_a_value_does_not_take_the_next_label() -> None:
    rows = "<ul><li>Sent by: <em></em></li><li>Sent on: <em>2024-05-0{}</em></li></ul>"
    assert "sent_by" not in proposed(rows.format(1), rows.format(2))


def test_what_follows_a_value_on_the_next_line_is_a_remark() -> None:
    club = "<table><tr><td>Club price: ${}.10<br>(Save {}%)</td></tr></table>"
    assert proposed(club.format(7, 20), club.format(9, 30))["club_price"] == ["$7.10", "$9.10"]


def test_the_picture_that_is_shown_is_taken_in_its_full_size() -> None:
    def told(host: str) -> list[Any]:
        pages = [
            f"<title>{name}</title><meta property='og:image' content='{host}/i/p{n}.jpg'><h1>{name}</h1>"
            f"<img src='/i/logo.png'><img src='{HOST}/i/p{n}-300x200.jpg'>"
            for n, name in enumerate(NAMES[:2])
        ]
        found = propose_fields([ReadPage(f"{HOST}/{n}", page.encode()) for n, page in enumerate(pages)])
        return next(one.values for one in found if one.name == "image")

    assert told(HOST) == [f"{HOST}/i/p{n}.jpg" for n in (0, 1)]
    assert told("http://elsewhere.example") == [f"{HOST}/i/p{n}-300x200.jpg" for n in (0, 1)]
