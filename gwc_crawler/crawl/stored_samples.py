"""Pages that the pre-crawl has stored, for a crawl that uses them instead of fetching them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gwc_crawler.frontier.sqlite import read_revisits
from gwc_crawler.items import StoredPage
from gwc_crawler.store import CrawlDatabase, stored_page, stored_urls
from gwc_crawler.store.state import is_archived


class StoredSamples:
    """What a pre-crawl has stored. Of most URLs it has nothing, and says so without a look at the file.

    Args:
        database: its file; closed with this.
        since: from when on (epoch seconds) a page is recent enough to be used.
        clean: takes what says nothing of a page out of its URL: a page that was asked for with it is that without it.
        archived_only: use only pages whose exchange is in the archive.
    """

    def __init__(
        self, database: CrawlDatabase, since: float, clean: Callable[[str], str], *, archived_only: bool = False
    ) -> None:
        self._database = database
        self._since = since
        self._archived_only = archived_only
        self._hashes = set(map(hash, stored_urls(database)))  # 32 bytes a page; the file has the last word
        cleaned = {} if archived_only else {clean(url): url for url in stored_urls(database)}
        self._spelled = {url: stored for url, stored in cleaned.items() if hash(url) not in self._hashes}

    def page(self, url: str) -> StoredPage | None:
        """Return what is stored of *url*, when it is recent enough."""
        stored = self._spelled.get(url)
        if stored is None and hash(url) not in self._hashes:
            return None
        found = stored_page(self._database, stored or url, since=self._since)
        if found is not None and stored is not None:
            found = replace(found, url=url)
        if found is not None and self._archived_only and not is_archived(self._database, found.url):
            return None
        return found

    def leave_out(self, url: str) -> None:
        """Ask for *url* from now on: what is stored of it is none of its site's pages."""
        self._hashes.discard(hash(url))
        self._spelled.pop(url, None)

    def validators(self, url: str) -> dict[str, str]:
        """Return the ETag and Last-Modified that came with *url*."""
        kept = read_revisits(self._database, [url]).get(url)
        if kept is None:
            return {}
        return {name: value for name, value in (("ETag", kept.etag), ("Last-Modified", kept.last_modified)) if value}

    def close(self) -> None:
        """Close the file."""
        self._database.close()
