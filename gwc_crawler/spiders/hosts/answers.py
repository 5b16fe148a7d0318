"""What an answer says by itself: whether it is a page, what is wrong with it, and whose lease it ends."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure as TwistedFailure

from gwc_crawler.files import given_name
from gwc_crawler.http import DATALOSS, OVERLONG
from gwc_crawler.items import Lease
from gwc_crawler.page import NOFOLLOW, header_says_nofollow
from gwc_crawler.request_meta import META_LEASE

logger = logging.getLogger(__name__)

FLAWS = {
    DATALOSS: "taken though the body is not all there (DOWNLOAD_FAIL_ON_DATALOSS)",
    OVERLONG: "the server sent more than the length it had announced, which was left out",
}
"""Flag of a response → what is said of the page."""


def is_page(status: int) -> bool:
    """Say whether an answer of this status is a page; of redirects only the one that lists what there is to choose."""
    return 200 <= status <= 300


def content_type_of(response: Response) -> str:
    """Return what an answer's header says of its type; "" where it says nothing.

    What `X-Robots-Tag` says of its links stands behind it: so a page that is read again, from the store or by another
    process, gives none either.
    """
    kind = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
    tags = response.headers.getlist(b"X-Robots-Tag")
    if tags and NOFOLLOW not in kind and any(header_says_nofollow(tag.decode("latin-1")) for tag in tags):
        return f"{kind}; {NOFOLLOW}"
    return kind


def attempts(lease: Lease, sent: Request | Response) -> int:
    """Return how often a URL was tried: by its leases, and by a retry middleware of the user's within this one."""
    retried: int = sent.meta.get("retry_times", 0)
    return lease.attempt + retried


def lease_of(response: Response) -> Lease:
    """Return the lease that a response answers."""
    lease: Lease = response.meta[META_LEASE]
    return lease


def broke(failure: TwistedFailure, crawler: Any) -> bool:
    """Say whether the code of a component failed, not the download; told once for each kind of error.

    A plug-in may fail at one answer of a URL and not at the next: a retry middleware fails at a 503.
    """
    error = failure.value
    if type(error).__module__ != "builtins" or isinstance(error, OSError):
        return False
    told = f"gwc/download/component_errors/{type(error).__name__}"
    if not crawler.stats.get_value(told):
        url = failure.request.url  # type: ignore[attr-defined]
        logger.error("a component failed, its URLs are tried again url=%s", url, exc_info=error)
    crawler.stats.inc_value(told)
    return True


def file_name(response: Response) -> str:
    """Return what a file is called that came as an answer."""
    said = response.headers.get(b"Content-Disposition") or b""
    return given_name(response.url, said.decode("latin-1"))
