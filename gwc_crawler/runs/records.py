"""The stored records of a site, for commands that show them or write them out; also while a crawl runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gwc_crawler.errors import InputError
from gwc_crawler.export import Format, Selection
from gwc_crawler.runs.lookup import SiteFiles
from gwc_crawler.store import CrawlDatabase, column_names
from gwc_crawler.store.outlet import RecordTable, record_table


@contextmanager
def open_records(files: SiteFiles) -> Iterator[RecordTable]:
    """Open the table of records, to be read.

    Raises:
        InputError: the site has not been crawled, or nothing makes records of its pages.
        StoreError: the database can't be read.
    """
    with CrawlDatabase(files.require_crawl(), read_only=True) as database:
        table = record_table(database, files.site.name)
        if table is None:
            raise InputError(
                f"{database.path} has no records: the crawl keeps them elsewhere (GWC_SINK), or the site file has no "
                "samples with fields"
            )
        yield table


def selection_for(files: SiteFiles, kind: Format) -> Selection:
    """Return which records and columns are meant, if nothing else is said: those of the site file's fields."""
    site = files.site
    fields: tuple[str, ...] = ()
    if (knowledge := files.learned()) is not None:
        fields = tuple(knowledge.record_shape(site.field_names).columns)
    columns = dict(zip(fields, column_names(fields), strict=True))
    texts = frozenset(columns[name] for name in site.text_columns if name in columns)
    return Selection(kind, known=tuple(columns.values()), texts=texts)
