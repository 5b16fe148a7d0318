"""Units → the rows of the session's own tables, from which one transaction takes them over (`sql/stage.sql`).

Pure: no server is spoken to. Of pages that stand twice in a batch the later counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gwc_crawler.store.mssql.identifiers import NAME_CHARACTERS, url_id
from gwc_crawler.store.mssql.writing.sql_schema import ServerColumn
from gwc_crawler.store.mssql.writing.sql_values import UnfitValue, as_text, for_column
from gwc_crawler.urls import host_of

Unit = Mapping[str, Any]
Row = tuple[Any, ...]

HOST_CHARACTERS, CHARSET_CHARACTERS = 255, 100
GUARDED_TEXTS = ("title", "abstract")
KEYS_A_ROW = 1000
"""Ends of links that are copied as one value, which the server parts again."""

PAGE_TABLES = ("#pages", "#urls", "#links", "#exceptions", "#outside", "#sites", "#files", "#items", "#parts")


@dataclass
class Staged:
    """What is copied to the server for a batch: table → rows, which URLs will be known there afterwards, and
    the unit of each page."""

    rows: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in PAGE_TABLES})
    records: list[Row] = field(default_factory=list)
    urls: dict[str, bytes] = field(default_factory=dict)
    pages: dict[bytes, Unit] = field(default_factory=dict)


class Stager:
    """Makes the rows of one site's batches.

    Args:
        columns: those of the table of records.
        lists_apart: whether items of lists get rows of their own.
        known: URL → its key, of those that the server has already.
    """

    def __init__(
        self,
        site: str,
        columns: Sequence[ServerColumn],
        *,
        lists_apart: bool,
        known: Mapping[str, bytes] | None = None,
    ) -> None:
        self._site = site
        self._columns = columns
        self._lists_apart = lists_apart
        self._known = {} if known is None else known

    def pages(self, units: Iterable[Unit]) -> Staged:
        """Return the rows of pages."""
        staged = Staged()
        latest = staged.pages
        for unit in units:
            key = url_id(self._site, unit["url"])
            if key not in latest or latest[key]["fetched_at"] <= unit["fetched_at"]:
                latest[key] = unit
        for key, unit in latest.items():
            self._page(staged, key, unit)
            self._links(staged, key, unit)
            self._outside(staged, key, unit)
            self._record(staged, key, unit)
            self._parts(staged, key, unit)
        staged.rows["#urls"] = [(key, self._site, url, _host(url)) for url, key in staged.urls.items()]
        return staged

    def items(self, units: Iterable[Unit]) -> Staged:
        """Return the rows of items, which have no page."""
        staged = Staged()
        latest = {url_id(self._site, unit["url"]): unit for unit in units}
        for key, unit in latest.items():
            self._record(staged, key, unit)
        return staged

    def _page(self, staged: Staged, key: bytes, unit: Unit) -> None:
        moved = unit["requested"]
        texts, guards = guarded({name: unit[name] for name in GUARDED_TEXTS})
        staged.rows["#pages"].append(
            (
                key,
                url_id(self._site, moved) if moved else None,
                int(unit["record"] is not None),
                self._site,
                unit["url"],
                moved,
                texts["title"],
                unit["kind"],
                unit["relevant"],
                unit["weight"],
                unit["depth"],
                unit["attempts"],
                unit["status"],
                unit["content_type"],
                (unit["charset"] or "")[:CHARSET_CHARACTERS],
                unit["fetched_at"],
                texts["abstract"],
                unit["body"],
                unit["stripped_html"],
                unit["html"],
                guards,
            )
        )
        for url in dict.fromkeys(filter(None, (unit["url"], moved))):
            if url not in self._known:
                self._enter(staged, url)
            if unit["file"]:  # a redirect's URL leads to it, too
                file_id = url_id(self._site, url)
                staged.rows["#files"].append((file_id, key, self._site, url, *unit["file"], unit["fetched_at"]))

    def _enter(self, staged: Staged, url: str) -> bytes:
        """Return the key of a URL that the server may not have."""
        key = staged.urls.get(url)
        if key is None:
            key = staged.urls[url] = url_id(self._site, url)
        return key

    def _links(self, staged: Staged, key: bytes, unit: Unit) -> None:
        known = self._known
        ends = list(dict.fromkeys([known.get(url) or self._enter(staged, url) for url in unit["links"]]))
        for start in range(0, len(ends), KEYS_A_ROW):
            staged.rows["#links"].append((key, unit["pruned"], b"".join(ends[start : start + KEYS_A_ROW])))

    def _outside(self, staged: Staged, key: bytes, unit: Unit) -> None:
        known = {row[1] for row in staged.rows["#sites"]}
        for site, number, host, url in unit["outside"]:
            name = site[:HOST_CHARACTERS]
            staged.rows["#outside"].append((key, self._site, name, number))
            if name not in known:
                staged.rows["#sites"].append((self._site, name, host[:HOST_CHARACTERS], url, unit["fetched_at"]))

    def _parts(self, staged: Staged, key: bytes, unit: Unit) -> None:
        if parts := unit.get("parts"):
            number, lists = parts
            owner = url_id(self._site, unit["of"])
            for name, rows in lists:
                whole = as_text(rows)
                staged.rows["#parts"].append(
                    (key, name[:NAME_CHARACTERS], self._site, unit["url"], owner, number, whole)
                )

    def _record(self, staged: Staged, key: bytes, unit: Unit) -> None:
        problems = {row[0]: row for row in unit.get("exceptions", ())}
        if unit["record"] is not None:
            self._fields(staged, key, unit, problems)
        for name, reason, closest in problems.values():
            texts, guards = guarded({"reason": reason, "closest": closest})
            staged.rows["#exceptions"].append((key, self._site, unit["url"], name, *texts.values(), guards))

    def _fields(self, staged: Staged, key: bytes, unit: Unit, problems: dict[str, Sequence[str]]) -> None:
        values: list[str | None] = []
        for column in self._columns:
            value = unit["record"].get(column.field)
            if isinstance(value, list) and self._lists_apart:
                self._items(staged, key, column.field, value)
            try:
                values.append(for_column(value, column.type, column.code_page))
            except UnfitValue as error:
                values.append(None)
                field = column.field[:NAME_CHARACTERS]
                problems[field] = (field, f"not stored: {error}", as_text(value) or "")
        texts, guards = guarded({str(number): value for number, value in enumerate(values, 1)})
        staged.records.append((key, unit["url"], unit["fetched_at"], guards, *texts.values()))

    def _items(self, staged: Staged, key: bytes, field: str, items: Sequence[Any]) -> None:
        for position, part, value in items_of(items):
            texts, guards = guarded({"value": value})
            names = field[:NAME_CHARACTERS], position, part
            staged.rows["#items"].append((key, self._site, *names, texts["value"], guards))


def items_of(items: Sequence[Any]) -> Iterator[tuple[int, str, str | None]]:
    """Return what a list holds: place, name of the part ("" where items have none), and value of each.

    >>> list(items_of(["a", {"name": "b", "stars": 5}]))
    [(1, '', 'a'), (2, 'name', 'b'), (2, 'stars', '5')]
    """
    for position, item in enumerate(items, 1):
        parts = item.items() if isinstance(item, Mapping) else (("", item),)
        for part, value in parts:
            yield position, part[:NAME_CHARACTERS], as_text(value)


def guarded(texts: Mapping[str, str | None]) -> tuple[dict[str, str | None], str | None]:
    """Put a bar behind each text that a bulk copy would change: '' and what ends in a blank; return which these are.

    >>> guarded({"title": "", "body": "x ", "name": "y"})
    ({'title': '|', 'body': 'x |', 'name': 'y'}, ',title,body,')
    """
    names = [name for name, text in texts.items() if text is not None and (not text or text[-1] == " ")]
    if not names:
        return dict(texts), None
    return {**texts, **{name: f"{texts[name]}|" for name in names}}, f",{','.join(names)},"


def _host(url: str) -> str:
    return host_of(url)[:HOST_CHARACTERS]
