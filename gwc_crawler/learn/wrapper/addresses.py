"""Addresses in samples as a person copies them → as records have them: absolute, in the page's spelling.

`../image/a.jpg` from the page's source, `a&amp;b` with its entities, an address without the `?v=3` of the page, or with
a `#fragment`. What stands on the page as a text, in another attribute or in its data, is that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from html import unescape
from typing import Any
from urllib.parse import unquote, urlsplit

from gwc_crawler.extract import UNREAD, PageView, fold, holds_address, is_url, same_url
from gwc_crawler.learn.texts import TextIndex

_LIKE_ADDRESS = re.compile(r"\S*[/?]\S*|\S.*\.[A-Za-z]\w{1,4}(?:[?#]\S*)?")
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|pdf|zip|mp[34]|webm|epub|(?:doc|xls|ppt)x?)$", re.I)
LONGEST_ADDRESS = 2_000


class Addresses:
    """The addresses that a sample page has, found by what a person may have copied of them."""

    def __init__(self, page: PageView) -> None:
        self.page, self._tree = page, page.tree

    def on_page(self, value: Any) -> Any:
        """A sample's value of any shape, with its addresses as the page's elements give them."""
        if isinstance(value, dict):
            return {key: self.on_page(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.on_page(part) for part in value]
        text = value.strip() if isinstance(value, str) else ""
        if len(text) > LONGEST_ADDRESS or not _LIKE_ADDRESS.fullmatch(text):
            return value
        found = next((self._known[key] for key in _keys(self.page.absolute(text)) if key in self._known), text)
        return value if found == text or same_url(found, text) or self._is_said(text) else found

    @cached_property
    def _known(self) -> dict[str, str]:
        known = dict[str, str]()
        for node in self._tree.iter("*"):
            for _, address in self.page.addresses(node):
                known |= {key: address for key in _keys(address) if key not in known}
        return known

    def _is_said(self, text: str) -> bool:
        """Whether the page shows it, or an attribute that holds no address, or its data, say just that."""
        attributes = (pair for node in self._tree.iter("*") for pair in node.items())
        if any(said == text and not holds_address(name) for name, said in attributes):
            return True
        shown = "" if is_url(text) else fold(" ".join(chunk.text for chunk in TextIndex(self._tree, UNREAD).chunks))
        return text in shown or any(text in values for values in self.page.structured.values().values())


def _keys(address: str) -> Iterator[str]:
    """What an address is found by, the strictest first; of a file also without its query, whose versions change."""
    try:
        parts = urlsplit(unquote(unescape(address)))
    except ValueError:
        return
    place = f"{parts.netloc.lower()}{parts.path or '/'}"
    yield f"{place}?{parts.query}#{parts.fragment}"
    yield f"{place}?{parts.query}"
    if _FILE.search(parts.path):
        yield place
