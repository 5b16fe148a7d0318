"""The pipeline that keeps bodies as files, before their pages are complete: a crash never leaves a page without one.

Files are named by their content, so one that is kept again is the same file.
"""

from __future__ import annotations

from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.utils.defer import ensure_awaitable

from gwc_crawler.crawl.data_files import site_directory
from gwc_crawler.errors import StoreError
from gwc_crawler.items import KeptFile, PageKind, Visit
from gwc_crawler.modes import HtmlFiles
from gwc_crawler.store.kept_files import kind_of, path_of_content, path_of_page
from gwc_crawler.store.sink import is_kept
from gwc_crawler.wiring.options import setting_choice


class FilesPipeline:
    """Keeps the bodies that GWC_KEEP_FILES, GWC_HTML_FILES and the site's fields ask for."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FilesPipeline:
        if "GWC_KEEP_FILES" not in crawler.settings:
            raise NotConfigured
        return cls(crawler)

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._html = setting_choice(crawler.settings, "GWC_HTML_FILES", HtmlFiles)

    def process_item(self, item: Any) -> Any:
        """Keep the body of a visit as a file, if it is wanted; the visit goes on when the file is safe."""
        if not isinstance(item, Visit) or not item.page.body or not hasattr(self._spider, "files"):
            return item  # pages of a pre-crawl are only learned from
        kept = self._file_of(item) if item.page.kind is PageKind.BINARY else self._html_of(item)
        return item if kept is None else self._keep(item, kept)

    def _file_of(self, visit: Visit) -> KeptFile | None:
        page, spider = visit.page, self._spider
        choice = spider.files
        if not choice.keeps_any:
            return None
        kind = kind_of(page.body, page.content_type)
        if not choice.keeps(kind, is_target=spider.knowledge.is_target(visit.lease.url)):
            return None
        path, digest = path_of_content(page.body, kind, page.title)
        return KeptFile(path, kind, len(page.body), digest, page.title)

    def _html_of(self, visit: Visit) -> KeptFile | None:
        page = visit.page
        if not is_kept(self._html, page.kind):
            return None
        _, digest = path_of_content(page.body, "text/html", "")
        return KeptFile(path_of_page(page.url), "text/html", len(page.body), digest, "")

    async def _keep(self, visit: Visit, kept: KeptFile) -> Visit:
        try:
            await ensure_awaitable(self._store.persist_file(kept.path, BytesIO(visit.page.body), None))
        except Exception as error:  # whatever a store's client raises
            text = f"{kept.path} could not be saved ({type(error).__name__}: {error})"
            text += "; mend it, and run again: nothing is lost"
            self._spider.end_crawl(StoreError(text))  # its page is not complete, and is fetched again by the next run
            raise DropItem(text, log_level="DEBUG") from error
        visit.file = kept
        self.crawler.stats.inc_value("gwc/files/kept")
        if visit.page.kind is PageKind.BINARY:
            visit.page.body = b""  # a batch of files would be too much to hold
        return visit

    @property
    def _spider(self) -> Any:
        return self.crawler.spider

    @cached_property
    def _store(self) -> Any:
        from gwc_crawler.pipelines.file_stores import FilesStores  # Scrapy's take a moment: only where a file is kept

        place = self.crawler.settings["GWC_FILES_STORE"]
        if not place:
            place = str(site_directory(self.crawler.settings, self._spider.site.name).resolve())
        elif "://" not in place:
            place = str(Path(place).resolve())
        else:
            place = place.rstrip("/") + "/"  # Scrapy's S3 and Google stores put nothing between
        return FilesStores(place, crawler=self.crawler).store
