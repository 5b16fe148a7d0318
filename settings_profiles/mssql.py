"""Pages and records also go to a SQL Server (GWC_MSSQL_*)."""

from gwc_crawler.profiles.mssql import *  # noqa: F403
