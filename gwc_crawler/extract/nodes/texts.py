"""Walking a parsed page: child elements, texts of nodes. lxml in, plain values out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from html import escape
from typing import Any

from lxml import etree

from gwc_crawler.extract.fields import fold

UNREAD = frozenset({"script", "style"})
"""Elements that hold no text at all."""

UNSEEN = UNREAD | {"noscript", "template"}
"""Elements whose text a browser does not show: it is no part of what stands around it, but may be a value by itself."""

BREAKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "div"),
        *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hr", "legend", "li", "main", "nav", "ol", "option", "p", "pre", "section", "summary"),
        *("table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
"""Elements that a browser sets apart: a reader sees white space between their text and what stands around it."""

BOLD = frozenset({"b", "strong"})
COLONS = (":", "：")
_GOES_ON = tuple(",，、(（\"“'‘-–—")
_GOES_ON_OR_ENDS = tuple(",，、.。;；)）!！?？'’")
"""Signs behind which a sentence goes on, and those before which it does or ends."""
_SENTENCE_ENDS = tuple(".。!！?？")
_WORDS_OF_A_SENTENCE, _SIGNS_OF_ONE = 3, 6
"""So many words, or Chinese signs, are the rest of a sentence; fewer are the value behind a label."""
_LEFT_OUT = "left-out"
_MARKS = re.compile(r"\s*[,;/|·•、，；&+]\s*")

BREAK = "".join((" ", "\n"))
"""What `_parts` puts between what is set apart; known by its identity, a page's text may be equal to it."""


def child_elements(node: Any) -> Iterator[Any]:
    """The element children, without comments and processing instructions."""
    return (child for child in node if isinstance(child.tag, str))


def text_of(node: Any, *, apart: bool = False, drop: frozenset[str] = frozenset()) -> str:
    """All visible text inside *node*, white space folded.

    Args:
        apart: set what a browser sets apart (blocks, line breaks) apart by a blank; else join texts as they stand.
        drop: elements to leave out, as "name" or "name.class".
    """
    if len(node) == 0:
        return fold(node.text or "")
    return fold("".join(_parts(node, apart, drop)))


def _parts(top: Any, apart: bool, drop: frozenset[str]) -> list[str]:
    parts: list[str] = []
    add = parts.append
    if top.text:
        add(top.text)
    pending: list[Any] = []
    node = top
    children = iter(node)
    while True:
        child = next(children, None)
        if child is None:
            if node is top:
                return parts
            if apart and node.tag in BREAKS:
                add(BREAK)
            if node.tail:
                add(node.tail)
            node, children = pending.pop()
            continue
        tag = child.tag
        if not isinstance(tag, str) or tag in UNSEEN or (drop and _dropped(child, drop)):
            if child.tail:
                add(child.tail)
            continue
        if apart and tag in BREAKS:
            add(BREAK)
        if child.text:
            add(child.text)
        pending.append((node, children))
        node, children = child, iter(child)


def _dropped(node: Any, drop: frozenset[str]) -> bool:
    if node.tag in drop:
        return True
    return any(f"{node.tag}.{token}" in drop for token in (node.get("class") or "").split())


def lines_of(node: Any) -> list[str]:
    """The lines of *node* as a browser breaks them (at line breaks and blocks), blank ones left out."""
    lines: list[str] = []
    line: list[str] = []
    for part in [*_parts(node, True, frozenset()), BREAK]:
        if part is BREAK:
            lines.append(fold("".join(line)))
            line = []
        else:
            line.append(part)
    return [text for text in lines if text]


def running_text(text: Any) -> str:
    """A text node with what follows it in its line: elements amid a sentence, and the texts between them.

    It ends at what a browser sets apart, and at bold words: they head what follows, unless they are stressed.

    Args:
        text: as lxml gives it, which knows its element.
    """
    parent = text.getparent()
    parts = [str(text)]
    label = _label_before(parent) if text.is_tail else None
    for one in parent.itersiblings() if text.is_tail else parent.iterchildren():
        if one.tag in BREAKS or (one.tag in BOLD and not is_stressed(one, label)):
            break
        parts += [text_of_raw(one) if isinstance(one.tag, str) and one.tag not in UNSEEN else "", one.tail or ""]
    return fold("".join(parts))


def _label_before(element: Any) -> Any:
    """The bold words right before the text behind an element, or before its line; None for none."""
    if element.tag == "br" and not (element.getprevious() is None or (element.getprevious().tail or "").strip()):
        element = element.getprevious()
    return element if element.tag in BOLD else None


def is_stressed(bold: Any, label: Any) -> bool:
    """Whether bold words are stressed in what a text says, rather than the next label after a *label* (None: of none).

    They have no colon, and stand amid a sentence that goes on behind them, or begin a whole one, where the label has a
    colon, or a line of its own; of none they begin with a small letter, amid a sentence.
    """
    before, behind = _text_before(bold).rstrip(), (bold.tail or "").strip()
    if has_colon(bold) or not before:
        return False
    is_amid = before[-1].isalnum() or before.endswith(_GOES_ON)
    goes_on = behind.startswith(_GOES_ON_OR_ENDS) or (behind[:1].isalpha() and not behind[:1].isupper())
    if label is not None:
        has_sign = has_colon(label) or _has_own_line(label)
        return has_sign and ((is_amid and goes_on) or _is_a_sentence(behind))
    return goes_on and text_of(bold)[:1].islower() and before[-1].isalnum()


def _is_a_sentence(text: str) -> bool:
    long_enough = text.count(" ") >= _WORDS_OF_A_SENTENCE or sum(one >= "\u2e80" for one in text) >= _SIGNS_OF_ONE
    return long_enough and text.endswith(_SENTENCE_ENDS)


def has_colon(bold: Any) -> bool:
    """Whether a colon ends bold words, or follows them."""
    return text_of(bold).endswith(COLONS) or (bold.tail or "").lstrip().startswith(COLONS)


def _has_own_line(bold: Any) -> bool:
    behind = bold.getnext()
    return behind is not None and behind.tag == "br" and not (bold.tail or "").strip()


def _text_before(element: Any) -> str:
    """The text right before an element, beside it."""
    before = element.getprevious()
    return str((element.getparent().text if before is None else before.tail) or "")


def enumeration_of(node: Any) -> str:
    """The text of *node* and of its likes that follow it behind no more than a mark each: "str, optional".

    The mark may stand in an element of their kind, too: `<em>str</em><em>, </em><em>optional</em>`.
    """
    parts = [text_of_raw(node)]
    form = node.tag, node.get("class")
    for sibling in node.itersiblings():
        between, text = sibling.getprevious().tail or "", text_of_raw(sibling)
        if (sibling.tag, sibling.get("class")) != form:
            break
        if not any(map(_MARKS.fullmatch, (between, *([] if between else (parts[-1], text))))):
            break
        parts += [between, text]
    while len(parts) > 1 and (not parts[-1] or _MARKS.fullmatch(parts[-1])):
        parts.pop()
    return fold("".join(parts))


def text_of_raw(node: Any) -> str:
    """The visible text of *node*, blocks set apart, white space as it stands."""
    return "".join(_parts(node, True, frozenset()))


def html_of(node: Any, drop: frozenset[str] = frozenset()) -> str:
    """What stands inside *node* as HTML, without what nobody reads (scripts, comments) and what *drop* names."""
    if isinstance(node, str):
        return escape(node, quote=False).strip()
    inside = deepcopy(node)
    for one in inside.iterdescendants():
        if isinstance(one.tag, str) and drop and _dropped(one, drop):
            one.tag = _LEFT_OUT
    etree.strip_elements(inside, *UNSEEN, _LEFT_OUT, etree.Comment, etree.PI, with_tail=False)
    children = "".join(etree.tostring(child, encoding="unicode", method="html") for child in inside)
    return (escape(inside.text or "", quote=False) + children).strip()
