"""What is true of a mall: its records, its graph and its traps, for tests that count and compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gwc_crawler.items import Extracted

SESSION_KEY = "sid"


@dataclass(frozen=True)
class TruthComparison:
    """Found records against true ones: paths without a record, records that are none, and fields that differ.

    `wrong` holds (path, field, true value, found value). None and [] are one and the same absence.
    """

    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    wrong: tuple[tuple[str, str, Extracted, Extracted], ...]

    def __bool__(self) -> bool:
        """True if anything differs."""
        return bool(self.missing or self.surplus or self.wrong)


@dataclass(frozen=True)
class MallTruth:
    """Everything by URL path, e.g. "/item/48213.html".

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
        bridges: the off-topic pages on the way to an island, in order. islands: what lies behind them, lists and
            products.
        island_weight: the least `max_weight` at which the islands are reached.
        deep: products that are linked only from the last list pages of their category.
        trap: prefix of the endless calendar.
        links: path → what it links to on this site: resolved, without fragments, in page order, no repeats.
        outside: off-site URLs by path.
        charset: path → Python codec the page is written in. declared: where it says so: "header", "meta", "both" or
            "none".
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
