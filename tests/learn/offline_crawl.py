"""The development corpora as stored sites, pre-crawled without a network."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.gwc.simulation import precrawl
from benchmarks.gwc.stored_site import StoredSite
from gwc_crawler.items import StoredPage
from gwc_crawler.page.reader import ReadOptions
from tests.eval.corpora import CorporaAbsent, corpora_root

ENTRIES = {"w3school": "/index.html", "scipydoc": "/index.html"}


def open_corpus(name: str) -> StoredSite:
    """The unpacked corpus; the test skips where there is none."""
    try:
        return StoredSite(name, corpora_root() / name, ENTRIES.get(name, "/"))
    except CorporaAbsent as absent:
        pytest.skip(str(absent))


def tasks_of(site: StoredSite) -> list[dict[str, Any]]:
    """The ready-made jobs of a corpus, as they stand in its file."""
    return json.loads((site.directory / "tasks.json").read_text(encoding="utf-8"))


def precrawled(site: StoredSite, keywords: str, *, pages: int, first: tuple[str, ...] = ()) -> list[StoredPage]:
    """Crawl from the entry, and *first* as sample pages are, as the paper's initialisation does."""
    return precrawl(site, first, ReadOptions(keywords=keywords), pages)
