"""How the pages of a site link to each other: a picture, with figures beside it."""

from __future__ import annotations

from gwc_crawler.dashboard.queries.records import whereabouts
from gwc_crawler.dashboard.queries.url_stats import LinkMap, link_map
from gwc_crawler.dashboard.web.project import AgedFigure
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Foreign, live_page, page
from gwc_crawler.errors import InputError
from gwc_crawler.export.graph.model import UNREACHED


def _values(visit: DashboardRequest) -> dict[str, object]:
    return {"found": _found(visit), "unreached": UNREACHED, "elsewhere": whereabouts(visit.place)}


def _picture(visit: DashboardRequest) -> Answer:
    found = _found(visit)
    if found.value is None or not found.value.svg:
        raise InputError(visit.say("There is no picture of the links yet."))
    return Foreign(found.value.svg, "image/svg+xml")


def _found(visit: DashboardRequest) -> AgedFigure[LinkMap | None]:
    name, memory, files = f"links {visit.site}", visit.memory, visit.files

    def draw() -> LinkMap | None:
        drawn = memory[name] = link_map(files, memory.get(name))
        return drawn

    return visit.background.found(("links", visit.site), draw)


ROUTES = (
    *live_page("/sites/{site}/links", "links", _values, tab="Links"),
    page("/sites/{site}/links.svg", _picture),
)
