"""The first page: all sites, those that need attention first; and one site at a glance."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from scrapy.exceptions import UsageError

from gwc_crawler.dashboard.queries.records import coverage_of, knowledge_of, record_counts
from gwc_crawler.dashboard.queries.standing import Standing, file_facts, standing_of
from gwc_crawler.dashboard.queries.url_stats import names_of
from gwc_crawler.dashboard.web.project import LEAST_SECONDS, SHARE, Project
from gwc_crawler.dashboard.web.visit import DashboardRequest, live_page
from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.knowledge.model import Sureness
from gwc_crawler.operate.status import Stage
from gwc_crawler.operate.view import LOOKS

ORDER = tuple(Stage)
AT_WORK = (Stage.RUNNING, Stage.PAUSED, Stage.LEARNING)
PATIENCE_SECONDS = 5.0
"""The longest wait for the list of sites, without which there is no page."""


def standings(project: Project) -> list[Standing]:
    """Return the state of each site, as of a moment ago."""

    def look() -> list[Standing]:
        return [looked_at(project, name) for name in project.sites()]

    found = project.background.found(("standings",), look, patience_seconds=PATIENCE_SECONDS)
    return found.value or []


def looked_at(project: Project, name: str) -> Standing:
    """Look at one site; one whose file can't be read is shown with its problem, and hides no other."""
    try:
        place = project.place(name)
    except (UsageError, InputError) as error:
        return Standing(name, Stage.BROKEN, problem=str(error))
    found = standing_of(place, project.servers)
    return replace(found, fallen=_fallen(project, found))


def _fallen(project: Project, standing: Standing) -> tuple[str, ...]:
    """Return the fields that are gone; searched anew if something was written since and the last search is old."""
    if standing.crawl is None or standing.learned_at is None:
        return ()
    mark = (file_facts(standing.crawl)[0], standing.learned_at)
    seen: dict[str, tuple[tuple[float, float], float, tuple[str, ...]]] = project.memory.setdefault("fallen fields", {})
    known = seen.get(standing.site)
    began = time.monotonic()
    if known is not None and (known[0] == mark or began < known[1]):
        return known[2]
    found: tuple[str, ...] = known[2] if known is not None else ()
    with suppress(StoreError):  # it is the site's `problem`
        found = tuple(one.field for one in coverage_of(project.place(standing.site)) if one.has_fallen)
    now = time.monotonic()
    seen[standing.site] = (mark, now + SHARE * (now - began), found)
    return found


def _values(visit: DashboardRequest) -> dict[str, object]:
    rows = sorted(standings(visit.project), key=lambda one: (not one.warnings, ORDER.index(one.state), one.site))
    at_work = [one for one in rows if one.state in AT_WORK]
    return {
        "rows": rows,
        "at_work": len(at_work),
        "pages_per_second": sum(one.run.pages_per_second for one in at_work if one.run),
        "waiting": sum(one.crawl.urls["U"] for one in rows if one.crawl),
        "attention": sum(bool(one.warnings) for one in rows),
    }


def _site_values(visit: DashboardRequest) -> dict[str, object]:
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
    """Return how sure the learning is, if it is not sure of the targets; read once for each knowledge file."""
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
    """Return the pace each time somebody looked, while it ran."""
    seen: deque[tuple[float, float]] = visit.memory.setdefault(f"paces {visit.site}", deque(maxlen=LOOKS))
    run, now = standing.run, time.monotonic()
    if run is not None and run.running_as and (not seen or now - seen[-1][0] > LEAST_SECONDS):
        seen.append((now, run.pages_per_second))
    return [pace for _, pace in list(seen)]


ROUTES = (
    *live_page("/", "sites", _values, menu="Sites"),
    *live_page("/sites/{site}", "site", _site_values, tab="Overview"),
)
