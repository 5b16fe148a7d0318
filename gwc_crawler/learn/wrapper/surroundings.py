"""The surroundings of a value: they tell whether a candidate reads something else on a further page.

If a page lacks the field, a loose address ("the first span.since") gives a neighbour's value. It is betrayed by names
of elements around other matches on the samples, by a heading of theirs over something else, or by another's label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice
from typing import Any

from gwc_crawler.extract.affixes import is_like_number
from gwc_crawler.extract.locator import EACH_AFTER, select
from gwc_crawler.extract.nodes import UNSEEN
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, LABEL_LENGTH, SEVERAL, VERY_MANY
from gwc_crawler.learn.places.steps import IN_TRAIL
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import HEADINGS, STRUCK_AROUND, STRUCK_WITHIN, Shared
from gwc_crawler.learn.texts.text_index import element_of, heading_text, xml_fold

HEADING_LEVELS = 6
BEGINS_SO = "/text()[starts-with("
RANKED = re.compile(r"h[1-6]$")
ROW_NUMBER = re.compile(r"(?<=^row)[-_]?\d+$")
"""Matches the number in a class that counts the rows: all of these count as one name."""

Names = tuple[tuple[str, ...], ...]
_OF_ROWS = ("dt", "td", "th")
_BOLD = ("b", "strong")
"""One form: people write the one on one page and the other on another."""


class Surroundings:
    """The elements, headings and labels around the values of one field on the sample pages, and on *further* ones."""

    def __init__(self, contexts: Sequence[ExampleContext], shared: Shared, further: Sequence[LearnPage]) -> None:
        self._contexts = contexts
        self._shared = shared
        self._pages = [one.at for one in contexts] + [*further]
        self._value = next(one.wanted for one in contexts if not one.empty)
        self._given = [one.at for one in contexts if not one.empty]
        self._around = cache(self._names_around)
        self._own_ids = cache(self._ids_of_samples)
        self._is_around = cache(self._stands_around)
        self._own_label = cache(self._label_of_samples)
        self._beside = cache(self._texts_beside)
        self._other_headings = cache(self._headings_of_others)

    def are_strange(self, candidate: Any, page: LearnPage) -> bool:
        """Say whether the candidate's elements on the page stand where the samples have something else."""
        if candidate.family is Family.STRUCTURED or getattr(candidate, "parts", None):
            return False
        path, within = candidate.path, _is_of_a_section(candidate)
        nodes = self._nodes(path, page)
        if not nodes:
            return False
        if self._is_behind_another_label(candidate, page):
            return True
        is_another = any(self._is_another_by_id(path, node) for node in nodes)
        if is_another or self._is_an_old_number(path, nodes):
            return True
        own, others, headings = self._around(path, within)
        strange = [one for node in nodes if (one := self._names(node)) not in own]
        if any(one in others or one in self._elsewhere for one in strange):
            return True
        if not strange and BEGINS_SO in path:
            return False  # a line that names itself stands under any heading
        above = (next(iter(self._headings_above(node, within)), None) for node in nodes)
        return bool(headings) and any(label in self._other_headings(headings) for label in above)

    def _is_an_old_number(self, path: str, nodes: Iterable[Any]) -> bool:
        """Whether a number is read where something is struck out, and nothing is where the samples have it."""
        if not self._shared.has_struck or not (isinstance(self._value, str) and is_like_number(self._value)):
            return False
        is_struck = STRUCK_AROUND if "/text()" in path else STRUCK_WITHIN
        own = (self._nodes(path, at) for at in self._given)
        return any(map(is_struck, nodes)) and not any(map(is_struck, chain.from_iterable(own)))

    def _nodes(self, path: str, page: PageView) -> list[Any]:
        """Return the elements that are read at a path: one for a text, else all."""
        first = isinstance(self._value, str)
        return list(islice(map(element_of, select(path, page, None, first=first)), VERY_MANY))

    def _names_around(self, path: str, within: bool) -> tuple[frozenset[Names], frozenset[Names], frozenset[str]]:
        """Return the names around the samples' wanted elements and around other matches, and the wanted ones' headings.

        No headings where one of the wanted has none.
        """
        own: set[Names] = set()
        others: set[Names] = set()
        headings: set[str | None] = set()
        for at in self._given:
            count = len(self._nodes(path, at))
            for number, node in enumerate(map(element_of, islice(at.select(path, None), VERY_MANY))):
                if number < count:
                    own.add(self._names(node))
                    headings.update(self._headings_above(node, within) or [None])
                else:
                    others.add(self._names(node))
        known = frozenset() if None in headings else frozenset(one for one in headings if one)
        return frozenset(own), frozenset(others), known

    def _is_another_by_id(self, path: str, node: Any) -> bool:
        """Say whether the nearest id around an element is one of the samples', and none around what is read there.

        Another tab's panel, in which samples have such an element, too; else another layout may have the value there.
        """
        nearest = next(_ids_around(node), "")
        return self._is_around(nearest, node.tag, node.get("class")) and nearest not in self._own_ids(path)

    def _ids_of_samples(self, path: str) -> frozenset[str]:
        read = chain.from_iterable(self._nodes(path, at) for at in self._given)
        return frozenset(chain.from_iterable(map(_ids_around, read)))

    def _stands_around(self, name: str, tag: str, classes: str | None) -> bool:
        """Whether the element with an id has one of a tag and class inside, on a sample."""
        likes = chain.from_iterable(box.iter(tag) for box in self._boxes.get(name, ()))
        return any(one.get("class") == classes for one in likes)

    @cached_property
    def _boxes(self) -> dict[str, list[Any]]:
        """The elements of the sample pages by their id, if that doesn't count."""
        boxes: dict[str, list[Any]] = {}
        pages = (one.at for one in self._contexts)
        for one in chain.from_iterable(page.tree.iterfind(".//*[@id]") for page in pages):
            if not any(map(str.isdigit, one.get("id"))):
                boxes.setdefault(one.get("id"), []).append(one)
        return boxes

    @cached_property
    def _elsewhere(self) -> frozenset[Names]:
        """The names around the neighbours of a value or a list: all that the sample pages have."""
        if not isinstance(self._value[0], str):
            return frozenset()
        return frozenset(self._names(node) for at in (one.at for one in self._contexts) for node in at.index.spans)

    def _is_behind_another_label(self, candidate: Any, page: LearnPage) -> bool:
        """Say whether the value on the page stands behind another label, one that samples have beside the right one.

        Not a text that is found by the label with which it begins, or by its place at the end of a trail.
        """
        path = candidate.path
        read = "inside" if getattr(candidate, "drop", ()) else str(getattr(candidate, "read", ""))
        if (
            read.startswith("@")
            or BEGINS_SO in path
            or IN_TRAIL in path
            or (own := self._own_label(path, read)) is None
        ):
            return False
        label = _label_before(page, path, read)
        return label is not None and label != own and label.form == own.form and label.text in self._beside(own)

    def _label_of_samples(self, path: str, read: str) -> _Label | None:
        """Return the label that all samples have before the candidate's value, if several pages have it."""
        before = {_label_before(at, path, read) for at in self._given}
        own = before.pop() if len(before) == 1 else None
        return own if own is not None and self._shared.is_shared_text(own.text) else None

    def _texts_beside(self, own: _Label) -> frozenset[str]:
        """Return the texts of the label's form that several pages have; unless it is a row's, they stand with it."""
        also = frozenset((own.text,) if own.form[0] in _OF_ROWS else ())
        return self._standing_with(frozenset({own.text}), [also | _texts_of(page, own.form) for page in self._pages])

    def _standing_with(self, own: frozenset[str], texts: Sequence[frozenset[str]]) -> frozenset[str]:
        """Return the texts that several pages have and that stand on a page with one of their *own*."""
        counts = Counter(chain.from_iterable(texts))
        beside = frozenset(chain.from_iterable(here for here in texts if here & own)) - own
        return frozenset(text for text in beside if counts[text] > 1 and not self._shared.is_value(text))

    def _headings_of_others(self, own: frozenset[str]) -> frozenset[str]:
        """Return the labels that head something on a sample page; for a text also those beside *own* on other pages.

        There of the same rank alone: a page's own heading may stand for theirs, and below theirs may be further ones.
        Several records may go on under a heading that no sample has: methods that are provided beside required ones.
        """
        others = frozenset(label for here in self._headings[: len(self._contexts)] for _, label in here) - own
        if not isinstance(self._value, str):
            return others
        ranks = {tag for here in self._headings for tag, label in here if label in own}
        alike = [frozenset(label for tag, label in here if tag in ranks) for here in self._headings]
        return others | self._standing_with(own, alike)

    @cached_property
    def _headings(self) -> list[frozenset[tuple[str, str]]]:
        """Return for each page the headings that several pages have: their tag, and their label."""
        pages = [frozenset((one.tag, heading_text(one)) for one in page.tree.iter(*HEADINGS)) for page in self._pages]
        counts = Counter(chain.from_iterable({label for _, label in here} for here in pages))
        known = {label for label, count in counts.items() if label and count > 1 and not self._shared.is_value(label)}
        return [frozenset(one for one in here if one[1] in known) for here in pages]

    @cached_property
    def _labels(self) -> frozenset[str]:
        return frozenset(label for here in self._headings for _, label in here)

    def _names(self, node: Any) -> Names:
        """Return names, ids and shared classes of an element and of a few around it; of these no row's number."""
        around = islice(node.iterancestors(), A_HANDFUL - 1)
        names = ((one.tag, *(ROW_NUMBER.sub("", name) for name in self._shared.telling_names(one))) for one in around)
        return (node.tag, *self._shared.telling_names(node)), *names

    def _headings_above(self, node: Any, of_a_section: bool) -> list[str]:
        """Return the nearest shared label in a heading before an element, beside it or beside an element around it; and
        the labels of the sections above. *of_a_section*: the element may itself be the heading of the value.
        """
        above, rank = list[str](), ""
        for one in chain([node] if of_a_section and node.tag in HEADINGS else [], _headings_before(node)):
            is_above = not rank or (RANKED.match(one.tag) and (one.tag < rank or not RANKED.match(rank)))
            if is_above and (label := heading_text(one)) in self._labels:
                above.append(label)
                rank = one.tag
        return above


def _is_of_a_section(candidate: Any) -> bool:
    """Say whether a candidate reads what follows the elements that it selects."""
    return str(getattr(candidate, "read", "")).startswith(("after:", EACH_AFTER))


def _ids_around(node: Any) -> Iterator[str]:
    """Yield the ids of an element and of those around it, from the inside out."""
    return (name for one in chain((node,), node.iterancestors()) if (name := one.get("id")))


def _headings_before(node: Any) -> Iterator[Any]:
    for level in islice(chain((node,), node.iterancestors()), HEADING_LEVELS):
        before = islice(level.itersiblings(preceding=True), ENOUGH)
        yield from (one for one in before if one.tag in HEADINGS)


# --- The label of a selected node: the nearest text before it ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Label:
    """A text before a value, and the name and class of its element."""

    text: str
    form: tuple[str, str]


def _label_before(page: PageView, path: str, read: str) -> _Label | None:
    """Return the nearest text before the first selected node; the heading itself if the text after it is read.

    With *read* "inside" the first text in the node: a text left out of an element's value may be its label.
    """
    node = next(iter(select(path, page, None, first=True)), None)
    if node is None:
        return None
    if read == "inside" and not isinstance(node, str):
        return next((_label(one.text, one) for one in node.iter() if (one.text or "").strip()), None)
    if read.startswith(("after:", EACH_AFTER)):
        heading = element_of(node)
        return _label("".join(heading.itertext()), heading)
    if isinstance(node, str):
        element = node.getparent()  # type: ignore[attr-defined]
        if node.is_tail and (inside := _only_text(element)) is not None:  # type: ignore[attr-defined]
            return inside
        node = element
    for _ in range(SEVERAL):
        for beside in islice(node.itersiblings(preceding=True), A_HANDFUL):
            if (beside.tail or "").strip():
                return _label(beside.tail, node.getparent())
            if (inside := _only_text(beside)) is not None:
                return inside
        node = node.getparent()
        if node is None:
            return None
        if (node.text or "").strip():
            return _label(node.text, node)
    return None


def _only_text(element: Any) -> _Label | None:
    """Return the text of an element that has just one; "" if it has several."""
    if not isinstance(element.tag, str) or element.tag in UNSEEN:
        return None
    texts = [(one.text, one) for one in element.iter() if isinstance(one.tag, str) and (one.text or "").strip()]
    texts += [(one.tail, one.getparent()) for one in element.iterdescendants() if (one.tail or "").strip()]
    if not texts:
        return None
    return _label(*texts[0]) if len(texts) == 1 else _Label("", ("", ""))


def _label(text: str, element: Any) -> _Label:
    tag = _BOLD[0] if element.tag in _BOLD else str(element.tag)
    return _Label(xml_fold(text), (tag, element.get("class") or ""))


def _texts_of(page: PageView, form: tuple[str, str]) -> frozenset[str]:
    """Return all short texts right in a page's elements of a name and class, bold ones however they are marked up."""
    tags = _BOLD if form[0] in _BOLD else form[:1]
    alike = (one for one in page.tree.iter(*tags) if (one.get("class") or "") == form[1])
    texts = (text for one in alike for text in (one.text, *(child.tail for child in one)) if text)
    return frozenset(folded for text in texts if 0 < len(folded := xml_fold(text)) <= LABEL_LENGTH)
