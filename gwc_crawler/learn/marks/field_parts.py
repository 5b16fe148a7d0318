"""Which marks of a page are a field's own: those that a sample page loses with the part that holds the value.

In: the wrapper and the sample pages. Out: marks. A page without the field lacks them, of whatever kind it is; what else
it lacks tells its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, takewhile
from typing import Any

from gwc_crawler.extract import EACH_AFTER, BestRule, Finder, PageView, RecordsRule, Run, Wrapper, page_features, select
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import Family, StoredPage, ValueShape
from gwc_crawler.learn.texts import HEADINGS, element_of
from gwc_crawler.page import parse_html

_LABEL = 40
"""Characters, white space apart, that a part may have besides the value: its label."""
_WHOLE_PAGE = frozenset({"body", "html"})
_MOST_NODES = 200


class FieldParts:
    """The marks that fields bring with them; each field is looked for once, when it is asked for.

    Cost: a parse of each sample page for each field.
    """

    def __init__(self, wrapper: Wrapper, samples: Sequence[StoredPage]) -> None:
        self._wrapper, self._samples = wrapper, samples
        self._of_one = cache(self._marks_of)

    def marks(self, names: Iterable[str]) -> frozenset[str]:
        """The marks that a page lacks because it lacks some fields."""
        return frozenset(chain.from_iterable(map(self._of_one, names)))

    def _marks_of(self, name: str) -> frozenset[str]:
        lost = [marks for page in self._samples if (marks := self._lost(name, page)) is not None]
        return frozenset.intersection(*lost) if lost else frozenset()

    def _lost(self, name: str, page: StoredPage) -> frozenset[str] | None:
        """What a sample loses without the field's part; None if it has no such part."""
        view = PageView(parse_html(page.html, page.charset or None), page.url)
        nodes = list(dict.fromkeys(_nodes_of(self._wrapper.rules[name], view)))
        if not nodes:
            return None
        before = page_features(view.tree)
        for one in _part_around(nodes):
            _take_out(one)
        return before - page_features(view.tree)


def _nodes_of(rule: Any, page: PageView) -> Iterator[Any]:
    """The elements that a rule reads, with the texts behind labels that it goes by."""
    if isinstance(rule, RecordsRule):
        rows = next((rows for way in rule.ways if (rows := way.rows_with_records(page))), [])
        for row, _ in rows[:_MOST_NODES]:
            yield from sorted(row.members, key=row.head.getparent().index) if isinstance(row, Run) else [row]
    elif isinstance(rule, BestRule):
        ways = (one for one in rule.finders if isinstance(one, Finder) and one.family is not Family.STRUCTURED)
        finder, nodes = next(((one, nodes) for one in ways if (nodes := select(one.path, page))), (None, []))
        elements = map(element_of, nodes[:_MOST_NODES] if rule.shape is ValueShape.LIST else nodes[:1])
        is_behind = finder is not None and finder.read.startswith(("after:", EACH_AFTER))
        yield from chain.from_iterable(map(_with_what_follows, elements) if is_behind else ([one] for one in elements))


def _with_what_follows(element: Any) -> list[Any]:
    """A label's element, and what stands behind it up to the next one of its name."""
    return [element, *takewhile(lambda one: one.tag != element.tag, element.itersiblings())]


def _part_around(nodes: Sequence[Any]) -> list[Any]:
    """The element that holds all nodes and hardly another text but their label, with the heading right before it; the
    nodes alone where there is none."""
    said = sum(_length(one) for one in nodes)
    above = [nodes[0], *nodes[0].iterancestors()]
    for one in nodes[1:]:
        here = {one, *one.iterancestors()}
        above = [element for element in above if element in here]
    fitting = list(takewhile(lambda one: one.tag not in _WHOLE_PAGE and _length(one) <= said + _LABEL, above))
    part = [fitting[-1]] if fitting else list(nodes)
    before = part[0].getprevious()
    is_label = before is not None and before.tag in HEADINGS and _length(before) <= _LABEL
    return [before, *part] if is_label else part


def _length(element: Any) -> int:
    return len(squeeze("".join(element.itertext())))


def _take_out(element: Any) -> None:
    """Take an element out of its page; what stands behind it stays."""
    parent, before, tail = element.getparent(), element.getprevious(), element.tail or ""
    if parent is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
