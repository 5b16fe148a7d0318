"""Which nodes are the rows of located records: elements around them, or the first of a run of siblings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.locator import Run
from gwc_crawler.extract.page_view import columns_of, separates
from gwc_crawler.learn.degrees import MOST, SEVERAL
from gwc_crawler.learn.places.record_places import Box
from gwc_crawler.learn.places.steps import attribute_test, form_step, kind_of_element
from gwc_crawler.learn.texts.context import ExampleContext, texts_in
from gwc_crawler.learn.texts.shared import Shared

SEPARATORS = (("hr",), ("br", "hr"), ("br", "br"), ("br",))
"""Tags that part records which have no element of their own; the surest first."""
RULED = SEPARATORS[0]
SPANNED_ROWS = ("table", "rowspan")
"""How pages are parted where cells span the rows of several records."""
COLUMN_BY_COLUMN = ("table", "columns")
"""The same where each column is a record: names in one row, figures below them."""


@dataclass(slots=True)
class RowKind:
    """A kind of node that may be the row: on every sample page one node for each wanted record.

    A node that several records share is listed once for each; None stands for a record that no such node holds.
    """

    flat: bool
    nodes: dict[int, list[Any]] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The names of the rows' elements."""
        return {node.tag for row in self.nodes.values() for node in row if node is not None}

    def own(self, n: int) -> list[bool]:
        """Tell for each record of page *n* whether it has a row of its own; only such rows show what a row holds."""
        times = Counter(self.nodes[n])
        return [node is not None and times[node] == 1 for node in self.nodes[n]]

    def found(self, n: int) -> list[Any]:
        """Return the nodes of the records of page *n* that have one."""
        return [node for node in self.nodes[n] if node is not None]

    def others(self, path: str, contexts: Sequence[ExampleContext]) -> list[Any] | None:
        """Return the nodes besides the rows that *path* selects; None if it misses a row or selects far more."""
        others: list[Any] = []
        for n, context in enumerate(contexts):
            selected, row = context.at.select(path, None), self.found(n) if n in self.nodes else []
            wanted = set(row)
            if len(selected) > 40 + 6 * len(row) or not wanted <= set(selected):
                return None
            others += [one for one in selected if one not in wanted]
        return others

    def left_out_by_class(self, others: Sequence[Any], shared: Shared) -> str:
        """Return the test that leaves out most of *others*, under the rows' heading, by a class that no row has.

        Returns "" if there is no such class or few others have it: a heading's class tells nothing.
        """
        rows = frozenset().union(*(_classes(node) for n in self.nodes for node in self.found(n)))
        counts = Counter(name for one in others for name in _classes(one) - rows if shared.is_name(("class", name)))
        ranks = {name: (n, shared.pages_with(("class", name)), -len(name), name) for name, n in counts.items()}
        name, count = max(counts.items(), key=lambda pair: ranks[pair[0]], default=("", 0))
        test = attribute_test("class", name) if count >= SEVERAL and 2 * count > len(others) else None
        return f"not({test})" if test else ""


def row_kinds(contexts: Sequence[ExampleContext], boxes: dict[int, list[Box]], most_shared: float) -> Iterator[RowKind]:
    """Yield the kinds of nodes around all records, from the smallest: by name and class; then heads of runs.
    *most_shared*: the share of the records, 0 to 1, that may have no node of their own.
    """
    seen: set[tuple[Any, ...]] = set()
    ends = ((box, row) for row in boxes.values() for box in (row[0], row[-1], row[len(row) // 2]))
    signatures = dict.fromkeys(sign for box, row in ends for sign in _signatures(box, row))
    for name, token in signatures:
        nodes = {n: _row_nodes(contexts[n], row, name, token) for n, row in boxes.items()}
        kind = RowKind(False, nodes)
        if _is_new(kind, most_shared, seen):
            yield kind
    for around in (attrgetter("cover"), attrgetter("first")):
        runs = RowKind(True, _heads(boxes, around))
        if _is_new(runs, most_shared, seen) and len(runs.names) == 1:
            yield runs
            break


def _is_new(kind: RowKind, most_shared: float, seen: set[tuple[Any, ...]]) -> bool:
    """Say whether most records have a node, few enough share one, and no kind with the same nodes was *seen*.

    Some records may be mistyped, or stand somewhere else.
    """
    flat = tuple(node for row in kind.nodes.values() for node in row)
    lost = flat.count(None)
    shared = sum(not own for n in kind.nodes for own in kind.own(n)) - lost
    if len(flat) - lost < MOST * len(flat) or shared > most_shared * len(flat) or flat in seen:
        return False
    seen.add(flat)
    return True


def _row_nodes(context: ExampleContext, row: Sequence[Box], name: str, token: str) -> list[Any]:
    """Return for each record the nearest element of the name and class around it, if it holds no other record.

    If up to half of the records have none, one of their values was found in the wrong place: they get the smallest
    unused element that holds all of them.
    """
    nearest = [_nearest(box.cover, name, token) for box in row]
    counts = Counter(nearest)
    nodes = [node if counts[node] == 1 else None for node in nearest]
    if 2 * nodes.count(None) > len(nodes):
        return nearest
    for n in [n for n, node in enumerate(nodes) if node is None]:
        nodes[n] = _holder(context, context.wanted[n], name, token, nodes)
    return nodes


def _holder(context: ExampleContext, record: Mapping[str, Any], name: str, token: str, used: Sequence[Any]) -> Any:
    """Return the smallest element of the name and class, not in *used*, whose text holds all values of a record.

    An element in a parent like those of the used ones is preferred: the page may show a copy of the record elsewhere.
    """
    index, taken = context.at.index, {node for node in used if node is not None}
    around = {form_step(one.getparent()) for one in taken}
    values = [squeeze(text) for _, text in texts_in(record)]
    ranked = []
    for element in index.root.iter(name):
        start, end = index.spans.get(element, (0, 0))
        is_free = element not in taken and (not token or token in _classes(element))
        if is_free and all(value in index.text[start:end] for value in values):
            ranked.append((form_step(element.getparent()) not in around, end - start, start, element))
    return min(ranked, key=lambda one: one[:3])[-1] if ranked else None


def _signatures(box: Box, row: list[Box]) -> Iterator[tuple[str, str]]:
    """(name, class token or "") of the box's element and those around it, as long as they hold one record only."""
    others = [one for one in row if one is not box]
    around = () if box.cover is None else islice((box.cover, *box.cover.iterancestors()), 5)
    for node in around:
        if node.tag in ("body", "html"):
            return
        inside = {id(one) for one in node.iter()} if others else set()
        if any(id(one.cover) in inside for one in others):
            return
        yield node.tag, ""
        for token in (node.get("class") or "").split()[:4]:
            yield node.tag, token


def _nearest(node: Any, name: str, token: str) -> Any:
    above = (node, *node.iterancestors()) if node is not None else ()
    return next((one for one in above if one.tag == name and (not token or token in _classes(one))), None)


def _heads(boxes: dict[int, list[Box]], around: Callable[[Box], Any]) -> dict[int, list[Any]]:
    """Return for runs the children of the common parent in which each record begins.

    *around* gives the element that the parent has to hold: if a text was found far off, the cover is most of the page.
    """
    parents = {n: _common([around(box) for box in row]) for n, row in boxes.items() if len(row) > 1}
    name = next((parent.tag for parent in parents.values() if parent is not None), None)
    nodes: dict[int, list[Any]] = {}
    for n, row in boxes.items():
        parent = parents.get(n)
        if parent is None:
            parent = _nearest(row[0].cover, name, "") if name else row[0].cover
        # The children in which the records' texts begin.
        above = [[box.first, *box.first.iterancestors()] if box.first is not None else [] for box in row]
        children = [next((one for one in some if one.getparent() is parent), None) for some in above]
        nodes[n] = children if parent is not None else [None]
    return nodes


def _classes(element: Any) -> set[str]:
    return set((element.get("class") or "").split())


def _common(row: Sequence[Any]) -> Any:
    above = [row[0], *row[0].iterancestors()]
    for element in row[1:]:
        here = {element, *element.iterancestors()}
        above = [one for one in above if one in here]
    return above[0] if above else None


# --- Pages whose records have no element of their own: parted by rules or line breaks, spanned rows, columns ----------


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
        containers = Counter(
            kind_of_element(one) for first in firsts if (one := _container(first, list(separators))) is not None
        )
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
        forms.update({kind_of_element(one) for one in parents if one is not None})
    return [form for form, count in forms.most_common(2) if count > 1]


def _container(node: Any, separators: list[str]) -> Any:
    """Return the nearest element around a node that has separators among its children."""
    for one in (node, *node.iterancestors()):
        children = list(one)
        if any(child.tag == separators[0] and separates(children, n, separators) for n, child in enumerate(children)):
            return one
    return None
