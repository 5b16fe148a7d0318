"""Stored records → items, as the pipelines had them when their pages were fetched."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from gwc_crawler.knowledge import RecordShape
from gwc_crawler.store.sqlite.database import CrawlDatabase, quote_name
from gwc_crawler.store.sqlite.sink import column_names, records_table


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads records of one site back.

    Attributes:
        fields: the items' keys after `url`; `columns` has the column of each.
        texts: fields that are never lists, so that a text like "[1]" stays one.
    """

    database: CrawlDatabase
    table: str
    fields: tuple[str, ...]
    columns: tuple[str, ...]
    texts: frozenset[str]

    def read(self, ids: Collection[int]) -> dict[int, dict[str, Any]]:
        """Return the items of pages (urls.id) that have a record."""
        names = ", ".join(f"r.{quote_name(column)}" for column in self.columns)
        with self.database.errors():
            rows = self.database.connection.execute(
                f"SELECT p.id, r.url{', ' if names else ''}{names} FROM pages AS p "  # noqa: S608  # quoted
                f"JOIN {self.table} AS r ON r.url = p.url WHERE p.id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {number: {"url": url, **self._item(values)} for number, url, *values in rows}

    def _item(self, values: list[Any]) -> dict[str, Any]:
        return {
            name: value if name in self.texts else as_extracted(value)
            for name, value in zip(self.fields, values, strict=True)
        }


def item_reader(
    database: CrawlDatabase, site: str, shape: RecordShape, texts: frozenset[str] = frozenset()
) -> ItemReader:
    """Return the reader of a site's records; see `ItemReader`."""
    fields = tuple(shape.columns)
    return ItemReader(database, quote_name(records_table(site)), fields, tuple(column_names(fields)), texts)


def as_extracted(value: Any) -> Any:
    """Return a column's value as it was before it was stored: lists stand there as JSON.

    >>> as_extracted('["a", "b"]'), as_extracted("[sic]"), as_extracted(7)
    (['a', 'b'], '[sic]', 7)
    """
    if not isinstance(value, str) or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
