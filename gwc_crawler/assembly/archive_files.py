"""GWC_WARC → the archive of a site's exchanges, opened."""

from __future__ import annotations

from pathlib import Path

from scrapy.settings import BaseSettings

import gwc_crawler
from gwc_crawler.archive import Archive, Segments
from gwc_crawler.assembly.data_files import site_directory
from gwc_crawler.errors import StoreError
from gwc_crawler.store import CrawlDatabase
from gwc_crawler.store.state import ArchivedRows


def warc_prefix(settings: BaseSettings, site: str) -> Path:
    """Return folder and beginning of the names: GWC_WARC below the site's data; behind a last "/" the site's name."""
    text = str(settings["GWC_WARC"])
    place = site_directory(settings, site) / text
    return place / site if text.endswith("/") else place


def open_archive(settings: BaseSettings, site: str, database: CrawlDatabase) -> Archive:
    """Open the archive; what a killed process has left is mended.

    Raises:
        StoreError: its folder can't be used.
    """
    prefix = warc_prefix(settings, site)
    max_bytes = settings.getint("GWC_WARC_MAX_BYTES")
    robots = "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore"
    made_by = [
        ("software", f"gwc-crawler/{gwc_crawler.__version__}"),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("isPartOf", site),
        ("http-header-user-agent", str(settings["USER_AGENT"])),
        ("robots", robots),
    ]
    try:
        return Archive(lambda begin: Segments(prefix, max_bytes, begin), ArchivedRows(database), made_by)
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"{prefix.parent} can't be used: {reason}; mend it, or change GWC_WARC") from error
