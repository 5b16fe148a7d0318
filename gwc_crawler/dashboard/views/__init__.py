"""The pages of the dashboard: one module each, which gives its `ROUTES`; all of them, in the order of the menus."""

from gwc_crawler.dashboard.views import (
    changing,
    correcting,
    learned,
    links,
    metrics,
    new_site,
    planning,
    queue,
    records,
    sites,
    steering,
)

ROUTES = (
    *(*sites.ROUTES, *queue.ROUTES, *records.ROUTES, *learned.ROUTES, *links.ROUTES, *steering.ROUTES),
    *(*metrics.ROUTES, *new_site.ROUTES, *planning.ROUTES, *changing.ROUTES, *correcting.ROUTES),
)
