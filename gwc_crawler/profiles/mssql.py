"""Pages and records also go to a SQL Server, which GWC_MSSQL_HOST, _PORT, _USER, _PASSWORD and _DATABASE name.

They may be environment variables. The file of the crawl keeps pages and records, too, so `status`, `extract`, `export`
and feeds work as ever; `-s GWC_SINK=mssql` leaves them to the server alone. With many workers: `SCRAPY_PROJECT=cluster
scrapy crawl SITE -s GWC_SINK=mssql`.
"""

from gwc_crawler.settings import *  # noqa: F403

GWC_SINK = "sqlite,mssql"
GWC_COMMIT_PAGES = 100
