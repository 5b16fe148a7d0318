"""For a server of your own, or one that said yes: many requests at once, larger batches."""

from gwc_crawler.settings import *  # noqa: F403

CONCURRENT_REQUESTS = 64
CONCURRENT_REQUESTS_PER_DOMAIN = 64
DOWNLOAD_DELAY = 0.0
GWC_LEASE_BATCH = 256
