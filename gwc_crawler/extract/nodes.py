"""Walking a parsed page: child elements, texts of nodes, addresses. lxml in, plain values out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from html import escape
from itertools import islice
from typing import Any
from urllib.parse import urljoin

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


LISTS = frozenset({"ol", "ul"})
_BOLD = ("b", "strong")
_COLONS = (":", "：")
_LONGEST_LINE = 40
"""A line with a label and its value has so many characters at most."""

LIKE = "like"
"""Among the names of what ends a section: the next heading of the same kind."""

LEVELS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
FORM_ATTRIBUTES = ("class", "style", "align", "color")
FORM_DEPTH = 3

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
    """The same one by one: of each sibling, or item of a list, and of each text between them, blank ones left out."""
    texts = [fold(node.tail or "")]
    for sibling in _siblings_until(node, stop):
        if isinstance(sibling.tag, str) and sibling.tag not in UNSEEN:
            items = list(sibling.iterchildren("li")) if sibling.tag in LISTS else []
            texts += [text_of(one, apart=True) for one in items or [sibling]]
        texts.append(fold(sibling.tail or ""))
    return [text for text in texts if text]


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


def running_text(text: Any) -> str:
    """A text node with what follows it in its line: elements amid a sentence, and the texts between them.

    It ends at what a browser sets apart, and at bold words: they head what follows.

    Args:
        text: as lxml gives it, which knows its element.
    """
    parent = text.getparent()
    parts = [str(text)]
    for one in parent.itersiblings() if text.is_tail else parent.iterchildren():
        if one.tag in BREAKS or one.tag in _BOLD:
            break
        parts += [text_of_raw(one) if isinstance(one.tag, str) and one.tag not in UNSEEN else "", one.tail or ""]
    return fold("".join(parts))


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


def _has_text(node: Any) -> bool:
    return any(not text.isspace() for text in node.itertext())


def _is_bold(node: Any) -> bool:
    inner = list(child_elements(node))
    return (
        len(inner) == 1
        and inner[0].tag in _BOLD
        and not (node.text or "").strip()
        and not (inner[0].tail or "").strip()
    )


def _is_labelled(node: Any) -> bool:
    """Whether a short line begins with a bold label, up to a colon."""
    first = next(child_elements(node), None)
    if first is None or first.tag not in _BOLD or (node.text or "").strip():
        return False
    label, rest = text_of(first), (first.tail or "").lstrip()
    return (label.endswith(_COLONS) or rest.startswith(_COLONS)) and len(text_of(node)) <= _LONGEST_LINE


def _siblings_until(node: Any, stop: frozenset[str]) -> Iterator[Any]:
    form = heading_form(node) if LIKE in stop else None
    level = heading_level(node) if form is not None and node.tag not in LEVELS else ""
    frame = _frame_below(node.getparent(), stop)
    closing = {name[1:] for name in stop if name.startswith("=")}
    beginnings = tuple(name[1:] for name in stop if name.startswith("^"))
    boxes = [name for name in stop if "." in name and "/" not in name and name[0] not in "=^"]
    for sibling in node.itersiblings():
        if sibling.tag in stop or sibling is frame or (form is not None and _heads_as_much(sibling, form)):
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
    """Whether an element is a heading of that form, one of a higher or the same level, or a term after a term."""
    if not isinstance(node.tag, str):
        return False
    if form[0] in LEVELS and node.tag in LEVELS:
        return node.tag <= form[0]
    return node.tag == form[0] and (node.tag == "dt" or heading_form(node) == form)


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


def make_absolute(base_url: str, address: str) -> str:
    """Join an address found in an attribute to the page's base; what can't be joined stays as it is."""
    try:
        return urljoin(base_url, address.strip())
    except ValueError:
        return address.strip()


def base_url_of(root: Any, url: str) -> str:
    """The URL that relative addresses refer to: `<base href>`, else the page's own."""
    for base in root.iter("base"):
        if href := base.get("href"):
            return make_absolute(url, href)
    return url
