"""What is known of a site, changed: filters edited, or learned again; compared on stored pages before it is applied."""

from gwc_crawler.dashboard.changing.pages import ROUTES

__all__ = ["ROUTES"]
