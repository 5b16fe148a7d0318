"""Which site a command means, its settings and files; JSON and tables for its answer.

Called by all actions; a command that knows only a name, because the site file is gone or broken, asks `reach`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from scrapy import Spider
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoaderProtocol, get_spider_loader

from gwc_crawler.commands.frame import check_settings
from gwc_crawler.errors import InputError
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.sites import Site
from gwc_crawler.spiders.learned import load_knowledge
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.spiders.site_files import CRAWL_DB, SAMPLES_DB, site_directory


@dataclass(frozen=True)
class SiteFiles:
    """A site, the settings it is crawled with, and where its things lie."""

    site: Site
    settings: Settings

    @property
    def directory(self) -> Path:
        """The directory that holds all of them."""
        return site_directory(self.settings, self.site.name)

    @property
    def crawl_db(self) -> Path:
        """The crawl's database; may not exist yet."""
        return self.directory / CRAWL_DB

    @property
    def samples_db(self) -> Path:
        """The pre-crawl's database; may not exist yet."""
        return self.directory / SAMPLES_DB

    def knowledge(self) -> Knowledge:
        """Load what was learned.

        Raises:
            InputError: nothing is learned yet, or the file can't be read.
        """
        return load_knowledge(self.settings, self.site)

    def require_crawl(self) -> Path:
        """Return the crawl's database.

        Raises:
            InputError: the site has not been crawled.
        """
        if not self.crawl_db.exists():
            raise InputError(f"{self.crawl_db}: not crawled yet; run `scrapy crawl {self.site.name}` first")
        return self.crawl_db

    def max_weight(self, knowledge: Knowledge) -> int:
        """Return the weight threshold of the crawl: the site file's, else the learned one."""
        chosen = self.site.crawl.max_weight
        return knowledge.max_weight if chosen is None else chosen


def loader_of(command: ScrapyCommand) -> SpiderLoaderProtocol:
    """Return the project's spider loader: that of the crawler process, where the command has one."""
    assert command.settings is not None
    process = command.crawler_process
    return get_spider_loader(command.settings) if process is None else process.spider_loader


def spider_class_of(command: ScrapyCommand, name: str) -> type[Spider]:
    """Return the spider class of a site (its name, or a path to its file) or of a spider written in Python.

    Raises:
        UsageError: there is none, or the site file has mistakes.
    """
    try:
        return loader_of(command).load(name)
    except KeyError as error:
        raise UsageError(
            f"no site or spider named {name!r}; `scrapy list` shows what there is", print_help=False
        ) from error


def site_class_of(command: ScrapyCommand, name: str) -> type[SiteSpider]:
    """Return the spider class of a site.

    Raises:
        UsageError: there is no such site, its file has mistakes, or the name is that of a spider without a site file.
    """
    spider_class = spider_class_of(command, name)
    if not issubclass(spider_class, SiteSpider):
        raise UsageError(f"{name!r} is a spider written in Python; this is for site files", print_help=False)
    return spider_class


def site_files_of(command: ScrapyCommand, name: str) -> SiteFiles:
    """Return the site that *name* (or path) means, with its own [settings] in force; UsageError as `site_class_of`."""
    assert command.settings is not None
    site = site_class_of(command, name).site
    settings = command.settings.copy()
    settings.setdict(dict(site.settings), priority="spider")
    check_settings(settings)
    return SiteFiles(site, settings)


def print_json(value: Any) -> None:
    """Print one JSON document to stdout; paths, enums and the like as texts."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def console() -> Console:
    """Return the console for tables and texts; a pipe or file gets lines as long as they are."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, emoji=False)
