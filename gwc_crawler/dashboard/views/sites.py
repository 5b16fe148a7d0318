"""The first page: all sites, what needs attention first."""

from __future__ import annotations

from gwc_crawler.dashboard.queries.standing import Stage, Standing
from gwc_crawler.dashboard.views.attention import looked_at
from gwc_crawler.dashboard.web.project import Project
from gwc_crawler.dashboard.web.routes import Answer, page, part
from gwc_crawler.dashboard.web.visit import DashboardRequest

ORDER = tuple(Stage)
AT_WORK = (Stage.RUNNING, Stage.PAUSED, Stage.LEARNING)
PATIENCE_SECONDS = 0.25


def sites(visit: DashboardRequest) -> Answer:
    """All sites."""
    return visit.show("sites.html", **_values(visit))


def live(visit: DashboardRequest) -> Answer:
    """Their table anew."""
    return visit.show("sites_live.html", **_values(visit))


def standings(project: Project) -> list[Standing]:
    """Where each site stands, as of a moment ago."""

    def look() -> list[Standing]:
        return [looked_at(project, name) for name in project.sites()]

    found = project.background.found(("standings",), look, patience_seconds=PATIENCE_SECONDS * 20, least_seconds=1.0)
    return found.value or []


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


ROUTES = (page("/", sites, menu="Sites"), part("/live", live))
