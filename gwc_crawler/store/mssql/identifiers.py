"""Names and keys on the server: quoted in one way, short enough, and apart where a server takes two names for one."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence

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
