"""How far a shared crawl is: states, queues and workers from Redis, what is stored from this machine's file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from gwc_crawler.control import Activity
from gwc_crawler.fleet import SiteEntry
from gwc_crawler.frontier.redis import RedisLook, SharedStats
from gwc_crawler.frontier.sqlite import Tally
from gwc_crawler.operate.status import ONLY_HERE, CrawlStatus, crawl_status, reported
from gwc_crawler.recrawl import Intervals

Key = TypeVar("Key")


def shared_status(
    look: RedisLook, path: Path, site: str, *, now: float, lease_seconds: float, intervals: Intervals | None = None
) -> CrawlStatus | None:
    """Look at a shared crawl; None where there is none.

    Args:
        path: this machine's database of the crawl, which need not exist.
        now: epoch seconds by this machine's clock.
    Raises:
        OutageError: Redis can't be reached.
        StoreError: the file can't be read.
    """
    here = crawl_status(path, site, now=now, lease_seconds=lease_seconds, intervals=intervals)
    if not look.exists():
        return here
    stats, pause = look.stats(), look.channel.desired().pause
    reports = look.channel.reports()
    workers = tuple(reported(one, look.channel.now()) for one in reports)
    at_work = {one.owner for one in workers if one.activity is not Activity.SILENT}
    fresh = [one for one in reports if one.owner in at_work]
    return CrawlStatus(
        database=str(path),
        running_as=f"{len(at_work)} worker{'s' if len(at_work) > 1 else ''}" if at_work else None,
        tally=Tally(
            states=stats.states,
            kinds=here.tally.kinds if here else {},
            weights=_merged(stats.weights, here.tally.weights if here else {}),
            hosts=_merged(stats.hosts, here.tally.hosts if here else {}),
            reasons=stats.reasons,
            last_minute=sum(one.last_minute for one in fresh),
            last_ten_minutes=sum(one.last_ten_minutes for one in fresh),
        ),
        records=here.records if here else 0,
        exceptions=here.exceptions if here else {},
        workers=workers,
        paused_hosts=stats.resting,
        limits=look.limits(),
        due=here.due if here else 0,
        frontier="redis",
        pause=pause,
        only_here=ONLY_HERE,
        left_out=_left_out(stats),
    )


def fleet_stats(entry: SiteEntry) -> dict[str, Any]:
    """Return what status tells of a site in a fleet's register."""
    return {
        "state": entry.state.value,
        "reason": entry.reason,
        "workers": [{"owner": one.owner, "parts": list(one.parts)} for one in entry.holders],
        "learning": entry.learning,
        "template": entry.template,
        "adopted": entry.adopted,
        "changed_at": entry.changed_at,
    }


def _left_out(stats: SharedStats) -> dict[str, int]:
    return {what: count for what, count in stats.left_out.items() if count}


def _merged(waiting: Mapping[Key, int], here: Mapping[Key, Mapping[str, int]]) -> dict[Key, Mapping[str, int]]:
    """What is ready by the queues, and what is complete in this machine's file."""
    keys = [*waiting, *(key for key in here if key not in waiting)]
    return {key: {"U": waiting.get(key, 0), "C": here.get(key, {}).get("C", 0)} for key in keys}
