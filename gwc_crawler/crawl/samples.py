"""Pages that the pre-crawl has stored, for a crawl that uses them instead of fetching them again."""

from __future__ import annotations

from gwc_crawler.frontier.sqlite import read_revisits
from gwc_crawler.items import StoredPage
from gwc_crawler.store import CrawlDatabase, stored_page


class StoredSamples:
    """What a pre-crawl has stored.

    Args:
        database: its file; closed with this.
        since: from when on (epoch seconds) a page is recent enough to be used.
    """

    def __init__(self, database: CrawlDatabase, since: float) -> None:
        self._database = database
        self._since = since

    def page(self, url: str) -> StoredPage | None:
        """Return what is stored of *url*, when it is recent enough."""
        return stored_page(self._database, url, since=self._since)

    def validators(self, url: str) -> dict[str, str]:
        """Return the ETag and Last-Modified that came with *url*."""
        kept = read_revisits(self._database, [url]).get(url)
        if kept is None:
            return {}
        return {name: value for name, value in (("ETag", kept.etag), ("Last-Modified", kept.last_modified)) if value}

    def close(self) -> None:
        """Close the file."""
        self._database.close()
