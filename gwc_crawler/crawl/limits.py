"""The limits of one crawl, from settings and site file: for the reader, for admission; `scrapy why` asks here, too.

That they are numbers is looked at before (`wiring.check_settings`, `wiring.settle`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from scrapy.settings import BaseSettings

from gwc_crawler.frontier.admission import PageLimits, UrlGroup
from gwc_crawler.frontier.rejections import YieldLimits
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.modes import InformationLinks, PageKinds
from gwc_crawler.page.classify import KindRule
from gwc_crawler.page.reader import ReadOptions
from gwc_crawler.page.sitemap import SitemapLimits
from gwc_crawler.page.traps import UrlLimits
from gwc_crawler.sites.schema import Site
from gwc_crawler.wiring.options import setting_choice

_DIGITS = re.compile("[0-9]+")


def url_limits(settings: BaseSettings, site: Site) -> UrlLimits:
    """Return how far a URL may go; what the site file names itself is never too far."""
    limits = UrlLimits(
        repeated=settings.getint("GWC_MAX_REPEATED_SEGMENTS"),
        segments=settings.getint("GWC_MAX_PATH_SEGMENTS"),
        length=settings.getint("URLLENGTH_LIMIT"),
        keys=settings.getint("GWC_MAX_QUERY_KEYS"),
    )
    return limits.allowing([*site.entry, *(sample.url for sample in site.samples)])


def read_options(settings: BaseSettings, site: Site) -> ReadOptions:
    """Return how the pages of a site are read; forms and sitemaps only where the site file wants them."""
    names = ("GWC_SITEMAP_BYTES", "GWC_SITEMAP_URLS", "GWC_SITEMAP_LEVELS", "GWC_SITEMAP_FILES")
    sitemaps = SitemapLimits(*(settings.getint(name) for name in names))
    form_links = settings.getint("GWC_FORM_LINKS")
    weighed = setting_choice(settings, "GWC_PAGE_KINDS", PageKinds) is PageKinds.WEIGHED
    return ReadOptions(
        limits=url_limits(settings, site),
        form_links=form_links if site.deep else 0,
        sitemaps=sitemaps if site.sitemap else None,
        kinds=KindRule(settings.getint("GWC_LONGEST_PARAGRAPH"), weighed),
    )


def cuts_information(settings: BaseSettings, site: Site) -> bool:
    """Say whether the crawl ends at pages to read (T-Spider, algorithm 1), by GWC_INFORMATION_LINKS."""
    choice = setting_choice(settings, "GWC_INFORMATION_LINKS", InformationLinks)
    return site.is_whole if choice is InformationLinks.AUTO else choice is InformationLinks.CUT


def yield_limits(settings: BaseSettings, knowledge: Knowledge) -> YieldLimits:
    """Return when a class of URLs is closed; where no class is the target, nothing can be told fruitless, unless the
    whole site is wanted: then pages count that say nothing new.
    """
    return YieldLimits(
        fruitless=settings.getint("GWC_FRUITLESS_PAGES") if knowledge.targets or knowledge.is_whole else 0,
        pages=settings.getint("GWC_MAX_PAGES_PER_PATTERN"),
    )


def depth_limit(settings: BaseSettings, site: Site) -> int | None:
    """Return how many clicks from a start a page may be: as the site file says, else DEPTH_LIMIT; None: any."""
    if site.crawl.max_depth is not None:
        return site.crawl.max_depth
    return settings.getint("DEPTH_LIMIT") or None


def run_limit(settings: BaseSettings, site: Site) -> int:
    """Return how many pages one run brings at most, and how many its pre-crawl; 0: any number."""
    return settings.getint("GWC_MAX_PAGES") or site.crawl.max_pages or 0


def page_limits(settings: BaseSettings) -> PageLimits:
    """Return how many pages a crawl may have, over all runs and workers."""
    return PageLimits.read(settings.getint)


def groups_of(knowledge: Knowledge) -> Callable[[str], UrlGroup]:
    """Return what tells a URL's class; of a whole site, URLs that differ in digits alone are one."""
    if knowledge.is_whole:
        return lambda url: UrlGroup(wanted=True, name=_DIGITS.sub("[0-9]+", re.escape(url)))

    def group_of(url: str) -> UrlGroup:
        verdict = knowledge.verdict(url)
        wanted = verdict in (Verdict.TARGET, Verdict.CONTINUATION)
        return UrlGroup(wanted, knowledge.class_of(url, verdict))

    return group_of
