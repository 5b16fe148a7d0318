"""Which sitemaps a crawl begins with: those of the site file, those that robots.txt names. `Leases` puts them in.

They wait in the frontier like any URL, so a crawl that is killed loses none and takes none twice: what robots.txt says
is in the crawl's book before they are, and is looked at again at each start.
"""

from __future__ import annotations

from gwc_crawler.items import Link
from gwc_crawler.page import DEFAULT_SITEMAP, sitemaps_named
from gwc_crawler.politeness.robots import Robots, origin_of
from gwc_crawler.sites import Site
from gwc_crawler.urls import normalize_url, same_site

SITEMAP_DEPTH = 1
"""A sitemap is no start: it may be missing, and a crawl without it goes on."""


class SitemapSources:
    """Says what to put into the frontier.

    Args:
        robots: what robots.txt files say; None: nobody reads them, so they are fetched as lists of sitemaps.
    """

    def __init__(self, site: Site, robots: Robots | None) -> None:
        self._given = () if isinstance(site.sitemap, bool) else site.sitemap
        self._origins = dict.fromkeys(map(origin_of, site.entry)) if site.sitemap is True else {}
        self._robots = robots
        self._sites = site.sites
        self.named: set[str] = set(self._given)
        """What somebody says is a sitemap: the site file, or robots.txt; not where one is looked for by chance."""

    def at_start(self) -> list[Link]:
        """Return what is known when a crawl begins."""
        urls = list(self._given)
        for origin in self._origins:
            if self._robots is None:
                urls += [f"{origin}/robots.txt", f"{origin}{DEFAULT_SITEMAP}"]
            elif (text := self._robots.text_of(origin)) is not None:
                urls += self._named(origin, text)
        return _links(urls)

    def when_read(self, origin: str, robots: bytes) -> list[Link]:
        """Return what the *robots* of *origin*, just read, add."""
        return _links(self._named(origin, robots)) if origin in self._origins else []

    def _named(self, origin: str, robots: bytes) -> list[str]:
        found = (normalize_url(one) for one in sitemaps_named(robots, f"{origin}/robots.txt"))
        named = [url for url in found if url is not None and same_site(url, self._sites)]
        self.named.update(set(named) - {f"{origin}{DEFAULT_SITEMAP}"})
        return named


def _links(urls: list[str]) -> list[Link]:
    return [Link(url, depth=SITEMAP_DEPTH) for url in urls]
