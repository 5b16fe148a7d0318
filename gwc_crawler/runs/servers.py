"""The Redis servers that crawls share, connected to once for one command."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from scrapy.settings import Settings

from gwc_crawler.config import fleet_name, is_in_redis

if TYPE_CHECKING:
    from gwc_crawler.fleet import Fleet
    from gwc_crawler.redis_server import Server

REDIS_SETTINGS = ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_PARAMS")


class Servers:
    """Connects to each Redis server once; *stack* closes the connections."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._known: dict[str, Server] = {}

    def fleet(self, settings: Settings) -> Fleet | None:
        """Return the register of the fleet that these settings name; None where a crawl is one process's own."""
        if not is_in_redis(settings):
            return None
        from gwc_crawler.fleet import Fleet

        return Fleet(self.of(settings), fleet_name(settings))

    def of(self, settings: Settings) -> Server:
        """Return the server that these settings name.

        Raises:
            OutageError: it can't be reached.
            InputError: the settings don't describe one.
        """
        from gwc_crawler.assembly import connect  # Redis only where it is asked for

        key = repr([settings.get(name) for name in REDIS_SETTINGS])
        if key not in self._known:
            self._known[key] = connect(settings)
            self._stack.callback(self._known[key].close)
        return self._known[key]
