"""Check our settings: their names are known, and a user's values can be used; before a pre-crawl that may take long."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from importlib.util import find_spec
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings, default_settings
from scrapy.utils.misc import load_object

from gwc_crawler import modes
from gwc_crawler import settings as ours
from gwc_crawler.errors import GwcError, InputError, did_you_mean, near_miss

# --- A user's settings: where each was written, how it reads, and the component that it names -------------------------


def loaded(component: Any, what: str) -> Any:
    """Load a user's component, by import path or as the class. Raises InputError: it can't be; begins with *what*."""
    try:
        return load_object(component)
    except Exception as error:  # whatever its module does when it is imported
        raise InputError(
            f"{what}, which can't be loaded ({error}); look at its spelling, and whether its package is installed"
        ) from error


def shown(value: Any) -> str:
    """Return a setting's value in written form."""
    return repr(value.copy_to_dict() if isinstance(value, BaseSettings) else value)


def where(settings: BaseSettings, name: str) -> str:
    """Say where a setting was set, as far as its priority tells."""
    priority = settings.getpriority(name) or 0
    if priority >= SETTINGS_PRIORITIES["cmdline"]:
        return "on the command line"
    if priority >= SETTINGS_PRIORITIES["spider"]:
        return "in the site file"
    return "in an add-on" if priority == SETTINGS_PRIORITIES["addon"] else "in the project's settings"


# --- The names of settings, and the likely meaning of a misspelt one --------------------------------------------------


OURS = "GWC_"

_WITHOUT_DEFAULT = """
    CONCURRENT_REQUESTS_PER_IP FILES_EXPIRES FILES_RESULT_FIELD FILES_URLS_FIELD IMAGES_EXPIRES IMAGES_MIN_HEIGHT
    IMAGES_MIN_WIDTH IMAGES_RESULT_FIELD IMAGES_THUMBS IMAGES_URLS_FIELD MAX_IDLE_TIME_BEFORE_CLOSE
    MEDIA_ALLOW_REDIRECTS META_COPY_WARN_SKIP_KEYS REDIS_DB REDIS_DECODE_RESPONSES REDIS_ENCODING REDIS_HOST
    REDIS_ITEMS_KEY REDIS_ITEMS_SERIALIZER REDIS_PARAMS REDIS_PORT REDIS_START_URLS_AS_SET REDIS_START_URLS_AS_ZSET
    REDIS_START_URLS_BATCH_SIZE REDIS_START_URLS_KEY REDIS_URL SCHEDULER_DUPEFILTER_CLASS SCHEDULER_DUPEFILTER_KEY
    SCHEDULER_FLUSH_ON_START SCHEDULER_IDLE_BEFORE_CLOSE SCHEDULER_PERSIST SCHEDULER_QUEUE_CLASS SCHEDULER_QUEUE_KEY
    SCHEDULER_SERIALIZER STATS_KEY
"""
"""Settings that Scrapy, scrapy-redis and we read without a default."""

_OF_PLUGINS = "USER_AGENTS"
"""Names of widespread plug-ins that are a letter away from one of Scrapy's."""


def known_names(settings: BaseSettings) -> frozenset[str]:
    """Return the names of all settings: Scrapy's, ours, and those that the project's own settings give a default.

    What is overridden on the command line no longer says that the project has it, too: its module does.
    """
    module = sys.modules.get(os.environ.get("SCRAPY_SETTINGS_MODULE", ""))
    below = (name for name in settings if (settings.getpriority(name) or 0) <= SETTINGS_PRIORITIES["project"])
    written = {*below, *(vars(module) if module else ())}
    of_project = (name for name in written if name.isupper() and not name.startswith(OURS))
    of_scrapy = (name for name in vars(default_settings) if name.isupper())
    return frozenset({*of_scrapy, *of_project, *own_names(), *_WITHOUT_DEFAULT.split(), *_OF_PLUGINS.split()})


def own_names() -> list[str]:
    """Return the names of our settings."""
    return [name for name in vars(ours) if name.startswith(OURS)]


def check_names(settings: BaseSettings) -> None:
    """Refuse an unknown `GWC_…`, and on the command line a near miss of any: InputError with its place and meaning."""
    typed = SETTINGS_PRIORITIES["cmdline"]
    odd = [name for name in settings if name.startswith(OURS) or settings.getpriority(name) == typed]
    known = known_names(settings) if odd else frozenset()
    for name in odd:
        if name not in known:
            meant = did_you_mean(name, own_names()) if name.startswith(OURS) else near_miss(name, known)
            if name.startswith(OURS) or meant:
                helps = meant or "gwc_crawler/settings.py has those there are"
                raise InputError(f"unknown setting {name} {where(settings, name)} ({helps})")


def likely_misspelt() -> Iterator[tuple[str, str]]:
    """Yield the project's names that are nearly one of Scrapy's, with their likely meaning; a plug-in may read them."""
    module = sys.modules.get(os.environ.get("SCRAPY_SETTINGS_MODULE", ""))
    known = {name for name in vars(default_settings) if name.isupper()}
    theirs = known | {*own_names(), *_WITHOUT_DEFAULT.split(), *_OF_PLUGINS.split()}
    for name in vars(module) if module else ():
        if name.isupper() and name not in theirs and (meant := near_miss(name, known)):
            yield name, meant


# --- Scrapy's settings, each judged by its default: can a user's value be used at all? --------------------------------


EARLY = (
    "ADDONS", "FORCE_CRAWLER_PROCESS", "LOG_ENABLED", "LOG_FILE_APPEND", "LOG_INSTALL_ROOT_HANDLER", "LOG_LEVEL",
    "LOG_SHORT_NAMES", "LOG_STDOUT", "SPIDER_LOADER_CLASS", "TWISTED_REACTOR_ENABLED",
)  # fmt: skip
"""Settings that Scrapy reads before a command begins."""

_FLAGS = ("TELNETCONSOLE_ENABLED",)
_SECONDS = ("DNS_TIMEOUT", "DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT")
"""Settings that are read otherwise than their default looks."""

ABOVE_ZERO = ("AUTOTHROTTLE_TARGET_CONCURRENCY", "DNS_TIMEOUT", "DOWNLOAD_TIMEOUT")
AT_LEAST_ONE = (
    *("CONCURRENT_ITEMS", "CONCURRENT_REQUESTS", "REACTOR_THREADPOOL_MAXSIZE", "SCRAPER_SLOT_MAX_ACTIVE_SIZE"),
    *("GWC_BROWSER_PAGES", "GWC_COMMIT_PAGES", "GWC_DNS_AT_ONCE", "GWC_FORM_LINKS", "GWC_LEASE_BATCH"),
    *("GWC_MAX_LEASES", "GWC_PARTS", "GWC_QUEUES", "GWC_SITEMAP_BYTES", "GWC_SITEMAP_FILES", "GWC_SITEMAP_LEVELS"),
    *("GWC_SITEMAP_URLS", "GWC_STRIP_BLOCKS", "GWC_STRIP_BLOCK_PAGES", "GWC_STRIP_ROWS"),
)
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
    """Refuse invalid values of a user for these settings of Scrapy's: InputError with place and valid values."""
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
    """Return a value of a setting that is a table, in the form for a site file.

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
    """Return the valid values of a setting, and a function that raises for others."""
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
    """Return the kind of number that a setting needs, if it has another value; "" if it is right."""
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


CHOICES: Mapping[str, type[StrEnum]] = {
    "GWC_ADOPT_SITES": modes.Adoption,
    "GWC_BROWSER": modes.BrowserFor,
    "GWC_FRONTIER": modes.FrontierKind,
    "GWC_HTML_FILES": modes.HtmlFiles,
    "GWC_INFORMATION_LINKS": modes.InformationLinks,
    "GWC_KEEP_HTML": modes.KeepHtml,
    "GWC_LOG_FORMAT": modes.LogFormat,
    "GWC_MAIN_TEXT": modes.MainText,
    "GWC_ON_DRIFT": modes.OnDrift,
    "GWC_PAGE_KINDS": modes.PageKinds,
    "GWC_PROGRESS": modes.ShowProgress,
    "GWC_STRIP": modes.Strip,
}
"""Setting → the words it can be."""

CONTACT = re.compile(r"https?://\w|\S@\w[\w.-]*\.\w")
"""A page or an e-mail address."""


def check_settings(settings: BaseSettings) -> None:
    """Refuse unknown names of settings, and invalid values of ours: InputError with the valid values."""
    check_names(settings)
    for name in own_names():
        if settings[name] is not None:  # the settings of a foreign project
            _check_ours(settings, name)
    if settings["GWC_WORKERS"] not in (None, ours.GWC_WORKERS):
        from gwc_crawler.extract.reading.readers import worker_count  # only if it is set

        worker_count(settings["GWC_WORKERS"], f"setting GWC_WORKERS is {settings['GWC_WORKERS']!r}")
    if settings["GWC_STRIP_GROUPS"] not in (None, ours.GWC_STRIP_GROUPS):
        from gwc_crawler.page.strip import StripOptions  # an HTML parser comes with it

        try:
            StripOptions.of(settings.getlist("GWC_STRIP_GROUPS"))
        except InputError as error:
            raise InputError(f"setting GWC_STRIP_GROUPS: {error}") from None
    if settings["GWC_HTTP2"] is not None and settings.getbool("GWC_HTTP2"):
        missing = [name for name in ("httpx2", "h2", "socksio") if find_spec(name) is None]
        if missing:
            raise InputError(f"setting GWC_HTTP2 needs {', '.join(missing)}: pip install 'gwc-crawler[http2]'")


def of_any_project(settings: BaseSettings) -> BaseSettings:
    """Return the settings of a project that may have nothing else of ours: missing ones have our defaults.

    From then on an error of ours is told in a line there, too. Raises InputError: no such setting, or no such value.
    """
    missing = [name for name in own_names() if settings[name] is None]
    if not missing:
        return settings
    for logger in map(logging.getLogger, TELLERS):
        if not any(isinstance(one, _PlainErrors) for one in logger.filters):
            logger.addFilter(_PlainErrors())
    full = Settings(settings)  # a copy of theirs would be as frozen as they are
    for name in missing:
        full.set(name, getattr(ours, name), settings.getpriority(name) or 0)
    check_settings(full)
    return full


TELLERS = ("asyncio", "twisted")
"""Loggers to which an exception goes that ends a crawl before it begins; which one depends on the crawler process."""


class _PlainErrors(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, GwcError):
            record.msg, record.args = str(error), ()
            record.exc_info = record.exc_text = None
        return True


def check_contact(settings: BaseSettings) -> None:
    """Refuse a USER_AGENT that names nobody to turn to, if GWC_CONTACT_NEEDED is set (InputError)."""
    agent = settings["USER_AGENT"] or ""
    if settings.getbool("GWC_CONTACT_NEEDED") and (agent == ours.USER_AGENT or not CONTACT.search(agent)):
        raise InputError(
            f"setting USER_AGENT is {agent!r}, which names nobody to turn to; GWC_CONTACT_NEEDED, as in the profile "
            'polite, asks for a page or an address of yours: USER_AGENT = "books (+https://example.org/bot)"'
        )


FILES_STORES: Mapping[str, tuple[str, ...]] = {
    "": (),
    "file": (),
    "s3": ("botocore",),
    "gs": ("google.cloud.storage",),
    "ftp": (),
}
"""Schemes that GWC_FILES_STORE can have → the modules that Scrapy needs for them."""

_PACKAGES = {"google.cloud.storage": "google-cloud-storage"}


def check_files_store(settings: BaseSettings) -> None:
    """Refuse a files store with an unknown scheme, a password, or a missing package (InputError)."""
    value = str(settings["GWC_FILES_STORE"] or "")
    scheme, mark, rest = value.partition("://")
    if not mark:
        return
    if scheme not in FILES_STORES:
        known = ", ".join(f"{name}://" for name in FILES_STORES if name)
        raise InputError(f"setting GWC_FILES_STORE begins with {scheme}://; it can be a folder, or begin with {known}")
    if ":" in rest.partition("/")[0].rpartition("@")[0]:
        raise InputError(
            "setting GWC_FILES_STORE holds a password; put it into FTP_PASSWORD, and the name into FTP_USER"
        )
    for name in FILES_STORES[scheme]:
        if not _is_installed(name):
            package = _PACKAGES.get(name, name)
            raise InputError(
                f"setting GWC_FILES_STORE begins with {scheme}://, which needs {package}: pip install {package}"
            )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _check_ours(settings: BaseSettings, name: str) -> None:
    default, value = getattr(ours, name), settings[name]
    kind = ""
    if name in CHOICES:
        kind = "" if value in list(CHOICES[name]) else ", ".join(CHOICES[name])
    elif isinstance(default, bool | int | float):
        kind, read = _reader(settings, name, default)
        with suppress(OverflowError, TypeError, ValueError):
            read(name)
            return
    if kind:
        raise InputError(f"setting {name} is {value!r}; it can be {kind}")
