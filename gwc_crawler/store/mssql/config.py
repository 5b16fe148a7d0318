"""How a SQL Server is reached: the GWC_MSSQL_* settings, checked, as one small object that crosses to the writers."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.errors import InputError

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

    Attributes:
        encryption: off | request (TLS where the server can) | require.
        timeout_seconds: of one statement.
    """

    host: str
    port: int
    user: str
    password: str = dataclasses.field(repr=False)
    database: str
    schema: str = "dbo"
    encryption: str = "require"
    timeout_seconds: int = 60

    @property
    def place(self) -> str:
        """Where it is, for people: `db.example:1433, database crawls`."""
        schema = "" if self.schema == PLACE["GWC_MSSQL_SCHEMA"] else f", schema {self.schema}"
        return f"{self.host}:{self.port}, database {self.database}{schema}"

    def as_json(self) -> dict[str, Any]:
        """Return all of it, the password, too: for a pipe, never for a file or a log."""
        return dataclasses.asdict(self)


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
    def from_settings(cls, settings: Mapping[str, Any]) -> OutletConfig:
        """Return what the settings say.

        Raises:
            InputError: one of them can't be used; which, and what helps.
        """
        return cls(
            _server(settings),
            int(number_of(settings, "GWC_MSSQL_WRITERS", 1)),
            int(number_of(settings, "GWC_MSSQL_SPILL_BYTES", 1)),
            number_of(settings, "GWC_MSSQL_RETRY_SECONDS", 0),
            number_of(settings, "GWC_MSSQL_CLOSE_SECONDS", 0),
            _choice(settings, "GWC_MSSQL_LISTS", LISTS),
            str(settings.get("GWC_MSSQL_PROCEDURE") or ""),
        )


def _server(settings: Mapping[str, Any]) -> ServerConfig:
    number = number_of(settings, "GWC_MSSQL_TIMEOUT_SECONDS", 1)
    settings = {name: settings.get(name) or os.environ.get(name) or default for name, default in PLACE.items()}
    return ServerConfig(
        _text(settings, "GWC_MSSQL_HOST"),
        int(number_of(settings, "GWC_MSSQL_PORT", 1, 65_535)),
        _text(settings, "GWC_MSSQL_USER"),
        settings["GWC_MSSQL_PASSWORD"],
        _text(settings, "GWC_MSSQL_DATABASE"),
        _text(settings, "GWC_MSSQL_SCHEMA"),
        _choice(settings, "GWC_MSSQL_ENCRYPTION", ENCRYPTIONS),
        int(number),
    )


def _text(settings: Mapping[str, Any], name: str) -> str:
    text = str(settings.get(name) or "").strip()
    if not text:
        raise InputError(
            f"setting {name} is empty; a SQL Server is named by GWC_MSSQL_HOST, _PORT, _USER, _PASSWORD and _DATABASE, "
            "as settings or as environment variables"
        )
    return text


def number_of(settings: Mapping[str, Any], name: str, least: float, most: float = math.inf) -> float:
    """Return a setting that is a number from *least* to *most*.

    Raises:
        InputError: it is none.
    """
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

OWN_COLUMNS = ("url_id", "url", "fetched_at")
"""What every table of records has before the fields."""

_CONTINUED = re.compile(r"\\\r?\n")
_KANA = {number: number - 0x60 for number in range(0x30A1, 0x30F7)}
"""Katakana → hiragana: most collations take them for the same."""


def quoted(name: str) -> str:
    """Return an identifier in brackets: any text is safe as the name of a table, a column or a schema.

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
    N'O''Reilly' CONVERT(NVARCHAR(MAX), 0x5c000a00)
    """
    if _CONTINUED.search(text):
        return f"CONVERT(NVARCHAR(MAX), 0x{text.encode('utf-16-le', 'replace').hex()})"
    return "N'" + text.replace("'", "''") + "'"


def url_id(site: str, url: str) -> bytes:
    """Return the key of a URL in a site's crawl: HASHBYTES('MD5', site + N' ' + url), so people can look for one."""
    return hashlib.md5(f"{site} {url}".encode("utf-16-le", "replace"), usedforsecurity=False).digest()


def column_names(fields: Sequence[str], taken: Sequence[str] = OWN_COLUMNS) -> list[str]:
    """Return a column for each field; one that the server would take for another, or for ours, gets a tail.

    >>> column_names(["title", "Title", "url", "ｔｉｔｌｅ "])
    ['title', 'Title_2', 'url_2', 'ｔｉｔｌｅ _2']
    """
    known = {folded(name) for name in taken}
    columns = []
    for field in fields:
        name, number = _cut(field or "_"), 1
        while folded(name) in known:
            number += 1
            name = f"{_cut(field or '_', len(str(number)) + 1)}_{number}"
        known.add(folded(name))
        columns.append(name)
    return columns


def table_of(prefix: str, name: str) -> str:
    """Return the name of a table of a site's or a spider's; a long one keeps its beginning, and a hash.

    >>> table_of("records", "my-shop.example")
    'records_my_shop_example'
    """
    table = f"{prefix}_" + re.sub(r"\W+", "_", name).strip("_").lower()
    if len(table.encode("utf-16-le")) // 2 <= NAME_CHARACTERS:
        return table
    return _cut(table, 9) + "_" + hashlib.md5(table.encode(), usedforsecurity=False).hexdigest()[:8]


def folded(name: str) -> str:
    """Return what tells a name apart: collations may ignore case, width, kana and trailing blanks."""
    return unicodedata.normalize("NFKC", name).casefold().translate(_KANA).rstrip()


def _cut(name: str, room: int = 0) -> str:
    """Return the beginning of a name that leaves *room* characters of the longest."""
    units = name.replace("\0", "").encode("utf-16-le", "replace")[: 2 * (NAME_CHARACTERS - room)]
    return units.decode("utf-16-le", "ignore")
