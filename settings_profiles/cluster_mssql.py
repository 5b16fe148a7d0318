"""Many workers, one crawl, shared through Redis (REDIS_URL)."""

from gwc_crawler.profiles.cluster_mssql import *  # noqa: F403
