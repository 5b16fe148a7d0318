"""Find the user's component that raised an error of a crawl, and the setting that names it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from inspect import isfunction
from traceback import walk_tb
from typing import Any

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings, default_settings
from scrapy.utils.misc import load_object

from gwc_crawler.errors import GwcError, InputError
from gwc_crawler.items import context_of
from gwc_crawler.wiring.access import proxy_in
from gwc_crawler.wiring.components import COMPONENTS, path_of, was_given
from gwc_crawler.wiring.own_settings import where

logger = logging.getLogger(__name__)

_HOLDERS = ("self", "cls", "mw", "objcls", "mwcls", "addoncls", "downloader_cls")
"""Names under which Scrapy, and the component's own methods, hold a component or its class while they call it."""


def start_error(error: BaseException | None, crawler: Crawler) -> BaseException | None:
    """Return the error that a command reports; a spider that Scrapy had no time to close is closed."""
    if error is None:
        return None
    context = context_of(crawler.spider)
    if context is not None and not crawler.spider.is_closed:  # type: ignore[union-attr]
        crawler.spider.is_closed = True  # type: ignore[union-attr]
        context.close()
    return error if isinstance(error, GwcError) else blamed(error, crawler.settings)


def blamed(error: BaseException, settings: BaseSettings) -> BaseException:
    """Return the InputError that names a user's component that raised; the error itself if there is none.

    The component's own traceback goes to the log at DEBUG.
    """
    theirs = dict(_of_a_user(settings))
    cause: BaseException | None = error
    while cause is not None:
        for kind in reversed(list(_met(cause))):
            if kind in theirs:
                name, path = theirs[kind]
                logger.debug("%s could not be started", path, exc_info=cause)
                return InputError(
                    f"setting {name} names {path} {where(settings, name)}, which could not be started "
                    f"({type(cause).__name__}: {cause}); mend it, or take it out"
                )
        cause = cause.__context__  # Scrapy tidies up after the first error, and may fail at that, too
    return error


RAISED_BY = ", raised by your "
"""Stands in the reason of a URL that failed in a user's code."""


def reason_of(error: BaseException | None, settings: BaseSettings) -> str:
    """Return why a URL failed: the error with its type and, where a user's component raised it, which one."""
    return f"{type(error).__name__}: {error}{raised_by(error, settings)}"


def raised_by(error: BaseException | None, settings: BaseSettings) -> str:
    """Return which component of a user's raised *error* at its work, behind `RAISED_BY`; "" where none did."""
    theirs = dict(_of_a_user(settings))
    for kind in reversed(list(_met(error))):
        if kind in theirs:
            name, path = theirs[kind]
            return f"{RAISED_BY}{path} (setting {name} {where(settings, name)})"
        if kind.__module__.split(".")[0] in _NOT_THEIRS:
            break  # a user's middleware only passed it on
    return ""


def what_helps(reason: str, otherwise: str = "check the address, or try later") -> str:
    """Return the remedy for a *reason*; one that names a person's own code or proxy has its own remedy."""
    if RAISED_BY in reason:
        return "mend that code, or take it out"
    if proxy_in(reason):
        return "check the proxy and the address, or try later"
    return _OF_STATUS.get(reason, otherwise)


_OF_STATUS = {
    "HTTP 401": "it is for those who log in: say how in [login], [auth], [cookies] or [headers] of the site file",
    "HTTP 403": (
        "the server refuses this crawler: say in USER_AGENT who you are, or ask its owner; if it is for those who log "
        "in, say how in [login], [cookies] or [headers] of the site file"
    ),
    "HTTP 404": "there is no such page: check the address",
    "HTTP 410": "there is no such page any more: name another",
    "HTTP 429": "the server was asked for too much: try later, with a DOWNLOAD_DELAY or the profile polite",
    "HTTP 503": "the server is out of order, or was asked for too much: try later, perhaps with the profile polite",
}


_NOT_THEIRS = ("gwc_crawler", "scrapy", "twisted")


def _of_a_user(settings: BaseSettings) -> Iterator[tuple[Any, tuple[str, str]]]:
    """Yield the user's own components, loaded, each with its setting and import path."""
    for name in settings:
        if was_given(settings, name):
            default = vars(default_settings).get(name)  # asking the settings would warn of deprecated ones
            if name.removesuffix("_BASE") in (*COMPONENTS, "ADDONS"):
                named = [key for key in settings[name] if not path_of(key).startswith("gwc_crawler.")]
            else:
                named = [settings[name]] if isinstance(default, str) and default.startswith("scrapy.") else []
            for component in named:
                with suppress(Exception):  # a scheme, or a failed import: it is reported elsewhere
                    yield load_object(component), (name, path_of(component))


def _met(error: BaseException | None) -> Iterator[Any]:
    """Yield the components whose code was running, or was being called, when the error was raised."""
    for frame, _ in walk_tb(error.__traceback__ if error is not None else None):
        for held in (frame.f_locals.get(holder) for holder in _HOLDERS):
            if held is not None:
                yield held if isinstance(held, type) or isfunction(held) else type(held)
