"""Learning in a process of its own: `scrapy learn SITE`, with this process's settings; ends when this process does."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings

from gwc_crawler.crawl.common import own_name
from gwc_crawler.crawl.context import TICK_SECONDS
from gwc_crawler.crawl.data_files import KNOWLEDGE_FILE, read_knowledge_file, site_directory
from gwc_crawler.errors import GwcError, InputError, LearnError, SiteError, StoreError
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import carried_knowledge
from gwc_crawler.wiring.options import is_in_redis, lease_options

logger = logging.getLogger(__name__)

_BY_CODE: dict[int | None, type[GwcError]] = {
    kind.exit_code: kind for kind in (InputError, SiteError, LearnError, StoreError)
}


async def learn_in_a_process(site: Site, settings: Settings) -> asyncio.subprocess.Process:
    """Start `scrapy learn` for *site*; what went wrong is the last line of its stderr."""
    given = [
        word
        for name in settings
        if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]
        for word in ("-s", f"{name}={_as_typed(settings[name])}")
    ]
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gwc_crawler.spiders.fleet.bound", str(os.getpid()), "learn", str(site.path), *given),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


def learning_error(code: int | None, errors: str) -> GwcError:
    """Return the error that a process of `learn_in_a_process` ended with."""
    lines = errors.strip().splitlines()
    return _BY_CODE.get(code, GwcError)(lines[-1] if lines else f"learning ended with code {code}")


def _as_typed(value: object) -> str:
    return json.dumps(value.copy_to_dict()) if isinstance(value, BaseSettings) else str(value)


class SharedLearning:
    """One site's knowledge (a member's is its template's) and the right to learn it, as the whole fleet sees them."""

    def __init__(self, site: Site, settings: BaseSettings) -> None:
        from gwc_crawler.crawl.redis_parts import check_server, connect
        from gwc_crawler.operate.fleet.register import LearningLock, SharedKnowledge  # Redis only if it is used

        self.name = site.template or site.name
        self._server = server = connect(settings)
        check_server(site.name, settings, server)
        self._lock = LearningLock(server, self.name, own_name(), lease_options(settings).seconds)
        self._knowledge = SharedKnowledge(server, self.name, site_directory(settings, self.name) / KNOWLEDGE_FILE)
        path = carried_knowledge(site)
        self._carried = read_knowledge_file(path) if path else None

    def sync(self) -> bool:
        """Bring the newest knowledge to this machine, or from it to the others; returns whether there is any."""
        return self._knowledge.sync(self._carried)

    def take(self) -> None:
        """Take the right to learn. Raises StoreError: another worker learns the site."""
        if not self._lock.take():
            raise StoreError(f"{self.name} is being learned by {self.holder()}; wait for it, or stop it")

    def holder(self) -> str | None:
        """Return the worker that learns the site."""
        return self._lock.holder()

    def take_or_wait(self) -> bool:
        """Take the right to learn, or wait until another has learned: False. Raises LearnError: that one could not."""
        told = False
        while not self._lock.take():
            if not told:
                logger.info("waiting for another worker to learn site=%s worker=%s", self.name, self.holder())
                told = True
            time.sleep(TICK_SECONDS / 2)
            if self.sync():
                return False
            if self.holder() is None and (failure := self._lock.failure()):
                raise LearnError(f"another worker could not learn {self.name}: {failure}")
        if self.sync():
            self._lock.release()
            return False
        return True

    def publish(self) -> None:
        """Hand what was learned on, and give the right back."""
        self._knowledge.publish()
        self._lock.release()

    def drop(self, failure: str = "") -> None:
        """Give the right back, if it is still held; those that wait hear of a *failure*."""
        self._lock.release(failure)

    def close(self) -> None:
        """Leave the server."""
        self._server.close()


def together(site: Site, settings: BaseSettings) -> SharedLearning | None:
    """Return the fleet's learning of *site*; None: not shared. OutageError: no Redis; RightsError: it refuses."""
    return SharedLearning(site, settings) if is_in_redis(settings) else None
