"""Headings that bound no rows: a lower one in a box before them, and one of a section before what has its own class."""

from __future__ import annotations

from typing import Any

from tests.extract.pages import learned, sentence, word
from tests.extract.test_told_by_itself import SEVERAL

Samples = list[tuple[str, dict[str, Any]]]
Rows = list[dict[str, Any]]


def body(n: int, *parts: str) -> str:
    return f"<html><body><h1>{word(n)}</h1>{''.join(parts)}</body></html>"


# A box with a heading before rows with higher ones


def tour(n: int, count: int, *facts: str) -> tuple[str, Rows]:
    rows = [{"where": f"{word(n + k)} {word(n + k + 1)}", "text": sentence(n + k)} for k in range(count)]
    box = "".join(f"<h3>{fact}</h3><p>{word(n + len(fact))}</p>" for fact in facts)
    shown = "".join(f"<h2 class=stop>{row['where']}</h2><p>{row['text']}</p>" for row in rows)
    side = f"<div><div><div><div>{box}</div></div></div></div>" if facts else ""
    return body(n, side, f"<main><div><div>{shown}</div></div></main>"), rows


def test_a_box_with_a_lower_heading_does_not_bound_the_rows_behind_it() -> None:
    samples: Samples = []
    for n in (1, 5):
        html, rows = tour(n, 2, "Year", "Places")
        samples.append((html, {"title": word(n), "places": rows}))
    orders = (("Year", "Places"), ("Places",), ("Places", "Year"), ("Year", "Places"))
    wrapper = learned(samples, [tour(n, n % 3 + 1, *orders[n % 4])[0] for n in SEVERAL])
    for facts in (("Places", "Year"), ("Year",), ("Places",), ()):
        html, rows = tour(60, 3, *facts)
        assert wrapper.extract(html)["places"] == rows


# Rows with a class of their own behind a section that some pages lack


def story(n: int, count: int, *, sources: bool = True) -> tuple[str, Rows]:
    rows = [{"by": word(n + k + 5), "text": sentence(n + k, "Well")} for k in range(count)]
    shown = "".join(f"<div class=cm><b>{row['by']}</b><p>{row['text']}</p></div>" for row in rows)
    last = f"<h2>Sources</h2><p>{word(n + 4)} of {n}</p>" if sources else ""
    return body(n, f"<h2>Plot</h2><p>{sentence(n)}</p>{last}<div>{shown}</div>"), rows


def test_what_is_called_so_is_read_whatever_section_stands_before_it() -> None:
    samples: Samples = []
    for n in (1, 5):
        html, rows = story(n, 2)
        samples.append((html, {"title": word(n), "comments": rows}))
    wrapper = learned(samples, [story(n, n % 3 + 1, sources=n % 4 > 0)[0] for n in SEVERAL])
    for sources in (True, False):
        html, rows = story(60, 3, sources=sources)
        assert wrapper.extract(html)["comments"] == rows


# Rows with the same class in two sections


def method(n: int, *, inputs: int, throws: int) -> tuple[str, Rows]:
    def listed(heading: str, rows: Rows) -> str:
        shown = "".join(f"<div class=arg><b>{row['arg']}</b> <i>{row['kind']}</i></div>" for row in rows)
        return f"<h2>{heading}</h2><div>{shown}</div>" if rows else ""

    rows = [{"arg": word(n + k), "kind": word(n + k + 3)} for k in range(inputs)]
    others = [{"arg": word(n + k + 20), "kind": word(n + k + 24)} for k in range(throws)]
    return body(n, listed("Inputs", rows), listed("Throws", others), f"<p>{sentence(n)}</p>"), rows


def test_what_is_called_so_in_two_sections_of_a_page_is_read_in_its_own() -> None:
    samples: Samples = []
    for n in (1, 5):
        html, rows = method(n, inputs=2, throws=0)
        samples.append((html, {"title": word(n), "taken": rows}))
    wrapper = learned(samples, [method(n, inputs=n % 4, throws=n % 5 // 2)[0] for n in SEVERAL])
    for inputs, throws in ((2, 1), (3, 0), (0, 2)):
        html, rows = method(60, inputs=inputs, throws=throws)
        assert (wrapper.extract(html).get("taken") or []) == rows


def test_a_heading_that_counts_its_rows_may_count_one() -> None:
    def post(n: int, count: int) -> tuple[str, Rows]:
        rows = [{"name": word(n + m), "text": f"{word(n * m)} {word(m)}."} for m in range(1, count + 1)]
        shown = "".join(f"<li class=note><b>{row['name']}</b><p>{row['text']}</p></li>" for row in rows)
        parts = f"<h2>{count} comment{'s' * (count != 1)}</h2><ol>{shown}</ol>", "<h2>Write one</h2><p>Here.</p>"
        return body(n, *parts), rows

    samples = [(html, {"comments": rows}) for html, rows in (post(3, 2), post(4, 3))]
    wrapper = learned(samples, [post(n, 2 + n % 3)[0] for n in range(20, 30)])
    html, rows = post(50, 1)
    assert wrapper.extract(html)["comments"] == rows
