"""Bytes or text → one lxml tree, whatever comes: the project's only HTML parser.

`reader` parses each page once and every later use shares the tree; `extract` and `learn` parse stored pages here too.
Comments and processing instructions are left out, so that text on both sides of one is a single text node and no path
depends on them.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from gwc_crawler.page.charset import decode_bytes, detect_charset

_PARSER = etree.HTMLParser(
    encoding="utf-8",  # beats every declaration inside the page
    remove_comments=True,
    remove_pis=True,
    huge_tree=True,  # 2,048 levels instead of 256; deeper ones are cut off by libxml2, which keeps recursion bounded
    collect_ids=False,  # the id table is used by nobody and grows with every id of a crawl
    no_network=True,
)

_LARGE = 100_000
_ENDLESS_TAG = re.compile(rb"""<([a-zA-Z][a-zA-Z0-9]*+)(?:[^<>"']|"[^"]*"|'[^']*'){20000,}+>""")
"""A tag with thousands of attributes: libxml2 takes quadratic time for it, 12 s for 100,000. It loses them."""
_LONG_TAG = re.compile(rb"""<[a-zA-Z](?:[^<>"']{0,139}+(?:"[^"]*+"|'[^']*+')){0,140}+(?:[^<>"']{140}|[^<>"']*+["'])""")
"""Where an endless tag may begin: one with more than 140 quoted values, or so much outside quotes. Found eight times
as fast; all tags but a few are shorter."""


def parse_html(body: bytes | str, charset: str | None = None) -> Any:
    """Parse *body* into an lxml element, the root `html`; never fails, at worst the element is empty.

    Args:
        body: a page as it came, or already decoded; encoding declarations inside are ignored.
        charset: the Python codec of bytes; None to detect it. Bytes that don't decode become U+FFFD.

    >>> parse_html("<?xml version='1.0' encoding='gb2312'?><p>书</p>").findtext("body/p")
    '书'
    """
    if isinstance(body, str):
        data = body.encode("utf-8", "replace")
    else:
        charset = charset or detect_charset(body)
        data = body if charset == "utf-8" else decode_bytes(body, charset).encode("utf-8", "replace")
    if len(data) > _LARGE:
        data = _without_endless_tags(data)
    try:
        root = etree.fromstring(data, _PARSER)
    except etree.LxmlError:
        root = None
    if root is None or root.tag != "html":
        return etree.Element("html")
    return root if root.getnext() is None else _with_what_follows(root)


def _with_what_follows(root: Any) -> Any:
    """Put what stands after `</html>` at the end of the body, as browsers do; libxml2 makes further roots of it."""
    body = root.find("body")
    body = etree.SubElement(root, "body") if body is None else body
    body.extend(list(root.itersiblings()))
    etree.strip_tags(body, "html", "body")
    return root


def _without_endless_tags(data: bytes) -> bytes:
    """Take the attributes from tags with thousands of them."""
    place = _LONG_TAG.search(data)
    while place:
        if _ENDLESS_TAG.match(data, place.start()):
            return _ENDLESS_TAG.sub(rb"<\1>", data)
        place = _LONG_TAG.search(data, place.start() + 1)
    return data
