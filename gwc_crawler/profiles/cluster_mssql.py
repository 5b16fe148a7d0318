"""Many workers on any machines, one crawl, its data in one place: URLs in Redis, pages and records in a SQL Server.

`SCRAPY_PROJECT=cluster-mssql scrapy crawl SITE`, with REDIS_URL and GWC_MSSQL_HOST, _USER, _PASSWORD and _DATABASE.
Every command reads the server then. With GWC_SINK = "postgres" it is PostgreSQL, at GWC_POSTGRES_URL.
"""

from gwc_crawler.profiles.cluster import *  # noqa: F403

GWC_SINK = "mssql"
