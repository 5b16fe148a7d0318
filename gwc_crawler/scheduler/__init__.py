"""Scrapy's scheduler over the frontier: leases become Requests, in the order of the crawl, as their hosts allow."""
