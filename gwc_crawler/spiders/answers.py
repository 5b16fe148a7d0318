"""What an answer says by itself: whether it is a page, what is wrong with it, and whose lease it ends."""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from gwc_crawler.files import given_name
from gwc_crawler.http import DATALOSS, OVERLONG
from gwc_crawler.items import Lease
from gwc_crawler.request_meta import META_LEASE

FLAWS = {
    DATALOSS: "taken though the body is not all there (DOWNLOAD_FAIL_ON_DATALOSS)",
    OVERLONG: "the server sent more than the length it had announced, which was left out",
}
"""Flag of a response → what is said of the page."""


def is_page(status: int) -> bool:
    """Say whether an answer of this status is a page; of redirects only the one that lists what there is to choose."""
    return 200 <= status <= 300


def attempts(lease: Lease, sent: Request | Response) -> int:
    """Return how often a URL was tried: by its leases, and by a retry middleware of the user's within this one."""
    retried: int = sent.meta.get("retry_times", 0)
    return lease.attempt + retried


def lease_of(response: Response) -> Lease:
    """Return the lease that a response answers."""
    lease: Lease = response.meta[META_LEASE]
    return lease


def file_name(response: Response) -> str:
    """Return what a file is called that came as an answer."""
    said = response.headers.get(b"Content-Disposition") or b""
    return given_name(response.url, said.decode("latin-1"))
