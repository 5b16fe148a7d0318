"""The limits of one crawl from settings, site file and robots.txt: for the reader, for admission, for `scrapy why`.

The settings were checked to be numbers before (`wiring.own_settings.check_settings`, `wiring.check.settle`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, cast

from scrapy.settings import BaseSettings
from scrapy.utils.misc import build_from_crawler, load_object

from gwc_crawler.frontier.admission import Admission, UrlGroup
from gwc_crawler.frontier.rejections import LimitsState, YieldLimits
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import PageKind, UrlState
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.modes import InformationLinks, PageKinds
from gwc_crawler.network.politeness.robots import FORBIDDEN, NOT_HAD, RULES_SECONDS, Robots, RobotsBook, Rules
from gwc_crawler.page.classify import KindRule
from gwc_crawler.page.links import leads_to_binary
from gwc_crawler.page.reader import ReadOptions
from gwc_crawler.page.sitemap import SitemapLimits
from gwc_crawler.page.traps import UrlLimits
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.state import RobotsTable
from gwc_crawler.urls import normalize_url, same_site
from gwc_crawler.wiring.blame import what_helps
from gwc_crawler.wiring.options import chosen_files, setting_choice

_DIGITS = re.compile("[0-9]+")


def read_options(settings: BaseSettings, site: Site) -> ReadOptions:
    """Return how the pages of a site are read, with limits of URLs that those named in the site file pass."""
    names = ("GWC_SITEMAP_BYTES", "GWC_SITEMAP_URLS", "GWC_SITEMAP_LEVELS", "GWC_SITEMAP_FILES")
    sitemaps = SitemapLimits(*(settings.getint(name) for name in names))
    limits = UrlLimits(
        repeated=settings.getint("GWC_MAX_REPEATED_SEGMENTS"),
        segments=settings.getint("GWC_MAX_PATH_SEGMENTS"),
        length=settings.getint("URLLENGTH_LIMIT"),
        keys=settings.getint("GWC_MAX_QUERY_KEYS"),
    )
    form_links = settings.getint("GWC_FORM_LINKS")
    weighed = setting_choice(settings, "GWC_PAGE_KINDS", PageKinds) is PageKinds.WEIGHED
    return ReadOptions(
        limits=limits.allowing([*site.entry, *(sample.url for sample in site.samples)]),
        form_links=form_links if site.deep else 0,
        sitemaps=sitemaps if site.sitemap else None,
        follows_file=chosen_files(settings).follows,
        kinds=KindRule(settings.getint("GWC_LONGEST_PARAGRAPH"), weighed),
    )


def cuts_information(settings: BaseSettings, site: Site) -> bool:
    """Say whether the crawl ends at pages to read (T-Spider, algorithm 1), by GWC_INFORMATION_LINKS."""
    choice = setting_choice(settings, "GWC_INFORMATION_LINKS", InformationLinks)
    return site.is_whole if choice is InformationLinks.AUTO else choice is InformationLinks.CUT


def yield_limits(settings: BaseSettings, knowledge: Knowledge) -> YieldLimits:
    """Return when a class is closed. Without a target class nothing is fruitless, unless the whole site is wanted."""
    return YieldLimits(
        fruitless=settings.getint("GWC_FRUITLESS_PAGES") if knowledge.targets or knowledge.is_whole else 0,
        pages=settings.getint("GWC_MAX_PAGES_PER_PATTERN"),
    )


def depth_limit(settings: BaseSettings, site: Site) -> int | None:
    """Return how many clicks from a start a page may be: as the site file says, else DEPTH_LIMIT; None: any."""
    if site.crawl.max_depth is not None:
        return site.crawl.max_depth
    return settings.getint("DEPTH_LIMIT") or None


class _Written:
    """What a crawl has written down of its limits, to be looked at."""

    def __init__(self, state: LimitsState) -> None:
        self._state = state

    def change(self, step: Callable[[LimitsState], None]) -> LimitsState:
        return self._state


def admission_of(settings: BaseSettings, site: Site, knowledge: Knowledge, state: LimitsState) -> Admission:
    """Return the admission of a crawl that has written *state*, to be asked only."""
    admission = Admission(
        _Written(state),
        groups_of(knowledge),
        lambda _: 0,
        limits=yield_limits(settings, knowledge),
        max_depth=depth_limit(settings, site),
        columns=site.columns,
    )
    admission.tally.put_back(state.rejections)
    return admission


def run_limit(settings: BaseSettings, site: Site) -> int:
    """Return how many pages one run brings at most, and how many its pre-crawl; 0: any number."""
    return settings.getint("GWC_MAX_PAGES") or site.crawl.max_pages or 0


def groups_of(knowledge: Knowledge) -> Callable[[str], UrlGroup]:
    """Return the function from URL to `UrlGroup`; of a whole site, URLs that differ in digits alone are one group."""
    if knowledge.is_whole:
        return lambda url: UrlGroup(wanted=True, name=_DIGITS.sub("[0-9]+", re.escape(url)))
    has_files = bool(knowledge.file_fields)

    def group_of(url: str) -> UrlGroup:
        verdict = knowledge.verdict(url)
        wanted = verdict in (Verdict.TARGET, Verdict.CONTINUATION)
        return UrlGroup(wanted, knowledge.class_of(url, verdict), has_files and leads_to_binary(url))

    return group_of


# --- What robots.txt says, as Scrapy's settings want it read; and in words for a person -------------------------------


def robots_of(settings: BaseSettings, book: RobotsBook | None = None) -> Robots | None:
    """Return the `Robots` with ROBOTSTXT_PARSER and ROBOTSTXT_USER_AGENT; None if ROBOTSTXT_OBEY is off."""
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return None
    cls: Any = load_object(settings["ROBOTSTXT_PARSER"])
    nobody: Any = None  # Scrapy's own parsers want no crawler
    agent = settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"]
    return Robots(lambda text: cast("Rules", build_from_crawler(cls, nobody, text)), agent, book)


def hand_on(samples: CrawlDatabase, book: RobotsBook) -> None:
    """Have *book* know what the pre-crawl has read within a day: its pages, and their links, are judged by it.

    Other rules of a host stay, so that it shows that they have changed.
    """
    for origin, robots in RobotsTable(samples).read_since(time.time() - RULES_SECONDS):
        known = book.read(origin)
        if known is None or (known.text == robots.text and known.read_at < robots.read_at):
            book.write(origin, robots)


def start_problem(url: str, reason: str, robots: Robots | None) -> str | None:
    """Describe a start that was given up because of robots.txt, with a remedy; None for other reasons."""
    if reason == FORBIDDEN:
        line = robots.line_against(url) if robots is not None else None
        where = f" ({line})" if line is not None else ""
        return (
            f"{url} is {FORBIDDEN[0].lower()}{FORBIDDEN[1:]}{where}; name a page that may be fetched, or ask the "
            "site's owner; if you may crawl it all the same, set `ROBOTSTXT_OBEY = false` under [settings] of the site "
            "file"
        )
    if not reason.startswith(NOT_HAD):
        return None
    helps = "try later" if ": HTTP " in reason else what_helps(reason)
    return f"{url} can't be fetched: {reason}; {helps}"


def unfetched_sample(site: Site, samples: CrawlDatabase, settings: BaseSettings) -> str | None:
    """Say which sample page the pre-crawl could not get, and why; None if it has all of them."""
    frontier = SqliteFrontier(samples, exclusive=False)
    for url in (sample.url for sample in site.samples):
        known = frontier.find(normalize_url(url) or url)
        if known is not None and known.state is UrlState.ERROR:
            problem = start_problem(url, known.reason or "", robots_of(settings, RobotsTable(samples)))
            return problem or f"{url} can't be fetched: {known.reason}; {what_helps(known.reason or '')}"
        if known is not None and known.kind is PageKind.REDIRECT:
            page = SqliteReader(samples, site.name).page_facts(known.url)
            if page is None:  # it was followed
                continue
            if same_site(page["title"], site.sites):
                return (
                    f"{url} redirects to {page['title']}, as another page does; name the page it is now at, or, if "
                    "that is where one logs in, say how in [login] of the site file"
                )
            return (
                f"{url} redirects to {page['title']}, off the site; name the page it leads to in the sample, or its "
                "host in `hosts` of the site file"
            )
    return None
