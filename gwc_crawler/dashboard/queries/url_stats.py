"""Figures of a crawl that take a walk over its URLs: counted in the background, in short reads. Bounded, with Redis."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gwc_crawler import assembly, operate, runs
from gwc_crawler.dashboard.queries.records import knowledge_of, opened
from gwc_crawler.downloader import host_limits
from gwc_crawler.frontier.sqlite import Tally, resting, tally_in_steps, waiting_sample
from gwc_crawler.politeness import HostLimits, limits_of
from gwc_crawler.store.state import NAMES_DB, NameFile

SAMPLE = 2000


@dataclass(frozen=True, slots=True)
class Waiting:
    """A sample of the waiting URLs: how many were looked at; learned class → how many of them."""

    looked: int
    classes: Mapping[str, int]


def tally_of(place: runs.SiteLocation, servers: runs.Servers) -> Tally | None:
    """All URLs by state, kind, weight, host and reason; of a shared crawl what Redis keeps counted."""
    if place.shared:
        look = assembly.open_look(place.name, place.settings, servers.of(place.settings))
        stats = look.stats()
        weights = {weight: {"U": count, "R": 0, "C": 0, "E": 0} for weight, count in stats.weights.items()}
        hosts = {host: {"U": count, "R": 0, "C": 0, "E": 0} for host, count in stats.hosts.items()}
        return Tally(stats.states, {}, weights, hosts, stats.reasons, 0, 0)
    with opened(place) as database:
        return tally_in_steps(database) if database else None


def status_codes(tally: Tally) -> dict[str, int]:
    """Answers by status: what is complete has been 200, or led on; errors name theirs.

    Returns:
        "200", "301 …", "404" and so on, or "no answer", → how many; most first.
    """
    moved = tally.kinds.get("redirect", 0)
    found: Counter[str] = Counter({"200": sum(tally.kinds.values()) - moved, "3xx": moved})
    for reason, count in tally.reasons.items():
        code = next((word for word in reason.replace(":", " ").split() if word.isdecimal() and len(word) == 3), "")
        found[code or "–"] += count
    return {code: count for code, count in found.most_common() if count}


def waiting_of(place: runs.SiteLocation) -> Waiting | None:
    """Which learned classes the waiting URLs are of, by a sample spread over all."""
    knowledge = knowledge_of(place)
    with opened(place) as database:
        if database is None or knowledge is None or place.shared:
            return None
        sample = waiting_sample(database, SAMPLE)
    classes: Counter[str] = Counter()
    for url, _ in sample:
        verdict = knowledge.verdict(url)
        classes[knowledge.class_of(url, verdict) or verdict.value] += 1
    return Waiting(len(sample), dict(classes.most_common()))


def resting_hosts(place: runs.SiteLocation) -> dict[str, float]:
    """Host → until when it rests (its back-off, or what it asked for)."""
    with opened(place) as database:
        return resting(database, time.time()) if database else {}


def host_limits_of(place: runs.SiteLocation, hosts: Iterable[str]) -> dict[str, HostLimits]:
    """Host → what it may be asked, as the settings say; what it asks for itself comes on top."""
    limits, others = host_limits(place.settings)
    return {host: limits_of(host, limits, others) for host in hosts}


def names_of(place: runs.SiteLocation) -> Mapping[str, object] | None:
    """What was looked up by all crawls of the data directory."""
    known, counts = NameFile(place.directory.parent / NAMES_DB).totals()
    return operate.name_stats(known, counts)
