"""A foreign page, made harmless: no scripts, frames, forms or addresses are left in it; places of values are marked.

It is shown in a sandboxed frame under a policy that lets nothing run or load; this is the second wall, not the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lxml import etree

from gwc_crawler.page import parse_html

GONE = {
    *("script", "iframe", "frame", "frameset", "object", "embed", "applet", "link", "meta", "base", "noscript"),
    *("template", "audio", "video", "source", "track", "portal"),
}
ADDRESSES = {
    *("src", "srcset", "href", "action", "formaction", "background", "poster", "data", "ping", "longdesc", "cite"),
    *("manifest", "codebase", "xlink:href"),
}
MARK = "outline: 3px solid #e8a317; background: #ffe58a; color: #222"
LONGEST_VALUE = 300


def harmless_page(html: bytes | str, values: Mapping[str, Any]) -> str:
    """Return *html* with nothing in it that acts, and the first place of each value of *values* marked by its field."""
    tree = parse_html(html)
    if tree is None:
        return "<!doctype html><title>-</title>"
    for node in list(tree.iter(etree.Element)):
        if not isinstance(node.tag, str):
            continue
        if node.tag.lower().rpartition("}")[2] in GONE:
            _take_out(node)
            continue
        for name in list(node.attrib):
            plain = name.lower()
            if plain.startswith("on") or plain in ADDRESSES:
                if plain in ("src", "href"):
                    node.set("data-was", node.attrib[name])
                del node.attrib[name]
    for field, value in values.items():
        for text in _texts(value):
            _mark(tree, field, text)
    body = etree.tostring(tree, encoding="unicode", method="html")
    return f"<!doctype html>{body}"


def _take_out(node: Any) -> None:
    parent = node.getparent()
    if parent is None:
        return
    if node.tail:
        before = node.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + node.tail
        else:
            parent.text = (parent.text or "") + node.tail
    parent.remove(node)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif value is not None and str(value).strip():
        yield str(value).strip()


def _mark(tree: Any, field: str, text: str) -> None:
    """Mark the smallest element whose text is the value; else the first that holds it; else what has it as address."""
    wanted, holds = _even(text), None
    for node in tree.iter(etree.Element):
        if not isinstance(node.tag, str) or node.tag in ("html", "head", "title", "style"):
            continue
        if node.get("data-was") and (
            node.get("data-was") == text or text.endswith("/" + node.get("data-was").lstrip("/"))
        ):
            holds = node
            break
        shown = _even("".join(node.itertext())) if len(node) < 40 else ""
        if shown == wanted:
            holds = node
            continue  # a smaller one may stand in it
        if holds is None and len(wanted) > 1 and any(wanted in _even(own) for own in node.xpath("text()")):
            holds = node
    if holds is not None:
        holds.set("style", f"{holds.get('style', '')};{MARK}")
        holds.set("title", field)


def _even(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()[:LONGEST_VALUE]
