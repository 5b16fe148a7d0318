"""A page as extraction sees it: the shared tree, its URL, and what is computed once for all fields."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from gwc_crawler.extract.nodes import base_url_of, make_absolute
from gwc_crawler.extract.structured import StructuredData
from gwc_crawler.page import parse_html


class PageView:
    """One parsed page.

    Attributes:
        tree: the root element, as `gwc_crawler.page.parse_html` gives it. Never changed here.
        url: the page's address; relative addresses on it are joined to it or to `<base href>`.
    """

    def __init__(self, tree: Any, url: str = "") -> None:
        self.tree = tree
        self.url = url

    @classmethod
    def parse(cls, body: bytes | str, url: str = "") -> PageView:
        """Parse *body*; anything gives a view, at worst of an empty page."""
        return cls(parse_html(body), url)

    @cached_property
    def base_url(self) -> str:
        """What relative addresses are joined to."""
        return base_url_of(self.tree, self.url)

    def absolute(self, address: str) -> str:
        """The absolute form of an address that stands on the page."""
        return make_absolute(self.base_url, address)

    @cached_property
    def structured(self) -> StructuredData:
        """JSON-LD, microdata, RDFa and meta tags of the page, read when asked for."""
        return StructuredData(self.tree)
