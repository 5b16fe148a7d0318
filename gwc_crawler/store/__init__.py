"""Where pages, links, records and exceptions go, in batches, and always before the frontier moves on.

`Sink` is the promise, `SqliteSink` keeps it in one file, `Committer` collects a batch and commits it. The Scrapy
item pipelines over them are `gwc_crawler.store.pipelines`.
"""

from gwc_crawler.store.batcher import Committer
from gwc_crawler.store.sink import Sink
from gwc_crawler.store.sqlite import KeepHtml, SqliteSink, read_records, read_stored_pages, records_table
from gwc_crawler.store.values import Revision

__all__ = [
    "Committer",
    "KeepHtml",
    "Revision",
    "Sink",
    "SqliteSink",
    "read_records",
    "read_stored_pages",
    "records_table",
]
