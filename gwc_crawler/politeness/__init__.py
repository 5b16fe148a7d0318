"""How hard a host may be pressed: limits, delays, back-off; for one process, and in Redis for all workers."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.politeness.address_book import AddressBook, AddressLimiter, literal_address_of
    from gwc_crawler.politeness.limiter import (
        BACK_OFF_STATUSES,
        CUT_SHORT,
        TICK_SECONDS,
        HostLimiter,
        HostLimits,
        Limiter,
        limits_of,
    )
    from gwc_crawler.politeness.retry import RetryPolicy, wait_asked_for
    from gwc_crawler.politeness.robots import (
        FORBIDDEN,
        MAX_ROBOTS_BYTES,
        NOT_HAD,
        RULES_SECONDS,
        ForbiddenSieve,
        Kept,
        Parse,
        Robots,
        RobotsBook,
        RuleLine,
        Rules,
        origin_of,
        robots_text,
    )
    from gwc_crawler.politeness.shared_limiter import SharedLimiter
    from gwc_crawler.politeness.shared_robots import RedisRobots
else:
    __getattr__ = face(__name__)
