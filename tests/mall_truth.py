"""The facts about a demo mall: its records, its graph and its traps, for tests to compare a crawl with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import TypeVar
from urllib.parse import urldefrag, urljoin

from gwc_crawler.demo.chrome import FIRST_MONTH, INFO_PAGES
from gwc_crawler.demo.mall import ALIASES, Mall
from gwc_crawler.demo.mall_plan import CATEGORIES, FIELDS, ISLANDS, SESSION_KEY, MallPlan
from gwc_crawler.items import Extracted

_HREF = re.compile(r"""<a\b[^>]*?\bhref=["']([^"']*)["']""")
_BASE = "http://mall.invalid"
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class TruthComparison:
    """Found records compared with the true ones: missing records, surplus ones, and fields that differ.

    `wrong` has (path, field, true value, found value). None and [] both mean absent.
    """

    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    wrong: tuple[tuple[str, str, Extracted, Extracted], ...]

    def __bool__(self) -> bool:
        """True if anything differs."""
        return bool(self.missing or self.surplus or self.wrong)


@dataclass(frozen=True)
class MallTruth:
    """All facts about the mall, by URL path, e.g. "/item/48213.html".

    Attributes:
        fields: the record's field names in page order.
        records: product path → field → the exact text on the page. An optional field that the page does not have
            is None; a list without members is []. Only products that a crawl may fetch.
        in_scope: paths that a full crawl (robots obeyed, `max_weight` ≥ `island_weight`) fetches once each: home,
            lists, everything under /item/ that is linked, articles.
        info: pages such as /about.html, which the filters may drop or keep.
        lookalikes: pages under the product URL form that are events or services: no record.
        soft404: pages under the product URL form that say "not found" with status 200. gone: the same with 404.
        redirects: path → (status, where to). A product that only a redirect leads to is in `records`, too.
        disallowed: linked paths that robots.txt forbids.
        bridges: the off-topic pages on the way to an island, in order. islands: the pages behind them, lists and
            products.
        island_weight: the least `max_weight` at which the islands are reached.
        deep: products that are linked only from the last list pages of their category.
        trap: prefix of the endless calendar.
        links: path → the links on it to this site: resolved, without fragments, in page order, no repeats.
        outside: off-site URLs by path.
        charset: path → Python codec the page is written in. declared: the place of its declaration: "header", "meta",
            "both" or "none".
        sessions: path?sid=… → the path with the same content.
    """

    fields: tuple[str, ...]
    records: Mapping[str, Mapping[str, Extracted]]
    in_scope: frozenset[str]
    info: frozenset[str]
    lists: frozenset[str]
    articles: frozenset[str]
    lookalikes: frozenset[str]
    soft404: frozenset[str]
    gone: frozenset[str]
    redirects: Mapping[str, tuple[int, str]]
    disallowed: frozenset[str]
    bridges: tuple[str, ...]
    islands: frozenset[str]
    deep: frozenset[str]
    links: Mapping[str, tuple[str, ...]]
    outside: Mapping[str, tuple[str, ...]]
    charset: Mapping[str, str]
    declared: Mapping[str, str]
    sessions: Mapping[str, str]
    trap: str = "/calendar/"
    island_weight: int = 3

    def compare(self, found: Mapping[str, Mapping[str, Extracted]]) -> TruthComparison:
        """Hold *found* records (path → fields; session ids in paths count as further records) against the truth."""
        wrong = [
            (path, name, true, found[path].get(name))
            for path, record in self.records.items()
            if path in found
            for name, true in record.items()
            if (found[path].get(name) or None) != (true or None)
        ]
        return TruthComparison(
            missing=tuple(sorted(self.records.keys() - found.keys())),
            surplus=tuple(sorted(found.keys() - self.records.keys())),
            wrong=tuple(wrong),
        )


@lru_cache(maxsize=8)
def truth_of(mall: Mall) -> MallTruth:
    """Return the facts about a mall."""
    plan = mall.plan
    lists = frozenset(path for slug in plan.lists for path in plan.list_pages(slug))
    islands = frozenset(path for c in ISLANDS for path in (*plan.list_pages(c.slug), *plan.lists[c.slug]))
    items = {*plan.products, *plan.events, *plan.soft404, *plan.gone, *plan.redirects}
    written = sorted({"/", *lists, *items, *plan.articles, *plan.disallowed, *INFO_PAGES, "/members/", FIRST_MONTH})

    def links(path: str) -> tuple[str, ...]:
        return tuple(url.removeprefix(_BASE) for url in hrefs(mall, path) if url.startswith(_BASE + "/"))

    def outside(path: str) -> tuple[str, ...]:
        return tuple(url for url in hrefs(mall, path) if not url.startswith(_BASE + "/"))

    return MallTruth(
        fields=FIELDS,
        records=mall.records,
        in_scope=frozenset({"/", *lists, *items, *plan.articles}),
        info=frozenset(INFO_PAGES),
        lists=lists,
        articles=frozenset(plan.articles),
        lookalikes=frozenset(plan.events),
        soft404=frozenset(plan.soft404),
        gone=frozenset(plan.gone),
        redirects={**ALIASES, **plan.redirects},
        disallowed=frozenset({*plan.disallowed, "/members/", "/members/orders.html"}),
        bridges=tuple(plan.bridges),
        islands=islands,
        deep=frozenset(plan.deep),
        links=_Computed(written, links),
        outside=_Computed(written, outside),
        charset=_Computed(written, lambda path: mall.form(path).codec),
        declared=_Computed(written, lambda path: mall.form(path).declared),
        sessions=_Computed(session_targets(plan, links), lambda target: target.partition("?")[0]),
    )


def hrefs(mall: Mall, path: str) -> list[str]:
    """Return the links of a page, absolute, without fragments."""
    page = mall.page(path)
    if page is None or page.location:
        return []
    found = (unescape(href) for href in _HREF.findall(mall.text(path)))
    absolute = (urldefrag(urljoin(_BASE + path, href)).url for href in found if not href.startswith("#"))
    return list(dict.fromkeys(url for url in absolute if url.startswith("http")))


def session_targets(plan: MallPlan, links: Callable[[str], tuple[str, ...]]) -> list[str]:
    """Return the links with a session id."""
    pages = [path for c in CATEGORIES if c.sessions for path in plan.list_pages(c.slug)]
    return [link for path in pages for link in links(path) if f"?{SESSION_KEY}=" in link]


class _Computed(Mapping[str, _Value]):
    """A mapping over known keys whose values are computed at first use, once."""

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
