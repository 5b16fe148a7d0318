"""How the pages of a site link to each other: a picture, with figures beside it."""

from __future__ import annotations

from gwc_crawler.dashboard.queries.records import whereabouts
from gwc_crawler.dashboard.queries.url_stats import LinkMap, link_map
from gwc_crawler.dashboard.web.project import AgedFigure
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Drawn, page, part
from gwc_crawler.errors import InputError
from gwc_crawler.export.graph.model import UNREACHED


def links(visit: DashboardRequest) -> Answer:
    """Show figures and picture."""
    return visit.show("links.html", found=_found(visit), unreached=UNREACHED, elsewhere=whereabouts(visit.place))


def live(visit: DashboardRequest) -> Answer:
    """Show the links again, while the picture is being drawn."""
    return visit.show("links_live.html", found=_found(visit), unreached=UNREACHED)


def picture(visit: DashboardRequest) -> Answer:
    """Show the picture alone."""
    found = _found(visit)
    if found.value is None or not found.value.svg:
        raise InputError(visit.say("There is no picture of the links yet."))
    return Drawn(found.value.svg)


def _found(visit: DashboardRequest) -> AgedFigure[LinkMap | None]:
    name, memory, files = f"links {visit.site}", visit.memory, visit.files

    def draw() -> LinkMap | None:
        drawn = memory[name] = link_map(files, memory.get(name))
        return drawn

    return visit.background.found(("links", visit.site), draw)


ROUTES = (
    page("/sites/{site}/links", links, tab="Links"),
    part("/sites/{site}/links/live", live),
    page("/sites/{site}/links.svg", picture),
)
