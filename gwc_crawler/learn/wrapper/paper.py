"""The paper's wrapper learning (GWC, algorithms 2 and 3), kept faithful for comparison with the best mode."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import contains, eq
from typing import Any

from gwc_crawler.extract import (
    TEXT,
    UNSEEN,
    URL_ATTRIBUTES,
    Column,
    PageView,
    PaperRule,
    Place,
    child_elements,
    path_to,
    repeating_level,
    text_of,
)
from gwc_crawler.extract.fields import is_empty, is_url, same_url, squeeze
from gwc_crawler.items import FieldValue
from gwc_crawler.learn.wrapper.samples import SampleView


def learn_paper_rule(name: str, samples: Sequence[SampleView]) -> PaperRule | None:
    """Learn one field from the first sample page that has it, looked for in the template shared with another page.

    Returns:
        None when the value (or, for a list, any of its values) is found nowhere.
    """
    for number, sample in enumerate(samples):
        value = sample.fields.get(name)
        if is_empty(value) or value is None:
            continue
        others = [*samples[:number], *samples[number + 1 :]]
        for template in (common_template(sample, others[0] if others else None), common_template(sample, None)):
            if (rule := _locate(value, template, sample.page)) is not None:
                return rule
    return None


@dataclass(frozen=True, slots=True)
class Template:
    """Algorithm 2's two queues, each in breadth-first order; `texts` remembers the levelled text of each node."""

    leaves: list[Any]
    inner: list[Any]
    texts: dict[Any, str] = field(default_factory=dict)

    def text(self, node: Any) -> str:
        """The node's whole text as values are compared (see `squeeze`)."""
        if node not in self.texts:
            self.texts[node] = squeeze(text_of(node))
        return self.texts[node]


def common_template(one: SampleView, other: SampleView | None) -> Template:
    """Walk page A breadth first; a node stays when the same path finds the same node in page B (algorithm 2)."""
    template = Template([], [])
    queue = deque([(one.page.tree, None if other is None else other.page.tree)])
    while queue:
        node, twin = queue.popleft()
        children = [child for child in child_elements(node) if child.tag not in UNSEEN]
        (template.inner if children else template.leaves).append(node)
        if other is None:
            queue.extend((child, None) for child in children)
            continue
        twins = _by_position(twin)
        for key, child in _by_position(node).items():
            if key in twins and child.tag not in UNSEEN:
                queue.append((child, twins[key]))
    return template


def _by_position(node: Any) -> dict[tuple[str, int], Any]:
    counts: dict[str, int] = {}
    found = {}
    for child in child_elements(node):
        counts[child.tag] = counts.get(child.tag, 0) + 1
        found[child.tag, counts[child.tag]] = child
    return found


def _locate(value: FieldValue, template: Template, page: PageView) -> PaperRule | None:
    if isinstance(value, str):
        place = find_place(value, template, page)
        if place is None:
            return None
        return PaperRule("text", {"": Column(path_to(place.node, without=value), place.what)})
    if all(isinstance(item, str) for item in value):
        column = _repeated([str(item) for item in value], template, page)
        return None if column is None else PaperRule("list", {"": column})
    keys = dict.fromkeys(key for row in value if isinstance(row, dict) for key in row)
    columns: dict[str, Column] = {}
    for key in keys:
        texts = [_plain(row[key]) for row in value if isinstance(row, dict) and not is_empty(row.get(key))]
        column = _repeated([text for text in texts if text], template, page)
        if column is None:
            return None
        columns[key] = column
    return PaperRule("records", columns)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value))


def _repeated(texts: list[str], template: Template, page: PageView) -> Column | None:
    """The one path for values that repeat: that of two of them, the position dropped where they are siblings."""
    first = find_place(texts[0], template, page) if texts else None
    if first is None:
        return None
    for text in texts[1:]:
        other = find_place(text, template, page, what=first.what)
        level = repeating_level(first.node, other.node) if other is not None else None
        if level is not None and other is not None and other.node is not first.node:
            return Column(path_to(first.node, without=texts[0], shared=level), first.what)
    return Column(path_to(first.node, without=texts[0]), first.what)


def find_place(value: str, template: Template, page: PageView, what: str = "") -> Place | None:
    """Algorithm 3: a leaf whose text or attribute equals the value, else contains it; else an inner node, likewise.

    Of inner nodes that contain the value the deepest is taken: the breadth-first first one would be the whole page.
    """
    wanted = squeeze(value)
    for nodes, agrees in ((template.leaves, eq), (template.leaves, contains), (template.inner, eq)):
        if (place := _first_place(nodes, agrees, value, wanted, template, page, what)) is not None:
            return place
    return _first_place(reversed(template.inner), contains, value, wanted, template, page, what)


def _first_place(
    nodes: Iterable[Any],
    agrees: Callable[[str, str], bool],
    value: str,
    wanted: str,
    template: Template,
    page: PageView,
    what: str,
) -> Place | None:
    address = is_url(value)
    for node in nodes:
        if what in ("", TEXT) and agrees(template.text(node), wanted):
            return Place(node, TEXT)
        for name, text in node.attrib.items():
            if what not in ("", name):
                continue
            if address and name in URL_ATTRIBUTES and same_url(page.absolute(text), value):
                return Place(node, name)
            if agrees(squeeze(text), wanted):
                return Place(node, name)
    return None
