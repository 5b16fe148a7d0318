"""Figures of a crawl that take a walk over its URLs: counted in the background, in short reads. Bounded, with Redis."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from gwc_crawler import operate, runs
from gwc_crawler.dashboard.queries.records import knowledge_of, opened
from gwc_crawler.dashboard.queries.standing import shared_look
from gwc_crawler.downloader import host_limits
from gwc_crawler.frontier.sqlite import Tally, resting, tally_in_steps, waiting_sample
from gwc_crawler.items import UrlState
from gwc_crawler.politeness import HostLimits, limits_of
from gwc_crawler.store.state import NAMES_DB, NameFile

Key = TypeVar("Key")

SAMPLE = 2000


@dataclass(frozen=True, slots=True)
class Waiting:
    """A sample of the waiting URLs: how many were looked at; learned class → how many of them."""

    looked: int
    classes: Mapping[str, int]


def tally_of(place: runs.SiteLocation, servers: runs.Servers) -> Tally | None:
    """All URLs by state, kind, weight, host and reason; of a shared crawl what Redis counts, and what is kept here."""
    with opened(place) as database:
        here = tally_in_steps(database) if database else None
    if not place.shared or not (look := shared_look(place, servers)).exists():
        return here
    stats = look.stats()
    weights = _with_complete(stats.weights, here.weights if here else {})
    hosts = _with_complete(stats.hosts, here.hosts if here else {})
    return Tally(stats.states, here.kinds if here else {}, weights, hosts, stats.reasons, 0, 0)


def _with_complete(waiting: Mapping[Key, int], here: Mapping[Key, Mapping[str, int]]) -> dict[Key, Mapping[str, int]]:
    """What waits by Redis's queues beside what is complete on this machine; what runs or failed is not counted so."""
    keys = dict.fromkeys((*waiting, *here))
    return {key: {"U": waiting.get(key, 0), "C": here.get(key, {}).get("C", 0)} for key in keys}


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


def waiting_of(place: runs.SiteLocation, servers: runs.Servers) -> Waiting | None:
    """Which learned classes the waiting URLs are of, by a sample spread over all."""
    knowledge = knowledge_of(place)
    if knowledge is None:
        return None
    sample = _waiting_sample(place, servers)
    classes: Counter[str] = Counter()
    for url in sample:
        verdict = knowledge.verdict(url)
        classes[knowledge.class_of(url, verdict) or verdict.value] += 1
    return Waiting(len(sample), dict(classes.most_common()))


def _waiting_sample(place: runs.SiteLocation, servers: runs.Servers) -> list[str]:
    if place.shared and (look := shared_look(place, servers)).exists():
        return [one.url for one in look.sample(SAMPLE) if one.state is UrlState.WAITING]
    with opened(place) as database:
        return [url for url, _ in waiting_sample(database, SAMPLE)] if database else []


def resting_hosts(place: runs.SiteLocation, servers: runs.Servers) -> Mapping[str, float]:
    """Host → until when it rests (its back-off, or what it asked for)."""
    if place.shared and (look := shared_look(place, servers)).exists():
        return look.stats().resting
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
