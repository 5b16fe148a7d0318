"""The pages of the dashboard: one module each, which gives its `ROUTES`; all of them, in the order of the menus."""

from gwc_crawler.dashboard.views import learned, links, metrics, queue, records, site, sites, steering

ROUTES = (
    *(*sites.ROUTES, *site.ROUTES, *queue.ROUTES, *records.ROUTES, *learned.ROUTES, *links.ROUTES),
    *(*steering.ROUTES, *metrics.ROUTES),
)
