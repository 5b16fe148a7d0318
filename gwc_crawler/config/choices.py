"""Settings → what the parts of a crawl are made with: words of a few, a queue policy, intervals, sinks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from scrapy.settings import BaseSettings

from gwc_crawler.config.given import loaded, where
from gwc_crawler.config.lookups import crawl_names
from gwc_crawler.errors import InputError
from gwc_crawler.files import FileChoice, file_choice
from gwc_crawler.frontier import QueuePolicy, queue_policy
from gwc_crawler.modes import BrowserFor, FrontierKind, KeepHtml, MainText, Strip
from gwc_crawler.politeness import AddressBook
from gwc_crawler.recrawl import Intervals
from gwc_crawler.sites import Site
from gwc_crawler.store import SinkFactory

if TYPE_CHECKING:
    from gwc_crawler.reading import Condenser

Choice = TypeVar("Choice", bound=StrEnum)


def setting_choice(settings: BaseSettings, name: str, choices: type[Choice]) -> Choice:
    """Return a setting that is one of a few words.

    Raises:
        InputError: it is another word.
    """
    try:
        return choices(settings[name])
    except ValueError:
        raise InputError(f"setting {name} is {settings[name]!r}; it can be {', '.join(choices)}") from None


def is_in_redis(settings: BaseSettings) -> bool:
    """Say whether crawls are shared, through Redis.

    Raises:
        InputError: GWC_FRONTIER is something else than what it can be.
    """
    return setting_choice(settings, "GWC_FRONTIER", FrontierKind) is FrontierKind.REDIS


def partition_policy(settings: BaseSettings) -> QueuePolicy | None:
    """Return how GWC_QUEUE_POLICY parts the frontier; None: by host, which is its own way.

    Raises:
        InputError: there is no such policy.
    """
    name = settings["GWC_QUEUE_POLICY"]
    if name == "host":
        return None
    return queue_policy(
        name,
        queues=settings.getint("GWC_QUEUES"),
        multiplier=settings.getint("GWC_QUEUE_SEED"),
        address_of=AddressBook(crawl_names(settings)).address_of,
    )


def intervals_of(settings: BaseSettings) -> Intervals:
    """Return how long is waited between two looks at a page.

    Raises:
        InputError: the settings contradict each other.
    """
    return Intervals(
        settings.getfloat("GWC_RECRAWL_START_SECONDS"),
        settings.getfloat("GWC_RECRAWL_MIN_SECONDS"),
        settings.getfloat("GWC_RECRAWL_MAX_SECONDS"),
    )


def chosen_files(settings: BaseSettings, *, of_fields: bool = False) -> FileChoice:
    """Return which bodies that are no pages are kept; *of_fields*: the site has fields of type file.

    Raises:
        InputError: GWC_KEEP_FILES is no such choice.
    """
    value = settings["GWC_KEEP_FILES"]
    try:
        return file_choice(value if isinstance(value, str) else " ".join(value), of_fields=of_fields)
    except (TypeError, ValueError):
        raise InputError(
            f"setting GWC_KEEP_FILES is {value!r}; it can be none, targets, all, "
            "or types such as application/pdf image/*"
        ) from None


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_for(settings: BaseSettings, site: Site) -> BrowserFor:
    """Return which pages of a site go through a browser.

    Raises:
        InputError: GWC_BROWSER is no such word.
    """
    return setting_choice(settings, "GWC_BROWSER", BrowserFor) if site.browser is None else site.browser


def browser_path(settings: BaseSettings) -> str:
    """Return where Chromium is; "" for the one that Playwright has."""
    return settings["GWC_BROWSER_PATH"] or next(filter(None, map(shutil.which, BROWSERS)), "")


def check_browser(settings: BaseSettings, site: Site) -> None:
    """Refuse to crawl by a browser that is not there, or that would refuse to start.

    Raises:
        InputError: what is missing, and what helps.
    """
    if settings["GWC_BROWSER"] is None or browser_for(settings, site) is BrowserFor.NONE:
        return
    wanted = f"{site.path.name}: its pages are to go through a browser"
    if find_spec("playwright") is None:
        raise InputError(f"{wanted}, which needs Playwright: pip install 'gwc-crawler[browser]'")
    given = settings["GWC_BROWSER_PATH"]
    if given and shutil.which(given) is None:
        raise InputError(f"setting GWC_BROWSER_PATH is {given!r}, and that is no program; name Chromium's, or none")
    if settings.getbool("GWC_BROWSER_SANDBOX") and hasattr(os, "geteuid") and os.geteuid() == 0:
        raise InputError(
            f"{wanted}, and Chromium's sandbox refuses root; crawl as another user, or set GWC_BROWSER_SANDBOX = False "
            "where all pages are trusted"
        )


OF_KEPT = {KeepHtml.NONE: Strip.NONE, KeepHtml.STRIPPED: Strip.ALL}
"""GWC_KEEP_HTML → whose HTML is stripped, where it decides that."""


def condenser_of(settings: BaseSettings) -> Condenser:
    """Return what strips pages, and finds their main text, as the settings say.

    Raises:
        InputError: one of them is no such word.
    """
    from gwc_crawler.page import StripOptions  # an HTML parser comes with it
    from gwc_crawler.reading import Condenser

    if "GWC_STRIP" not in settings:  # a foreign project
        return Condenser(Strip.NONE, MainText.NONE)
    main = setting_choice(settings, "GWC_MAIN_TEXT", MainText)
    groups = StripOptions.of(settings.getlist("GWC_STRIP_GROUPS"))
    which = OF_KEPT.get(setting_choice(settings, "GWC_KEEP_HTML", KeepHtml))
    return Condenser(which or setting_choice(settings, "GWC_STRIP", Strip), main, groups)


OWN_SINK = "sqlite"
"""The crawl's own database as a sink."""

SINKS_BY_NAME = {"mssql": "gwc_crawler.store.mssql.SqlServerSink"}
"""Further sinks that are brought along, loaded where they are asked for."""


@dataclass(frozen=True, slots=True)
class ChosenSinks:
    """What GWC_SINK says: whether the crawl's own database keeps pages and records, and who else gets them, by name."""

    own: bool = True
    others: Sequence[tuple[str, SinkFactory]] = ()


def sink_names(settings: BaseSettings) -> list[str]:
    """Return the words of GWC_SINK, each once."""
    return list(dict.fromkeys(name.strip() for name in settings.getlist("GWC_SINK") if name.strip()))


def keeps_records_on_server_alone(settings: BaseSettings) -> bool:
    """Say whether a SQL Server has the records, and the crawl's own database has not."""
    names = sink_names(settings)
    return "mssql" in names and OWN_SINK not in names


def chosen_sinks(settings: BaseSettings) -> ChosenSinks:
    """Return who gets pages and records.

    Raises:
        InputError: GWC_SINK names none, or one that can't be loaded.
    """
    known = ", ".join((OWN_SINK, *SINKS_BY_NAME))
    names = sink_names(settings)
    if not names:
        raise InputError(f"setting GWC_SINK is {settings['GWC_SINK']!r}; name a sink: {known}, or a class of yours")
    others = []
    for name in names:
        if name == OWN_SINK:
            continue
        what = f"setting GWC_SINK names {name!r} {where(settings, 'GWC_SINK')}"
        path = SINKS_BY_NAME.get(name, name)
        if "." not in path:
            raise InputError(f"{what}; it can be {known}, or the import path of a class of yours: my_sinks.MySink")
        others.append((name, loaded(path, what)))
    return ChosenSinks(OWN_SINK in names, others)
