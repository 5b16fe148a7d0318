"""Bytes or text → one lxml tree, whatever the input: the project's only HTML parser.

Comments and processing instructions are left out, so that text on both sides of one is a single text node and no path
depends on them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, NamedTuple

from lxml import etree

from gwc_crawler.page.charset import decode_bytes, detect_charset
from gwc_crawler.page.json_page import DATA_MARKS, data_of_shell, json_page
from gwc_crawler.page.walks import walk

_PARSER = etree.HTMLParser(
    encoding="utf-8",  # beats every declaration inside the page
    remove_comments=True,
    remove_pis=True,
    huge_tree=True,  # 2,048 levels instead of 256, texts and values of any length instead of 10 MB
    collect_ids=False,  # the id table is used by nobody and grows with every id of a crawl
    no_network=True,
)

_LARGE = 100_000
_ENDLESS = 20_000
_ENDLESS_TAG = re.compile(rb"""<([a-zA-Z][a-zA-Z0-9]*+)(?:[^<>"']|"[^"]*"|'[^']*'){%d,}+>""" % _ENDLESS)
"""A tag with thousands of attributes: libxml2 takes quadratic time for it, 12 s for 100,000. It keeps its address."""
_ADDRESS = re.compile(rb"""[\s"'/](?:href|src)\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_LONG_TAG = re.compile(rb"""<[a-zA-Z](?:[^<>"']{0,139}+(?:"[^"]*+"|'[^']*+')){0,140}+(?:[^<>"']{140}|[^<>"']*+["'])""")
"""Matches the beginning of a possibly endless tag: one with more than 140 quoted values, or as many characters outside
quotes. Found eight times as fast; all tags but a few are shorter."""

_VOIDS = ("wbr", "source", "track", "embed")
_VOID = re.compile(rb"<[wsteWSTE](?i:br|ource|rack|mbed)(?![a-zA-Z0-9:-])")
_VOID_TAG = re.compile(rb"""<[a-z]++(?:[^<>"']|"[^"]*+"|'[^']*+')*+>""", re.IGNORECASE)
"""A void element of present HTML. Until a page has had one, it is looked for in the tree, which costs nothing; then in
the bytes first: sites have such elements on each of their pages, or on none."""
_VOID_OR_RAW = re.compile(
    rb"<(?=[!wste])(?:(!--)|(?:wbr|source|track|embed|(script|style|textarea|title))(?![a-z0-9:-]))", re.IGNORECASE
)
"""Matches the beginning of one, or of a part of the page that has none."""
_LONGEST_VOID = 5_000

_HAS_OUR_RULES = etree.LIBXML_VERSION[:2] == (2, 14)
"""Whether trees may be built in C: by the rules of this version of libxml2, others close elements otherwise."""
_DEEPEST = 2_048  # depth at which libxml2 stops: the rest of the page is not read, whatever its depth
_FLAT = 1_000  # tags below that many open ones are taken out of a page in which it stopped; browsers do so below 512
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9:-]*+)[^<>]*+>")
_KEPT_TAGS = frozenset(
    b"a area base body br embed frame head hr html iframe img input link meta param script source style textarea title "
    b"wbr".split()
)
"""Those that hold nothing, or something to find."""

_habits = SimpleNamespace(closes_voids=False)  # lessons of earlier pages: they change a page's cost, never the result


class ParsedPage(NamedTuple):
    """A parsed page. `cut`: it is nested too deeply to be read, and `root` is the part before that."""

    root: Any
    cut: bool


def parse_html(body: bytes | str, charset: str | None = None) -> Any:
    """Parse *body* into an lxml element, the root `html`; never fails, at worst the element is empty. *charset*: the
    Python codec of bytes; None to detect it.

    >>> parse_html("<?xml version='1.0' encoding='gb2312'?><p>书</p>").findtext("body/p")
    '书'
    """
    return parse_whole(body, charset).root


def parse_whole(body: bytes | str, charset: str | None = None) -> ParsedPage:
    """Parse *body* as `parse_html` does, and say whether that is all of it. JSON becomes the page that shows it."""
    if isinstance(body, str):
        data = body.encode("utf-8", "replace")
    else:
        charset = charset or detect_charset(body)
        data = body if charset == "utf-8" else decode_bytes(body, charset).encode("utf-8", "replace")
    data = json_page(data) or data
    if len(data) > _LARGE:
        data = _without_endless_tags(data)
    if closes := _habits.closes_voids:
        data = with_closed_voids(data)
    root = _parse(data)
    if not closes and any(len(void) or void.text for void in root.iter(*_VOIDS)):
        _habits.closes_voids = True
        data = with_closed_voids(data)
        root = _parse(data)
    if walk.has_mark(data, DATA_MARKS) if walk else any(mark in data for mark in DATA_MARKS):
        _show_data(root)
    if not _is_cut(root):
        return ParsedPage(root, cut=False)
    root = _parse(_flattened(data))
    return ParsedPage(root, cut=_is_cut(root))


def _parse(data: bytes) -> Any:
    try:
        if walk and _HAS_OUR_RULES:
            root = walk.tree_of(data, etree.fromstring, _PARSER)
        else:
            root = etree.fromstring(data, _PARSER)
    except etree.LxmlError:
        root = None
    if root is None or root.tag != "html":
        return etree.Element("html")
    return root if root.getnext() is None else _with_what_follows(root)


def _show_data(root: Any) -> None:
    """Put the HTML from the scripts of an app's empty shell at the end of its body."""
    for shown in list(data_of_shell(root)):
        body = root.find("body")
        body = etree.SubElement(root, "body") if body is None else body
        body.extend(list(_parse(shown).find("body")))


def _is_cut(root: Any) -> bool:
    """Say whether the last thing read stands as deep as anything can."""
    depth = 1
    try:
        while True:
            root = root[-1]
            depth += 1
    except IndexError:
        return depth >= _DEEPEST - 1


def _flattened(data: bytes) -> bytes:
    """Remove tags that are too deep; their content stays."""
    depth = 0

    def thinned(tag: re.Match[bytes]) -> bytes:
        nonlocal depth
        if tag[2].lower() in _KEPT_TAGS:
            return tag[0]
        depth = max(0, depth - 1) if tag[1] else depth + 1
        return b"" if depth > _FLAT or (tag[1] and depth == _FLAT) else tag[0]

    return _TAG.sub(thinned, data)


def _with_what_follows(root: Any) -> Any:
    """Move elements behind `</html>` to the end of the body, as browsers do; libxml2 makes further roots of them."""
    body = root.find("body")
    body = etree.SubElement(root, "body") if body is None else body
    body.extend(list(root.itersiblings()))
    etree.strip_tags(body, "html", "body")
    return root


def with_closed_voids(data: bytes) -> bytes:
    """Close the tags of void elements, but in attributes: libxml2 would put all that follows inside `<wbr>`."""
    if walk is not None:
        closed: bytes = walk.closed_voids(data, _LONGEST_VOID)
        return closed
    if not _VOID.search(data):
        return data
    parts: list[bytes] = []
    lower, at = data.lower(), 0
    for found in _VOID_OR_RAW.finditer(data):
        if found.start() < at:
            continue
        if raw := found[1] or found[2]:
            at_end = lower.find(b"-->" if raw == b"!--" else b"</" + raw.lower(), found.end())
            if at_end < 0:
                break
            parts.append(data[at:at_end])
            at = at_end
        elif _is_in_a_tag(data, found.start()):
            continue
        elif tag := _VOID_TAG.match(data, found.start(), found.start() + _LONGEST_VOID):
            parts += (data[at : tag.end() - 1], b" />")
            at = tag.end()
    return b"".join((*parts, data[at:]))


def _is_in_a_tag(data: bytes, at: int) -> bool:
    """Tell whether a tag is open at a place: a tag that seems to begin there is part of an attribute."""
    since = max(0, at - _LONGEST_VOID)
    tag = data.rfind(b"<", since, at)
    return tag > data.rfind(b">", since, at) and data[tag + 1 : tag + 2].isalpha()


def _without_endless_tags(data: bytes) -> bytes:
    """Take the attributes from tags with thousands of them, but for an address."""
    if walk is not None and walk.endless_tag(data, _ENDLESS) == -1:
        return data
    place = _LONG_TAG.search(data)
    while place:
        if _ENDLESS_TAG.match(data, place.start()):
            return _ENDLESS_TAG.sub(lambda tag: b"<" + tag[1] + b"".join(_ADDRESS.findall(tag[0])[:2]) + b">", data)
        place = _LONG_TAG.search(data, place.start() + 1)
    return data
