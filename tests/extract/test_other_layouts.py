"""Pages of one site that are laid out otherwise than the samples: labels in other elements, columns, replies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from tests.extract.pages import word
from tests.extract.test_new_markup import learn


def page(n: int, facts: str, more: str = "") -> str:
    return (
        f"<html><body><h1>{word(n)}</h1><p>About {word(n + 40)}.</p>{facts}{more}<p>Shop of {word(7)}</p></body></html>"
    )


def facts(n: int, *names: str) -> dict[str, str]:
    return {name: word(n * 3 + len(name)) for name in names}


def in_columns(values: Mapping[str, str]) -> str:
    heads = "".join(f"<th>{name}</th>" for name in values)
    return f"<table><tr>{heads}</tr><tr>{''.join(f'<td>{value}</td>' for value in values.values())}</tr></table>"


def test_a_value_stands_under_its_header_whichever_column_that_is() -> None:
    orders = [("Maker", "Colour", "Origin"), ("Origin", "Maker", "Colour"), ("Colour", "Origin", "Maker")]
    pages = [facts(n, *orders[n % 3]) for n in range(12)]
    more = [page(n, in_columns(pages[n])) for n in range(2, 12)]
    wrapper = learn(*((page(n, in_columns(pages[n])), {"maker": pages[n]["Maker"]}) for n in (0, 1)), more=more)
    assert wrapper.extract(page(32, in_columns(facts(32, *orders[2]))))["maker"] == facts(32, "Maker")["Maker"]
    assert wrapper.extract(page(33, in_columns(facts(33, "Colour", "Origin"))))["maker"] is None


def thread(n: int, replies: Sequence[int]) -> tuple[str, dict[str, Any]]:
    """Comments with so many replies each; a reply is wrapped once more."""
    comments, written = [], []
    number = n * 10
    for count in replies:
        inside = ""
        number += 1
        comments.append({"author": word(number), "text": f"{word(number + 3)} is what I say of {word(number + 5)}."})
        own = comments[-1]
        for _ in range(count):
            number += 1
            reply = {"author": word(number), "text": f"{word(number + 3)} is what I reply to {word(number + 5)}."}
            comments.append(reply)
            inside += f"<div><div><b>{reply['author']}</b> <div><p>{reply['text']}</p></div></div></div>"
        written.append(f"<div><b>{own['author']}</b> <div><p>{own['text']}</p></div>{inside}</div>")
    return page(n, f"<h2>Comments</h2><div>{''.join(written)}</div>"), {"comments": comments}


def test_what_a_reply_is_wrapped_in_is_no_comment_of_its_own() -> None:
    wrapper = learn(thread(1, [1, 0, 0]), thread(2, [0]), more=[thread(n, [0, 1])[0] for n in range(5, 15)])
    for n, replies in ((40, [1, 0, 1]), (41, [0, 0])):
        html, wanted = thread(n, replies)
        assert wrapper.extract(html) == wanted
        assert Wrapper.from_json(wrapper.to_json()).extract(html) == wanted


def listed(n: int, replies: Sequence[int], kind: str) -> tuple[str, dict[str, Any]]:
    """Comments in a list, replies in a list inside theirs; *kind* is an item's class, with its depth for "%d"."""
    comments: list[dict[str, str]] = []

    def item(depth: int, inside: str) -> str:
        number = n * 10 + len(comments)
        one = {"author": word(number), "text": f"{word(number + 3)} is what I say of {word(number + 5)}."}
        comments.append(one)
        name = kind % depth if "%" in kind else kind
        told = f"<div><b>{one['author']}</b> <div><p>{one['text']}</p></div></div>"
        return f'<li id="c{number}"{name and f" class={chr(34)}{name}{chr(34)}"}>{told}{inside}</li>'

    written = []
    for count in replies:
        first = item(1, "@@")
        inside = "".join(item(2, "") for _ in range(count))
        written.append(first.replace("@@", f"<ol>{inside}</ol>" if inside else ""))
    menu = f"<ol><li>{word(n + 1)}</li><li>{word(n + 2)}</li></ol>"
    return page(n, f"<h2>Comments</h2><div><ol>{''.join(written)}</ol></div>{menu}"), {"comments": comments}


@pytest.mark.parametrize("kind", ["", "comment depth-%d", "depth-%d"])
def test_replies_are_comments_though_no_sample_has_one(kind: str) -> None:
    more = [listed(n, [0, n % 2, 2 * (n % 3 == 0)], kind)[0] for n in range(5, 20)]
    wrapper = learn(listed(1, [0, 0, 0], kind), listed(2, [0, 0], kind), more=more)
    for n, replies in ((40, [1, 0, 1]), (41, [0, 0]), (42, [2])):
        html, wanted = listed(n, replies, kind)
        assert wrapper.extract(html) == wanted


def test_rows_of_a_table_without_the_first_header_are_other_records() -> None:
    def tabled(n: int, head: str, rows: int) -> tuple[str, dict[str, Any]]:
        made = [{"name": word(n + 20 * row), "desc": f"{word(n + row)} that is {word(n + 2)}."} for row in range(rows)]
        cells = "".join(f"<tr><td>{one['name']}</td><td>{one['desc']}</td></tr>" for one in made)
        table = f"<table class='data'><tr><th>{head}</th><th>Text</th></tr>{cells}</table>" if rows else ""
        return page(n, table), {"args": made if head == "Argument" else []}

    kinds = [("Argument", 2), ("Argument", 0), ("Argument", 1), ("Property", 12)]
    more = [tabled(n, *kinds[n % 4])[0] for n in range(10, 26)]
    wrapper = learn(tabled(1, "Argument", 1), tabled(2, "Argument", 3), more=more)
    for n, kind in ((40, ("Argument", 2)), (41, ("Property", 9))):
        html, wanted = tabled(n, *kind)
        assert wrapper.extract(html)["args"] == wanted["args"]


def sections(n: int, kinds: Mapping[str, int], name: str = "fn") -> tuple[str, dict[str, Any]]:
    """What a trait has, each kind in a section of its own; a type's link is called otherwise than a function's."""
    rows: list[dict[str, str]] = []

    def row(kind: str, number: int) -> str:
        one = {"name": word(n + 20 * number), "text": f"{word(n + number)} it is that does {word(n + 2)}."}
        called = kind if kind == "type" else name
        rows.extend([one] if kind != "type" else [])
        return f"<details><h4><a class='{called}'>{one['name']}</a></h4><div><p>{one['text']}</p></div></details>"

    made = "".join(
        f"<h3>{kind.title()}</h3><div class='items'>{''.join(row(kind, place + 3 * number) for number in range(count))}"
        "</div>"
        for place, (kind, count) in enumerate(kinds.items())
        if count
    )
    return page(n, made), {"methods": rows}


def test_single_records_are_rows_of_where_most_of_them_stand_not_of_the_first_section() -> None:
    more = [sections(n, {"type": 1, "required": 1 + n % 4})[0] for n in range(10, 28)]
    wrapper = learn(sections(1, {"required": 1}), sections(2, {"required": 1}), more=more)
    html, wanted = sections(40, {"type": 1, "required": 3})
    assert wrapper.extract(html)["methods"] == wanted["methods"]


def test_rows_with_nothing_in_the_place_of_the_first_part_are_records_without_it() -> None:
    more = [sections(n, {"required": 1 + n % 2, "provided": n % 4}) for n in range(10, 28)]
    texts = [re.sub(r"<a class='fn'>[^<]*</a>", "", html, count=n % 2) for n, (html, _) in enumerate(more)]
    wrapper = learn(sections(1, {"required": 2}), sections(2, {"required": 2, "provided": 3}), more=texts)
    html, wanted = sections(40, {"required": 3})
    without = re.sub(r"<a class='fn'>[^<]*</a>", "", html, count=1)
    assert wrapper.extract(without)["methods"] == [{"text": wanted["methods"][0]["text"]}, *wanted["methods"][1:]]


def test_records_that_stand_twice_on_a_sample_are_those_that_the_other_sample_has() -> None:
    def function(n: int, takes: int, gives: Sequence[tuple[str, str]]) -> tuple[str, dict[str, Any]]:
        def listed(label: str, rows: Sequence[tuple[str, str]]) -> str:
            entries = "".join(f"<dt><b>{name}</b><i>{kind}</i></dt><dd>{word(n)} of it</dd>" for name, kind in rows)
            return f"<dt>{label}</dt><dd><dl>{entries}</dl></dd>"

        arguments = [("b", "array"), ("a", "array"), ("width", "float"), ("axis", "int")][:takes]
        more = listed("Takes", arguments) + listed("Gives", gives)
        return page(n, f"<dl class='fields'>{more}</dl>"), {
            "gives": [{"name": name, "type": kind} for name, kind in gives]
        }

    ways = [[("b", "array"), ("a", "array")], [("ret", "table")], [("width", "float")]]
    more = [function(n, 1 + n % 4, ways[n % 3])[0] for n in range(10, 28)]
    wrapper = learn(function(1, 3, ways[0]), function(2, 4, ways[1]), more=more)
    html, wanted = function(40, 4, ways[0])
    assert wrapper.extract(html)["gives"] == wanted["gives"]


def priced(n: int, *, is_deal: bool) -> tuple[str, dict[str, Any]]:
    """What stands in the price's place on most pages is something else where there is a deal."""
    price = f"<p>Deal <i class='deal'>${n}.50</i></p><p>Price <b class='now'>Ships in {n} days</b></p>"
    return page(n, price if is_deal else f"<p>Price <b class='now'>${n}.50</b></p>"), {"price": f"${n}.50"}


def test_a_sample_of_another_layout_takes_nothing_from_the_others() -> None:
    samples = [priced(1, is_deal=False), priced(2, is_deal=False), priced(3, is_deal=True)]
    wrapper = learn(*samples, more=[priced(n, is_deal=n % 3 == 0)[0] for n in range(4, 16)])
    for n in (*range(1, 4), *range(20, 24)):
        for is_deal in (True, False):
            shown, fields = priced(n, is_deal=is_deal)
            assert wrapper.extract(shown) == fields
