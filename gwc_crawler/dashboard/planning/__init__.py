"""Crawls at set times: the page that shows and changes them, and the thread that starts what is due."""

from gwc_crawler.dashboard.planning.keeping import kept_schedules
from gwc_crawler.dashboard.planning.pages import ROUTES

__all__ = ["ROUTES", "kept_schedules"]
