"""Where the files of one site's crawl stand: its directory in GWC_DATA_DIR, and their names."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

from gwc_crawler.config import data_directory
from gwc_crawler.errors import StoreError

CRAWL_DB = "crawl.db"
SAMPLES_DB = "samples.db"
KNOWLEDGE_FILE = "knowledge.json"
SITE_FILE = "site-file"
"""Holds the path of a site file that lies outside the sites directory, so that commands find it by its site's name."""


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


def remember_site_file(directory: Path, file: Path) -> None:
    """Write down in the site's *directory* where its site file lies.

    Raises:
        StoreError: it can't be written.
    """
    place, text = directory / SITE_FILE, f"{file.resolve()}\n"
    try:
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{place}: can't be written ({error.strerror})") from error


def remembered_site_file(directory: Path) -> Path | None:
    """Return where the site file lay when the site was last crawled; None where nothing says so."""
    try:
        return Path((directory / SITE_FILE).read_text(encoding="utf-8").strip())
    except (OSError, ValueError):
        return None
