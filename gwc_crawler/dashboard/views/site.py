"""One site at a glance: how far its crawl is, how fast, who works on it, what ended it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from gwc_crawler.dashboard.queries.records import knowledge_of, record_counts
from gwc_crawler.dashboard.queries.standing import Standing
from gwc_crawler.dashboard.queries.url_stats import names_of
from gwc_crawler.dashboard.views.sites import looked_at
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, page, part
from gwc_crawler.knowledge.model import Sureness

PACES = 300
"""Points of the line of pages a second."""

PACE_SECONDS = 1.0


def overview(visit: DashboardRequest) -> Answer:
    """The first page of a site."""
    return visit.show("site.html", **_values(visit))


def live(visit: DashboardRequest) -> Answer:
    """Its figures anew."""
    return visit.show("site_live.html", **_values(visit))


def _values(visit: DashboardRequest) -> dict[str, object]:
    standing, place = looked_at(visit.project, visit.site), visit.place
    started = visit.memory.get(f"started {visit.site}")
    return {
        "standing": standing,
        "started": started,
        "paces": _paces(visit, standing),
        "names": names_of(place),
        "records": visit.background.found(("records", place.name), lambda: record_counts(place)),
        "doubt": _doubt(visit, standing),
    }


def _doubt(visit: DashboardRequest, standing: Standing) -> Mapping[str, Any] | None:
    """How sure the learning is, where it is not sure of the targets; read once for what was learned."""
    if standing.learned_at is None:
        return None
    read: dict[str, tuple[float, Mapping[str, Any] | None]] = visit.memory.setdefault("doubts", {})
    known = read.get(standing.site)
    if known is None or known[0] != standing.learned_at:
        learned = knowledge_of(visit.place)
        certainty = learned.evidence.get("certainty") or {} if learned else {}
        known = (standing.learned_at, certainty if certainty.get("targets") == Sureness.UNSURE else None)
        read[standing.site] = known
    return known[1]


def _paces(visit: DashboardRequest, standing: Standing) -> list[float]:
    """The pace each time somebody looked, while it ran."""
    seen: deque[tuple[float, float]] = visit.memory.setdefault(f"paces {visit.site}", deque(maxlen=PACES))
    run, now = standing.run, time.monotonic()
    if run is not None and run.holder and (not seen or now - seen[-1][0] > PACE_SECONDS):
        seen.append((now, run.pages_per_second))
    return [pace for _, pace in list(seen)]


ROUTES = (page("/sites/{site}", overview, tab="Overview"), part("/sites/{site}/live", live))
