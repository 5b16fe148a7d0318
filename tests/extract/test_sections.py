"""Rows of a section, terms within what is said of another one, and terms that are written in several ways."""

from __future__ import annotations

import random

import pytest
from lxml import etree

from gwc_crawler.extract.locator import UNDER, select
from gwc_crawler.extract.nodes import text_after
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned

Pairs = list[tuple[str, str]]


def terms(rows: Pairs) -> str:
    return f"<dl>{''.join(f'<dt><b class=term>{name}</b></dt><dd><p>{text}</p></dd>' for name, text in rows)}</dl>"


def command(name: str, *sections: tuple[str, Pairs], deep: bool = False) -> str:
    """Headings and lists in boxes of their own, some of them *deep*: no label leads to the rows of all."""
    begin, end = ("<div><i>x</i>", "</div>") if deep else ("", "")
    shown = (
        f"<div><div>{begin}<h2>{heading}</h2>{end}</div><section><i>x</i>{begin}{terms(rows)}{end}</section></div>"
        for heading, rows in sections
    )
    return f"<body><h1>{name}</h1>{''.join(shown)}</body>"


def records(rows: Pairs) -> list[dict[str, str]]:
    return [{"name": name, "text": text} for name, text in rows]


ONE: Pairs = [("name", "How it is called."), ("owner", "Who owns it.")]
OTHER: Pairs = [("schema", "Where it stands."), ("size", "How large it is."), ("limit", "How many at most.")]
SAMPLES = [
    (command("A", ("Description", []), ("Parameters", ONE), ("Notes", [])), {"params": records(ONE)}),
    (command("B", ("Description", []), ("Parameters", OTHER), ("Notes", [])), {"params": records(OTHER)}),
]
MORE = [command(f"C{n}", ("Description", []), ("Parameters", (ONE + OTHER)[n % 4 :]), deep=n % 2 > 0) for n in range(8)]


def test_rows_of_another_section_are_no_records_where_the_samples_heading_has_the_fields_name() -> None:
    wrapper = learned(SAMPLES, MORE)
    page = command("D", ("Description", [("ALL", "All of them.")]), ("Parameters", ONE), ("Notes", OTHER))
    assert wrapper.extract(page)["params"] == records(ONE)
    assert wrapper.extract(command("E", ("Description", OTHER), ("Notes", [])))["params"] == []


@pytest.mark.parametrize(("other", "is_read"), [("Notes", False), ("Arguments", True)])
def test_rows_under_a_heading_beside_the_samples_one_are_no_records_and_under_another_word_for_it_they_are(
    other: str, is_read: bool
) -> None:
    strange = [command(f"D{n}", ("Description", []), (other, OTHER)) for n in range(3)]
    samples = [(html, {"items": fields["params"]}) for html, fields in SAMPLES]
    wrapper = learned(samples, [*MORE, *strange])
    assert wrapper.extract(strange[0])["items"] == (records(OTHER) if is_read else [])
    assert wrapper.extract(MORE[0])["items"] == records(ONE + OTHER)


def test_rows_are_read_under_whatever_title_a_page_has_though_the_samples_title_has_the_fields_name() -> None:
    def page(title: str, rows: Pairs) -> str:
        cells = (f"<span class=n>{name}</span><span class=t>{text}</span>" for name, text in rows)
        shown = "".join(f"<div class=quote>{one}</div>" for one in cells)
        head = f"<div><div><h1><a href=/>{title}</a></h1></div><div><a href=/in>Login</a></div></div>"
        return f"<body>{head}<div><div><i>x</i>{shown}</div></div></body>"

    samples = [(page("Quotes to read", rows), {"quotes": records(rows)}) for rows in (ONE, OTHER)]
    wrapper = learned(samples, [page("Quotes to read", (ONE + OTHER)[n % 4 :]) for n in range(8)])
    assert wrapper.extract(page("Sayings", OTHER))["quotes"] == records(OTHER)


def test_a_terms_section_ends_at_the_next_term_however_that_is_written() -> None:
    page = parse_html("<dl><dt><b>one</b></dt><dd>One.</dd><dt><b>two</b> <i>2</i></dt><dd>Two.</dd></dl>")
    assert text_after(page.find(".//dt"), frozenset({"like"})) == "One."


def signatures(name: str, *overloads: list[tuple[str, str]]) -> str:
    """Overloads side by side, with parameters side by side in each."""
    shown = (
        f"<li class=overload><p>{name}</p><h4>Parameters</h4>"
        f"<ul class=params>{''.join(f'<li><b>{key}</b><p>{text}</p></li>' for key, text in rows)}</ul></li>"
        for rows in overloads
    )
    return f"<body><h1>{name}</h1><ul>{''.join(shown)}</ul></body>"


def test_of_rows_within_rows_the_inner_ones_are_meant_where_each_sample_has_a_single_record() -> None:
    samples = [(signatures(name, rows), {"params": records(rows)}) for name, rows in (("a", ONE[:1]), ("b", OTHER[:1]))]
    more = [signatures("c", ONE, OTHER, ONE, ONE), signatures("d", OTHER, OTHER, ONE, ONE, ONE)]
    found = learned(samples, more).extract(signatures("e", ONE, OTHER))["params"]
    assert found == records(ONE + OTHER)


def test_the_nearest_heading_that_the_samples_share_is_the_one_that_counts() -> None:
    def page(name: str, rows: Pairs, tip: str = "") -> str:
        aside = "<div><h3>Contents</h3><p>All.</p></div>" + (f"<div><h3>{tip}</h3><p>Mind.</p></div>" if tip else "")
        return command(name, ("Parameters", rows)).replace("<body>", f"<body>{aside}")

    samples = [(page("A", ONE), {"items": records(ONE)}), (page("B", OTHER), {"items": records(OTHER)})]
    more = [page(f"C{n}", (ONE + OTHER)[n:], "Tip" if n == 3 else "") for n in range(4)]
    assert learned(samples, more).extract(page("D", ONE, "Tip"))["items"] == records(ONE)


def nested(draw: random.Random, depth: int = 0) -> str:
    """Headings, boxes, and texts within each other."""
    parts = []
    for _ in range(draw.randrange(1, 5)):
        tag = draw.choice(["h3", "div", "div", "p", "b"])
        inside = draw.choice(["See", "Other", "See also", ""])
        if tag == "div" and depth < 4:
            inside = nested(draw, depth + 1)
        if tag == "h3" and draw.random() < 0.3:
            inside += "<p>in it</p>"
        parts.append(f"<{tag}>{inside}</{tag}>")
    return "".join(parts)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("base", ["//p", "//div/p", "//*[self::h3 or self::p]", "//p/text()"])
def test_what_stands_in_a_section_is_what_its_path_says(seed: int, base: str) -> None:
    tree = etree.fromstring(f"<html><body>{nested(random.Random(seed))}</body></html>")
    path = f'{base}{UNDER}h3[1][not(contains(normalize-space(),"See"))])]'
    expected = etree.XPath(path)(tree)
    assert list(select(path, PageView(tree, ""))) == expected
    assert list(select(path, PageView(tree, ""), first=True)) == expected[:1]
