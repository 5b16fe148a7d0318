"""The dashboard: what `scrapy status` tells, and what commands do, as web pages; `web` is its frame."""
