"""The label of what a path selects on a page: the nearest text before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gwc_crawler.extract import EACH_AFTER, UNSEEN, PageView, select
from gwc_crawler.learn.texts import LONGEST_LABEL, element_of, xml_fold

LABEL_LEVELS = 3
MOST_EMPTY = 6
"""How far a label may be from its value: elements around it, and elements without text before those."""
_BOLD = ("b", "strong")
"""One form: people write the one on one page and the other on another."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text before a value, and the name and class of its element."""

    text: str
    form: tuple[str, str]


def label_before(page: PageView, path: str, read: str) -> Label | None:
    """The nearest text before what is selected first; that of a heading itself where what follows it is read.

    With *read* "inside" the first text in it: what is left out of an element's text may be its label.
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
    for _ in range(LABEL_LEVELS):
        for beside in islice(node.itersiblings(preceding=True), MOST_EMPTY):
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


def _only_text(element: Any) -> Label | None:
    """The text of an element that has but one; with "" where it has several."""
    if not isinstance(element.tag, str) or element.tag in UNSEEN:
        return None
    texts = [(one.text, one) for one in element.iter() if isinstance(one.tag, str) and (one.text or "").strip()]
    texts += [(one.tail, one.getparent()) for one in element.iterdescendants() if (one.tail or "").strip()]
    if not texts:
        return None
    return _label(*texts[0]) if len(texts) == 1 else Label("", ("", ""))


def _label(text: str, element: Any) -> Label:
    tag = _BOLD[0] if element.tag in _BOLD else str(element.tag)
    return Label(xml_fold(text), (tag, element.get("class") or ""))


def _of_form(page: PageView, form: tuple[str, str]) -> Iterator[Any]:
    """The elements of a name and class, bold ones however they are marked up."""
    tags = _BOLD if form[0] in _BOLD else form[:1]
    return (one for one in page.tree.iter(*tags) if (one.get("class") or "") == form[1])


def texts_of(page: PageView, form: tuple[str, str]) -> frozenset[str]:
    """All short texts right in a page's elements of a name and class."""
    texts = (text for one in _of_form(page, form) for text in (one.text, *(child.tail for child in one)) if text)
    return frozenset(folded for text in texts if 0 < len(folded := xml_fold(text)) <= LONGEST_LABEL)
