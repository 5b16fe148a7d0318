"""The keys of `Request.meta` by which the parts of a crawl speak of one Request: no other module makes one up."""

from __future__ import annotations

from typing import Any

from gwc_crawler.items import Lease

META_LEASE = "lease"
"""`Request.meta` key of the Lease; redirects and retries carry it along."""

META_REVISIT = "revisit"
"""`Request.meta` key of what is kept of the page at the Request's URL (`items.Revisit`), where something is."""

META_PUT_BACK = "put_back"
"""`Request.meta` key of a Request that came back because its host has to wait: it is no duplicate of itself."""

META_WEIGHT = "weight"
"""`Request.meta` key of the tunnel weight; a Request without it counts as weight 0."""

META_BEGAN = "exchange_began"
"""`Request.meta` key: when the Request went out, in seconds since 1970; gone when it has ended."""

META_TURN = "host_turn"
"""`Request.meta` key of the host (the limiter's key) that a popped Request was counted for; gone when it has ended."""

META_SENT = "sent_at"
"""`Request.meta` key: when the Request went out, on the limiter's clock."""

META_WITHIN = "within_turn"
"""`Request.meta` key of a Request made on behalf of another one that has been started (robots.txt).

It stays when that redirects or is tried again: to wait for a free place then could be to wait for oneself.
"""

META_IN_DOUBT = "in_doubt"
"""`Request.meta` key of a look whether a host is there at all: how its lease ends (`items.Failure`) if it is."""

META_ADDRESSES = "addresses"
"""`Request.meta` key: the addresses of the host, as they were looked up ahead of the Request's turn."""

META_LOGIN = "login"
"""`Request.meta` key of the Requests by which a crawl logs in."""

META_SESSION = "login_session"
"""`Request.meta` key: under which login of this process the Request went out, counted from 1."""

META_SIGNS = "login_signs"
"""`Request.meta` key: by which signs its answers showed that the crawl was logged out, one for each time."""

META_PROXY = "site_proxy"
"""`Request.meta` key of the proxy, of those in [proxies], that the Request goes through; gone when it has ended."""

META_PROXY_TRIED = "site_proxies_tried"
"""`Request.meta` key: proxies through which the Request brought no page → why; it may have been their fault."""

META_ENOUGH = "download_enough"
"""`Request.meta` key: of a body that has so many bytes the rest is not waited for, however long it is."""

META_UNREAD = "download_unread"
"""`Request.meta` key: how the media types begin whose bodies are not waited for: nobody would keep them."""

META_WIRE = "wire"
"""`Request.meta` key of an exchange as bytes: what was sent; head, body and payload of the answer. On its way into the
archive, gone behind it."""

META_ROW = "gwc_feed_row"
"""`Request.meta` key of a row of the store that goes through the pipelines again, into a feed that owes it."""


def weight_meta(lease: Lease) -> dict[str, Any]:
    """Return the `Request.meta` of a lease."""
    return {META_LEASE: lease, META_WEIGHT: lease.weight, "depth": lease.depth}


# --- A spider → the open parts of its crawl, or its end ---------------------------------------------------------------


def context_of(spider: Any) -> Any:
    """Return the `gwc_crawler.crawl.CrawlContext` of a spider; None for one whose URLs come from somewhere else.

    Such a spider may have a `context` of its own. Each component takes the part it works with, and says in a protocol
    what it needs of it; the parts themselves stand above.
    """
    context = getattr(spider, "context", None)
    return context if hasattr(context, "leases") and hasattr(context, "frontier") else None


def end_crawl(spider: Any, error: Exception) -> None:
    """End the crawl of a spider of ours by *error*; others learn of it by what is raised."""
    if context_of(spider) is not None:
        spider.end_crawl(error)
