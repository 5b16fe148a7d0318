"""What commands share on their way in and out: which site is meant, its settings and files, help texts, JSON.

Used by all commands; how a crawl is run is in `runs`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from rich.console import Console
from scrapy import Spider
from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings
from scrapy.spiderloader import get_spider_loader

from gwc_crawler import settings as ours
from gwc_crawler.errors import EXIT_INTERRUPTED, GwcError, InputError, SiteFileError
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.sites import Site
from gwc_crawler.spiders.learned import load_knowledge
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.spiders.workbench import CRAWL_DB, SAMPLES_DB, site_directory


@contextmanager
def reported_errors(command: ScrapyCommand) -> Iterator[None]:
    """Turn our errors into one readable message on stderr and the documented exit code; no traceback."""
    try:
        yield
        sys.stdout.flush()
    except GwcError as error:
        print(error, file=sys.stderr)
        command.exitcode = error.exit_code
    except UsageError as error:
        if not isinstance(error.__cause__, SiteFileError):
            raise
        print(error, file=sys.stderr)  # the file is wrong, not the command line: no usage
        command.exitcode = error.__cause__.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        command.exitcode = EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe has seen enough; nothing may be written to it any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


def spider_class_of(command: ScrapyCommand, name: str) -> type[Spider]:
    """Return the spider class of a site (its name, or a path to its file) or of a spider written in Python.

    Raises:
        UsageError: there is none, or the site file has mistakes.
    """
    assert command.settings is not None
    try:
        return get_spider_loader(command.settings).load(name)
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


def check_options(args: list[str]) -> None:
    """Refuse what looks like an option but is none: Scrapy hands it on as an argument."""
    for argument in args:
        if argument.startswith("-"):
            raise UsageError(f"unknown option {argument}")


def check_settings(settings: BaseSettings) -> None:
    """Refuse a value of one of our settings that is of another kind than the default.

    Raises:
        InputError: the first such setting, and what it can be.
    """
    for name, default in vars(ours).items():
        if name.startswith("GWC_") and type(default) in KINDS:
            reader, kind = KINDS[type(default)]
            try:
                getattr(settings, reader)(name)
            except (TypeError, ValueError):
                raise InputError(f"setting {name} is {settings[name]!r}; it can be {kind}") from None


KINDS = {bool: ("getbool", "True or False"), int: ("getint", "a whole number"), float: ("getfloat", "a number")}
"""How the settings are read whose default is of that type."""


def add_help(parser: argparse.ArgumentParser, text: str) -> None:
    """Show *text*, line by line as it stands, at the end of `--help`."""
    parser.formatter_class = _HelpWithText
    parser.epilog = dedent(text).strip()


class _HelpWithText(ScrapyHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Scrapy's help; texts of several lines keep their lines."""


def print_json(value: Any) -> None:
    """Print one JSON document to stdout; paths, enums and the like as texts."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def console() -> Console:
    """Return the console for tables and texts; a pipe or file gets lines as long as they are."""
    return Console(width=None if sys.stdout.isatty() else 200, highlight=False)
