"""Scrapy's settings, each judged by its default: can what a user wrote be used as a value at all?

`check_values` is asked where all settings of a site's crawl are known (`wiring.check`); of what is read before,
as soon as the command line is (`commands.frame`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from gwc_crawler.config import loaded, shown, where
from gwc_crawler.errors import InputError

EARLY = (
    "ADDONS", "FORCE_CRAWLER_PROCESS", "LOG_ENABLED", "LOG_FILE_APPEND", "LOG_INSTALL_ROOT_HANDLER", "LOG_LEVEL",
    "LOG_SHORT_NAMES", "LOG_STDOUT", "SPIDER_LOADER_CLASS", "TWISTED_REACTOR_ENABLED",
)  # fmt: skip
"""Settings that Scrapy reads before a command begins."""

_FLAGS = ("TELNETCONSOLE_ENABLED",)
_SECONDS = ("DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT")
"""Settings that are read otherwise than their default looks."""

ABOVE_ZERO = ("AUTOTHROTTLE_TARGET_CONCURRENCY", "DNS_TIMEOUT", "DOWNLOAD_TIMEOUT")
AT_LEAST_ONE = ("CONCURRENT_ITEMS", "CONCURRENT_REQUESTS", "REACTOR_THREADPOOL_MAXSIZE", "SCRAPER_SLOT_MAX_ACTIVE_SIZE")
"""Numbers with which nothing would be done if they were 0."""

BELOW_ZERO = ("DEPTH_PRIORITY", "REDIRECT_PRIORITY_ADJUST", "RETRY_PRIORITY_ADJUST")
"""Numbers that can be negative; all others can't: 0 turns most of them off."""

_CLASS_OR_NONE = ("DOWNLOADER_CLIENTCONTEXTFACTORY", "FEED_URI_PARAMS")
_TABLES_OF_TABLES = {"FEEDS": '{"a.jsonl": {"format": "jsonlines"}}', "DOWNLOAD_SLOTS": '{"a.example": {"delay": 2}}'}
_TABLES_OF_CLASSES = (
    "DOWNLOAD_HANDLERS", "DOWNLOAD_HANDLERS_BASE", "FEED_EXPORTERS", "FEED_EXPORTERS_BASE", "FEED_STORAGES",
    "FEED_STORAGES_BASE",
)  # fmt: skip


def check_values(settings: BaseSettings, names: Iterable[str]) -> None:
    """Refuse a value that a user has given to one of these settings of Scrapy's, and that it can't have.

    Raises:
        InputError: the first such setting, its value, where it stands, and what it can be.
    """
    for name in names:
        if (settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["command"]:
            _check_value(settings, name, getattr(default_settings, name))


def check_tables(settings: BaseSettings, given: Iterable[str]) -> None:
    """Refuse a NAME=VALUE of the command line that should be a table, and is not JSON."""
    for name, _, text in (one.partition("=") for one in given):
        if isinstance(settings[name], BaseSettings):
            try:
                fits = isinstance(json.loads(text), dict)
            except ValueError:
                fits = False
            if not fits:
                raise InputError(
                    f"setting {name} is {text!r} on the command line; a table is written as JSON: "
                    f"-s '{name}={json_example(name)}'"
                )


def json_example(name: str) -> str:
    """Return a value of a setting that is a table, as JSON."""
    return _TABLES_OF_TABLES.get(name, _EXAMPLES.get(name, '{"my.module.MyClass": 543}'))


def toml_example(name: str) -> str:
    """Return a value of a setting that is a table, as it is written in a site file.

    >>> toml_example("ITEM_PIPELINES")
    '{ "my.module.MyClass" = 543 }'
    """
    return json_example(name).replace(": ", " = ").replace("{", "{ ").replace("}", " }")


_EXAMPLES = {
    "DEFAULT_REQUEST_HEADERS": '{"Accept-Language": "en"}',
    **dict.fromkeys(("DOWNLOAD_HANDLERS", "DOWNLOAD_HANDLERS_BASE"), '{"http": "my.module.MyClass"}'),
    **dict.fromkeys(("FEED_EXPORTERS", "FEED_EXPORTERS_BASE"), '{"yaml": "my.module.MyClass"}'),
    **dict.fromkeys(("FEED_STORAGES", "FEED_STORAGES_BASE"), '{"sftp": "my.module.MyClass"}'),
}


def _check_value(settings: BaseSettings, name: str, default: Any) -> None:
    value = settings[name]
    what = f"setting {name} is {shown(value)} {where(settings, name)}"
    is_class = isinstance(default, str) and default.startswith("scrapy.")
    if is_class or name in _CLASS_OR_NONE:
        if value != default and not (value is None and name in _CLASS_OR_NONE):
            loaded(value, what)
        return
    kind, read = _reader(settings, name, default)
    try:
        read(name)
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise InputError(f"{what}; it can be {kind}") from None
    for part in _parts(settings, name):
        if part is not None:
            loaded(part, f"setting {name} names {part!r} {where(settings, name)}")


def _parts(settings: BaseSettings, name: str) -> Iterable[Any]:
    """Return the classes, or their import paths, that a setting names inside its value."""
    if name in _TABLES_OF_CLASSES:
        return list(settings[name].values())
    if name == "RETRY_EXCEPTIONS":
        return settings.getlist(name)
    return list(settings[name]) if name == "ADDONS" else ()


def _reader(settings: BaseSettings, name: str, default: Any) -> tuple[str, Callable[[str], Any]]:
    """Return what a setting can be, and what raises where it is something else."""
    if name.endswith("_LEVEL"):
        return "DEBUG, INFO, WARNING, ERROR or CRITICAL", lambda name: logging.Handler().setLevel(settings[name])
    if isinstance(default, bool) or name in _FLAGS:
        return "True or False", settings.getbool
    if isinstance(default, int | float) or name in _SECONDS:
        whole = isinstance(default, int) and name not in _SECONDS
        least = None if name in BELOW_ZERO else int(name in AT_LEAST_ONE)
        kind = number_problem(settings, name, whole=whole, least=least, above_zero=name in ABOVE_ZERO)
        return kind, lambda _: _pass(not kind)
    if isinstance(default, list):
        if name.endswith("_CODES") or name == "TELNETCONSOLE_PORT":
            return "a list of whole numbers", lambda name: [int(one) for one in settings.getlist(name)]
        return "a list", settings.getlist
    if name in _TABLES_OF_TABLES:
        return f"a table of tables: {_TABLES_OF_TABLES[name]}", lambda name: [
            one.items() for one in settings[name].values()
        ]
    if name == "ADDONS":
        return 'a table with numbers, or None: {"my.module.MyClass": 543}', lambda name: [
            float(order) for order in settings[name].values() if order is not None
        ]
    if isinstance(default, dict):
        return "a table", lambda name: settings[name].items()
    return "anything", str


def _pass(fits: bool) -> None:
    if not fits:
        raise ValueError


def number_problem(
    settings: BaseSettings, name: str, *, whole: bool, least: int | None, above_zero: bool = False
) -> str:
    """Return what a setting can be that is no such number as it should be; "" if it is one."""
    kind = "a whole number" if whole else "a number"
    try:
        number: float = settings.getint(name) if whole else settings.getfloat(name)
    except (OverflowError, TypeError, ValueError):
        return kind
    if number != number:
        return kind
    if above_zero and number <= 0:
        return f"{kind} above 0"
    return f"{kind}, {least} or more" if least is not None and number < least else ""
