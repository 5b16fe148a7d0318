"""A site on disk, as its server serves it, with the pages that are to be found on it.

In: a directory of corpora, each with `site/` (the document root), `tasks.json` (keywords, sample pages and the form of
the targets' URLs) and `truth.jsonl` (a row for each target). Out: `StoredSite`s and their `Job`s.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_plus, urlsplit

from gwc_crawler.urls import normalize_url

_NO_PAGE = frozenset(
    {".css", ".js", ".xml", ".txt", ".png", ".gif", ".jpg", ".ico", ".svg", ".json", ".xsl", ".map", ".woff"}
)
_INDEX = "index.html"


class SitesAbsent(RuntimeError):
    """There are no stored sites; says what to set."""


class Answer(NamedTuple):
    """What the server gives: the URL after redirects, and the file that holds the page."""

    url: str
    file: Path


@dataclass(frozen=True)
class ServedFiles:
    """The files below *root* as a server at *origin* gives them."""

    root: Path
    origin: str

    def answer(self, url: str) -> Answer | None:
        """Answer a request, redirects followed; None for what is no page."""
        parts = urlsplit(url)
        path = unquote(parts.path).lstrip("/")
        file = self._files.get((path, unquote_plus(parts.query))) or self._files.get((path, ""))
        if file is None and (file := self._files.get((f"{path.rstrip('/')}/{_INDEX}".lstrip("/"), ""))):
            slash = "" if parts.path.endswith("/") else "/"
            url = f"{self.origin}{parts.path}{slash}" + (f"?{parts.query}" if parts.query else "")
        return None if file is None or file.suffix in _NO_PAGE else Answer(url, file)

    @cached_property
    def _files(self) -> dict[tuple[str, str], Path]:
        """(Path, decoded query) → file: a query is part of the file's name, however a link spells it."""
        found = {}
        for folder, _, names in os.walk(self.root):
            for name in names:
                file = Path(folder, name)
                path, _, query = str(file.relative_to(self.root)).partition("%3F")
                found[path, unquote_plus(query)] = file
        return found


@dataclass(frozen=True)
class Job:
    """One class of target pages of a site: what is given to learn it, and which files hold a target."""

    name: str
    keywords: str
    samples: tuple[str, ...]
    targets: frozenset[Path]


@dataclass(frozen=True)
class StoredSite:
    """One site; its pages are given addresses at `origin`."""

    name: str
    directory: Path
    entry_path: str = "/"

    @property
    def origin(self) -> str:
        """Scheme and host."""
        return f"http://{self.name}.example"

    @property
    def entry(self) -> str:
        """Where a crawl begins."""
        return self.origin + self.entry_path

    def answer(self, url: str) -> Answer | None:
        """Answer as the site's server does, redirects followed; None for what is no page."""
        return self._served.answer(url)

    @cached_property
    def _served(self) -> ServedFiles:
        return ServedFiles(self.directory / "site", self.origin)

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """The classes of target pages, in the order of `tasks.json`."""
        targets: dict[str, set[Path]] = {}
        for line in (self.directory / "truth.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if answer := self.answer(self.origin + row["url"]):
                targets.setdefault(row["group"], set()).add(answer.file)
        return tuple(
            Job(task["group"], task["keywords"], self._urls(task["samples"]), frozenset(targets[task["group"]]))
            for task in json.loads((self.directory / "tasks.json").read_text(encoding="utf-8"))
            if task["group"] in targets
        )

    def _urls(self, samples: list[dict[str, Any]]) -> tuple[str, ...]:
        urls = (self.origin + sample["url"] for sample in samples)
        return tuple(normalize_url(url) or url for url in urls)


def stored_sites(directory: Path | None) -> list[StoredSite]:
    """The sites in *directory* (None: in the one that GWC_CORPORA names), by name.

    Raises:
        SitesAbsent: there are none.
    """
    named = directory or (Path(given) if (given := os.environ.get("GWC_CORPORA")) else None)
    if named is None:
        raise SitesAbsent("no stored sites: set GWC_CORPORA, or --corpora, to the directory they are unpacked in")
    found = list(_sites_in(named))
    if not found:
        raise SitesAbsent(f"{named}: no stored sites there: a site is a directory with site/, tasks.json, truth.jsonl")
    return found


def _sites_in(directory: Path) -> Iterator[StoredSite]:
    listed = directory / "sites.json"
    rows = json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else []
    entries = {row["name"]: urlsplit(row["entry"]).path for row in rows}
    for file in sorted(directory.glob("*/tasks.json")):
        if (file.parent / "truth.jsonl").is_file() and (file.parent / "site").is_dir():
            yield StoredSite(file.parent.name, file.parent, entries.get(file.parent.name, "/"))
