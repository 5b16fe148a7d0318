"""Many workers on any machines, one crawl, its data in one place: URLs in Redis, pages and records in a SQL Server.

`SCRAPY_PROJECT=cluster-mssql scrapy crawl SITE`, with REDIS_URL and GWC_MSSQL_HOST, _USER, _PASSWORD and _DATABASE.
Every command reads the server then. With GWC_SINK = "postgres" it is PostgreSQL, at GWC_POSTGRES_URL.
"""

from gwc_crawler.profiles import cluster
from gwc_crawler.settings import *  # noqa: F403

GWC_SINK = "mssql"
REDIS_URL = cluster.REDIS_URL
GWC_FRONTIER = cluster.GWC_FRONTIER
SCHEDULER_PERSIST = cluster.SCHEDULER_PERSIST
GWC_LEASE_SECONDS = cluster.GWC_LEASE_SECONDS
GWC_LEASE_BATCH = cluster.GWC_LEASE_BATCH
GWC_COMMIT_PAGES = cluster.GWC_COMMIT_PAGES
