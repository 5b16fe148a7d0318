"""Settings → how our spiders work; what the parts of a crawl are made with is read in `assembly`."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from gwc_crawler.frontier.recrawl import Intervals
from gwc_crawler.modes import KeepHtml, OnDrift
from gwc_crawler.wiring.options import back_off, intervals_of, setting_choice


@dataclass(frozen=True, slots=True)
class SpiderOptions:
    """How a spider takes answers, and what is no answer.

    Attributes:
        failure_spacing_seconds: failures of a host closer together than this are one.
        silent_host_seconds: how long a host that has answered may be silent; 0: as long as it takes.
        passing_errors: import paths of download errors that may go away by themselves.
        pages_despite: statuses of errors whose answers are pages all the same.
        keeps_revisits: whether it is kept of each page when it was looked at and how it was.
        asks_conditionally: whether a page that is looked at again is asked for only if it has changed.
        intervals: how long is waited between two looks at a page.
        fresh_seconds: so long a page of a pre-crawl is used.
        keep_html: what is stored of a page's HTML.
        on_drift: what is done when a field falls away.
        collect_after: objects after which Python looks for garbage.
    """

    failure_spacing_seconds: float
    silent_host_seconds: float
    passing_errors: tuple[str, ...]
    pages_despite: Container[int]
    keeps_revisits: bool
    asks_conditionally: bool
    intervals: Intervals
    fresh_seconds: float
    keep_html: KeepHtml
    on_drift: OnDrift
    collect_after: int


def spider_options(settings: BaseSettings) -> SpiderOptions:
    """Read the options.

    Raises:
        InputError: the settings contradict each other.
    """
    return SpiderOptions(
        failure_spacing_seconds=back_off(settings).base_seconds / 2,
        silent_host_seconds=settings.getfloat("GWC_SILENT_HOST_SECONDS"),
        passing_errors=tuple(settings.getlist("RETRY_EXCEPTIONS")),
        pages_despite=_pages_despite(settings),
        keeps_revisits=settings.getbool("GWC_RECRAWL"),
        asks_conditionally=settings.getbool("GWC_CONDITIONAL_GET"),
        intervals=intervals_of(settings),
        fresh_seconds=settings.getfloat("GWC_REUSE_SAMPLES_SECONDS"),
        keep_html=setting_choice(settings, "GWC_KEEP_HTML", KeepHtml),
        on_drift=setting_choice(settings, "GWC_ON_DRIFT", OnDrift),
        collect_after=settings.getint("GWC_GC_THRESHOLD"),
    )


def _pages_despite(settings: BaseSettings) -> Container[int]:
    if settings.getbool("HTTPERROR_ALLOW_ALL"):
        return range(400, 1000)
    return frozenset(int(code) for code in settings.getlist("HTTPERROR_ALLOWED_CODES"))
