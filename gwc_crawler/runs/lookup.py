"""Find the site that a command means, its settings and files, also if its site file is gone or broken: `places`."""

from __future__ import annotations

import getpass
import json
import os
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Spider
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoaderProtocol, get_spider_loader

from gwc_crawler.crawl.data_files import (
    CRAWL_DB,
    KNOWLEDGE_FILE,
    SAMPLES_DB,
    knowledge_path,
    load_knowledge,
    make_site_directory,
    own_site_file,
    remembered_site_file,
    site_directory,
)
from gwc_crawler.errors import InputError, advice, did_you_mean
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.fleet.channel import SqliteChannel
from gwc_crawler.operate.fleet.control import Action, AskOutcome, RunKind, Steered, steer
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import suggest_site_name
from gwc_crawler.spiders.loader import SiteSpiderLoader
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder, has_tables
from gwc_crawler.urls import normalize_url
from gwc_crawler.wiring.check import with_site
from gwc_crawler.wiring.options import data_directory, fleet_name, intervals_of, is_in_redis, lease_options
from gwc_crawler.wiring.own_settings import check_settings, check_values

if TYPE_CHECKING:
    from gwc_crawler.frontier.protocol import Frontier
    from gwc_crawler.frontier.redis.stats import RedisLook
    from gwc_crawler.operate.fleet.register import Fleet
    from gwc_crawler.operate.queue import QueueView
    from gwc_crawler.operate.status import SiteStatus
    from gwc_crawler.store.redis_server import Server


@dataclass(frozen=True)
class SiteLocation:
    """A site by name, the settings in force for it, and where its data lies."""

    name: str
    settings: Settings

    @property
    def directory(self) -> Path:
        """The directory that holds all of them."""
        return site_directory(self.settings, self.name)

    @property
    def crawl_db(self) -> Path:
        """The crawl's database; may not exist yet."""
        return self.directory / CRAWL_DB

    @property
    def samples_db(self) -> Path:
        """The pre-crawl's database; may not exist yet."""
        return self.directory / SAMPLES_DB

    @property
    def shared(self) -> bool:
        """Whether its crawl is shared through Redis."""
        return is_in_redis(self.settings)


@dataclass(frozen=True)
class SiteFiles(SiteLocation):
    """The same with its site file."""

    site: Site

    def knowledge(self) -> Knowledge:
        """Load what was learned. Raises InputError: nothing is learned yet, or the file can't be read."""
        return load_knowledge(self.settings, self.site)

    def learned(self) -> Knowledge | None:
        """Load what was learned; None where nothing is yet. Raises InputError: the file can't be read."""
        return None if knowledge_path(self.settings, self.site) is None else self.knowledge()

    def require_crawl(self) -> Path:
        """Return the crawl's database. Raises InputError: the site has not been crawled."""
        if not has_tables(self.crawl_db):
            name = self.site.name
            raise InputError(
                f"{self.crawl_db}: not crawled yet; `scrapy crawl {name}` begins; see `scrapy status {name}`"
            )
        return self.crawl_db

    def max_weight(self, knowledge: Knowledge) -> int:
        """Return the weight threshold of the crawl: the site file's, else the learned one."""
        chosen = self.site.crawl.max_weight
        return knowledge.max_weight if chosen is None else chosen


def loader_of(command: ScrapyCommand) -> SpiderLoaderProtocol:
    """Return the project's spider loader: the crawler process's, if the command has one."""
    assert command.settings is not None
    process = command.crawler_process
    return get_spider_loader(command.settings) if process is None else process.spider_loader


def spider_class_of(command: ScrapyCommand, name: str) -> type[Spider]:
    """Return the spider class of a site (name, path), or of one in Python. UsageError: none such, or with mistakes."""
    try:
        return loader_of(command).load(name)
    except KeyError as error:
        assert command.settings is not None
        directory = site_directory(command.settings, name)
        meant = did_you_mean(name, loader_of(command).list())
        helps = f"{meant} `scrapy list` shows what there is" if meant else "`scrapy list` shows what there is"
        if directory.is_dir():
            was = remembered_site_file(directory)
            helps = f"there is data of it in {directory}: give the path of its site file"
            helps += f", which was {was}" if was else ", as the crawl got it"
        raise UsageError(f"no site or spider named {name!r}; {advice(helps)}", print_help=False) from error


def site_class_of(command: ScrapyCommand, name: str) -> type[SiteSpider]:
    """Return the spider class of a site. UsageError: none such, its file has mistakes, or it has no site file."""
    spider_class = spider_class_of(command, name)
    if not issubclass(spider_class, SiteSpider):
        raise UsageError(f"{name!r} is a spider written in Python; this is for site files", print_help=False)
    return spider_class


def site_files_of(command: ScrapyCommand, name: str) -> SiteFiles:
    """Return the site that *name* (or path) means, with its own [settings] in force; UsageError as `site_class_of`."""
    assert command.settings is not None
    site = site_class_of(command, name).site
    settings = with_site(command.settings, site)
    check_settings(settings)
    check_values(settings, ("DEPTH_LIMIT", "URLLENGTH_LIMIT"))  # what a command goes by that does not crawl
    return SiteFiles(site.name, settings, site)


def site_name_of(args: list[str], spider_arguments: dict[str, str]) -> str:
    """Return the one site that the command line names, as NAME, as a path, or as `-a site=PATH`."""
    path = spider_arguments.pop("site", None)
    if path is not None and (not args or args == ["site"]):
        return path
    if path is not None or len(args) != 1:
        raise UsageError("name one site: a name that `scrapy list` shows, or a path to a site file")
    return args[0]


def site_at(command: ScrapyCommand, name: str) -> str:
    """Return *name*; for an address the path of the site file that begins there, made if there is none.

    Raises InputError: it is no address of a page, or this host's site file begins elsewhere; StoreError: the file can't
    be written.
    """
    if "://" not in name:
        return name
    loader, entry, host = loader_of(command), normalize_url(name), suggest_site_name(name)
    assert isinstance(loader, SiteSpiderLoader)
    assert command.settings is not None
    try:
        path = loader.path_of(host)
    except KeyError:
        path = own_site_file(site_directory(command.settings, host), host)
        make_site_directory(path.parent)
        path.write_text(f"# The whole site\nentry = [{json.dumps(entry)}]\n", encoding="utf-8")
    if entry not in (entries := loader.site(str(path)).entry):
        own = f"for what begins at {entry} write a file of its own: entry = [{json.dumps(entry)}] in sites/NAME.toml"
        told = f"{path} is the site file of {host}, and begins at {entries[0]}; `scrapy crawl {host}` crawls it; {own}"
        raise InputError(f"{told}, and `scrapy crawl NAME`: without a file, a host has one crawl")
    return str(path)


def places(command: ScrapyCommand, name: str | None = None, others: Iterable[str] = ()) -> Iterator[SiteLocation]:
    """Find the site called *name* (or by a path), or all that have a site file or a data directory, and *others*.

    Raises UsageError, InputError: there is no site *name*, or its file has mistakes; and there are no data either.
    """
    assert command.settings is not None
    data = data_directory(command.settings)
    with_data = {path.name for path in data.glob("*") if path.is_dir()}.union(others)
    names = [name] if name is not None else sorted({*get_spider_loader(command.settings).list(), *with_data})
    for one in names:
        try:
            yield site_files_of(command, one)
        except (UsageError, InputError):  # a file with mistakes, or none: there may be a crawl of it all the same
            if one in with_data:
                yield SiteLocation(one, command.settings)
            elif name is not None:
                raise


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
        from gwc_crawler.operate.fleet.register import Fleet

        return Fleet(self.of(settings), fleet_name(settings))

    def of(self, settings: Settings) -> Server:
        """Return the server that these settings name. OutageError: it can't be reached; InputError: they name none."""
        from gwc_crawler.crawl.redis_parts import connect  # Redis only if it is used

        key = repr([settings.get(name) for name in REDIS_SETTINGS])
        if key not in self._known:
            self._known[key] = connect(settings)
            self._stack.callback(self._known[key].close)
        return self._known[key]


def look_at(place: SiteLocation, servers: Servers, *, briefly: bool = False) -> SiteStatus:
    """Look at a site in its files and, where its crawl is shared, in Redis; *briefly*: by a few look-ups."""
    from gwc_crawler.operate.status import shared_status, site_status  # a crawl looks at nothing

    how: dict[str, Any] = {"now": time.time(), "lease_seconds": None, "intervals": None}
    if not briefly:
        how |= {"lease_seconds": lease_options(place.settings).seconds, "intervals": intervals_of(place.settings)}
    return site_status(
        place.name,
        knowledge=None if briefly else place.directory / KNOWLEDGE_FILE,
        samples_db=place.samples_db,
        crawl_db=place.crawl_db,
        shared=(lambda: shared_status(shared_look(place, servers), place.crawl_db, place.name, **how))
        if place.shared
        else None,
        **how,
    )


# --- The runs that can be asked to pause, go on or stop: a site's crawl and pre-crawl; and the person who asks --------


def user_name() -> str:
    """Return the person who asks, and where; in a container a user's number may have no name."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return f"{name}@{socket.gethostname()}"


def ask_crawl(place: SiteLocation, servers: Servers, action: Action, wait_seconds: float) -> list[AskOutcome]:
    """Ask the runs of one site to pause, go on or stop, and wait so long for that."""
    with ExitStack() as stack:
        controls = list(controls_of(place, servers, stack, resting=True))
        return steer(controls, action, user_name(), wait_seconds=wait_seconds, keep_pause=True)


def controls_of(place: SiteLocation, servers: Servers, stack: ExitStack, *, resting: bool) -> Iterator[Steered]:
    """Yield the runs of one site that can be steered; with *resting* also the file of a crawl without workers."""
    if place.shared:
        from gwc_crawler.crawl.redis_parts import open_channel

        channel = open_channel(place.name, place.settings, servers.of(place.settings))
        yield Steered(place.name, RunKind.CRAWL, channel)
    for run, path in ((RunKind.CRAWL, place.crawl_db), (RunKind.PRECRAWL, place.samples_db)):
        is_crawl = run is RunKind.CRAWL
        here = not (place.shared and is_crawl) and path.exists()
        if here and (crawl_holder(path) or (resting and is_crawl)):
            database = stack.enter_context(CrawlDatabase(path))
            yield Steered(place.name, run, SqliteChannel(database), partial(crawl_holder, path))


@contextmanager
def opened(path: Path) -> Iterator[CrawlDatabase | None]:
    """Open a crawl's database for reading; None if there is none."""
    with ExitStack() as stack:
        yield stack.enter_context(CrawlDatabase(path, read_only=True)) if has_tables(path) else None


@contextmanager
def frontier_of(files: SiteFiles, *, max_weight: int | None = None, make: bool = False) -> Iterator[Frontier]:
    """Open the frontier of a site beside a crawl that may be running; only with *make* it need not exist yet."""
    if is_in_redis(files.settings):
        from gwc_crawler.crawl.redis_parts import connect, shared_frontier  # Redis only if it is used

        with closing(connect(files.settings)) as server:
            yield shared_frontier(files.site.name, files.settings, server, files.max_weight(files.knowledge()))
        return
    from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier

    with CrawlDatabase(files.crawl_db if make else files.require_crawl()) as database:
        seconds = lease_options(files.settings).seconds
        yield SqliteFrontier(database, max_weight=max_weight, lease_seconds=seconds, exclusive=False)


def add_urls(files: SiteFiles, urls: Sequence[str], *, force: bool, dry_run: bool) -> list[dict[str, Any]]:
    """Let URLs wait, all or none, as `scrapy queue add`; with *dry_run* say what would become of them."""
    from gwc_crawler.operate.queue import add_start, rules_of  # only where it is asked for

    knowledge = files.knowledge()
    rules = rules_of(urls, files.site, knowledge, force=force)
    with frontier_of(files, max_weight=files.max_weight(knowledge), make=True) as frontier:
        return [add_start(frontier, url, rule, dry_run=dry_run) for url, rule in rules.items()]


@contextmanager
def look_of(files: SiteFiles) -> Iterator[QueueView]:
    """Look into the frontier of a site; nothing is changed, also where the knowledge here is another one."""
    if files.shared:
        with ExitStack() as stack:
            yield shared_look(files, Servers(stack))
        return
    from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier

    with CrawlDatabase(files.require_crawl(), read_only=True) as database:
        yield SqliteFrontier(database, exclusive=False)


def shared_look(place: SiteLocation, servers: Servers) -> RedisLook:
    """Look into the queue that a site's workers share. Raises StoreError: Redis doesn't answer, or refuses."""
    from gwc_crawler.crawl.redis_parts import open_look  # Redis only if it is used

    return open_look(place.name, place.settings, servers.of(place.settings))
