"""Sections and runs of a parsed page: what follows an element up to the next heading or of its kind. lxml in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from gwc_crawler.extract.fields import fold
from gwc_crawler.extract.nodes.texts import (
    BOLD,
    BREAKS,
    UNSEEN,
    child_elements,
    has_colon,
    is_stressed,
    text_of,
    text_of_raw,
)

LISTS = frozenset({"ol", "ul"})
_SENTENCE_ENDS = tuple(".!?。！？，,；;")
LONGEST_LINE = 40
"""A line with a label and its value has so many characters at most."""

LIKE = "like"
"""Among the names of what ends a section: the next heading of the same kind."""

LEVELS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
FORM_ATTRIBUTES = ("class", "style", "align", "color")
FORM_DEPTH = 3


def text_after(node: Any, stop: frozenset[str]) -> str:
    """The text that follows *node* among its siblings until an element named in *stop* (or the parent's end).

    With "like" in *stop* also until a heading of its own kind, with "div.note" until a div of that class, with
    "table/2" until the parent's second child from the end if that is a table, with "=End." until what says that, with
    "^Note:" until what begins so.
    """
    parts = [node.tail or ""]
    for sibling in _siblings_until(node, stop):
        if isinstance(sibling.tag, str) and sibling.tag not in UNSEEN:
            parts.append(" " if sibling.tag in BREAKS else "")
            parts.append(text_of_raw(sibling))
            parts.append(" " if sibling.tag in BREAKS else "")
        parts.append(sibling.tail or "")
    return fold("".join(parts))


def texts_after(node: Any, stop: frozenset[str]) -> list[str]:
    """The same one by one: of each sibling, or item of a list, and of each text between them that has a letter or a
    digit; blank ones left out."""
    texts = [_words_in(node.tail)]
    for sibling in _siblings_until(node, stop):
        if isinstance(sibling.tag, str) and sibling.tag not in UNSEEN:
            items = list(sibling.iterchildren("li")) if sibling.tag in LISTS else []
            texts += [text_of(one, apart=True) for one in items or [sibling]]
        texts.append(_words_in(sibling.tail))
    return [text for text in texts if text]


def _words_in(text: str | None) -> str:
    """A loose text; "" for a sign between two items."""
    return fold(text or "") if any(map(str.isalnum, text or "")) else ""


def run_of(node: Any) -> list[Any]:
    """*node* and the elements of its name and class that follow it at once: the paragraphs of one text.

    It ends at any other element or text, and at a paragraph that is bold as a whole: it heads what follows. Short ones
    at its end that begin with a bold label are none of it: "**Version:** 6.0" is another thing.
    """
    run = [node]
    form = node.tag, node.get("class")
    if (node.tail or "").strip():
        return run
    for sibling in node.itersiblings():
        if isinstance(sibling.tag, str) and sibling.tag not in UNSEEN and _has_text(sibling):
            if (sibling.tag, sibling.get("class")) != form or _is_bold(sibling):
                break
            run.append(sibling)
        if (sibling.tail or "").strip():
            break
    while len(run) > 1 and _is_labelled(run[-1]):
        run.pop()
    return run


def _has_text(node: Any) -> bool:
    return any(not text.isspace() for text in node.itertext())


def _is_bold(node: Any) -> bool:
    """Whether all of an element's text stands in a bold one, with others around it or not."""
    for _ in range(FORM_DEPTH):
        inner = list(child_elements(node))
        if len(inner) != 1 or (node.text or "").strip() or (inner[0].tail or "").strip():
            return False
        node = inner[0]
        if node.tag in BOLD:
            return True
    return False


def _is_labelled(node: Any) -> bool:
    """Whether a short line begins with a bold label, up to a colon."""
    first = next(child_elements(node), None)
    if first is None or first.tag not in BOLD or (node.text or "").strip():
        return False
    return has_colon(first) and len(text_of(node)) <= LONGEST_LINE


def _siblings_until(node: Any, stop: frozenset[str]) -> Iterator[Any]:
    form = heading_form(node) if LIKE in stop else None
    level = heading_level(node) if form is not None and node.tag not in LEVELS else ""
    frame = _frame_below(node.getparent(), stop)
    closing = {name[1:] for name in stop if name.startswith("=")}
    beginnings = tuple(name[1:] for name in stop if name.startswith("^"))
    boxes = [name for name in stop if "." in name and "/" not in name and name[0] not in "=^"]
    for sibling in node.itersiblings():
        heads = form is not None and _heads_as_much(sibling, form)
        heads = heads and not (node.tag in BOLD and sibling.tag in BOLD and is_stressed(sibling, node))
        if sibling.tag in stop or sibling is frame or heads:
            return
        if level and "" < heading_level(sibling) <= level:
            return
        if (closing or beginnings) and isinstance(sibling.tag, str):
            text = text_of(sibling)
            if text in closing or (beginnings and text.startswith(beginnings)):
                return
        if boxes and isinstance(sibling.tag, str) and any(_is_called(sibling, name) for name in boxes):
            return
        yield sibling


def _is_called(node: Any, name: str) -> bool:
    """Whether an element has a name and a class, "div.note"."""
    tag, _, token = name.partition(".")
    return bool(node.tag == tag and token in (node.get("class") or "").split())


def _frame_below(parent: Any, stop: frozenset[str]) -> Any:
    """What stands below all sections of *parent*: where *stop* names "table.foot/2" the second from its end, if it is a
    table of that class."""
    for name in stop:
        named, _, place = name.partition("/")
        tag, _, token = named.partition(".")
        if place.isdigit() and parent is not None:
            from_the_end = (one for one in parent.iterchildren(reversed=True) if isinstance(one.tag, str))
            last = list(islice(from_the_end, int(place)))
            is_it = len(last) == int(place) and last[-1].tag == tag
            if is_it and (not token or _is_called(last[-1], named)):
                return last[-1]
    return None


def heading_form(node: Any) -> tuple[str, ...]:
    """What headings of one kind have in common: name, class and style, and the same of what alone stands inside."""
    form: tuple[str, ...] = ()
    for _ in range(FORM_DEPTH):
        form += (node.tag, *(node.get(name) or "" for name in FORM_ATTRIBUTES))
        inner = list(child_elements(node))
        if len(inner) != 1 or (node.text or "").strip() or (inner[0].tail or "").strip():
            return form
        node = inner[0]
    return form


def heading_level(node: Any) -> str:
    """The name of a heading, or of that with which an element begins: "h2" of `<div><h2>A</h2>…`; "" for none."""
    for _ in range(FORM_DEPTH):
        if not isinstance(node.tag, str) or node.tag in LEVELS:
            break
        inner = None if (node.text or "").strip() else next(child_elements(node), None)
        if inner is None:
            break
        node = inner
    return str(node.tag) if node.tag in LEVELS else ""


def _heads_as_much(node: Any, form: tuple[str, ...]) -> bool:
    """Whether an element is a heading of that form, one of a higher or the same level, or a term after a term; or a
    line in bold letters after one, whatever else is around the words."""
    if not isinstance(node.tag, str):
        return False
    if form[0] in LEVELS and node.tag in LEVELS:
        return node.tag <= form[0]
    if node.tag != form[0]:
        return False
    if node.tag == "dt" or heading_form(node) == form:
        return True
    width = 1 + len(FORM_ATTRIBUTES)
    if BOLD.isdisjoint(form[width::width]) or (node.get("class") or "") != form[1] or not _is_bold(node):
        return False
    text = text_of(node)
    return len(text) <= LONGEST_LINE and not text.endswith(_SENTENCE_ENDS)
