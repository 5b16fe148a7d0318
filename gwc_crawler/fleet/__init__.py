"""Which worker takes which site, or which part of one: the fleet's register in Redis, and its decisions."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.fleet.channel import SILENT_SECONDS, Activity, Channel, Pause, Report, SqliteChannel
    from gwc_crawler.fleet.control import BY_HAND, Action, AskOutcome, RunKind, Steered, Steering, outcome_line, steer
    from gwc_crawler.fleet.plan import NOWHERE, FleetSites, Share, SiteEntry
    from gwc_crawler.fleet.redis_channel import RedisChannel, channel_key
    from gwc_crawler.fleet.register import Fleet, SiteLease
    from gwc_crawler.fleet.shared_knowledge import LearningLock, SharedKnowledge
else:
    __getattr__ = face(__name__)
