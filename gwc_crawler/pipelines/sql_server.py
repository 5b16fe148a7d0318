"""A pipeline that keeps items in a table of a SQL Server, also in a project that has nothing else of ours.

The next pipeline sees an item when it is safe: on the disk at once, on the server soon (`store.server`).
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from itemadapter.adapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.store.server.config import OutletConfig, number_of, table_of
from gwc_crawler.store.server.outlet import ITEMS_FOLDER, Outlet
from gwc_crawler.store.server.schema import TYPES, UnfitValue, as_text, for_column
from gwc_crawler.store.server.sink import item_head
from gwc_crawler.store.server.units import item_unit, plain
from gwc_crawler.wiring.own_settings import of_any_project

logger = logging.getLogger(__name__)


class SqlServerPipeline:
    """Collects items and hands them over in batches: when there are enough, when the first is old enough, at the end.

    Items with the same key (GWC_MSSQL_KEY) are one row, the latest counts; a batch that comes again after a crash
    changes nothing.

    Raises:
        InputError: a setting can't be used.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SqlServerPipeline:
        pipeline = cls(crawler)
        pipeline.open()
        return pipeline

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        settings = of_any_project(crawler.settings)
        self._config = OutletConfig.from_settings(settings)
        self._keys = checked_keys(settings["GWC_MSSQL_KEY"])
        self._table = str(settings["GWC_MSSQL_TABLE"])
        self._types = checked_types(settings["GWC_MSSQL_TYPES"])
        self._directory = Path(settings["GWC_DATA_DIR"]) / ITEMS_FOLDER
        self._max_items = min(
            int(number_of(settings, "GWC_COMMIT_PAGES", 1)),
            crawler.settings.getint("CONCURRENT_ITEMS") or 1,  # more of one page's are not under way at once
        )
        self._max_seconds = number_of(settings, "GWC_COMMIT_SECONDS", 0)
        self._fields: dict[str, str] = {}
        self._units: list[Mapping[str, Any]] = []
        self._safe: list[Deferred[None]] = []
        self._alarm: Any = None
        self._outlet: Outlet | None = None

    def open(self) -> None:
        """Open the outlet; a server that refuses the login ends the crawl before any part of it is open.

        Raises:
            StoreError: it refuses, or the folder of waiting pages can't be used.
        """
        name = self.crawler.spider.name  # type: ignore[union-attr]  # one is open
        self._site, self._table = name, self._table or table_of("items", name)
        self._outlet = Outlet(self._config, self._directory / table_of("of", name))

    async def process_item(self, item: Any) -> Any:
        """Put an item into the batch, and return it when it is safe."""
        if not ItemAdapter.is_item(item):
            raise DropItem(f"{type(item).__name__} is no item that SqlServerPipeline can store")
        try:
            fields = ItemAdapter(item).asdict()
            unit = item_unit(item_key(fields, self._keys, self._types), fields, time.time())
        except (RecursionError, ValueError) as error:
            raise DropItem(
                f"an item of {type(item).__name__} can't be stored: it is nested too deep, or holds itself"
            ) from error
        for name in fields:
            self._fields.setdefault(str(name), self._types.get(str(name), "text"))
        self._units.append(unit)
        safe: Deferred[None] = Deferred()
        self._safe.append(safe)
        if len(self._units) >= self._max_items:
            self._hand_over()
        elif self._alarm is None:
            self._alarm = call_later(self._max_seconds, self._first_is_old)
        await maybe_deferred_to_future(safe)
        return item

    async def close_spider(self) -> None:
        """Hand over what is left, then wait a while for the server to have all."""
        from twisted.internet.threads import deferToThread

        self._hand_over()
        await maybe_deferred_to_future(deferToThread(self._close))

    def _close(self) -> None:
        if self._outlet is not None:
            self._outlet.close()
            self._outlet.require_some()

    def _first_is_old(self) -> None:
        self._alarm = None
        self._hand_over()

    def _hand_over(self) -> None:
        from twisted.internet import reactor

        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if not self._units or self._outlet is None:
            return
        units, safe, self._units, self._safe = self._units, self._safe, [], []
        head = item_head(self._site, self._table, self._fields, self._config)
        answer = self._outlet.put(head, lambda: units)
        answer.add_done_callback(lambda done: reactor.callFromThread(self._tell, done, safe))

    def _tell(self, done: Future[None], safe: list[Deferred[None]]) -> None:
        error = done.exception()
        if error is not None:
            logger.error("items are not stored count=%d error=%s", len(safe), error)
        for one in safe:
            if error is None:
                one.callback(None)
            else:
                one.errback(DropItem(str(error)) if isinstance(error, StoreError) else error)


def item_key(fields: Mapping[str, Any], keys: Sequence[str], types: Mapping[str, str]) -> str:
    """Return the identity of an item as text: the fields of its key, or the whole item where one of them is missing.

    Values are the same where their columns hold the same: 1 and "1" as texts, 1 and "1.0" as numbers.

    >>> print(item_key({"a": "Red", "b": "Hat Big"}, ("a", "b"), {}), item_key({"a": 1.0}, ("a",), {"a": "int"}))
    ["Red", "Hat Big"] 1
    """
    values = [fields.get(name) for name in keys]
    if values and all(value is not None and str(value).strip() for value in values):
        texts = [_stored(value, TYPES[types.get(name, "text")]) for name, value in zip(keys, values, strict=True)]
        listed = json.dumps(texts, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
        return listed if texts[1:] else texts[0]
    whole = json.dumps(fields, ensure_ascii=True, sort_keys=True, default=str)
    return f"md5:{hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()}"


def _stored(value: Any, kind: str) -> str:
    value = plain(value)
    try:
        return for_column(value, kind) or ""
    except UnfitValue:
        return as_text(value) or ""


def checked_keys(given: Any) -> tuple[str, ...]:
    """Return the names of the fields that tell items apart: from a list, or a text with commas between.

    Raises:
        InputError: it is neither.
    """
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InputError(f"setting GWC_MSSQL_KEY is {given!r}; it takes names of fields, as in 'url' or 'shop, number'")
    return tuple(name.strip() for name in names if name.strip())


def checked_types(given: Any) -> dict[str, str]:
    """Return field → type. Raises InputError: it is no such table, or a type is unknown."""
    try:
        table = json.loads(given) if isinstance(given, str) else given
        types = {str(name): str(kind) for name, kind in table.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"setting GWC_MSSQL_TYPES is {given!r}; it takes field → type, as in {{'price': 'number'}}"
        ) from error
    for name, kind in types.items():
        if kind not in TYPES:
            raise InputError(f"setting GWC_MSSQL_TYPES gives {name!r} the type {kind!r}; it can be {', '.join(TYPES)}")
    return types
