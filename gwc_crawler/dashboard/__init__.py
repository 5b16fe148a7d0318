"""The dashboard: what `scrapy status` tells, and what commands do, as web pages; `web` is its frame."""

from gwc_crawler.dashboard.serving import make_app, serve
