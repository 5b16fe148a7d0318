"""New site: a site file by pointing and clicking."""

from gwc_crawler.dashboard.new_site.pages import ROUTES
