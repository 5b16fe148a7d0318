"""The paper's wrapper learning (GWC, algorithms 2 and 3), kept faithful for comparison with the best mode."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import contains, eq
from typing import Any, TypeAlias

from gwc_crawler.extract.css import path_to, repeating_level
from gwc_crawler.extract.fields import URL_ATTRIBUTES, is_blank, is_url, same_url, squeeze
from gwc_crawler.extract.nodes import UNSEEN, child_elements, text_of
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.paper import TEXT, PaperPath, PaperRule
from gwc_crawler.items import FieldValue, ValueShape
from gwc_crawler.learn.wrapper.samples import SampleView
from gwc_crawler.sites.samples import shape_of

_Names: TypeAlias = dict[str, "_Names"]
"""Name paths as a tree: `{"body": {"div": {"p": {}}}}`."""


def learn_paper_rule(name: str, samples: Sequence[SampleView]) -> PaperRule | None:
    """Learn one field: page A is the first sample page that has it, page B the first of the others.

    Returns:
        None if the value (or, for a list, any of its values) is not in the text that A and B share.
    """
    for number, sample in enumerate(samples):
        value = sample.fields.get(name)
        if not is_blank(value) and value is not None:
            others = [*samples[:number], *samples[number + 1 :]]
            rule = _locate(value, common_template(sample, others[0] if others else None), sample.page)
            if rule is not None:
                return rule
    return None


@dataclass(frozen=True, slots=True)
class Template:
    """Algorithm 2's two queues, each in breadth-first order; `texts` remembers the levelled text of each node."""

    leaves: list[Any]
    inner: list[Any]
    texts: dict[Any, str] = field(default_factory=dict)

    def text(self, node: Any) -> str:
        """Return the node's whole text as values are compared (see `squeeze`)."""
        if node not in self.texts:
            self.texts[node] = squeeze(text_of(node))
        return self.texts[node]


def common_template(one: SampleView, other: SampleView | None) -> Template:
    """Walk page A breadth first; a node stays when page B has a node of the same name path (algorithm 2).

    The paper's words are "the same path finds the same node", its pseudo-code compares the names from the root down.
    We read it as the pseudo-code: `html/body/div/p` stays if B has any `p` in a `div` of its body, whatever their
    positions. Positions come in with algorithm 3, which writes them into the address (`path_to`).

    Args:
        other: page B; None where there is one sample page only, then every node stays.
    """
    names: _Names = {}
    pending = [((one if other is None else other).page.tree, names)]
    while pending:
        node, below = pending.pop()
        pending += [(child, below.setdefault(child.tag, {})) for child in _seen_children(node)]
    template = Template([], [])
    queue = deque([(one.page.tree, names)])
    while queue:
        node, below = queue.popleft()
        children = _seen_children(node)
        (template.inner if children else template.leaves).append(node)
        queue.extend((child, below[child.tag]) for child in children if child.tag in below)
    return template


def _seen_children(node: Any) -> list[Any]:
    return [child for child in child_elements(node) if child.tag not in UNSEEN]


def _locate(value: FieldValue, template: Template, page: PageView) -> PaperRule | None:
    texts = {"": list(map(str, [value] if isinstance(value, str) else value))}
    if (shape := shape_of(value)) is ValueShape.RECORDS:
        rows: list[Any] = [row for row in value if isinstance(row, dict)]
        parts = {key: [row[key] for row in rows if not is_blank(row.get(key))] for row in rows for key in row}
        texts = {key: [one if isinstance(one, str) else ", ".join(one) for one in some] for key, some in parts.items()}
    columns = {key: column for key, some in texts.items() if (column := _repeated(some, template, page))}
    return PaperRule(shape, columns) if len(columns) == len(texts) else None


def _repeated(texts: list[str], template: Template, page: PageView) -> PaperPath | None:
    """Return one path for values that repeat: that of two of them, without the position if they are siblings."""
    first = find_place(texts[0], template, page) if texts else None
    if first is None:
        return None
    node, what = first
    for text in texts[1:]:
        other = find_place(text, template, page, what)
        level = repeating_level(node, other[0]) if other is not None and other[0] is not node else None
        if level is not None:
            return PaperPath(path_to(node, without=texts[0], shared=level), what)
    return PaperPath(path_to(node, without=texts[0]), what)


def find_place(value: str, template: Template, page: PageView, what: str = "") -> tuple[Any, str] | None:
    """Return the node of a value, and its text or one of its attributes.

    Algorithm 3: a node that *equals* the value goes before one that *contains* it, and leaves before inner nodes.

    In this order: the first leaf whose text or attribute equals the value; the first inner node, bottom up, that
    equals it; the last leaf that contains it; the first inner node, bottom up, that does (`flag2` in the pseudo-code).
    """
    wanted, address = squeeze(value), is_url(value)
    leaves, bottom_up = template.leaves, template.inner[::-1]
    turns = ((leaves, eq), (bottom_up, eq), (leaves[::-1], contains), (bottom_up, contains))
    for agrees, node in ((agrees, node) for nodes, agrees in turns for node in nodes):
        if what in ("", TEXT) and agrees(template.text(node), wanted):
            return node, TEXT
        for name, text in node.attrib.items():
            is_address = address and name in URL_ATTRIBUTES and same_url(page.absolute(text), value)
            if what in ("", name) and (is_address or agrees(squeeze(text), wanted)):
                return node, name
    return None
