"""Which worker takes which site, or which part of one: the fleet's register in Redis, and its decisions."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.fleet.plan import SiteEntry
    from gwc_crawler.fleet.register import Fleet, SiteLease
    from gwc_crawler.fleet.shared_knowledge import LearningLock, SharedKnowledge
    from gwc_crawler.fleet.sites import FleetSites
else:
    __getattr__ = face(__name__)

__all__ = [
    "Fleet",
    "FleetSites",
    "LearningLock",
    "SharedKnowledge",
    "SiteEntry",
    "SiteLease",
]
