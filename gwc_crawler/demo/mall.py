"""The bundled mall: a seed and a size → the same site for ever, with everything that is true of it.

`Mall.page(path)` gives the bytes a server sends, `Mall.truth` what a crawl should find. Pages are written on first use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import TypeVar
from urllib.parse import urldefrag, urljoin

from gwc_crawler.demo.chrome import FIRST_MONTH, INFO_PAGES
from gwc_crawler.demo.mall_plan import DISALLOWED_NUMBERS, make_plan
from gwc_crawler.demo.pages import PageWriter
from gwc_crawler.demo.products import CATEGORIES, FIELDS, ISLANDS
from gwc_crawler.demo.truth import SESSION_KEY, MallTruth

ROBOTS = f"""# Bluebridge Mall
User-agent: *
Disallow: /members/
Disallow: /item/{DISALLOWED_NUMBERS}
Disallow: /search
""".encode()

_ALIASES: Mapping[str, tuple[int, str]] = {"/index.html": (301, "/")}
_HREF = re.compile(r"""<a\b[^>]*?\bhref=["']([^"']*)["']""")
_BASE = "http://mall.invalid"
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class MallPage:
    """One answer of the mall; `location` is set for redirects."""

    body: bytes
    content_type: str = "text/html"
    status: int = 200
    location: str = ""


class Mall:
    """A generated shop of *size* products (30 or more); equal seeds and sizes give equal bytes on every machine."""

    def __init__(self, seed: int = 1, size: int = 200) -> None:
        self.seed = seed
        self.size = size
        self.plan = make_plan(seed, size)
        self._writer = PageWriter(self.plan)
        self._pages: dict[str, MallPage | None] = {}

    def page(self, target: str) -> MallPage | None:
        """The answer to a path (its query changes nothing), or None where the mall has no page."""
        path = target.partition("?")[0]
        if path.startswith("/calendar/"):  # endless: not kept
            return self._write(path)
        if path not in self._pages:
            self._pages[path] = self._write(path)
        return self._pages[path]

    def text(self, path: str) -> str:
        """The decoded page at *path*; KeyError where there is none."""
        page = self.page(path)
        if page is None:
            raise KeyError(path)
        return page.body.decode(self.codec(path))

    def codec(self, path: str) -> str:
        """The Python codec of the page at *path*."""
        sheet = self._writer.write(path)
        return sheet.form.codec if sheet else "utf-8"

    @cached_property
    def truth(self) -> MallTruth:
        """What is true of this mall."""
        plan = self.plan
        lists = frozenset(path for slug in plan.lists for path in plan.list_pages(slug))
        islands = frozenset(path for c in ISLANDS for path in (*plan.list_pages(c.slug), *plan.lists[c.slug]))
        items = {*plan.products, *plan.events, *plan.soft404, *plan.gone, *plan.redirects}
        written = sorted({"/", *lists, *items, *plan.articles, *plan.disallowed, *INFO_PAGES, "/members/", FIRST_MONTH})
        return MallTruth(
            fields=FIELDS,
            records={path: product.record for path, product in plan.products.items()},
            in_scope=frozenset({"/", *lists, *items, *plan.articles}),
            info=frozenset(INFO_PAGES),
            lists=lists,
            articles=frozenset(plan.articles),
            lookalikes=frozenset(plan.events),
            soft404=frozenset(plan.soft404),
            gone=frozenset(plan.gone),
            redirects={**_ALIASES, **plan.redirects},
            disallowed=frozenset({*plan.disallowed, "/members/", "/members/orders.html"}),
            bridges=tuple(plan.bridges),
            islands=islands,
            deep=frozenset(plan.deep),
            links=_Computed(written, self._links),
            outside=_Computed(written, self._outside),
            charset=_Computed(written, self.codec),
            declared=_Computed(written, self._declared),
            sessions=_Computed(self._session_targets(), lambda target: target.partition("?")[0]),
        )

    def _write(self, path: str) -> MallPage | None:
        moved = _ALIASES.get(path) or self.plan.redirects.get(path)
        if moved:
            status, location = moved
            body = f"<html><head><title>Moved</title></head><body><a href='{location}'>Moved</a></body></html>".encode()
            return MallPage(body, "text/html; charset=utf-8", status, location)
        if path == "/robots.txt":
            return MallPage(ROBOTS, "text/plain")
        sheet = self._writer.write(path)
        if sheet is None:
            return None
        body = sheet.html.encode(sheet.form.codec, "xmlcharrefreplace")
        return MallPage(body, sheet.form.content_type, sheet.status)

    def _hrefs(self, path: str) -> list[str]:
        page = self.page(path)
        if page is None or page.location:
            return []
        hrefs = (unescape(href) for href in _HREF.findall(page.body.decode(self.codec(path))))
        absolute = (urldefrag(urljoin(_BASE + path, href)).url for href in hrefs if not href.startswith("#"))
        return list(dict.fromkeys(url for url in absolute if url.startswith("http")))

    def _links(self, path: str) -> tuple[str, ...]:
        return tuple(url.removeprefix(_BASE) for url in self._hrefs(path) if url.startswith(_BASE + "/"))

    def _outside(self, path: str) -> tuple[str, ...]:
        return tuple(url for url in self._hrefs(path) if not url.startswith(_BASE + "/"))

    def _declared(self, path: str) -> str:
        sheet = self._writer.write(path)
        return sheet.form.declared if sheet else "header"

    def _session_targets(self) -> list[str]:
        pages = [path for c in CATEGORIES if c.sessions for path in self.plan.list_pages(c.slug)]
        return [link for path in pages for link in self._links(path) if f"?{SESSION_KEY}=" in link]


class _Computed(Mapping[str, _Value]):
    """A mapping over known keys whose values are worked out when asked for, once."""

    def __init__(self, keys: Iterable[str], compute: Callable[[str], _Value]) -> None:
        self._values: dict[str, _Value | None] = dict.fromkeys(keys)
        self._compute = compute

    def __getitem__(self, key: str) -> _Value:
        value = self._values[key]
        if value is None:
            value = self._values[key] = self._compute(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
