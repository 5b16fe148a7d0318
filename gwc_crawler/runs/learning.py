"""Stored pages → the knowledge of a site, and its file: for `scrapy learn`, a first crawl, and `scrapy fix`.

For a sample that the pre-crawl lacks, the page that the crawl has stored is used.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from scrapy.settings import Settings

from gwc_crawler.crawl.data_files import (
    KNOWLEDGE_FILE,
    SAMPLES_DB,
    SITE_FILE_KEY,
    learn_task,
    learning_digest,
    site_directory,
)
from gwc_crawler.crawl.limits import unfetched_sample
from gwc_crawler.errors import InputError, LearnError
from gwc_crawler.frontier.rejections import unasked
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, keep_previous
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.reader import PageReader
from gwc_crawler.runs.lookup import SiteFiles
from gwc_crawler.runs.records import open_reader
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.sqlite.database import CrawlDatabase, has_tables
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import count_waiting_urls
from gwc_crawler.store.sqlite.state import DraftTable
from gwc_crawler.store.sqlite.stats import read_stored_pages

logger = logging.getLogger(__name__)


def learn_stored(
    site: Site, settings: Settings, mode: LearnMode | None = None, known: Knowledge | None = None
) -> Knowledge:
    """Learn from the stored pages; nothing is written. *known*: knowledge just learned from them.

    InputError: no page is stored. LearnError: the pages don't show what the site file describes.
    """
    from gwc_crawler.learn.site import learn_site  # a crawl imports the learner only when it has to learn

    path = site_directory(settings, site.name) / SAMPLES_DB
    if not has_tables(path):
        raise InputError(f"{path}: no stored pages to learn from; run `scrapy learn {site.name}` without --offline")
    database = CrawlDatabase(path, read_only=True)
    try:
        began = time.monotonic()
        pages = _pages(database, SiteFiles(site.name, settings, site))
        knowledge = known or learn_site(learn_task(site, mode), pages)
        left_out, looks = unasked(database), DraftTable(database).rows(learning_digest(site))
        waiting = count_waiting_urls(database)
    except LearnError as error:
        if (problem := unfetched_sample(site, database, settings)) is None:
            raise
        raise LearnError(f"{site.name}: sample page {problem}") from error
    finally:
        database.close()
    logger.info(
        "learned site=%s seconds=%.1f targets=%d directories=%d max_weight=%d",
        *(site.name, time.monotonic() - began, len(knowledge.targets)),
        *(len(knowledge.directories), knowledge.max_weight),
    )
    return replace(
        knowledge,
        learned_at=datetime.now(UTC).isoformat(timespec="seconds"),
        evidence={
            **knowledge.evidence,
            **({"not_asked_for": left_out} if left_out else {}),
            **({"looks": [one.told for one in looks], "waiting": waiting} if looks else {}),
            SITE_FILE_KEY: learning_digest(site),
        },
    )


def keep_learned(knowledge: Knowledge, directory: Path, *first: Callable[[], None]) -> None:
    """Write the knowledge file, keep the previous one; with *first* or not at all. StoreError: it can't be written."""
    file = directory / KNOWLEDGE_FILE
    knowledge.save(file, *first, partial(keep_previous, file))


def page_to_learn_from(files: SiteFiles, url: str) -> StoredPage | None:
    """Return the page of the pre-crawl, else of the crawl; None: neither has it. StoreError: one can't be read."""
    if has_tables(files.samples_db):
        with CrawlDatabase(files.samples_db, read_only=True) as database:
            if (page := SqliteReader(database, files.site.name).stored_page(url)) is not None:
                return page
    try:
        with open_reader(files) as reader:
            return reader.stored_page(url)
    except InputError:  # there has been no crawl, or its pages are elsewhere
        return None


def _pages(database: CrawlDatabase, files: SiteFiles) -> Iterator[StoredPage]:
    """Yield the pages of the pre-crawl, then pages of samples that only the crawl has."""
    missing = {sample.url: None for sample in files.site.samples}
    for page in read_stored_pages(database):
        for url in page.addresses:
            missing.pop(url, None)
        missing.pop(page.requested, None)
        yield page
    reader = PageReader(None, files.site.sites)
    for url in missing:
        if (found := page_to_learn_from(files, url)) is not None:
            links = reader.read(found.url, found.html, found.content_type).links
            yield replace(found, links=tuple(links))
