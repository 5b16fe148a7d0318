"""Pause, resume, stop: what people want of a crawl, what its workers say of themselves, and where the two meet."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.control.asking import Action, AskOutcome, RunKind, Steered, outcome_line, steer
    from gwc_crawler.control.channel import SILENT_SECONDS, Activity, Channel, Pause, Report, SqliteChannel
    from gwc_crawler.control.redis_channel import RedisChannel, channel_key
    from gwc_crawler.control.worker import BY_HAND, Steering
else:
    __getattr__ = face(__name__)

__all__ = [
    "BY_HAND",
    "SILENT_SECONDS",
    "Action",
    "Activity",
    "AskOutcome",
    "Channel",
    "Pause",
    "RedisChannel",
    "Report",
    "RunKind",
    "SqliteChannel",
    "Steered",
    "Steering",
    "channel_key",
    "outcome_line",
    "steer",
]
