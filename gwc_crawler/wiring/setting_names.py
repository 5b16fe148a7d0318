"""Which settings there are, and what a misspelt name was meant to be: it would change nothing, and nobody would know.

`check_names` is asked with our own settings' values (`own_settings`); of a site file, whose lines are known, `sites`
asks by `known_names`, which the loader gives it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

from gwc_crawler import settings as ours
from gwc_crawler.config import where
from gwc_crawler.errors import InputError

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
"""What Scrapy, scrapy-redis and we read without a default."""

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
    """Refuse a `GWC_…` that we don't have, wherever it stands, and on the command line a near miss of any setting.

    Raises:
        InputError: the first such name, where it stands, and what was likely meant.
    """
    typed = SETTINGS_PRIORITIES["cmdline"]
    odd = [name for name in settings if name.startswith(OURS) or settings.getpriority(name) == typed]
    known = known_names(settings) if odd else frozenset()
    for name in odd:
        if name not in known:
            _refuse(name, known, where(settings, name))


def likely_misspelt() -> Iterator[tuple[str, str]]:
    """Yield the names in the project's settings that are a slip away from one of Scrapy's, with what was likely meant.

    They are not refused: a plug-in may read them.
    """
    from gwc_crawler.sites import near_miss

    module = sys.modules.get(os.environ.get("SCRAPY_SETTINGS_MODULE", ""))
    known = {name for name in vars(default_settings) if name.isupper()}
    theirs = known | {*own_names(), *_WITHOUT_DEFAULT.split(), *_OF_PLUGINS.split()}
    for name in vars(module) if module else ():
        if name.isupper() and name not in theirs and (meant := near_miss(name, known)):
            yield name, meant


def _refuse(name: str, known: frozenset[str], place: str) -> None:
    from gwc_crawler.sites import near_miss, suggest  # only where something is wrong: each command loads this

    meant = suggest(name, own_names()) if name.startswith(OURS) else near_miss(name, known)
    if name.startswith(OURS) or meant:
        raise InputError(f"unknown setting {name} {place} ({meant or 'gwc_crawler/settings.py has those there are'})")
