"""Item pipelines: strip tags, keep files, store in batches, hand the record on.

Behind `RecordPipeline` an item is the record of a target page, a plain dict: that is what feeds export and what a
user's own pipelines get, whose order is 0 or more. A list that goes over several pages is here as the target page
itself shows it: the others may come hours later, and are put together in the database. A crawl that looks again (`-a
recrawl=…`) gives items of pages that are new or have changed. Items of other spiders pass through untouched.
`StripPipeline` and `SqlServerPipeline` are for projects of any kind, too: they strip items, and keep them in a SQL
Server.
"""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.pipelines.files import FilesPipeline
    from gwc_crawler.pipelines.record import RecordPipeline
    from gwc_crawler.pipelines.sql_server import SqlServerPipeline
    from gwc_crawler.pipelines.store import StorePipeline
    from gwc_crawler.pipelines.strip import StripPipeline
else:
    __getattr__ = face(__name__)
