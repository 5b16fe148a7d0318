"""What robots.txt says, as Scrapy's settings want it read; and in words for a person. `scrapy why` asks here, too."""

from __future__ import annotations

import time
from typing import Any, cast

from scrapy.settings import BaseSettings
from scrapy.utils.misc import build_from_crawler, load_object

from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import PageKind, UrlState
from gwc_crawler.network.politeness.robots import (
    FORBIDDEN,
    NOT_HAD,
    RULES_SECONDS,
    Parse,
    Robots,
    RobotsBook,
    RuleLine,
    Rules,
)
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.state.tables import RobotsTable
from gwc_crawler.urls import normalize_url, same_site
from gwc_crawler.wiring.blame import what_helps


def robots_of(settings: BaseSettings, book: RobotsBook | None = None) -> Robots | None:
    """Return what judges URLs by ROBOTSTXT_PARSER for ROBOTSTXT_USER_AGENT; None where ROBOTSTXT_OBEY is off."""
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return None
    return Robots(parser_of(settings), settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"], book)


def hand_on(samples: CrawlDatabase, book: RobotsBook) -> None:
    """Have *book* know what the pre-crawl has read within a day: its pages are used again before any is fetched, and
    their links are judged when they are found. Other rules of a host stay, so that it shows that they have changed.
    """
    for origin, robots in RobotsTable(samples).read_since(time.time() - RULES_SECONDS):
        known = book.read(origin)
        if known is None or (known.text == robots.text and known.read_at < robots.read_at):
            book.write(origin, robots)


def parser_of(settings: BaseSettings) -> Parse:
    """Return what makes rules of a robots.txt."""
    cls: Any = load_object(settings["ROBOTSTXT_PARSER"])
    nobody: Any = None  # Scrapy's own parsers want no crawler
    return lambda text: cast("Rules", build_from_crawler(cls, nobody, text))


def start_problem(url: str, reason: str, robots: Robots | None) -> str | None:
    """Say what is to be said of a start that was given up for something about robots.txt, and what helps; else None."""
    if reason == FORBIDDEN:
        return forbidden_text(url, robots.line_against(url) if robots is not None else None)
    if not reason.startswith(NOT_HAD):
        return None
    helps = "try later" if ": HTTP " in reason else what_helps(reason)
    return f"{url} can't be fetched: {reason}; {helps}"


def forbidden_text(url: str, line: RuleLine | None) -> str:
    """Say that a page which a person named is forbidden, and what helps."""
    where = f" ({line})" if line is not None else ""
    return (
        f"{url} is {FORBIDDEN[0].lower()}{FORBIDDEN[1:]}{where}; name a page that may be fetched, or ask the site's "
        "owner; who may crawl it all the same sets `ROBOTSTXT_OBEY = false` under [settings] of the site file"
    )


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
