"""How single pages are fetched: within the guard, as robots.txt allows, not twice, within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from scrapy.settings import Settings

from gwc_crawler.errors import SiteError
from gwc_crawler.learn.propose.fetching import Fetched
from gwc_crawler.runs.fetching import page_fetcher
from tests.site_server import SiteServer

OURS = Settings()
OURS.setmodule("gwc_crawler.settings")


def fetch(*urls: str, named: tuple[str, ...], **changed: object) -> list[Fetched]:
    """Fetch one after the other."""
    settings = OURS.copy()
    settings.setdict({"GWC_DATA_DIR": "", **changed})

    async def run() -> list[Fetched]:
        fetcher = page_fetcher(settings, named)
        try:
            return [await fetcher.get(url) for url in urls]
        finally:
            await fetcher.close()

    return asyncio.run(run())


@pytest.fixture
def served(site: SiteServer) -> Iterator[SiteServer]:
    site.links = {"/": ["/a"], "/a": []}
    yield site


def test_a_page_is_fetched_once(served: SiteServer) -> None:
    first, second = fetch(f"{served.url}/a", f"{served.url}/a", named=(served.url,))
    assert first is second
    assert served.page_hits() == {"/a": 1}


def test_a_private_address_that_nobody_named_is_refused(served: SiteServer) -> None:
    with pytest.raises(SiteError, match=r"127\.0\.0\.1"):
        fetch(f"{served.url}/a", named=("http://elsewhere.example/",))
    assert served.page_hits() == {}
    fetch(f"{served.url}/a", named=("http://elsewhere.example/",), GWC_ALLOW_PRIVATE=["127.0.0.1"])


def test_what_is_no_page_is_told(served: SiteServer) -> None:
    with pytest.raises(SiteError, match="HTTP 404"):
        fetch(f"{served.url}/nowhere", named=(served.url,))
    with pytest.raises(SiteError, match="no http"):
        fetch("ftp://a.example/", named=(served.url,))
