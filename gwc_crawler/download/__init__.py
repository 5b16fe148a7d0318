"""What stands between a lease and its response.

`handler` [S] sends a Request over kept `connections`, whose bytes `wire` writes and reads; `retry` decides what happens
to a URL that gave no page; `middlewares` [S] follows redirects with the lease in hand, waits for robots.txt and reads
pages again that the pre-crawl has fetched already; `politeness` [S] keeps the limits of hosts, on
top of `direct` [S], Scrapy's downloader by the shortest way.
"""

from gwc_crawler.download.retry import RetryPolicy, retry_after_seconds

__all__ = ["RetryPolicy", "retry_after_seconds"]
