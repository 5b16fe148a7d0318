"""One machine, one process, SQLite: the default."""

from gwc_crawler.profiles.local import *  # noqa: F403
