"""Records under the heading of their group, and records that only rules or line breaks set apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gwc_crawler.extract.page_view import PageView, parted
from gwc_crawler.extract.wrapper import Wrapper
from tests.extract.pages import word
from tests.extract.test_new_markup import learn

Groups = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""Headings, each with names and prices."""

FIRST: Groups = [("Starters", [("Soup", "4.50"), ("Salad", "5.20")]), ("Mains", [("Roast", "12.00")])]
SECOND: Groups = [("Mains", [("Risotto", "9.90"), ("Trout", "14.10")]), ("Sweets", [("Cake", "3.80")])]
NEW: Groups = [("Drinks", [("Tea", "2.10"), ("Water", "1.00"), ("Juice", "2.80")]), ("Mains", [("Stew", "8.40")])]


def dishes(groups: Groups) -> list[dict[str, str]]:
    return [{"course": course, "name": name, "price": price} for course, rows in groups for name, price in rows]


def page(n: int, body: str) -> str:
    return f"<html><body><h1>{word(n)}</h1><p>All about {word(n + 30)}</p>{body}<p>Call us</p></body></html>"


def in_lists(n: int, groups: Groups) -> str:
    return page(n, "".join(f"<h3>{head}</h3><ul>{''.join(map(item, rows))}</ul>" for head, rows in groups))


def item(row: tuple[str, str]) -> str:
    return f"<li><b>{row[0]}</b> <i>{row[1]}</i></li>"


def in_runs(n: int, groups: Groups) -> str:
    terms = "".join(
        f"<dt class='head'>{head}</dt>" + "".join(f"<dt>{name}</dt><dd>{price}</dd>" for name, price in rows)
        for head, rows in groups
    )
    return page(n, f"<dl>{terms}</dl>")


def in_rows(n: int, groups: Groups) -> str:
    rows = "".join(
        f"<tr><td bgcolor='blue'><b>{head}</b></td></tr>"
        + "".join(f"<tr><td><i>{name}</i> for <u>{price}</u></td></tr>" for name, price in rows)
        for head, rows in groups
    )
    return page(n, f"<table>{rows}</table>")


def in_cells_with_rules(n: int, groups: Groups) -> str:
    rows = "".join(
        f"<tr><td bgcolor='blue'><b>{head}</b></td></tr><tr><td>"
        + "<br><hr>".join(f"{name} is <u>{price}</u>" for name, price in rows)
        + "</td></tr>"
        for head, rows in groups
    )
    return page(n, f"<table>{rows}</table>")


def in_lines(n: int, groups: Groups) -> str:
    blocks = "".join(
        f"<h3>{head}</h3><div class='menu'>{'<br>'.join(f'{name} <b>{price}</b>' for name, price in rows)}</div>"
        for head, rows in groups
    )
    return page(n, blocks)


def in_paragraphs_of_breaks(n: int, groups: Groups) -> str:
    blocks = "".join(
        f"<h3>{head}</h3><div class='menu'>{'<br><br>'.join(f'<b>{name}</b><br>{price}' for name, price in rows)}</div>"
        for head, rows in groups
    )
    return page(n, blocks)


@pytest.mark.parametrize(
    "made",
    [in_lists, in_runs, in_rows, in_cells_with_rules, in_lines, in_paragraphs_of_breaks],
    ids=lambda one: one.__name__,
)
def test_each_record_has_the_heading_of_its_group(made) -> None:  # type: ignore[no-untyped-def]
    more = [made(n, [NEW[n % 2], FIRST[0], SECOND[n % 2]]) for n in range(10, 20)]
    wrapper = learn(
        (made(1, FIRST), {"dishes": dishes(FIRST)}), (made(2, SECOND), {"dishes": dishes(SECOND)}), more=more
    )
    assert wrapper.extract(made(5, NEW))["dishes"] == dishes(NEW)
    assert wrapper.warnings == ()
    again = Wrapper.from_json(wrapper.to_json())
    assert again.extract(made(6, NEW))["dishes"] == dishes(NEW)
    assert "rule 1" in again.sources(PageView.parse(made(6, NEW)))["dishes"]


def test_a_group_with_a_single_record_is_parted_like_the_others() -> None:
    one: Groups = [("Drinks", [("Tea", "2.10")])]
    made = in_cells_with_rules
    wrapper = learn((made(1, FIRST), {"dishes": dishes(FIRST)}), (made(2, SECOND), {"dishes": dishes(SECOND)}))
    assert wrapper.extract(made(5, one))["dishes"] == dishes(one)


def test_parting_leaves_the_page_as_it_is_and_loses_no_text() -> None:
    view = PageView.parse(
        "<div class='a b'>one<hr>two <i>three</i><!-- no --><hr> <hr>four<p>five</p></div><div>six<hr></div>"
    )
    part = parted(view.tree, ("div.b", "hr"))
    assert ["".join(one.itertext("i", "part", "p")) for one in part.iter("part")] == ["one", "two three", "fourfive"]
    assert not list(view.tree.iter("part"))
    assert len(list(view.tree.iter("hr"))) == 4
    assert view.parted(()) is view
    assert view.parted(("div.b", "hr")) is view.parted(("div.b", "hr"))
    assert view.parted(("div.b", "hr")).parted(("div.b", "hr")) is view.parted(("div.b", "hr"))


def test_a_rule_within_a_record_does_not_part_it_where_others_stand_behind_a_break() -> None:
    first = page(1, f"<div class='menu'><b>Soup</b> 4.50<hr>hot<br><hr><b>Cake</b> 3.80{' '}cold</div>")
    second = page(2, "<div class='menu'><b>Stew</b> 8.40 hot<br><hr><b>Ice</b> 2.80<hr>cold</div>")
    wrapper = learn(
        (first, {"dishes": [{"name": "Soup", "all": "Soup 4.50 hot"}, {"name": "Cake", "all": "Cake 3.80 cold"}]}),
        (second, {"dishes": [{"name": "Stew", "all": "Stew 8.40 hot"}, {"name": "Ice", "all": "Ice 2.80 cold"}]}),
    )
    new = page(3, "<div class='menu'><b>Tea</b> 1.00<hr>hot<br><hr><b>Pie</b> 2.00 warm<br><hr><b>Jam</b> 3</div>")
    assert [one["all"] for one in wrapper.extract(new)["dishes"]] == ["Tea 1.00 hot", "Pie 2.00 warm", "Jam 3"]


def test_rules_that_only_further_pages_have_part_their_records() -> None:
    made = in_cells_with_rules
    single: Groups = [("Starters", [("Soup", "4.50")]), ("Mains", [("Roast", "12.00")])]
    other: Groups = [("Sweets", [("Cake", "3.80")])]
    more = [made(n, [NEW[n % 2], FIRST[0], SECOND[n % 2]]) for n in range(10, 16)]
    samples = (made(1, single), {"dishes": dishes(single)}), (made(2, other), {"dishes": dishes(other)})
    assert learn(*samples, more=more).extract(made(5, NEW))["dishes"] == dishes(NEW)


def test_of_rules_and_breaks_those_part_records_that_give_whole_ones() -> None:
    def made(n: int, tips: list[dict[str, str]]) -> str:
        cell = "<hr>".join(f"{one['text']}<br><i>({one['source']})</i>" for one in tips)
        return page(n, f"<table><tr><td>Tips</td></tr><tr><td>{cell}</td></tr></table>")

    def tips(n: int, count: int) -> list[dict[str, str]]:
        return [
            {"source": word(n + m), "text": f"{word(2 * n + m)} {word(n + 3 * m)} the {word(m)}."} for m in range(count)
        ]

    wrapper = learn((made(1, tips(1, 3)), {"tips": tips(1, 3)}), (made(2, tips(20, 2)), {"tips": tips(20, 2)}))
    assert wrapper.extract(made(5, tips(50, 4)))["tips"] == tips(50, 4)
