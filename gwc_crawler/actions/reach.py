"""Which sites a command means, found also where a site file is gone or broken; the Redis servers that they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from gwc_crawler.actions.sites import site_files_of
from gwc_crawler.errors import InputError
from gwc_crawler.spiders.site_files import site_directory

if TYPE_CHECKING:
    from gwc_crawler.frontier.fleet import Fleet
    from gwc_crawler.frontier.redis_scripts import Server

REDIS_SETTINGS = ("REDIS_URL", "REDIS_HOST", "REDIS_PORT", "REDIS_DB", "REDIS_PARAMS")


@dataclass(frozen=True)
class Place:
    """A site by name, where its data lies, and the settings in force for it."""

    name: str
    directory: Path
    settings: Settings

    @property
    def shared(self) -> bool:
        """Whether its crawl is shared through Redis."""
        return bool(self.settings["GWC_FRONTIER"] == "redis")


def places(command: ScrapyCommand, name: str | None = None, others: Iterable[str] = ()) -> Iterator[Place]:
    """Find the site called *name* (or by a path), or all that have a site file or a data directory, and *others*.

    Raises:
        UsageError, InputError: there is no site *name*, or its file has mistakes; and there is no data either.
    """
    assert command.settings is not None
    data = Path(command.settings["GWC_DATA_DIR"])
    with_data = {path.name for path in data.glob("*") if path.is_dir()}
    with_data |= set(others)
    names = [name] if name is not None else sorted({*get_spider_loader(command.settings).list(), *with_data})
    for one in names:
        try:
            files = site_files_of(command, one)
            yield Place(files.site.name, files.directory, files.settings)
        except (UsageError, InputError):  # a file with mistakes, or none: there may be a crawl of it all the same
            if one in with_data:
                yield Place(one, site_directory(command.settings, one), command.settings)
            elif name is not None:
                raise


class Servers:
    """Connects to each Redis server once; *stack* closes the connections."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._known: dict[str, Server] = {}

    def fleet(self, settings: Settings) -> Fleet | None:
        """Return the register of the fleet that these settings name; None where a crawl is one process's own."""
        if settings["GWC_FRONTIER"] != "redis":
            return None
        from gwc_crawler.frontier.fleet import Fleet

        return Fleet(self.of(settings), settings["GWC_FLEET"])

    def of(self, settings: Settings) -> Server:
        """Return the server that these settings name.

        Raises:
            OutageError: it can't be reached.
            InputError: the settings don't describe one.
        """
        from gwc_crawler.spiders.redis_parts import connect  # Redis only where it is asked for

        key = repr([settings.get(name) for name in REDIS_SETTINGS])
        if key not in self._known:
            self._known[key] = connect(settings)
            self._stack.callback(self._known[key].close)
        return self._known[key]
