"""`scrapy new URL`: a starter site file for the site of an address, which leads through its own filling in."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler import sites
from gwc_crawler.commands.frame import SiteCommand
from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.program import advice

HELP = """
    Writes sites/NAME.toml, NAME being the host of the address (without "www."), and never overwrites a file.
    The address may be the site's front page, or a page whose record you want: that becomes the first sample.

    Exit codes: 0 written; 2 no http(s) address, the file exists, or the name can't be used; 5 it can't be written.

    Example:
      scrapy new https://books.example.com/product/9780785143727 --name books
"""


class Command(SiteCommand, ScrapyCommand):
    """Write a site file to fill in."""

    arguments = "<address>"
    summary = "Write a starter site file for the site of an address"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        parser.add_argument("--name", help="name of the site and its file (default: from the host)")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the file and say what comes next."""
        if len(args) != 1:
            raise UsageError("name one address, e.g. https://books.example.com/")
        assert self.settings is not None
        path = write_site_file(Path(self.settings["GWC_SITES_DIR"]), args[0], opts.name)
        print(next_steps(path))


def write_site_file(directory: Path, url: str, name: str | None = None) -> Path:
    """Write the starter file of *url*'s site into *directory*, which is made when missing; returns its path.

    Raises:
        InputError: no http(s) address, a name that can't be one, or the file exists.
        StoreError: it can't be written.
    """
    name = name or sites.suggest_site_name(url)
    text = sites.site_template(url, name)
    if not sites.is_site_name(name):
        raise InputError(f"{name!r} can't be a site's name ({sites.SITE_NAME_RULE}); choose another: --name NAME")
    path = directory / f"{name}.toml"
    if path.exists():
        raise InputError(f"{path} exists already and stays as it is; choose another name: --name NAME")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StoreError(f"{path} can't be written ({error.strerror}); mend the directory (GWC_SITES_DIR)") from error
    return path


def next_steps(path: Path) -> str:
    """Say what a person does with the new file."""
    name = shlex.quote(path.stem)
    return f"wrote {path}\n" + advice(
        f"  1. open it and fill in two pages whose records you want, with the values you see there\n"
        f"  2. scrapy learn {name}      pre-crawls and shows what was learned\n"
        f"  3. scrapy crawl {name}      brings the records home"
    )
