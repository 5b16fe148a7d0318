"""One machine, one process, SQLite: the default."""

from gwc_crawler.settings import *  # noqa: F403
