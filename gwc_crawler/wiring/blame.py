"""A crawl that could not start → whose fault it was: the setting that names the component that raised."""

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
from gwc_crawler.wiring.components import COMPONENTS, path_of, was_given
from gwc_crawler.wiring.values import where

logger = logging.getLogger(__name__)

_HOLDERS = ("self", "cls", "mw", "objcls", "mwcls", "addoncls", "downloader_cls")
"""Names under which Scrapy, and the component's own methods, hold a component or its class while they call it."""


def start_error(error: BaseException | None, crawler: Crawler) -> BaseException | None:
    """Return what a command says of a crawl's error; a spider that Scrapy had no time to close is closed."""
    if error is None:
        return None
    context = getattr(crawler.spider, "context", None)
    if context is not None and not crawler.spider.is_closed:  # type: ignore[union-attr]
        crawler.spider.is_closed = True  # type: ignore[union-attr]
        context.close()
    return error if isinstance(error, GwcError) else blamed(error, crawler.settings)


def blamed(error: BaseException, settings: BaseSettings) -> BaseException:
    """Return the InputError that names a user's component that raised; the error itself where there is none.

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


def _of_a_user(settings: BaseSettings) -> Iterator[tuple[Any, tuple[str, str]]]:
    """Yield what a user has named, loaded, with the setting and its import path."""
    for name in settings:
        if was_given(settings, name):
            default = getattr(default_settings, name, None)
            if name.removesuffix("_BASE") in (*COMPONENTS, "ADDONS"):
                named = [key for key in settings[name] if not path_of(key).startswith("gwc_crawler.")]
            else:
                named = [settings[name]] if isinstance(default, str) and default.startswith("scrapy.") else []
            for component in named:
                with suppress(Exception):  # a scheme, or what could not be loaded: it is said elsewhere
                    yield load_object(component), (name, path_of(component))


def _met(error: BaseException) -> Iterator[Any]:
    """Yield the components whose code was under way, or was being called, when the error was raised."""
    for frame, _ in walk_tb(error.__traceback__):
        for held in (frame.f_locals.get(holder) for holder in _HOLDERS):
            if held is not None:
                yield held if isinstance(held, type) or isfunction(held) else type(held)
