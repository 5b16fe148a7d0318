"""The pages of the dashboard: one module each, which gives its `ROUTES`; all of them, in the order of the menus."""

from gwc_crawler.dashboard.views import site, sites

ROUTES = (*sites.ROUTES, *site.ROUTES)

__all__ = ["ROUTES"]
