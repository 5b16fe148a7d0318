"""Units → the rows of the session's own tables, from which one transaction takes them over (`sql/stage.sql`).

Pure: no server is spoken to. Of pages that stand twice in a batch the later counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from gwc_crawler.items import UrlState
from gwc_crawler.store.history import JoinedFields
from gwc_crawler.store.server.config import NAME_CHARACTERS, POSTGRES, quoted, text_literal, url_id
from gwc_crawler.store.server.connection import ServerConnection
from gwc_crawler.store.server.schema import Records, ServerColumn, UnfitValue, as_text, for_column, is_text, statements
from gwc_crawler.store.server.units import ASCII, unpacked
from gwc_crawler.store.sink import PAGE_COLUMNS
from gwc_crawler.urls import host_of

Head: TypeAlias = Mapping[str, Any]
Unit: TypeAlias = Mapping[str, Any]
Row = tuple[Any, ...]

HOST_CHARACTERS, CHARSET_CHARACTERS = 255, 100
KEYS_A_ROW = 1000
"""Ends of links that are copied as one value, which the server parts again."""

STAGED_COLUMNS = ("pruned", "attempts", *PAGE_COLUMNS)
"""Of #pages, behind its keys."""

TABLES = (
    *("#pages", "#urls", "#links", "#exceptions", "#outside"),
    *("#sites", "#files", "#items", "#parts", "#states", "#records"),
)


class Staged:
    """What is copied to the server for a batch.

    Args:
        columns: those of the table of records.
        known: URL → its key, of those that the server has already.

    Attributes:
        rows: of each table; urls: URL → its key, of those that the server will have, too; pages: key → unit.
    """

    def __init__(
        self,
        head: Head,
        units: Iterable[Unit],
        columns: Sequence[ServerColumn],
        engine: str,
        known: Mapping[str, bytes],
    ) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.urls: dict[str, bytes] = {}
        self.pages: dict[bytes, Unit] = {}
        self._site, self._lists_apart = head["site"], head["lists"] == "tables"
        self._columns, self._known = columns, known
        self._key = partial(url_id, self._site, engine=engine)
        self._text: Callable[[Any], bytes | None] = unpacked if engine == POSTGRES else lambda packed: packed
        for unit in units:
            if head["form"] == "states":
                self._state(unit)
            else:
                self._keep_latest(unit)
        for key, unit in self.pages.items():
            self._record(key, unit)
            if head["form"] != "items":
                self._page(key, unit)
                self._parts(key, unit)
            if head["form"] == "pages":
                self._links(key, unit)
                self._outside(key, unit)
        if head["form"] != "pages":
            self.urls.clear()  # nothing is entered: whoever fetched them has done that
        self.rows["#urls"] = [(key, self._site, url, _host(url)) for url, key in self.urls.items()]

    def _keep_latest(self, unit: Unit) -> None:
        key = self._key(unit["url"])
        if key not in self.pages or self.pages[key]["fetched_at"] <= unit["fetched_at"]:
            self.pages[key] = unit

    def _state(self, unit: Unit) -> None:
        row = (unit["state"], unit["reason"], unit["attempts"], unit["weight"], unit["depth"], unit["fetched_at"])
        self.rows["#states"].append((self._key(unit["url"]), self._site, unit["url"], _host(unit["url"]), *row))
        if not self.rows["#sites"]:
            site, _, host, url = unit["own"]
            self._found(site, host, (self._site, unit["site_state"]), url, unit["fetched_at"])

    def _page(self, key: bytes, unit: Unit) -> None:
        moved = unit["requested"]
        values = {
            **unit,
            "title": barred(unit["title"]),
            "charset": (unit["charset"] or "")[:CHARSET_CHARACTERS],
            "abstract": barred(unit["abstract"]),
            "body": self._text(unit["body"]),
            "stripped_html": self._text(unit["stripped_html"]),
        }
        flags = int(unit["record"] is not None), int(unit.get("encoding") == ASCII)
        own = (key, self._key(moved) if moved else None, *flags, self._site)
        self.rows["#pages"].append((*own, *(values[name] for name in STAGED_COLUMNS)))
        for url in dict.fromkeys(filter(None, (unit["url"], moved))):
            if url not in self._known:
                self._enter(url)
            if unit["file"]:  # a redirect's URL leads to it, too
                names = self._key(url), key, self._site, url
                self.rows["#files"].append((*names, *unit["file"], unit["fetched_at"]))

    def _enter(self, url: str) -> bytes:
        key = self.urls.get(url)
        if key is None:
            key = self.urls[url] = self._key(url)
        return key

    def _links(self, key: bytes, unit: Unit) -> None:
        known = self._known
        ends = list(dict.fromkeys([known.get(url) or self._enter(url) for url in unit["links"]]))
        for start in range(0, len(ends), KEYS_A_ROW):
            self.rows["#links"].append((key, unit["pruned"], b"".join(ends[start : start + KEYS_A_ROW])))

    def _outside(self, key: bytes, unit: Unit) -> None:
        known = {row[1] for row in self.rows["#sites"]}
        own = unit["own"]
        for site, number, host, url in [own, *unit["outside"]]:
            name = site[:HOST_CHARACTERS]
            self.rows["#outside"].append((key, self._site, name, number))
            if name not in known:
                known.add(name)
                facts = (self._site, UrlState.RUNNING) if site == own[0] else (name, UrlState.WAITING)
                self._found(name, host, facts, url, unit["fetched_at"])

    def _found(self, site: str, host: str, facts: tuple[str, str], url: str, at: str) -> None:
        row = (self._site, site[:HOST_CHARACTERS], host[:HOST_CHARACTERS], *map(str, facts), url, at)
        self.rows["#sites"].append(row)

    def _parts(self, key: bytes, unit: Unit) -> None:
        if unit["parts"]:
            number, lists = unit["parts"]
            owner = self._key(unit["of"])
            for name, rows in lists:
                whole = as_text(rows)
                self.rows["#parts"].append((key, name[:NAME_CHARACTERS], self._site, unit["url"], owner, number, whole))

    def _record(self, key: bytes, unit: Unit) -> None:
        problems = {row[0]: row for row in unit.get("exceptions", ())}
        if unit["record"] is not None:
            self._fields(key, unit, problems)
        for name, reason, closest in problems.values():
            self.rows["#exceptions"].append((key, self._site, unit["url"], name, barred(reason), barred(closest)))

    def _fields(self, key: bytes, unit: Unit, problems: dict[str, Sequence[str]]) -> None:
        values: list[str | None] = []
        for column in self._columns:
            value = unit["record"].get(column.field)
            field = column.field[:NAME_CHARACTERS]
            if isinstance(value, list) and self._lists_apart:
                rows = ((key, self._site, field, *place, barred(text)) for *place, text in items_of(value))
                self.rows["#items"].extend(rows)
            try:
                text = for_column(value, column.type, column.code_page)
                values.append(barred(text) if is_text(column.type) else text)
            except UnfitValue as error:
                values.append(None)
                problems[field] = (field, f"not stored: {error}", as_text(value) or "")
        self.rows["#records"].append((key, unit["url"], unit["fetched_at"], *values))


def items_of(items: Sequence[Any]) -> Iterator[tuple[int, str, str | None]]:
    """Return what a list holds: place, name of the part ("" where items have none), and value of each.

    >>> list(items_of(["a", {"name": "b", "stars": 5}]))
    [(1, '', 'a'), (2, 'name', 'b'), (2, 'stars', '5')]
    """
    for position, item in enumerate(items, 1):
        parts = item.items() if isinstance(item, Mapping) else (("", item),)
        for part, value in parts:
            yield position, part[:NAME_CHARACTERS], as_text(value)


def barred(text: str | None) -> str | None:
    """Return a text with a bar behind it: a bulk copy takes '' for NULL, and drops blanks at the end."""
    return None if text is None else f"{text}|"


def _host(url: str) -> str:
    return host_of(url)[:HOST_CHARACTERS]


# --- What of a record comes with other pages than its own, put together on the server ---------------------------------


ROWS_A_STATEMENT = 500


class Joined(JoinedFields[bytes]):
    """The joined fields of one site's records, which are known by their keys; *head* names them."""

    def __init__(self, server: ServerConnection, schema: str, head: Head, records: Records) -> None:
        super().__init__({name[:NAME_CHARACTERS]: group for name, group in head["paged"].items()}, head["files"])
        self._server = server
        self._site: str = head["site"]
        self._id = partial(url_id, self._site, engine=server.engine)
        self._lists_apart = head["lists"] == "tables"
        self._table = records.table
        self._columns = {column.field: column for column in records.columns}
        self._replace_parts = statements("joined.sql", schema)
        self._schema = quoted(schema)
        self._urls: dict[bytes, str] = {}
        """Key → URL of the records that are at hand."""

    def write(self, units: Mapping[bytes, Unit]) -> None:
        """Put together what the pages of a batch belong to; they stand there already, in the same transaction."""
        taken = {row[0] for row in self._server.run("SELECT url_id AS url_id FROM #pages")}
        if taken and self.paged:
            self._join_parts()
        if taken and self.named:
            owners = {self._id(unit["of"]) for key, unit in units.items() if key in taken and unit.get("of")}
            users = self._server.run(
                f"SELECT DISTINCT u.record_id AS record_id FROM {self._schema}.[file_uses] AS u "  # noqa: S608  # quoted
                "INNER JOIN #files AS s ON s.url_id = u.file_id WHERE s.page_id IN (SELECT url_id FROM #pages)"
            )
            self._fill_all(owners | {row[0] for row in users})

    def _join_parts(self) -> None:
        run = self._server.run
        before = run(
            f"SELECT DISTINCT record_id AS record_id FROM {self._schema}.[record_parts] WHERE page_id IN "  # noqa: S608  # quoted
            "(SELECT url_id FROM #pages UNION ALL SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL)"
        )
        for statement in self._replace_parts:
            run(statement)
        now = run("SELECT DISTINCT record_id AS record_id FROM #parts WHERE page_id IN (SELECT url_id FROM #pages)")
        for keys in _keys({row[0] for row in (*before, *now)}):
            query = f"SELECT url_id AS url_id, url AS url FROM {self._table} WHERE url_id IN ({keys})"  # noqa: S608  # keys
            self._urls = dict(run(query))
            parts: list[Any] = run(
                "SELECT record_id AS record_id, field AS field, number AS number, page_url AS page_url, "  # noqa: S608  # quoted
                f"items AS items FROM {self._schema}.[record_parts] WHERE record_id IN ({keys})"
            )
            self.put_together(parts)

    def _fill_all(self, records: Iterable[bytes]) -> None:
        names = "".join(f", {quoted(self._columns[one].name)} AS f{number}" for number, one in enumerate(self.owners))
        for keys in _keys(records):
            query = f"SELECT url_id AS url_id, url AS url{names} FROM {self._table} WHERE url_id IN ({keys})"  # noqa: S608
            rows = self._server.run(query)
            self._urls = {key: url for key, url, *_ in rows}
            self._server.run(f"DELETE FROM {self._schema}.[file_uses] WHERE record_id IN ({keys})")  # noqa: S608  # keys
            for key, _, *values in rows:
                self.fill(key, values)

    def note_uses(self, record: bytes, urls: Sequence[str]) -> Mapping[str, str]:
        files = {self._id(one): one for one in urls}
        self._insert("file_uses", "file_id, record_id", [f"{_key(one)}, {_key(record)}" for one in files])
        found = {}
        for keys in _keys(files):
            query = f"SELECT url_id AS url_id, path AS path FROM {self._schema}.[files] WHERE url_id IN ({keys})"  # noqa: S608  # keys
            found.update({files[key]: path for key, path in self._server.run(query)})
        return found

    def set(self, record: bytes, fields: Mapping[str, Any]) -> None:
        if not fields or record not in self._urls:
            return
        sets = []
        names = ", ".join(text_literal(field[:NAME_CHARACTERS]) for field in fields)
        self._server.run(
            f"DELETE FROM {self._schema}.[exceptions] WHERE url_id = {_key(record)} "  # noqa: S608  # quoted
            f"AND field IN ({names}) AND LEFT(reason, 12) = N'not stored: '"
        )
        for field, value in fields.items():
            column, name = self._columns[field], field[:NAME_CHARACTERS]
            try:
                text = for_column(value, column.type, column.code_page)
            except UnfitValue as error:
                text = None
                self._tell(record, name, f"not stored: {error}", as_text(value) or "")
            sets.append(f"{quoted(column.name)} = {_converted(text, column.type)}")
            if self._lists_apart:
                self._replace_items(record, name, value if isinstance(value, list) else ())
        self._server.run(f"UPDATE {self._table} SET {', '.join(sets)} WHERE url_id = {_key(record)}")  # noqa: S608  # quoted

    def _tell(self, record: bytes, *texts: str) -> None:
        values = ", ".join(map(text_literal, (self._site, self._urls[record], *texts)))
        self._server.run(
            f"INSERT INTO {self._schema}.[exceptions] (url_id, site, url, field, reason, closest) "  # noqa: S608  # quoted
            f"SELECT {_key(record)}, {values} WHERE NOT EXISTS (SELECT 1 FROM {self._schema}.[exceptions] "
            f"WHERE url_id = {_key(record)} AND field = {text_literal(texts[0])})"
        )

    def _replace_items(self, record: bytes, field: str, items: Sequence[Any]) -> None:
        self._server.run(
            f"DELETE FROM {self._schema}.[list_items] WHERE url_id = {_key(record)} AND field = {text_literal(field)}"  # noqa: S608  # quoted
        )
        begin = f"{_key(record)}, {text_literal(self._site)}, {text_literal(field)}"
        rows = [
            f"{begin}, {position}, {text_literal(part)}, {text_literal(text or '')}"
            for position, part, text in items_of(items)
        ]
        self._insert("list_items", "url_id, site, field, position, part, value", rows)

    def _insert(self, table: str, columns: str, rows: Sequence[str]) -> None:
        for start in range(0, len(rows), ROWS_A_STATEMENT):
            some = rows[start : start + ROWS_A_STATEMENT]
            self._server.run(f"INSERT INTO {self._schema}.[{table}] ({columns}) VALUES ({'), ('.join(some)})")  # noqa: S608  # quoted


def _converted(text: str | None, kind: str) -> str:
    if text is None:
        return "NULL"
    if is_text(kind) and "CHAR" in kind:
        return text_literal(text)
    return f"CAST({text_literal(text)} AS {kind})"


def _key(key: bytes) -> str:
    return f"0x{key.hex()}"


def _keys(keys: Iterable[bytes]) -> Iterator[str]:
    """Return keys as T-SQL lists them, some at a time, in order: so writers come upon rows in the same one."""
    ordered = sorted(keys)
    for start in range(0, len(ordered), ROWS_A_STATEMENT):
        yield ", ".join(map(_key, ordered[start : start + ROWS_A_STATEMENT]))
