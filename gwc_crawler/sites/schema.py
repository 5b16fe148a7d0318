"""The checked content of a site file: the values that `load_site` returns. Every later part of a crawl reads these.

A site file is TOML, in UTF-8; its name is the site's name (`books.toml` is the spider `books`). What stands in one and
what it does say docs/site-files.md, docs/access.md, docs/new-site.md (selectors), docs/field-types.md and docs/fleet.md
(families of sites).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gwc_crawler.field_types.table import type_of
from gwc_crawler.items import FieldValue, ValueShape
from gwc_crawler.knowledge.patterns import UrlPattern
from gwc_crawler.modes import BrowserFor, LearnMode, LearnStop
from gwc_crawler.network.access import AccessRules, Reach
from gwc_crawler.urls import host_of, site_of


@dataclass(frozen=True, slots=True)
class SampleSpec:
    """A target page and the values a person sees there; `line` is its place in the file."""

    url: str
    fields: Mapping[str, FieldValue]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """The [learn] table. `target` decides which URLs are targets; `also` and `exclude` add to the learned ones, and
    remove from them; `listing` are pages to follow.

    `pages` and `stop` None: the defaults of the mode; the published one does not end before its `most_pages`.
    """

    pages: int | None = None
    mode: LearnMode = LearnMode.BEST
    target: tuple[UrlPattern, ...] = ()
    stop: LearnStop | None = None
    listing: tuple[UrlPattern, ...] = ()
    also: tuple[UrlPattern, ...] = ()
    exclude: tuple[UrlPattern, ...] = ()

    @property
    def by_hand(self) -> dict[str, tuple[UrlPattern, ...]]:
        """The decisions on URLs: key → patterns; keys without any are left out."""
        keys = {"target": self.target, "listing": self.listing, "also": self.also, "exclude": self.exclude}
        return {key: patterns for key, patterns in keys.items() if patterns}

    @property
    def most_pages(self) -> int:
        """How many pages are learned from at most: the paper's 4,000, else 1,000. More hardly change what is learned:
        of 26 groups of real sites and hundreds of generated ones one alone is still in doubt after 1,000."""
        return self.pages or (4000 if self.mode is LearnMode.PAPER else 1000)

    @property
    def ends_early(self) -> bool:
        """Whether the pre-crawl ends when more pages would hardly change what is learned."""
        return self.stop is LearnStop.STABLE if self.stop is not None else self.mode is not LearnMode.PAPER

    @property
    def is_directed(self) -> bool:
        """Whether the pre-crawl prefers URLs of unknown forms."""
        return self.ends_early or self.mode is not LearnMode.PAPER


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """The [crawl] table. None: learned (`max_weight`), unlimited (the others)."""

    max_weight: int | None = None
    max_pages: int | None = None
    max_depth: int | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """A whole site file. URLs are normalised; `warnings` are readable lines about parts that work, but could be better.

    `paging` has the regex of each paged list's further pages, "" if it is to be learned. `family` are the host
    patterns of [template]; `template` is the name of the site whose file and knowledge serve this one, "" for most.
    `sitemap` are the URLs of sitemaps; True: search for them. `deep`: choices in forms count as links. `columns`: one
    of several shares of its columns (number from 1, of how many), if a fleet is divided by them; not from a file.
    `fields` are the rules of fields with selectors, in the form of knowledge.
    """

    name: str
    path: Path
    entry: tuple[str, ...]
    keywords: str = ""
    browser: BrowserFor | None = None  # which pages go through a browser; None: as GWC_BROWSER says
    samples: tuple[SampleSpec, ...] = ()
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    learn: LearnOptions = field(default_factory=LearnOptions)
    crawl: CrawlOptions = field(default_factory=CrawlOptions)
    types: Mapping[str, str] = field(default_factory=dict)
    paging: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    access: AccessRules = field(default_factory=AccessRules)
    family: tuple[str, ...] = ()
    template: str = ""
    sitemap: bool | tuple[str, ...] = False
    deep: bool = False
    columns: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing says what to look for: every page of the site is wanted."""
        return not self.samples and not self.keywords and not self.learn.target

    @property
    def field_names(self) -> tuple[str, ...]:
        """All fields of all samples, in order of first appearance, then those that have selectors alone."""
        return tuple(dict.fromkeys((*(name for sample in self.samples for name in sample.fields), *self.fields)))

    @property
    def text_columns(self) -> frozenset[str]:
        """The records' columns of fields that are no lists, by the samples: a text like "[1]" is a text there."""
        lists = {name for sample in self.samples for name, value in sample.fields.items() if isinstance(value, list)}
        lists |= {name for name, rule in self.fields.items() if rule["shape"] != ValueShape.TEXT}
        types = {name: type_of(self.types.get(name, "")) for name in self.field_names if name not in lists}
        return frozenset(
            column for name, kind in types.items() if not kind.is_list for column in (name, *kind.companions(name))
        )

    @property
    def sites(self) -> frozenset[str]:
        """The sites in scope; see `scope_of`."""
        return scope_of(self.entry, self.hosts, by_host=bool(self.family or self.template))

    @property
    def reach(self) -> Reach:
        """The hosts to which its headers, credentials and cookies may be sent."""
        return Reach.of(self.sites, self.entry)

    @property
    def starts(self) -> tuple[str, ...]:
        """The starts of the crawl: the entries, and the samples if they are pages of this very site."""
        return (*self.entry, *(sample.url for sample in self.samples if not self.template))


def scope_of(entry: Iterable[str], hosts: Iterable[str], *, by_host: bool) -> frozenset[str]:
    """Return the site identifiers (T-Spider, algorithm 2) of the entries and of `hosts`.

    *by_host*: their exact hosts, for a family of sites, whose members may have one registered domain.
    """
    if by_host:
        return frozenset((*map(host_of, entry), *hosts))
    return frozenset(site_of(one) for one in (*entry, *hosts))


def site_of_spider(spider: object) -> Site | None:
    """Return the site that a spider, or a class of spiders, crawls; None for one without a site file."""
    site = getattr(spider, "site", None)
    return site if isinstance(site, Site) else None
