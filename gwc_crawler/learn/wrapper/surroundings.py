"""The surroundings of a value: they tell whether a candidate reads something else on a further page.

If a page lacks the field, a loose address ("the first span.since") gives a neighbour's value. It is betrayed by names
of elements around other matches on the samples, or by another's label.
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
from gwc_crawler.learn.degrees import A_HANDFUL, LABEL_LENGTH, SEVERAL, VERY_MANY
from gwc_crawler.learn.places.steps import IN_TRAIL
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import STRUCK_AROUND, STRUCK_WITHIN, Shared
from gwc_crawler.learn.texts.text_index import element_of, xml_fold
from gwc_crawler.learn.wrapper.ranking.candidates import path_of

BEGINS_SO = "/text()[starts-with("
ROW_NUMBER = re.compile(r"(?<=^row)[-_]?\d+$")
"""Matches the number in a class that counts the rows: all of these count as one name."""

Names = tuple[tuple[str, ...], ...]
_OF_ROWS = ("dt", "td", "th")
_BOLD = ("b", "strong")
"""One form: people write the one on one page and the other on another."""


class Surroundings:
    """The elements and labels around the values of one field on the sample pages.

    Args:
        further: pages without samples, which show values beside a label of theirs.
    """

    def __init__(self, contexts: Sequence[ExampleContext], shared: Shared, further: Sequence[PageView]) -> None:
        self._contexts = contexts
        self._shared = shared
        self._pages = [one.at.page for one in contexts] + [*further]
        self._value = next(one.wanted for one in contexts if not one.empty)
        self._given = [one.at for one in contexts if not one.empty]
        self._known: dict[str, tuple[frozenset[Names], frozenset[Names]]] = {}
        self._own_ids: dict[str, frozenset[str]] = {}
        self._is_around = cache(self._stands_around)
        self._own_label = cache(self._label_of_samples)
        self._beside = cache(self._texts_beside)

    def are_strange(self, candidate: Any, page: LearnPage) -> bool:
        """Say whether the candidate's elements on the page stand where the samples have something else."""
        if candidate.family is Family.STRUCTURED or getattr(candidate, "parts", None):
            return False
        nodes = self._nodes(candidate, page.page)
        if not nodes:
            return False
        if self._is_behind_another_label(candidate, page):
            return True
        is_another = any(self._is_another_by_id(candidate, node) for node in nodes)
        if is_another or self._is_an_old_number(candidate, nodes):
            return True
        own, others = self._around(candidate)
        strange = [one for node in nodes if (one := self._names(node)) not in own]
        return any(one in others or one in self._elsewhere for one in strange)

    def _is_an_old_number(self, candidate: Any, nodes: Iterable[Any]) -> bool:
        """Whether a number is read where something is struck out, and nothing is where the samples have it."""
        if not self._shared.has_struck or not (isinstance(self._value, str) and is_like_number(self._value)):
            return False
        is_struck = STRUCK_AROUND if "/text()" in path_of(candidate) else STRUCK_WITHIN
        own = (self._nodes(candidate, at.page) for at in self._given)
        return any(map(is_struck, nodes)) and not any(map(is_struck, chain.from_iterable(own)))

    def _nodes(self, candidate: Any, page: PageView) -> list[Any]:
        """Return the elements that the candidate reads: one for a text, else all."""
        many = hasattr(candidate, "rows") or not isinstance(self._value, str)
        return list(islice(map(element_of, select(path_of(candidate), page, None, first=not many)), VERY_MANY))

    def _around(self, candidate: Any) -> tuple[frozenset[Names], frozenset[Names]]:
        """Return the names around the samples' wanted elements and around other matches."""
        path = path_of(candidate)
        if path not in self._known:
            own: set[Names] = set()
            others: set[Names] = set()
            for at in self._given:
                count = len(self._nodes(candidate, at.page))
                for number, node in enumerate(map(element_of, islice(at.select(path, None), VERY_MANY))):
                    (own if number < count else others).add(self._names(node))
            self._known[path] = frozenset(own), frozenset(others)
        return self._known[path]

    def _is_another_by_id(self, candidate: Any, node: Any) -> bool:
        """Say whether the nearest id around an element is one of the samples', and none around what is read there.

        Another tab's panel, in which samples have such an element, too; else another layout may have the value there.
        """
        nearest, path = next(_ids_around(node), ""), path_of(candidate)
        if not self._is_around(nearest, node.tag, node.get("class")):
            return False
        if path not in self._own_ids:
            read = chain.from_iterable(self._nodes(candidate, at.page) for at in self._given)
            self._own_ids[path] = frozenset(chain.from_iterable(map(_ids_around, read)))
        return nearest not in self._own_ids[path]

    def _stands_around(self, name: str, tag: str, classes: str | None) -> bool:
        """Whether the element with an id has one of a tag and class inside, on a sample."""
        likes = chain.from_iterable(box.iter(tag) for box in self._boxes.get(name, ()))
        return any(one.get("class") == classes for one in likes)

    @cached_property
    def _boxes(self) -> dict[str, list[Any]]:
        """The elements of the sample pages by their id, if that doesn't count."""
        boxes: dict[str, list[Any]] = {}
        pages = (one.at.page for one in self._contexts)
        for one in chain.from_iterable(page.tree.iterfind(".//*[@id]") for page in pages):
            if not any(map(str.isdigit, one.get("id"))):
                boxes.setdefault(one.get("id"), []).append(one)
        return boxes

    @cached_property
    def _elsewhere(self) -> frozenset[Names]:
        """The names around the neighbours of a value or a list: all that the sample pages have."""
        if not isinstance(self._value[0], str):
            return frozenset()
        return frozenset(self._names(node) for one in self._contexts for node in one.at.elements)

    def _is_behind_another_label(self, candidate: Any, page: LearnPage) -> bool:
        """Say whether the value on the page stands behind another label, one that samples have beside the right one.

        Not a text that is found by the label with which it begins, or by its place at the end of a trail.
        """
        path = path_of(candidate)
        read = "inside" if getattr(candidate, "drop", ()) else str(getattr(candidate, "read", ""))
        if (
            read.startswith("@")
            or BEGINS_SO in path
            or IN_TRAIL in path
            or (own := self._own_label(path, read)) is None
        ):
            return False
        label = _label_before(page.page, path, read)
        return label is not None and label != own and label.form == own.form and label.text in self._beside(own)

    def _label_of_samples(self, path: str, read: str) -> _Label | None:
        """Return the label that all samples have before the candidate's value, if several pages have it."""
        before = {_label_before(at.page, path, read) for at in self._given}
        own = before.pop() if len(before) == 1 else None
        return own if own is not None and self._shared.is_shared_text(own.text) else None

    def _texts_beside(self, own: _Label) -> frozenset[str]:
        """Return the texts of the label's form that several pages have; unless it is a row's, they stand with it."""
        texts, is_of_row = [_texts_of(page, own.form) for page in self._pages], own.form[0] in _OF_ROWS
        counts = Counter(chain.from_iterable(texts))
        beside = frozenset(chain.from_iterable(here for here in texts if is_of_row or own.text in here)) - {own.text}
        return frozenset(text for text in beside if counts[text] > 1 and not self._shared.is_value(text))

    def _names(self, node: Any) -> Names:
        """Return names, ids and shared classes of an element and of a few around it; of these no row's number."""
        around: list[tuple[str, ...]] = []
        while node is not None and len(around) < A_HANDFUL:
            names = self._shared.telling_names(node)
            around.append((node.tag, *(names if not around else (ROW_NUMBER.sub("", one) for one in names))))
            node = node.getparent()
        return tuple(around)


def _ids_around(node: Any) -> Iterator[str]:
    """Yield the ids of an element and of those around it, from the inside out."""
    return (name for one in chain((node,), node.iterancestors()) if (name := one.get("id")))


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
