"""One site at a glance: how far its crawl is, how fast, who works on it."""

from __future__ import annotations

from gwc_crawler.dashboard.queries import standing_of
from gwc_crawler.dashboard.web import Answer, Visit, page, part


def overview(visit: Visit) -> Answer:
    """The first page of a site."""
    return visit.show("site.html", **_values(visit))


def live(visit: Visit) -> Answer:
    """Its figures anew."""
    return visit.show("site_live.html", **_values(visit))


def _values(visit: Visit) -> dict[str, object]:
    return {"standing": standing_of(visit.place, visit.project.servers)}


ROUTES = (page("/sites/{site}", overview, tab="Overview"), part("/sites/{site}/live", live))
