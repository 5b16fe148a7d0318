"""The text of nodes: of single ones, of those after a label, of those below a heading."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from html import escape
from typing import Any

from lxml import etree

from gwc_crawler.page.text import fold

UNREAD = frozenset({"script", "style"})  # elements that hold no text at all

UNSEEN = UNREAD | {"noscript", "template"}
"""Tags of elements whose text a browser does not show: other texts leave it out, but it may be a value by itself."""

BREAKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "br", "caption", "center", "dd", "details", "dialog", "div"),
        *("dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6"),
        *("header", "hr", "legend", "li", "main", "nav", "ol", "option", "p", "pre", "section", "summary"),
        *("table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
"""Tags of elements that a browser sets apart: a reader sees white space between their text and their neighbours'."""

BOLD = frozenset({"b", "strong"})
COLONS = (":", "：")
_GOES_ON = tuple(",，、(（\"“'‘-–—")
_GOES_ON_OR_ENDS = tuple(",，、.。;；)）!！?？'’")
"""Signs behind which a sentence goes on, and those before which it does or ends."""
_SENTENCE_ENDS = tuple(".。!！?？")
_WORDS_OF_A_SENTENCE, _SIGNS_OF_ONE = 3, 6
"""Words, or Chinese signs, that make up the rest of a sentence; fewer are the value behind a label."""
_LEFT_OUT = "left-out"

BREAK = "".join((" ", "\n"))
"""Put by `_parts` between parts set apart; known by its identity, since a page's text may be equal to it."""


def child_elements(node: Any) -> Iterator[Any]:
    """Yield the element children, without comments and processing instructions."""
    return (child for child in node if isinstance(child.tag, str))


def only_child(node: Any) -> Any:
    """Return the only element in *node*, if there is no text beside it; else None."""
    return node[0] if len(node) == 1 and not (node.text or "").strip() and not (node[0].tail or "").strip() else None


def text_of(node: Any, *, apart: bool = False, drop: frozenset[str] = frozenset()) -> str:
    """Return all visible text inside *node* without *drop* ("name.class"); *apart*: a blank between its blocks."""
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
        if not isinstance(tag, str) or tag in UNSEEN or (drop and _is_one_of(child, drop)):
            if child.tail:
                add(child.tail)
            continue
        if apart and tag in BREAKS:
            add(BREAK)
        if child.text:
            add(child.text)
        pending.append((node, children))
        node, children = child, iter(child)


def _is_one_of(node: Any, names: frozenset[str]) -> bool:
    """Say whether an element has one of the names, "name" or "name.class"."""
    if node.tag in names:
        return True
    return any(f"{node.tag}.{token}" in names for token in (node.get("class") or "").split())


def lines_of(node: Any) -> list[str]:
    """Return the lines of *node* as a browser breaks them (at line breaks and blocks), blank ones left out."""
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
    """Return a text node with the rest of its line, up to a block, or to bold words that are not stressed."""
    parent = text.getparent()
    parts = [str(text)]
    label = _label_before(parent) if text.is_tail else None
    for one in parent.itersiblings() if text.is_tail else parent.iterchildren():
        if one.tag in BREAKS or (one.tag in BOLD and not is_stressed(one, label)):
            break
        parts += [text_of_raw(one) if isinstance(one.tag, str) and one.tag not in UNSEEN else "", one.tail or ""]
    return fold("".join(parts))


def _label_before(element: Any) -> Any:
    """Return the bold words right before the text behind an element, or before its line; None for none."""
    if element.tag == "br" and not (element.getprevious() is None or (element.getprevious().tail or "").strip()):
        element = element.getprevious()
    return element if element.tag in BOLD else None


def is_stressed(bold: Any, label: Any) -> bool:
    """Tell whether bold words are stressed in a text, rather than the next label after a *label* (None: there is none).

    They have no colon, and stand amid a sentence that goes on behind them, or begin a whole one, if the label has a
    colon, or a line of its own. Without a label they must begin with a small letter, amid a sentence."""
    earlier, behind = bold.getprevious(), (bold.tail or "").strip()
    before = ((bold.getparent().text if earlier is None else earlier.tail) or "").rstrip()
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
    """Say whether a colon ends bold words, or follows them."""
    return text_of(bold).endswith(COLONS) or (bold.tail or "").lstrip().startswith(COLONS)


def _has_own_line(bold: Any) -> bool:
    behind = bold.getnext()
    return behind is not None and behind.tag == "br" and not (bold.tail or "").strip()


def text_of_raw(node: Any) -> str:
    """Return the visible text of *node*, blocks set apart, white space as it stands."""
    return "".join(_parts(node, True, frozenset()))


def html_of(node: Any, drop: frozenset[str] = frozenset()) -> str:
    """Return the content of *node* as HTML, without unread parts (scripts, comments) and without *drop*."""
    if isinstance(node, str):
        return escape(node, quote=False).strip()
    inside = deepcopy(node)
    for one in inside.iterdescendants():
        if isinstance(one.tag, str) and drop and _is_one_of(one, drop):
            one.tag = _LEFT_OUT
    etree.strip_elements(inside, *UNSEEN, _LEFT_OUT, etree.Comment, etree.PI, with_tail=False)
    children = "".join(etree.tostring(child, encoding="unicode", method="html") for child in inside)
    return (escape(inside.text or "", quote=False) + children).strip()


# --- Sections and runs of a parsed page -------------------------------------------------------------------------------

LISTS = frozenset({"ol", "ul"})
_LINE_ENDS = tuple(".!?。！？，,；;")
LONGEST_LINE = 40  # maximum number of characters of a line with a label and its value
LIKE = "like"  # among the names of elements that end a section: the next heading of the same kind

LEVELS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
FORM_ATTRIBUTES = ("class", "style", "align", "color")
FORM_DEPTH = 3


def text_after(node: Any, stop: frozenset[str]) -> str:
    """Return the text that follows *node* among its siblings until an element named in *stop* (or the parent's end);
    with "like" also until a heading of its own kind, with "div.note" until a div of that class.
    """
    parts = [node.tail or ""]
    for sibling in _siblings_until(node, stop):
        if isinstance(sibling.tag, str) and sibling.tag not in UNSEEN:
            space = " " if sibling.tag in BREAKS else ""
            parts += (space, text_of_raw(sibling), space)
        parts.append(sibling.tail or "")
    return fold("".join(parts))


def texts_after(node: Any, stop: frozenset[str]) -> list[str]:
    """The same one by one: of each sibling, or item of a list, and of each text between them that has words."""
    texts = [_words_in(node.tail)]
    for sibling in _siblings_until(node, stop):
        if isinstance(sibling.tag, str) and sibling.tag not in UNSEEN:
            items = list(sibling.iterchildren("li")) if sibling.tag in LISTS else []
            texts += [text_of(one, apart=True) for one in items or [sibling]]
        texts.append(_words_in(sibling.tail))
    return [text for text in texts if text]


def _words_in(text: str | None) -> str:
    """Return a loose text; "" for a sign between two items."""
    return fold(text or "") if any(map(str.isalnum, text or "")) else ""


def run_of(node: Any) -> list[Any]:
    """Return *node* and the elements of its name and class that follow it at once: the paragraphs of one text. It ends
    at any other element or text, and at a bold paragraph; short ones at its end with a bold label are no part of it.
    """
    run = [node]
    form = node.tag, node.get("class")
    if (node.tail or "").strip():
        return run
    for sibling in node.itersiblings():
        is_seen = isinstance(sibling.tag, str) and sibling.tag not in UNSEEN
        if is_seen and any(not text.isspace() for text in sibling.itertext()):
            if (sibling.tag, sibling.get("class")) != form or _is_bold(sibling):
                break
            run.append(sibling)
        if (sibling.tail or "").strip():
            break
    while len(run) > 1 and _is_labelled(run[-1]):
        run.pop()
    return run


def _is_bold(node: Any) -> bool:
    """Say whether all of an element's text stands in a bold one, with others around it or not."""
    for _ in range(FORM_DEPTH):
        node = only_child(node)
        if node is None or node.tag in BOLD:
            break
    return node is not None and node.tag in BOLD


def _is_labelled(node: Any) -> bool:
    first = next(child_elements(node), None)
    if first is None or first.tag not in BOLD or (node.text or "").strip():
        return False
    return has_colon(first) and len(text_of(node)) <= LONGEST_LINE


def _siblings_until(node: Any, stop: frozenset[str]) -> Iterator[Any]:
    form = heading_form(node) if LIKE in stop else None
    level = heading_level(node) if form is not None and node.tag not in LEVELS else ""
    for sibling in node.itersiblings():
        heads = form is not None and _heads_as_much(sibling, form)
        heads = heads and not (node.tag in BOLD and sibling.tag in BOLD and is_stressed(sibling, node))
        if heads or _is_one_of(sibling, stop):
            return
        if level and "" < heading_level(sibling) <= level:
            return
        yield sibling


def heading_form(node: Any) -> tuple[str, ...]:
    """Return the common form of headings of one kind: name, class and style, and the same of a single child."""
    form: tuple[str, ...] = ()
    for _ in range(FORM_DEPTH):
        form += (node.tag, *(node.get(name) or "" for name in FORM_ATTRIBUTES))
        if (node := only_child(node)) is None:
            break
    return form


def heading_level(node: Any) -> str:
    """Return the name of a heading, or of an element's first heading: "h2" of `<div><h2>A</h2>…`; "" for none."""
    for _ in range(FORM_DEPTH):
        if not isinstance(node.tag, str) or node.tag in LEVELS:
            break
        inner = None if (node.text or "").strip() else next(child_elements(node), None)
        if inner is None:
            break
        node = inner
    return str(node.tag) if node.tag in LEVELS else ""


def _heads_as_much(node: Any, form: tuple[str, ...]) -> bool:
    """Say whether an element is a heading of that form or a higher level, a term after a term, or a bold line."""
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
    return len(text) <= LONGEST_LINE and not text.endswith(_LINE_ENDS)


# --- The text behind a label in running text --------------------------------------------------------------------------

_MARK = "[◎●■◆★☆※▲△○□◇·•▪►▶]"  # signs with which each line of a list of facts may begin
SPACED_LABEL = (
    rf"(?:{_MARK} ?[^\W\d_]{{2,8}}|{_MARK}? ?[\u4e00-\u9fff](?:[\u3000\xa0 ]{{1,4}}[\u4e00-\u9fff]){{1,3}})(?=\u3000)"
)
"""A label without a colon, which a wide blank sets apart: "◎导　　演　", "◎上映日期　"."""
