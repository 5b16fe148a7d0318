"""How a server is reached: its settings, checked, as one small object for the writers; names and keys there."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from gwc_crawler.errors import InputError
from gwc_crawler.store.sink import column_names, table_name

MSSQL, POSTGRES = "mssql", "postgres"
"""Engines, as GWC_SINK names them; so are the folders called in which batches wait."""
NAMES = {MSSQL: "SQL Server", POSTGRES: "PostgreSQL"}

SSL_MODES = {"off": "disable", "request": "prefer", "require": "require"}
"""Words of ours → those of PostgreSQL's URLs."""

ENCRYPTIONS = ("off", "request", "require")
LISTS = ("json", "tables")

PLACE = {
    "GWC_MSSQL_HOST": "localhost",
    "GWC_MSSQL_PORT": "1433",
    "GWC_MSSQL_USER": "",
    "GWC_MSSQL_PASSWORD": "",
    "GWC_MSSQL_DATABASE": "",
    "GWC_MSSQL_SCHEMA": "dbo",
    "GWC_MSSQL_ENCRYPTION": "require",
}
"""What environment variables may say, too, where the settings don't → what holds where nobody says anything."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Where a server is, and how it is spoken to.

    `encryption` is off, request (TLS where the server can) or require; `timeout_seconds`: of one statement.
    """

    host: str
    port: int
    user: str
    password: str = dataclasses.field(repr=False)
    database: str
    schema: str = "dbo"
    encryption: str = "require"
    timeout_seconds: int = 60
    engine: str = MSSQL

    @property
    def name(self) -> str:
        """What it is, for people."""
        return NAMES[self.engine]

    @property
    def place(self) -> str:
        """Where it is, for people: `db.example:1433, database crawls`."""
        schema = "" if self.schema in ("dbo", "public") else f", schema {self.schema}"
        return f"{self.host}:{self.port}, database {self.database}{schema}"


@dataclass(frozen=True, slots=True)
class OutletConfig:
    """How batches get there.

    Attributes:
        writers: processes with one connection each.
        spill_bytes: size of the batches that wait on disk at most.
        retry_seconds: longest wait between two tries while the server is away.
        close_seconds: how long the end of a crawl waits for what is not written yet.
        lists: json (in the field's column) | tables (in `list_items` besides).
        procedure: a stored procedure that gets title and content of each page, "" for none.
    """

    server: ServerConfig
    writers: int = 1
    spill_bytes: int = 2_000_000_000
    retry_seconds: float = 30.0
    close_seconds: float = 60.0
    lists: str = "json"
    procedure: str = ""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], engine: str = MSSQL) -> OutletConfig:
        """Return what the settings say, which but for where it is are the same for all engines; or raise InputError."""
        return cls(
            _server(settings) if engine == MSSQL else _postgres(settings),
            int(number_of(settings, "GWC_MSSQL_WRITERS", 1)),
            int(number_of(settings, "GWC_MSSQL_SPILL_BYTES", 1)),
            number_of(settings, "GWC_MSSQL_RETRY_SECONDS", 0),
            number_of(settings, "GWC_MSSQL_CLOSE_SECONDS", 0),
            _choice(settings, "GWC_MSSQL_LISTS", LISTS),
            str(settings.get("GWC_MSSQL_PROCEDURE") or ""),
        )


def _server(settings: Mapping[str, Any]) -> ServerConfig:
    number = number_of(settings, "GWC_MSSQL_TIMEOUT_SECONDS", 1)
    place = {name: settings.get(name) or os.environ.get(name) or default for name, default in PLACE.items()}
    port = int(number_of(place, "GWC_MSSQL_PORT", 1, 65_535))
    encryption = _choice(place, "GWC_MSSQL_ENCRYPTION", ENCRYPTIONS)
    host, _, user, _, database, schema, _ = (str(value).strip() for value in place.values())
    for name, value in {"HOST": host, "USER": user, "DATABASE": database, "SCHEMA": schema}.items():
        if not value:
            raise InputError(
                f"setting GWC_MSSQL_{name} is empty; a SQL Server is named by GWC_MSSQL_HOST, _PORT, _USER, _PASSWORD "
                "and _DATABASE, as settings or as environment variables"
            )
    return ServerConfig(host, port, user, place["GWC_MSSQL_PASSWORD"], database, schema, encryption, int(number))


def _postgres(settings: Mapping[str, Any]) -> ServerConfig:
    """Return what GWC_POSTGRES_URL names; libpq's PGPASSWORD keeps the password out of it."""
    url = str(settings.get("GWC_POSTGRES_URL") or os.environ.get("GWC_POSTGRES_URL") or "")
    try:
        parts = urlsplit(url)
        port, user = parts.port or 5432, unquote(parts.username or "")
        mode = parse_qs(parts.query).get("sslmode", ["prefer"])[0]
    except ValueError:
        parts, user = urlsplit(""), ""
    if parts.scheme not in ("postgres", "postgresql") or not (parts.hostname and user and parts.path.strip("/")):
        raise InputError(
            "setting GWC_POSTGRES_URL names no PostgreSQL; it takes postgresql://user:password@host:5432/database, as "
            "a setting or an environment variable (the password may be PGPASSWORD's, ?sslmode=require asks for TLS)"
        )
    return ServerConfig(
        parts.hostname,
        port,
        user,
        unquote(parts.password or "") or os.environ.get("PGPASSWORD", ""),
        parts.path.strip("/"),
        str(settings.get("GWC_POSTGRES_SCHEMA") or os.environ.get("GWC_POSTGRES_SCHEMA") or "public"),
        mode,
        int(number_of(settings, "GWC_MSSQL_TIMEOUT_SECONDS", 1)),
        POSTGRES,
    )


def number_of(settings: Mapping[str, Any], name: str, least: float, most: float = math.inf) -> float:
    """Return a setting that is a number from *least* to *most*; InputError: it is none."""
    value = settings.get(name)
    try:
        number = float(value)  # type: ignore[arg-type]  # what is none is said below
    except (TypeError, ValueError):
        number = least - 1
    if not (least <= number <= most and math.isfinite(number)):
        span = f"{least:g} or more" if most == math.inf else f"{least:g} to {most:g}"
        raise InputError(f"setting {name} is {value!r}; it takes a number, {span}")
    return number


def _choice(settings: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = str(settings.get(name) or "").lower()
    if value not in choices:
        raise InputError(f"setting {name} is {settings.get(name)!r}; it can be {', '.join(choices)}")
    return value


# --- Names and keys on the server -------------------------------------------------------------------------------------


NAME_CHARACTERS = 128
"""The longest name that SQL Server takes, in UTF-16 units."""
LONGEST = {MSSQL: ("utf-16-le", 2 * NAME_CHARACTERS, 2), POSTGRES: ("utf-8", 63, 1)}
"""How a name is counted: encoding, bytes at most, and of one character that is ASCII."""

OWN_COLUMNS = ("url_id", "url", "fetched_at")
"""What every table of records has before the fields."""

_CONTINUED = re.compile(r"\\\r?\n")
_KANA = {number: number - 0x60 for number in range(0x30A1, 0x30F7)}
"""Katakana → hiragana: most collations take them for the same."""


def quoted(name: str) -> str:
    """Return an identifier in brackets, which may be any text.

    >>> print(quoted("order"), quoted("a]b"))
    [order] [a]]b]
    """
    return "[" + name.replace("\0", "").replace("]", "]]") + "]"


def qualified(name: str, schema: str) -> str:
    """Return a name that people wrote, `save` or `crawl.save`, quoted, with its schema.

    >>> print(qualified("save", "dbo"), qualified("[crawl].save", "dbo"))
    [dbo].[save] [crawl].[save]
    """
    parts = [part.strip("[]") for part in name.split(".")]
    return ".".join(map(quoted, parts if len(parts) > 1 else (schema, *parts)))


def text_literal(text: str) -> str:
    """Return a text as T-SQL has it.

    A backslash at the end of a line would join it with the next one: a text with such lines is written as bytes.

    >>> print(text_literal("O'Reilly"), text_literal("\\\\\\n"))
    N'O''Reilly' CAST(0x5c000a00 AS NVARCHAR(MAX))
    """
    if _CONTINUED.search(text):
        return f"CAST(0x{text.encode('utf-16-le', 'replace').hex()} AS NVARCHAR(MAX))"
    return "N'" + text.replace("'", "''") + "'"


def url_id(site: str, url: str, engine: str = MSSQL) -> bytes:
    """Return the key of a URL in a site's crawl, as people can look for one: HASHBYTES('MD5', site + N' ' + url), and
    in PostgreSQL `DECODE(MD5(site || ' ' || url), 'hex')`.
    """
    return hashlib.md5(f"{site} {url}".encode(LONGEST[engine][0], "replace"), usedforsecurity=False).digest()


def server_columns(fields: Sequence[str], engine: str = MSSQL) -> list[str]:
    """Return a column for each field, see `column_names`.

    >>> server_columns(["title", "Title", "url", "ｔｉｔｌｅ "])
    ['title', 'Title_2', 'url_2', 'ｔｉｔｌｅ _2']
    """
    return column_names([field or "_" for field in fields], OWN_COLUMNS, folded, partial(_cut, engine))


def table_of(prefix: str, name: str, engine: str = MSSQL) -> str:
    """Return the name of a table of a site's or a spider's; a long one keeps its beginning, and a hash."""
    table = table_name(prefix, name)
    if _cut(engine, table) == table:
        return table
    return _cut(engine, table, 9) + "_" + hashlib.md5(table.encode(), usedforsecurity=False).hexdigest()[:8]


def folded(name: str) -> str:
    """Return what tells a name apart: collations may ignore case, width, kana and trailing blanks."""
    return unicodedata.normalize("NFKC", name).casefold().translate(_KANA).rstrip()


def _cut(engine: str, name: str, room: int = 0) -> str:
    """Return the beginning of a name that leaves *room* ASCII characters of the longest."""
    encoding, most, each = LONGEST[engine]
    return name.replace("\0", "").encode(encoding, "replace")[: most - room * each].decode(encoding, "ignore")
