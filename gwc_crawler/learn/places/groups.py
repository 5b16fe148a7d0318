"""Group headings: text before records rather than in them, such as the heading that a record belongs to.

A timetable has the day over its trains, a menu the course over its dishes. Addresses lead from a row back to the
last heading of that kind. It is also found here which parts of a page hold records parted by rules or line breaks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.locator import BEFORE, Run
from gwc_crawler.extract.page_view import columns_of, separates
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.learn.places.record_places import Box
from gwc_crawler.learn.places.steps import Address, attribute_test, step_name, tests_of
from gwc_crawler.learn.texts.context import ExampleContext
from gwc_crawler.learn.texts.shared import HEADINGS, Shared, names_of

SEPARATORS = (("hr",), ("br", "hr"), ("br", "br"), ("br",))
"""Tags that part records which have no element of their own; the surest first."""
RULED = SEPARATORS[0]
SPANNED_ROWS = ("table", "rowspan")
"""How pages are parted where cells span the rows of several records."""
COLUMN_BY_COLUMN = ("table", "columns")
"""The same where each column is a record: names in one row, figures below them."""


def group_addresses(row: ExampleContext, shared: Shared) -> Iterator[Address]:
    """Addresses, from a row, of the nearest element before it that is the wanted value; the surest first."""
    index = row.at.index
    head = row.scope.head if isinstance(row.scope, Run) else row.scope
    start = index.spans.get(head, (0, 0))[0]
    before = [hit for hit in index.hits(squeeze(row.wanted)) if hit[1] <= start]
    if not before:
        return
    node = index.cover(*before[-1])
    while node is not None and index.spans.get(node) == before[-1]:
        yield from _addresses(node, shared)
        node = node.getparent()


def _addresses(node: Any, shared: Shared) -> Iterator[Address]:
    name = step_name(node)
    for _, family, test in tests_of(node, shared, SEVERAL):
        yield Address(family, f"{BEFORE}{name}[{test}][1]", 1.0)
    if node.get("colspan"):
        yield Address(Family.ATTRIBUTE, f"{BEFORE}{name}[@colspan][1]", 1.1)
    yield Address(Family.TAG, f"{BEFORE}{name}[1]", 1.2 if node.tag in HEADINGS else 1.8)
    steps = ""
    for level, above in enumerate(islice(node.iterancestors(), SEVERAL)):
        named = [said for pair in names_of(above) if shared.is_name(pair) and (said := attribute_test(*pair))]
        steps += f"{'/' if steps else ''}parent::{step_name(above)}" + "".join(f"[{said}]" for said in named[:1])
        yield Address(Family.PATH, f"{BEFORE}{name}[{steps}][1]", 1.4 + 0.2 * level)


def ways_of_parting(boxes: Sequence[Sequence[Box]]) -> Iterator[tuple[str, ...]]:
    """Yield ways to part pages (see `PageView.parted`) so that no element holds several records any more."""
    covers = (box.cover for row in boxes for box in row if box.cover is not None)
    around = (one for cover in covers for one in (cover, *cover.iterancestors()))
    tables = dict.fromkeys(one for one in around if one.tag == "table")
    if any(cell.get("rowspan", "1") != "1" for table in tables for cell in table.iter("td", "th")):
        yield SPANNED_ROWS
    if any(map(columns_of, tables)):
        yield COLUMN_BY_COLUMN
    firsts = [box.first for row in boxes for box in row if box.first is not None]
    for separators in SEPARATORS:
        containers = Counter(_form(one) for first in firsts if (one := _container(first, list(separators))) is not None)
        for container, _ in containers.most_common(2):
            yield container, *separators


def members_of(scope: Any) -> list[Any]:
    """Return the elements at the top of a record."""
    return list(scope.members) if isinstance(scope, Run) else [scope]


def ruled_forms(rows: Sequence[Any]) -> list[str]:
    """Return the two commonest elements that rules part in several *rows*, as `PageView.parted` names them."""
    forms: Counter[str] = Counter()
    for row in rows:
        parents = (rule.getparent() for rule in row.iter(*RULED) if rule is not row)
        forms.update({_form(one) for one in parents if one is not None})
    return [form for form, count in forms.most_common(2) if count > 1]


def _container(node: Any, separators: list[str]) -> Any:
    """Return the nearest element around a node that has separators among its children."""
    for one in (node, *node.iterancestors()):
        children = list(one)
        if any(child.tag == separators[0] and separates(children, n, separators) for n, child in enumerate(children)):
            return one
    return None


def _form(element: Any) -> str:
    tokens = (element.get("class") or "").split()
    return f"{element.tag}.{tokens[0]}" if tokens else str(element.tag)
