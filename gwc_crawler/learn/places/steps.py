"""Pieces of an XPath: an element's name as a step, a test for its attributes, the steps from one element to another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.extract.nodes import LEVELS
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import PART_COST, SEVERAL, SHORT_WORD
from gwc_crawler.learn.texts.shared import BEGINS, HEADINGS, Shared, names_of
from gwc_crawler.learn.texts.text_index import Chunk, TextIndex

_ENDS_AS_LABEL = "contains(':：',substring(normalize-space(),string-length(normalize-space())))"
NEXT_TEXT = f"/following::text()[normalize-space()][1][not({_ENDS_AS_LABEL})]"
"""The way from a label to the text that stands next to it, if that is no label. In its quotes nothing is one."""
AFTER = "/following-sibling::node()[normalize-space()][1][self::text()]"
"""The way to the text that stands right behind an element."""
BESIDE = "/following-sibling::text()[normalize-space()][1]"
"""The way to the text that stands next to an element, beside it."""
IN_TRAIL = "position()>1 and "
"""Start of the position of what is counted from the end of a trail to the page."""
_QUOTED = re.compile(r'"([^"]*)"')
_SAID = re.compile(r'normalize-space\(\)="([^"]*)"')
_ASKS = re.compile(r"\[(?:starts-with\()?normalize-space\(")
"""Matches the place where a path asks for the words of a label."""
_WORDS = ("a", "b", "code", "em", "i", "span", "strong", "tt")
"""Elements around a value within a line, which may be a link on one page and plain code on another."""
COLUMN_COST = 1.3
"""Cost of a column's cell."""
_CELL_BEFORE = "preceding-sibling::*[self::td or self::th]"
_CELLS_BEFORE = f"count({_CELL_BEFORE})"
"""Cells alone are counted: a style sheet may stand between them."""
PLAIN_TAG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


@dataclass(frozen=True, slots=True)
class Address:
    """An XPath with its family; `cost` grows with the parts that may break: steps 1, positions 2."""

    family: Family
    path: str
    cost: float


def pair_rank(pair: tuple[str, str]) -> tuple[int, str]:
    """Return a sort key for trying (attribute, value) pairs: the best names come first."""
    return {"id": 0, "itemprop": 1, "class": 2, "property": 3, "rel": 3}.get(pair[0], 5), pair[1]


def attribute_test(name: str, value: str) -> str | None:
    """Return the XPath test for an attribute's value, a class token or its beginning; None if XPath can't quote it."""
    if name.endswith(BEGINS) and (quoted := quote(value if name == f"id{BEGINS}" else f" {value}")):
        return f"starts-with(@id,{quoted})" if name == f"id{BEGINS}" else f'contains(concat(" ",@class),{quoted})'
    if ":" in name or any(sign in value for sign in "\n\r\t") or not name.replace("-", "a").replace("_", "a").isalnum():
        return None
    if name == "class":
        quoted = quote(f" {value} ")
        return quoted and f'contains(concat(" ",@class," "),{quoted})'
    quoted = quote(value)
    return quoted and f"@{name}={quoted}"


def tests_of(element: Any, shared: Shared, most: int) -> Iterator[tuple[tuple[str, str], Family, str]]:
    """Yield the best of an element's names, each with its family and its XPath test."""
    for name, value in sorted(filter(shared.is_name, names_of(element)), key=pair_rank)[:most]:
        if test := attribute_test(name, value):
            yield (name, value), Family(name) if name in ("id", "class") else Family.ATTRIBUTE, test


def with_test(path: str, test: str) -> str:
    """Return the path of those elements for which a test holds; behind `..` and `.` XPath takes none.

    >>> with_test("//th/..", "not(@id)"), with_test("//tr", "td"), with_test(".", "td")
    ('//th/parent::*[not(@id)]', '//tr[td]', 'self::node()[td]')
    """
    if path == ".":
        return f"self::node()[{test}]"
    return f"{path[:-2]}parent::*[{test}]" if path.endswith("/..") else f"{path}[{test}]"


def right_behind(name: str, label: str) -> Iterator[tuple[str, float]]:
    """Yield the ways to the sibling right behind a label, with costs; of a word within a line also if it is no link.

    Not one of the *label*'s own name, unless the value is: that is the next label.

    >>> [step for step, _ in right_behind("p", "b")]
    ['/following-sibling::*[1][self::p]']
    """
    if name == "*":
        yield "/following-sibling::*[1]", 0.0
        return
    yield f"/following-sibling::*[1][self::{name}]", 0.0
    if name in _WORDS:
        words = (one for one in _WORDS if one == name or one != label)
        yield f"/following-sibling::*[1][{' or '.join(f'self::{one}' for one in words)}]", 0.1


def ways_beside(label: str, following: Sequence[Any], beside: Any, tests: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Yield the ways from a label to a single one of the siblings *following* it, with their costs.

    If the block right behind the label is followed by one of the same name with none of its classes, the second is no
    value: `<h4>Signals</h4><div class="own">…</div><div class="inherited">…</div>`. On a page without the first the
    second stands right behind the label. *label*: the name of its element; *tests*: those that identify the sibling.
    """
    name, at = step_name(beside), following.index(beside)
    if at == 0 and (other := _class_of_the_next(following)):
        yield f"/following-sibling::*[1][self::{name}][not({other})]", 0.0
        return
    if at == 0:
        yield from right_behind(name, label)
    place = 1 + sum(one.tag == beside.tag for one in following[:at])
    yield f"/following-sibling::{name}[{place}]", 0.2 + 0.5 * (place - 1)
    yield from ((f"/following-sibling::{name}{test}[1]", 0.3) for test in tests)


def _class_of_the_next(following: Sequence[Any]) -> str | None:
    """Return the test for a class of the second sibling, if it has the first one's name, but none of its classes."""
    if len(following) < 2 or following[0].tag != following[1].tag or not following[0].get("class"):
        return None
    own, others = ((one.get("class") or "").split() for one in following[:2])
    return attribute_test("class", others[0]) if others and set(own).isdisjoint(others) else None


def rooms_around(outer: Iterable[Any], index: TextIndex, shared: Shared) -> list[str]:
    """Return the XPaths of the nearest of some elements with an id or class that occurs once on the page."""
    rooms = []
    for one in outer:
        for name, value in names_of(one):
            if name in ("id", "class") and index.times[name, value] == 1 and shared.is_name((name, value)):
                test = attribute_test(name, value)
                rooms += [f"//{step_name(one)}[{test}]"] if test else []
    return rooms[:SEVERAL]


def room_of(path: str) -> str:
    """Return the address of the element within which a path looks for a label, "" for the whole page or no label.

    >>> room_of('//div[@id="a"]//dt[text()[normalize-space()="Since:"]]/..')
    '//div[@id="a"]'
    >>> room_of('//dt[text()[normalize-space()="Since:"]]'), room_of('//tr[.//text()[normalize-space()="Since:"]]/td')
    ('', '')
    """
    found = _ASKS.search(path)
    room = path[: found.start()].rpartition("//")[0] if found else ""
    while room.count("[") != room.count("]"):
        room = room.rpartition("//")[0]
    return room


def quote(text: str) -> str | None:
    """Return the text as an XPath literal; None if it has both kinds of quotes."""
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else None


def quoted_in(path: str) -> list[str]:
    """Return the texts that an XPath asks for: labels, ids, classes.

    >>> quoted_in('//h2[text()[normalize-space()="Price"]]/../b[@id="now"]')
    ['Price', 'now']
    """
    return _QUOTED.findall(path)


def labels_in(path: str) -> list[str]:
    """Return the texts that an XPath asks for as all of a label's.

    >>> labels_in('//h2[text()[normalize-space()="Price"]]/../b[@id="now"]')
    ['Price']
    """
    return _SAID.findall(path)


OF_ANYTHING = frozenset({"link", "meta"})
"""Tags of elements whose meaning another attribute tells."""


def attribute_addresses(lead: str, element: Any, what: str, value: str) -> Iterator[Address]:
    """Yield addresses of the elements that have the attribute to read (*what*, as in `said_by`), or that have the rest
    of its text in it, if *value* is cut out of that.
    """
    name, _, part = what.partition(":")
    tag = step_name(element)
    if name == "class" and part and (quoted := quote(f" {part}")) and tag != "*":
        yield Address(Family.CLASS, f'{lead}//{tag}[contains(concat(" ",@class),{quoted})]', 1.2)
    if (step := attribute_step(element, name)) is not None and name != "class" and tag not in OF_ANYTHING:
        yield Address(Family.ATTRIBUTE, f"{lead}//{step}", 1.5)
    besides = max((element.get(name) or "").split(value), key=len).strip() if value else ""
    if sum(map(str.isalpha, besides)) >= SHORT_WORD and (quoted := quote(besides)) and tag != "*":
        yield Address(Family.ATTRIBUTE, f"{lead}//{tag}[contains(@{name},{quoted})]", 1.4)


def attribute_step(element: Any, name: str) -> str | None:
    """Return the XPath step that gives the elements of a name with an attribute, whatever its value."""
    test = attribute_test(name, "x")
    return f"{step_name(element)}[@{name}]" if test is not None and step_name(element) != "*" else None


def step_name(element: Any) -> str:
    """Return the element's name as an XPath step, "*" for a name that XPath can't write."""
    tag = element.tag
    return tag if isinstance(tag, str) and tag and PLAIN_TAG.issuperset(tag) and not tag[0].isdigit() else "*"


def kind_of_element(element: Any) -> str:
    """Return "name.class", with the first class; the name of an element that has none."""
    return ".".join((element.tag, *(element.get("class") or "").split()[:1]))


def form_step(element: Any) -> str | None:
    """Return the XPath step to an element and its likes, by name and whole class; None if XPath can't quote it."""
    quoted = quote(element.get("class") or "")
    if quoted is None:
        return None
    return f"{step_name(element)}[{f'@class={quoted}' if element.get('class') else 'not(@class)'}]"


def steps_between(outer: Any, node: Any) -> list[tuple[str, str]]:
    """Return the child steps from *outer* down to *node*: names, with a position where siblings share the name."""
    steps: list[tuple[str, str]] = []
    while node is not outer:
        name = step_name(node)
        parent = node.getparent()
        same = [one for one in parent if isinstance(one.tag, str) and (name == "*" or one.tag == node.tag)]
        steps.append((name, f"[{same.index(node) + 1}]" if len(same) > 1 else ""))
        node = parent
    return steps[::-1]


def bounds_under(heading: Any, element: Any) -> Iterator[tuple[str, float]]:
    """Yield tests, with their cost, for elements like *element* beside a heading: no test, or only up to the next one.

    The latter keeps elements between "Members" and "Methods", if both are headings of one name. A heading of a usual
    level may be followed by another one on other pages.
    """
    yield "", 0.2
    label, quoted = " ".join("".join(heading.itertext()).split()), None
    if heading.tag in HEADINGS and heading.tag != element.tag and not any(map(str.isdigit, label)):
        quoted = quote(label)
    several = any(one.tag == heading.tag and one is not heading for one in heading.getparent())
    if quoted and (several or heading.tag in LEVELS):
        cost = 0.1 if heading.tag in LEVELS else 0.3
        yield f"[preceding-sibling::{heading.tag}[1][normalize-space()={quoted}]]", cost


def text_place(chunk: Chunk) -> tuple[int, bool]:
    """Return which of its parent's own texts a text node is, from 1, and whether it is the last one."""
    nodes = [(None, chunk.parent.text), *((child, child.tail) for child in chunk.parent)]
    texts = [after for after, text in nodes if (text or "").strip(" \t\r\n")]
    place = 1 + next((n for n, after in enumerate(texts) if after is chunk.after), 0)
    return place, place == len(texts)


# --- The columns of a table: the header over a cell, the way from a row to the cell under it --------------------------


def cell_around(node: Any, scope: Any) -> Any:
    """Return the cell of the row *scope* (None: of any row) in which *node* stands; None if it is in none."""
    around = (one for one in (node, *node.iterancestors()) if one.getparent() is not None)
    return next((one for one in around if one.getparent().tag == "tr" and scope in (None, one.getparent())), None)


def header_over(cell: Any, index: TextIndex) -> Chunk | None:
    """Return the only text of the cell over *cell* in its table's first row; None where that row has other cells."""
    row = cell.getparent()
    table = next(row.iterancestors("table"), None)
    first = None if table is None else next(table.iter("tr"), None)
    if first is None or first is row or len(headers := _cells(first)) != len(cells := _cells(row)):
        return None
    start, end = index.spans.get(headers[cells.index(cell)], (0, 0)) if cell in cells else (0, 0)
    chunk = index.chunks[index.chunk_at(start)] if start < end else None
    return chunk if chunk is not None and (chunk.start, chunk.end) == (start, end) else None


def _cells(row: Any) -> list[Any]:
    return list(row.iterchildren("td", "th"))


def column_in_table(says: str, cell: Any) -> tuple[str, float]:
    """Return the XPath, from the top, of a row's cell under the header that *says* tests for, in its table.

    With its cost, which is higher if the row is counted, as the number of rows differs between pages: if it is not
    the one below the headers, and has no more cells than a label and its value.
    """
    table = next(cell.iterancestors("table"))
    place = 1 + list(table.iter("tr")).index(cell.getparent())
    is_counted = place != 2 and len(_cells(cell.getparent())) <= 2
    header = f"ancestor::table[1]/descendant::tr[1]/*[{says}]"
    under = f"[{_CELLS_BEFORE}=count({header}/{_CELL_BEFORE})]"
    path = f"//tr[1]/*[{says}]/ancestor::table[1]/descendant::tr[{place}]/{cell.tag}{under}"
    return path, COLUMN_COST + PART_COST * is_counted


def column_of(says: str, name: str) -> tuple[str, float]:
    """Return the XPath, from a row, of the cell (an element *name*) under the header that *says* tests for.

    It selects nothing where no column has that header, and in the row of the headers itself. With its cost.
    """
    header = f"ancestor::table[1]/descendant::tr[1]/*[{says}]"
    below = "(../preceding-sibling::tr or ../../preceding-sibling::*/tr)"
    path = f"./{name}[{below} and {header} and {_CELLS_BEFORE}=count({header}/{_CELL_BEFORE})]"
    return path, COLUMN_COST
