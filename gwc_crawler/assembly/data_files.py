"""Where the files of one site's crawl stand: its directory in GWC_DATA_DIR, and their names."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

from gwc_crawler.config import data_directory
from gwc_crawler.errors import StoreError

CRAWL_DB = "crawl.db"
SAMPLES_DB = "samples.db"
KNOWLEDGE_FILE = "knowledge.json"


def site_directory(settings: BaseSettings, site: str) -> Path:
    """Return the directory that holds everything of one site's crawl."""
    return data_directory(settings) / site


def make_site_directory(directory: Path) -> None:
    """Make the directory of a site if there is none.

    Raises:
        StoreError: it can't be made.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{directory}: can't be created ({error.strerror}); set GWC_DATA_DIR to a directory you can write"
        ) from error
