"""Sections end before what other fields have, whatever that stands in; a label of its own leads wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.nodes import text_after
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word

MORE = range(10, 40)


def page(name: str, *parts: str) -> str:
    return f"<body><div id=all><h1>{name}</h1>{''.join(parts)}</div></body>"


def learned_of(one: Any, *given: tuple[int, dict[str, Any]], more: Any = MORE) -> Wrapper:
    """What is learned from pages of *one* for some numbers, with their fields, and further ones."""
    return learned([(one(n), fields) for n, fields in given], [one(n) for n in more])


RANGES = {
    "bold line": "<p><strong>分布</strong></p><ul>{0}</ul>",
    "rubric": "<p class=rubric>分布</p><ul>{0}</ul>",
    "box": "<div class='box-range x'><b>分布</b><ul>{0}</ul></div>",
}


def adult(n: int) -> str:
    return " ".join(f"{word(n + k)} has wings of {word(n + 2 * k + 1)} and more of them." for k in range(n % 2 + 1))


def moth(n: int, form: str) -> str:
    texts = (f"<p>{word(n + k)} has wings of {word(n + 2 * k + 1)} and more of them.</p>" for k in range(n % 2 + 1))
    larva = f"<h2>Larva</h2><p>Green as {word(n)}, and as long as a finger.</p>" if n % 3 else ""
    regions = form.format("".join(f"<li>{word(n + k + 70)}</li>" for k in range(2)))
    return page(word(n), "<h2>Adult</h2>", *texts, larva, regions, f"<h2>Records</h2><p>No. {n}</p>")


@pytest.mark.parametrize("form", RANGES.values(), ids=RANGES)
def test_a_caption_over_a_list_ends_a_section_and_leads_to_the_list(form: str) -> None:
    def fields(n: int) -> dict[str, Any]:
        return {"adult": adult(n), "regions": [word(n + 70), word(n + 71)]}

    wrapper = learned_of(lambda n: moth(n, form), *((n, fields(n)) for n in (1, 4)))
    assert [wrapper.extract(moth(n, form)) for n in (50, 51, 54)] == [fields(n) for n in (50, 51, 54)]


@pytest.mark.parametrize("other", ["<h2>See also</h2>", "<div class=o><h2>See also</h2></div>", "<h1>See also</h1>"])
def test_a_section_under_a_wrapped_heading_ends_at_any_heading(other: str) -> None:
    tree = parse_html(f"<div class=t><h2>A</h2><a>edit</a></div><p>one</p><h3>b</h3><p>two</p>{other}<p>x</p>".encode())
    assert text_after(next(tree.iter("div")), frozenset({"like"})) == "one b two"


# -- what is no label, and no other thing ----------------------------------------------------------------------------


UNITS = {"weight": "kg", "load": "kg", "length": "m", "width": "m", "price": "EUR"}


def measures(n: int) -> dict[str, str]:
    given = {"weight": n % 4 != 3, "load": n % 5, "length": n % 6 != 5, "width": n % 7 != 6, "price": n % 8 != 5}
    values = {"weight": n * 7 + 3, "load": n * 5 + 1, "length": n % 9 + 1, "width": n + 2, "price": n + 222}
    return {name: str(values[name]) for name, is_there in given.items() if is_there}


def test_a_unit_below_a_value_is_no_label() -> None:
    def thing(n: int) -> str:
        row = "<div>{}</div><div><b>{}</b><i>{}</i></div>"
        shown = (row.format(name.title(), value, UNITS[name]) for name, value in measures(n).items())
        return page(word(n), "<div class=w>", *shown, "</div>")

    wrapper = learned_of(thing, *((n, measures(n)) for n in (1, 2)), more=range(10, 30))
    found = [wrapper.extract(thing(n)) for n in range(50, 74)]
    assert [{name: value for name, value in one.items() if value} for one in found] == list(
        map(measures, range(50, 74))
    )


@pytest.mark.parametrize(
    "row", ["<div class=row><div class=col>{}</div><div class=col>{}</div></div>", "<p><b>{}</b><i>{}</i></p>"]
)
def test_a_status_below_a_value_is_no_label(row: str) -> None:
    def thing(n: int) -> str:
        status = "In stock" if n < 10 else ("In stock", "In stock", "Sold out", "Only a few left")[n % 4]
        kind = "Book" if n < 10 else ("Book", "Film", "Music")[n % 3]
        return page(word(n), row.format(f"{word(n)} {word(n + 3)}", kind), row.format(f"{n} EUR", status))

    wrapper = learned_of(thing, *((n, {"price": f"{n} EUR"}) for n in (1, 2)), more=range(10, 30))
    assert [wrapper.extract(thing(n))["price"] for n in range(50, 62)] == [f"{n} EUR" for n in range(50, 62)]


def test_words_end_where_the_value_begins() -> None:
    def house(n: int) -> str:
        owner = f"The {word(n)}" if n % 5 < 3 else f"{('Old', 'New', 'Big')[n % 3]} {word(n)}"
        lines = [f"Flash {('on', 'off')[n % 2]}"] if n % 3 else []
        lines += [f"Owner {owner}", f"Built {1900 + n}"]
        return page(word(n + 9), "<ul>", *(f"<li>{line}</li>" for line in lines), "</ul>")

    wrapper = learned_of(house, *((n, {"owner": f"The {word(n)}"}) for n in (1, 2)), more=range(10, 30))
    assert [wrapper.extract(house(n))["owner"] for n in (50, 53, 54)] == [
        f"The {word(50)}",
        f"{('Old', 'New', 'Big')[53 % 3]} {word(53)}",
        f"{('Old', 'New', 'Big')[54 % 3]} {word(54)}",
    ]


@pytest.mark.parametrize("flat", [True, False])
def test_a_head_across_a_table_is_no_empty_row(flat: bool) -> None:
    def reviews(n: int) -> list[dict[str, str]]:
        rows = [{"reader": f"Reader {word(n + k)}", "text": f"Good as {word(n + 2 * k)}"} for k in range(2)]
        return [row | ({"date": f"{n} May"} if n < 10 else {}) for row in rows]

    def book(n: int) -> str:
        def row(one: dict[str, str]) -> str:
            date = f"<i>{one['date']}</i>" if "date" in one else ""
            if flat:
                return (
                    f"<tr><td colspan=2><b>{one['reader']}</b></td></tr><tr><td>{date}</td><td>{one['text']}</td></tr>"
                )
            return f"<tr class=rev><td colspan=2><b>{one['reader']}</b> {date}<p>{one['text']}</p></td></tr>"

        return page(word(n), "<table><tr><th>Who</th><th>What</th></tr>", *map(row, reviews(n)), "</table>")

    wrapper = learned_of(book, *((n, {"reviews": reviews(n)}) for n in (1, 2)))
    assert wrapper.extract(book(51))["reviews"] == reviews(51)
