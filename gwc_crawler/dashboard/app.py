"""All pages of the dashboard in one server. A package of pages gives its `ROUTES`; they are put together here."""

from __future__ import annotations

from aiohttp import web

from gwc_crawler.dashboard import changing, new_site, planning, views
from gwc_crawler.dashboard.web import Project, VisitorCheck, frame_app

ROUTES = (*views.ROUTES, *new_site.ROUTES, *planning.ROUTES, *changing.ROUTES)


def make_app(project: Project, access: VisitorCheck) -> web.Application:
    """Return the dashboard of a project as a server."""
    return frame_app(project, access, ROUTES)
