"""The limits of one crawl, from settings and site file: for the reader, for admission; `scrapy why` asks here, too."""

from __future__ import annotations

import re
from collections.abc import Callable

from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError
from gwc_crawler.frontier import PageLimits, UrlGroup, YieldLimits
from gwc_crawler.knowledge import Knowledge, Verdict
from gwc_crawler.modes import InformationLinks, PageKinds
from gwc_crawler.page import KindRule, ReadOptions, SitemapLimits, UrlLimits
from gwc_crawler.sites import Site
from gwc_crawler.wiring import setting_choice

_DIGITS = re.compile("[0-9]+")


def url_limits(settings: BaseSettings, site: Site) -> UrlLimits:
    """Return how far a URL may go; what the site file names itself is never too far.

    Raises:
        InputError: a setting is no whole number of 0 or more.
    """
    limits = UrlLimits(
        repeated=whole_number(settings, "GWC_MAX_REPEATED_SEGMENTS"),
        segments=whole_number(settings, "GWC_MAX_PATH_SEGMENTS"),
        length=whole_number(settings, "URLLENGTH_LIMIT"),
        keys=whole_number(settings, "GWC_MAX_QUERY_KEYS"),
    )
    return limits.allowing([*site.entry, *(sample.url for sample in site.samples)])


def read_options(settings: BaseSettings, site: Site) -> ReadOptions:
    """Return how the pages of a site are read; forms and sitemaps only where the site file wants them.

    Raises:
        InputError: a setting is no whole number of 0 or more, or of 1 or more.
    """
    names = ("GWC_SITEMAP_BYTES", "GWC_SITEMAP_URLS", "GWC_SITEMAP_LEVELS", "GWC_SITEMAP_FILES")
    sitemaps = SitemapLimits(*(whole_number(settings, name, 1) for name in names))
    form_links = whole_number(settings, "GWC_FORM_LINKS", 1)
    weighed = setting_choice(settings, "GWC_PAGE_KINDS", PageKinds) is PageKinds.WEIGHED
    return ReadOptions(
        limits=url_limits(settings, site),
        form_links=form_links if site.deep else 0,
        sitemaps=sitemaps if site.sitemap else None,
        kinds=KindRule(whole_number(settings, "GWC_LONGEST_PARAGRAPH"), weighed),
    )


def cuts_information(settings: BaseSettings, site: Site) -> bool:
    """Say whether the crawl ends at pages to read (T-Spider, algorithm 1), by GWC_INFORMATION_LINKS."""
    choice = setting_choice(settings, "GWC_INFORMATION_LINKS", InformationLinks)
    return site.is_whole if choice is InformationLinks.AUTO else choice is InformationLinks.CUT


def yield_limits(settings: BaseSettings, knowledge: Knowledge) -> YieldLimits:
    """Return when a class of URLs is closed; where no class is the target, nothing can be told fruitless, unless the
    whole site is wanted: then pages count that say nothing new.

    Raises:
        InputError: a setting is no whole number of 0 or more.
    """
    return YieldLimits(
        fruitless=whole_number(settings, "GWC_FRUITLESS_PAGES") if knowledge.targets or knowledge.is_whole else 0,
        pages=whole_number(settings, "GWC_MAX_PAGES_PER_PATTERN"),
    )


def depth_limit(settings: BaseSettings, site: Site) -> int | None:
    """Return how many clicks from a start a page may be: as the site file says, else DEPTH_LIMIT; None: any.

    Raises:
        InputError: the setting is no whole number of 0 or more.
    """
    if site.crawl.max_depth is not None:
        return site.crawl.max_depth
    return whole_number(settings, "DEPTH_LIMIT") or None


def run_limit(settings: BaseSettings, site: Site) -> int:
    """Return how many pages one run brings at most, and how many its pre-crawl; 0: any number.

    Raises:
        InputError: the setting is no whole number of 0 or more.
    """
    return whole_number(settings, "GWC_MAX_PAGES") or site.crawl.max_pages or 0


def page_limits(settings: BaseSettings) -> PageLimits:
    """Return how many pages a crawl may have, over all runs and workers.

    Raises:
        InputError: a setting is no whole number of 0 or more.
    """
    return PageLimits.read(lambda setting: whole_number(settings, setting))


def groups_of(knowledge: Knowledge) -> Callable[[str], UrlGroup]:
    """Return what tells a URL's class; of a whole site, URLs that differ in digits alone are one."""
    if knowledge.is_whole:
        return lambda url: UrlGroup(wanted=True, name=_DIGITS.sub("[0-9]+", re.escape(url)))

    def group_of(url: str) -> UrlGroup:
        verdict = knowledge.verdict(url)
        wanted = verdict in (Verdict.TARGET, Verdict.CONTINUATION)
        return UrlGroup(wanted, knowledge.class_of(url, verdict))

    return group_of


def whole_number(settings: BaseSettings, name: str, least: int = 0) -> int:
    """Return a setting that is a whole number, *least* or more.

    Raises:
        InputError: it is something else.
    """
    try:
        value = settings.getint(name)
    except (TypeError, ValueError):
        value = -1
    if value < least:
        needed = f", {least} or more" if least else ", 0 for no limit"
        raise InputError(f"setting {name} is {settings[name]!r}; it can be a whole number{needed}")
    return value
