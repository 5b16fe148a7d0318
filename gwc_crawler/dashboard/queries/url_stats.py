"""Figures that take a walk over URLs or links, counted in the background. Bounded, with Redis."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from gwc_crawler.crawl.data_files import CRAWL_DB, KNOWLEDGE_FILE
from gwc_crawler.dashboard.queries.records import knowledge_of, reading
from gwc_crawler.downloader.politeness import host_limits
from gwc_crawler.export.graph.drawing import write_graph
from gwc_crawler.export.graph.model import GraphStats, measure
from gwc_crawler.frontier.sqlite.stats import Tally, paused_hosts, tally_in_steps, waiting_sample
from gwc_crawler.items import UrlState
from gwc_crawler.network.politeness.limiter import HostLimits, limits_of
from gwc_crawler.operate.status import shared_tally
from gwc_crawler.operate.view import name_stats
from gwc_crawler.runs.lookup import Servers, SiteFiles, SiteLocation, opened, shared_look
from gwc_crawler.runs.records import MOST_LINKS, read_graph
from gwc_crawler.store.sqlite.side_file import NAMES_DB, NameFile

SAMPLE = 2000


@dataclass(frozen=True, slots=True)
class Waiting:
    """A sample of the waiting URLs: how many were looked at; learned class → how many of them."""

    looked: int
    classes: Mapping[str, int]


def tally_of(place: SiteLocation, servers: Servers) -> Tally | None:
    """Return all URLs by state, kind, weight, host and reason; for a shared crawl Redis's counts, and those here."""
    with opened(place.crawl_db) as database:
        here = tally_in_steps(database) if database else None
    if not place.shared or not (look := shared_look(place, servers)).exists():
        return here
    return shared_tally(look.stats(), here)


def status_codes(tally: Tally) -> dict[str, int]:
    """Count answers by status: complete URLs gave 200, or a redirect; errors name their status.

    Returns:
        "200", "301 …", "404" and so on, or "no answer", → the number of answers; most first.
    """
    moved = tally.kinds.get("redirect", 0)
    found: Counter[str] = Counter({"200": sum(tally.kinds.values()) - moved, "3xx": moved})
    for reason, count in tally.reasons.items():
        code = next((word for word in reason.replace(":", " ").split() if word.isdecimal() and len(word) == 3), "")
        found[code or "–"] += count
    return {code: count for code, count in found.most_common() if count}


def waiting_of(place: SiteLocation, servers: Servers) -> Waiting | None:
    """Return which learned classes the waiting URLs are of, by a sample spread over all."""
    knowledge = knowledge_of(place)
    if knowledge is None:
        return None
    if place.shared and (look := shared_look(place, servers)).exists():
        sample = [one.url for one in look.sample(SAMPLE) if one.state is UrlState.WAITING]
    else:
        with opened(place.crawl_db) as database:
            sample = [url for url, _ in waiting_sample(database, SAMPLE)] if database else []
    classes: Counter[str] = Counter()
    for url in sample:
        verdict = knowledge.verdict(url)
        classes[knowledge.class_of(url, verdict) or verdict.value] += 1
    return Waiting(len(sample), dict(classes.most_common()))


def resting_hosts(place: SiteLocation, servers: Servers) -> Mapping[str, float]:
    """Return host → the end of its rest (by its back-off, or by its own demand)."""
    if place.shared and (look := shared_look(place, servers)).exists():
        return look.stats().resting
    with opened(place.crawl_db) as database:
        return paused_hosts(database, time.time()) if database else {}


def host_limits_of(place: SiteLocation, hosts: Iterable[str]) -> dict[str, HostLimits]:
    """Return host → its limits by the settings; its own demands are added to these."""
    limits, others = host_limits(place.settings)
    return {host: limits_of(host, limits, others) for host in hosts}


def names_of(place: SiteLocation) -> Mapping[str, object] | None:
    """Return the look-ups of all crawls of the data directory."""
    known, counts = NameFile(place.directory.parent / NAMES_DB).totals()
    return name_stats(known, counts)


# --- The link graph of a site: its picture and its figures, of graphs that a page may wait for ------------------------


@dataclass(frozen=True, slots=True)
class LinkMap:
    """A graph as it was when the store's files said `mark`. Too large to be drawn here: neither figures nor picture."""

    mark: tuple[int, ...]
    stats: GraphStats | None = None
    svg: bytes = b""


def link_map(files: SiteFiles, last: LinkMap | None, *, most: int = MOST_LINKS) -> LinkMap | None:
    """Draw and measure the graph of stored pages; None if there are none. Raises InputError: a package is missing.

    *last*, the previous drawing, is returned if the store has not changed since.
    """
    mark = _mark(files.directory)
    if last is not None and last.mark == mark:
        return last
    with reading(files) as reader:
        if reader is None:
            return None
        if reader.has_more_links(most):
            return LinkMap(mark)
    graph = read_graph(files)
    if not graph.pages:
        return None
    stats, file = measure(graph), BytesIO()
    write_graph(graph, stats, "svg", file, site=files.name)
    return LinkMap(mark, stats, file.getvalue())


def _mark(directory: Path) -> tuple[int, ...]:
    found = []
    for name in (CRAWL_DB, f"{CRAWL_DB}-wal", KNOWLEDGE_FILE):
        with suppress(OSError):
            facts = (directory / name).stat()
            if facts.st_size:  # a reader leaves an empty file of recent writes behind
                found += [facts.st_mtime_ns, facts.st_size]
    return tuple(found)
