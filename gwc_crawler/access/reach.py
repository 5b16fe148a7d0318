"""To whom a site's headers, credentials and cookies may be sent: to its own hosts, and in the clear only where the site
file itself speaks http."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from gwc_crawler.urls import same_site


@dataclass(frozen=True, slots=True)
class Reach:
    """The site's own hosts (`sites`, as `same_site` takes them); `in_clear`: also by http."""

    sites: Collection[str]
    in_clear: bool

    @classmethod
    def of(cls, sites: Collection[str], entry: Iterable[str]) -> Reach:
        """Return the reach of a site with these entries; where all are https, nothing is told in the clear."""
        return cls(sites, any(url.startswith("http://") for url in entry))

    def has(self, url: str) -> bool:
        """Say whether what is secret may be sent to *url*.

        >>> Reach.of({"shop.example"}, ["https://shop.example/"]).has("http://shop.example/")
        False
        """
        return same_site(url, self.sites) and (self.in_clear or url.startswith("https:"))

    def has_cookies_of(self, domain: str) -> bool:
        """Say whether a cookie of *domain* is the site's; cookies know no ports.

        >>> Reach({"127.0.0.1:8000", "shop.example"}, True).has_cookies_of(".www.shop.example")
        True
        >>> Reach({"127.0.0.1:8000", "shop.example"}, True).has_cookies_of("127.0.0.1")
        True
        """
        name = domain.lstrip(".").lower()
        return same_site(f"http://{name}/", self.sites) or name in {host_name(site) for site in self.sites}


def host_name(host: str) -> str:
    """Return a host without its port."""
    return urlsplit(f"//{host}").hostname or host
