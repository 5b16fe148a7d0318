"""Where pages, links, records and exceptions go, in batches, always before the frontier moves on."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.batcher import Committer
    from gwc_crawler.store.history import ChangeCause, ChangeKind
    from gwc_crawler.store.reading import (
        EXACT,
        ColumnFacts,
        Coverage,
        ExceptionStats,
        Exportable,
        GraphRow,
        RecordRows,
        SiteReader,
    )
    from gwc_crawler.store.redis_server import OPENING, Breaker, Lua, Scripts, Server, check_types, hurry, redis_errors
    from gwc_crawler.store.sink import (
        PRUNED_KINDS,
        RecordSinks,
        Revision,
        SinkConfig,
        SinkFactory,
        Standing,
        as_extracted,
        is_kept,
        record_rows,
        stored_record,
    )
    from gwc_crawler.store.sqlite.database import CrawlDatabase, crawl_holder, has_tables
    from gwc_crawler.store.sqlite.sink import SqliteSink, read_records
    from gwc_crawler.store.sqlite.stats import count_kept_pages, read_kept_pages
else:
    __getattr__ = face(__name__)
