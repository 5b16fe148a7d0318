"""Values above their captions, sections under headings with buttons, boxes with another field, marks amid a text."""

from __future__ import annotations

from typing import Any

from gwc_crawler.extract.nodes import text_after
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.places.steps import column_in_table, column_of, header_over
from gwc_crawler.learn.texts.text_index import TextIndex
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word

MORE = range(10, 40)
AGO = "in the very middle of it, and was founded long ago"


def page(name: str, *parts: str) -> str:
    return f"<body><div id=all><h1>{name}</h1>{''.join(parts)}</div></body>"


def learned_of(one: Any, *given: tuple[int, dict[str, Any]], more: Any = MORE) -> Wrapper:
    """What is learned from pages of *one* for some numbers, with their fields, and further ones."""
    return learned([(one(n), fields) for n, fields in given], [one(n) for n in more])


def test_of_two_paragraphs_on_the_samples_not_the_first_alone() -> None:
    def article(n: int) -> str:
        texts = "".join(f"<p>Part {k} of {word(n)} says this and that.</p>" for k in range(n % 3 + 1))
        return page(
            word(n), f"<section class='item abstract'><h2>Abstract</h2>{texts}</section><p>Cited {n} times.</p>"
        )

    def said(n: int) -> str:
        return " ".join(f"Part {k} of {word(n)} says this and that." for k in range(n % 3 + 1))

    wrapper = learned_of(article, *((n, {"abstract": said(n)}) for n in (1, 4)))
    assert [wrapper.extract(article(n))["abstract"] for n in (50, 51, 53)] == [said(n) for n in (50, 51, 53)]


def test_a_section_ends_before_a_box_with_another_field() -> None:
    def sight(n: int) -> str:
        intro = "".join(f"<p>{word(n + k)} is worth a visit.</p>" for k in range(2))
        traffic = f"<h2>Traffic</h2><p>Line {n} stops there.</p>" if n % 3 else ""
        note = f"<div class='alert alert-warning'><b>Please note</b> <i>Closed on day {n}.</i></div>"
        return page(word(n), f"<h2>About</h2>{intro}{traffic}{note}<h2>Tickets</h2><p>From {n} yuan.</p>")

    def intro(n: int) -> str:
        return " ".join(f"{word(n + k)} is worth a visit." for k in range(2))

    given = [(n, {"intro": intro(n), "note": f"Closed on day {n}."}) for n in (1, 2)]
    wrapper = learned_of(sight, *given, more=[n for n in MORE if n % 3])
    assert wrapper.extract(sight(51)) == {"intro": intro(51), "note": "Closed on day 51."}


def test_text_up_to_a_box() -> None:
    tree = parse_html(b"<h2>A</h2><p>one</p><div class='big note'>two</div><p>three</p>")
    heading = next(tree.iter("h2"))
    assert text_after(heading, frozenset({"like", "div.note"})) == "one"
    assert text_after(heading, frozenset({"like", "div.not"})) == "one two three"


def test_a_mark_near_the_beginning_of_a_text() -> None:
    def article(n: int) -> str:
        first = (
            f"<p>{word(n)} is a town.<sup><em>[{n % 3 + 1}]</em></sup></p>" if n % 4 else f"<p>{word(n)} is a town.</p>"
        )
        return page(
            word(n),
            f"<div class=lead>{first}<p>It lies in the county of {word(n + 5)}, {AGO}.</p></div>",
        )

    given = [
        (
            n,
            {"lead_text": f"{word(n)} is a town. It lies in the county of {word(n + 5)}, {AGO}."},
        )
        for n in (1, 2)
    ]
    wrapper = learned_of(article, *given)
    assert (
        wrapper.extract(article(50))["lead_text"]
        == f"{word(50)} is a town. It lies in the county of {word(55)}, {AGO}."
    )


def test_style_sheets_between_cells_are_no_columns() -> None:
    style = "<style>.x{}</style>"
    head = f"<tr>{style}<th>Kind</th>{style}<th>Price</th><th>Remarks</th></tr>"
    rows = f"<tr>{style}<td>a</td>{style}<td>1</td><td>x</td></tr><tr><td>b</td><td>2</td><td>y</td></tr>"
    tree = parse_html(f"<table>{head}{rows}</table>".encode())
    first, second = list(tree.iter("tr"))[1:]
    cell = list(first.iter("td"))[2]
    header = header_over(cell, TextIndex(tree))
    assert header is not None and header.text == "Remarks"
    path, _ = column_of('normalize-space()="Remarks"', "td")
    assert [[one.text for one in row.xpath(path)] for row in (first, second)] == [["x"], ["y"]]
    path, _ = column_in_table('normalize-space()="Price"', list(second.iter("td"))[1])
    assert [one.text for one in tree.xpath(path)] == ["2"]
