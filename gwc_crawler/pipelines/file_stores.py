"""Scrapy's files stores, and a folder in which each file is complete: `FilesPipeline` keeps files in one of them."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.pipelines.files import FilesPipeline as ScrapysFilesPipeline
from scrapy.pipelines.files import FSFilesStore
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from gwc_crawler.store.kept_files import WholeFolder


class WholeFiles(FSFilesStore):
    """A folder in which each file is there whole, or not at all, whenever a process is killed or the power fails."""

    def __init__(self, basedir: Any) -> None:
        super().__init__(basedir)
        self._folder = WholeFolder(Path(self.basedir))

    def persist_file(self, path: Any, buf: BytesIO, info: Any, meta: Any = None, headers: Any = None) -> Deferred[None]:  # type: ignore[override]
        """Write in a thread; the Deferred fires when the file is safe on disk."""
        return deferToThread(self._folder.write, path, buf.getvalue())


class FilesStores(ScrapysFilesPipeline):
    """Opens Scrapy's files stores with Scrapy's settings; as a pipeline it is not used."""

    STORE_SCHEMES = {**ScrapysFilesPipeline.STORE_SCHEMES, "": WholeFiles, "file": WholeFiles}  # noqa: RUF012

    def __init__(self, place: str, *, crawler: Crawler) -> None:
        self._update_stores(crawler.settings)
        super().__init__(place, crawler=crawler)
