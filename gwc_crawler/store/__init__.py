"""Where pages, links, records and exceptions go, in batches, always before the frontier moves on; bodies as files."""

from gwc_crawler.store.sink import SinkConfig, column_value, record_rows

__all__ = ["SinkConfig", "column_value", "record_rows"]
