"""How hard a host may be pressed: limits, delays, back-off; for one process, and in Redis for all workers."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.politeness.address_book import AddressBook, AddressLimiter, literal_address_of
    from gwc_crawler.politeness.host_rules import BACK_OFF_STATUSES, CUT_SHORT, HostLimits, limits_of
    from gwc_crawler.politeness.inward import inward_address, literal_address
    from gwc_crawler.politeness.limiter import TICK_SECONDS, HostLimiter, Limiter
    from gwc_crawler.politeness.retry import RetryPolicy, wait_asked_for
    from gwc_crawler.politeness.shared_limiter import SharedLimiter
else:
    __getattr__ = face(__name__)

__all__ = [
    "BACK_OFF_STATUSES",
    "CUT_SHORT",
    "TICK_SECONDS",
    "AddressBook",
    "AddressLimiter",
    "HostLimiter",
    "HostLimits",
    "Limiter",
    "RetryPolicy",
    "SharedLimiter",
    "inward_address",
    "limits_of",
    "literal_address",
    "literal_address_of",
    "wait_asked_for",
]
