"""One page of a site, fetched with the site's settings and nothing else: no frontier, no store, no lock.

For `scrapy fetch`, `view`, `shell` and `parse`, also beside a crawl of the site.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoaderProtocol, get_spider_loader

from gwc_crawler.sites.schema import Site
from gwc_crawler.spiders.site import SiteSpider
from gwc_crawler.wiring.access import let_in


class LookSpider(Spider):
    """Fetches what the command asks for."""

    site: Site
    request: Request | None = None

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        let_in(settings, cls.site)

    async def start(self) -> AsyncIterator[Any]:
        """Yield the one Request; `fetch` and `view` put their own `start` here."""
        if self.request is not None:
            yield self.request


class LookingLoader:
    """A spider loader that gives a `LookSpider` for a site, and spiders written in Python unchanged."""

    def __init__(self, loader: SpiderLoaderProtocol) -> None:
        self._loader = loader

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> LookingLoader:
        """Wrap the loader that the settings name."""
        return cls(get_spider_loader(settings))

    def list(self) -> list[str]:
        """Return the names of all spiders."""
        return self._loader.list()

    def load(self, spider_name: str) -> type[Spider]:
        """Return the spider that looks at pages as *spider_name* reads them."""
        found = self._loader.load(spider_name)
        return looking(found) if issubclass(found, SiteSpider) else found

    def find_by_request(self, request: Request) -> Any:
        """Return the names of the spiders that take the URL."""
        return self._loader.find_by_request(request)


def looking(spider_class: type[SiteSpider]) -> type[LookSpider]:
    """Return a spider with the site's name and settings; no feed of the site's is touched."""
    site = spider_class.site
    settings = {**site.settings, "FEEDS": {}}
    members = {"name": site.name, "site": site, "custom_settings": settings, "__module__": LookSpider.__module__}
    return type(spider_class.__name__, (LookSpider,), members)
