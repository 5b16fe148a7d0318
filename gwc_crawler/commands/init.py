"""`gwc init DIR`: a project of one's own, ready for git and scrapyd."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

import gwc_crawler
from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, advice, unwritten

PROFILES = "settings_profiles"
TEMPLATES = {
    "scrapy.cfg": "scrapy.cfg",
    "setup.py": "setup.py.txt",
    "requirements.txt": "requirements.txt",
    ".gitignore": "gitignore",
    "sites/__init__.py": "sites.py.txt",
}


class Command(SiteCommand, ScrapyCommand):
    """Make a project: profiles, sites/, scrapy.cfg, for git and scrapyd."""

    requires_project = False
    arguments = "[directory]"
    help_text = """
    Writes a Scrapy project into DIR (by default this directory), which is made when missing: scrapy.cfg, a settings
    module for each way of running in settings_profiles/, sites/ for site files, setup.py for scrapyd-deploy,
    requirements.txt and .gitignore. Files that are there already are never overwritten: then nothing is written.

    --json prints an object: directory, files [paths below it].

    Exit codes: 0 written; 2 some of these files exist already (it says which); 5 they can't be written.

    Example:
      gwc init shops && cd shops && gwc new https://books.example.com/
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser, " instead of what to do next")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) > 1:
            raise UsageError("name one directory, e.g. shops; none for this one")
        directory = Path(args[0] if args else ".")
        files = project_files(directory.resolve().name)
        write_files(directory, files)
        self.answer(opts, {"directory": str(directory), "files": sorted(files)}, _next_steps(directory))


def project_files(name: str) -> dict[str, str]:
    """Return path → text of a project's files; *name* becomes the name for scrapyd, without unusable letters."""
    from importlib.resources import files  # slow to load, and every command loads this module
    from string import Template

    package = files("gwc_crawler")
    profiles = {
        one.name: one.read_text("utf-8") for one in (package / "profiles").iterdir() if one.name.endswith(".py")
    }
    ways = sorted({path.removesuffix(".py") for path in profiles} - {"__init__", "local"})
    lines = [f"default = {PROFILES}.local", *(f"{way.replace('_', '-')} = {PROFILES}.{way}" for way in ways)]
    values = {
        "profiles": "\n".join(lines),
        "project": re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "crawls",
        "version": gwc_crawler.__version__,
    }
    templates = {
        path: Template((package / "project_files" / source).read_text("utf-8")).substitute(values)
        for path, source in TEMPLATES.items()
    }
    return {**templates, **{f"{PROFILES}/{path}": profiles[path] for path in sorted(profiles)}}


def write_files(directory: Path, texts: Mapping[str, str]) -> None:
    """Write all files into *directory*, or none. Raises InputError: some exist; StoreError: one can't be written."""
    there = [path for path in texts if (directory / path).exists()]
    if there:
        told = f"{', '.join(there)} exist{'s' * (len(there) == 1)} already and nothing was written"
        raise InputError(f"{directory}: {told}; choose another directory, or move them away")
    try:
        for path, text in texts.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            with (directory / path).open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as error:
        raise unwritten(error.filename, error, "mend the directory") from error


def _next_steps(directory: Path) -> str:
    place = shlex.quote(str(directory))
    steps = (
        f"wrote a project into {place}",
        *([f"  cd {place}"] if directory != Path() else []),
        "  scrapy new https://books.example.com/   proposes a site file, sites/books.example.com.toml",
        "  scrapy crawl books.example.com          brings the records home",
    )
    return advice("\n".join(steps))
