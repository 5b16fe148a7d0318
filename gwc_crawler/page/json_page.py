"""JSON → the HTML page that shows it, so that an API's answers are learned, read and followed as pages are.

Keys become classes, lists items, addresses links. The JSON itself stands in a script, for JMESPath. The same is done
with the data of an app's empty shell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape, unescape
from typing import Any

from lxml import etree

_TYPE = re.compile(r"\s*(?:application|text)/(?:[\w.-]+\+)?json\s*(?:;|$)", re.IGNORECASE)

_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?\s*[\[{]")
_DECODER = json.JSONDecoder(strict=False, parse_float=str, parse_int=str, parse_constant=str)
_ADDRESS = re.compile(r"https?://\S+")
_ADDRESS_KEY = re.compile(r"(?:^|[_-])(?:href|link|next|path|prev|previous|self|ur[il])$|(?:Href|Link|Path|Ur[il])$")
_RELATIVE = re.compile(r"[/?.]\S*")
_MARKUP = re.compile(r"</?(?:a|b|br|div|em|h[1-6]|i|img|li|ol|p|span|strong|table|ul)\b[^<>]*>", re.IGNORECASE)
DATA_MARKS = (b"application/json", b"_STATE__", b"_DATA__")
"""Texts in pages that may have data in scripts; the search for them costs next to nothing."""
_STATE = re.compile(r"""\b__[A-Z_]+__["'\]]*\s*=\s*(?=[{\[])""")
"""Matches the place where a script sets the state of an app: window.__INITIAL_STATE__ = {…"""
_UNSEEN = frozenset({"script", "style", "title", "noscript"})
SHELL_CHARACTERS = 600  # a page with less text than this, and with scripts, is likely filled by them
_TITLES = ("title", "name", "headline")


def is_json(content_type: str) -> bool:
    """Say whether a media type, with its parameters, is one of JSON: application/json, application/hal+json."""
    return _TYPE.match(content_type) is not None


def json_page(data: bytes) -> bytes | None:
    """Return the page that shows a JSON object or list, in UTF-8; None for other data, which are not read further.

    >>> json_page(b'{"name": "Thor", "price": 7.50, "tags": ["a", "b"]}').partition(b"<body>")[2].decode()
    '<p class="name">Thor</p><p class="price">7.50</p><ul class="tags"><li>a</li><li>b</li></ul></body></html>'
    """
    if not _BEGINNING.match(data):
        return None
    text = data.decode("utf-8-sig", "replace").strip()
    try:
        value = _DECODER.decode(text)
        body = "".join(_members(value))
    except (ValueError, RecursionError):
        return None
    told = next((one for key in _TITLES if isinstance(value, dict) and isinstance(one := value.get(key), str)), "")
    safe = text.replace("</", "<\\/").replace("<!--", "<\\u0021--")
    head = f'<title>{escape(told)}</title><script type="application/json">{safe}</script>'
    return f"<html><head>{head}</head><body>{body}</body></html>".encode("utf-8", "replace")


def data_of_shell(root: Any) -> Iterator[bytes]:
    """Yield pages that show the data in the scripts of an app's shell: a page that says little, and hardly of these."""
    said = list(_texts(root))
    if sum(map(len, said)) >= SHELL_CHARACTERS:
        return
    for script in root.iter("script"):
        shown = _shown(script)
        if shown is not None and not _is_said(shown.decode("utf-8", "replace"), said):
            yield shown


def _texts(root: Any) -> Iterator[str]:
    for element in root.iter():
        for text in (element.text if element.tag not in _UNSEEN else "", element.tail):
            if text and not text.isspace():
                yield text.strip()


def _shown(script: Any) -> bytes | None:
    """Return the page that shows the data of one script; those that search engines read are found as they are."""
    kind, text = script.get("type") or "", script.text or ""
    if not is_json(kind) or "ld+" in kind:
        state = _STATE.search(text)
        text = text[state.end() :] if state else ""
    try:
        text = text.strip()
        return json_page(text[: _DECODER.raw_decode(text)[1]].encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _is_said(data: str, said: list[str]) -> bool:
    known = sum(len(text) for text in said if escape(text, quote=False) in data)
    return bool(said) and 2 * known >= sum(map(len, said))


def _members(value: Any, key: str = "") -> Iterator[str]:
    """Yield the content of the element of an object, a list or a text."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _element(name, inner)
    elif isinstance(value, list):
        if not key:
            yield from _element("items", value)
        for one in value if key else ():
            yield f"<li>{''.join(_members(one, key))}</li>"
    else:
        yield _text(value, key)


def _element(key: str, value: Any) -> Iterator[str]:
    """Yield an object's member: its key is the class of an element."""
    if value is None:
        return
    name = escape(re.sub(r"\s+", "_", key))
    tag = "ul" if isinstance(value, list) else "div" if isinstance(value, dict) or _is_markup(value) else "p"
    if tag == "p" and (address := _address(value, key)):
        yield f'<a class="{name}" href="{escape(address)}">{escape(address)}</a>'
        return
    yield f'<{tag} class="{name}">'
    yield from _members(value, key)
    yield f"</{tag}>"


def _text(value: Any, key: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if address := _address(value, key):
        return f'<a href="{escape(address)}">{escape(address)}</a>'
    text = "" if value is None else str(value)
    return _cleaned(text) if _is_markup(value) else escape(unescape(text), quote=False)


def _is_markup(value: Any) -> bool:
    return isinstance(value, str) and _MARKUP.search(value) is not None


def _address(value: Any, key: str) -> str:
    """Return the address that a text is: an absolute one, or a relative one where its key says so; else ""."""
    text = value.strip() if isinstance(value, str) else ""
    is_one = _ADDRESS.fullmatch(text) or (_ADDRESS_KEY.search(key) and _RELATIVE.fullmatch(text))
    return text if is_one else ""


def _cleaned(markup: str) -> str:
    """HTML in a text, with its elements closed and without scripts."""
    root = etree.fromstring(f"<div>{markup}</div>", etree.HTMLParser(remove_comments=True, remove_pis=True))
    body = root.find("body") if root is not None else None
    if body is None:
        return escape(markup, quote=False)
    etree.strip_elements(body, "script", "style", with_tail=False)
    whole = body[0] if len(body) == 1 else body
    inside = "".join(etree.tostring(one, encoding="unicode", method="html") for one in whole)
    return escape(whole.text or "", quote=False) + inside
