"""Many workers, one crawl: `SCRAPY_PROJECT=cluster scrapy crawl SITE`, any number of times, at any time.

They share the queue in Redis (REDIS_URL and scrapy-redis's other settings) and, on one machine, the SQLite file. For
Redis Cluster add `REDIS_PARAMS = {"redis_cls": "redis.RedisCluster"}`. Run Redis with `appendonly yes`.
"""

import os

from gwc_crawler.settings import *  # noqa: F403

GWC_FRONTIER = "redis"
SCHEDULER_PERSIST = True
REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379/0")
GWC_LEASE_SECONDS = 60.0  # extended while the worker lives: how soon a killed one is noticed
GWC_LEASE_BATCH = 32  # less in one worker's hands leaves more to the others
GWC_COMMIT_PAGES = 100  # each commit is a question to Redis
