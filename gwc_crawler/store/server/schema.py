"""The tables on the server: those of all sites, and the columns of records, which come with site files."""

from __future__ import annotations

import json
import math
import re
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from gwc_crawler.store.server.config import OWN_COLUMNS, POSTGRES, ServerConfig, folded, quoted, server_columns
from gwc_crawler.store.server.connection import ServerConnection, ServerFault, before_rows

# --- A field's value → the text from which the server makes its column's: exact, or said to be none -------------------


_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\((\d+), (\d+)\)")
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_CHARACTERS = re.compile(r"(N?)(?:VAR)?CHAR\((\d+|MAX)\)")
_MOMENT = re.compile(r"(DATE|DATETIME|SMALLDATETIME|DATETIME2|DATETIMEOFFSET)(?:\((\d)\))?")
_WHOLE = {"BIGINT": (-(2**63), 2**63), "INT": (-(2**31), 2**31), "SMALLINT": (-(2**15), 2**15), "TINYINT": (0, 2**8)}
_MONEY = {"MONEY": "DECIMAL(18, 4)", "SMALLMONEY": "DECIMAL(9, 4)"}
"""What surely fits into them."""
_FLOATS = {"FLOAT": 1.79e308, "REAL": 3.4e38}
_OTHER_TEXTS = frozenset({"TEXT", "NTEXT", "XML"})
_ANY_TEXT = frozenset({"NVARCHAR(MAX)", "NTEXT", "XML"})
"""What holds every text, however long."""
_EXACT = Context(prec=5000)
"""Wide enough for any number that a text of a page is: Python's own 28 digits would round."""
NUMBER_SCALE = 10
"""Digits behind the point in the columns that are made for numbers."""
WRITTEN_DIGITS = 12
"""So many digits of a float somebody may have written. Of those with more than ten behind the point that were computed
(three million of n / m, random(), prices / 1.19) one in 40,000 has as few; 15 or fewer: one in 15.
"""
_BITS = {"1": "1", "true": "1", "0": "0", "false": "0"}


class UnfitValue(ValueError):
    """A value that its column can't hold; the message says why."""


def as_text(value: Any) -> str | None:
    """Return a value as a column of texts holds it: lists as JSON, None as NULL.

    >>> as_text(["黑", 1]), as_text(True), as_text(1.50)
    ('["黑", 1]', '1', '1.5')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


@cache
def is_text(kind: str) -> bool:
    """Say whether a column of this type takes any text that is not too long."""
    return _CHARACTERS.fullmatch(kind) is not None or kind in _OTHER_TEXTS


def is_storable(kind: str) -> bool:
    """Say whether values can go into a column of this type: not into one of bytes, of places on a map, of versions."""
    known = kind in {*_WHOLE, *_MONEY, *_FLOATS, "BIT", "UNIQUEIDENTIFIER"}
    return known or is_text(kind) or bool(_DECIMAL.fullmatch(kind) or _MOMENT.fullmatch(kind))


def for_column(value: Any, kind: str, code_page: int = 0) -> str | None:
    """Return a value as text that converts to a column's type without loss, or raise UnfitValue.

    *code_page*: of a column that does not hold UTF-16.

    >>> for_column(11.48, "DECIMAL(38, 10)"), for_column("2010-06", "DATETIME2(6)"), for_column("a", "NVARCHAR(MAX)")
    ('11.48', '2010-06-01T00:00:00', 'a')
    """
    if value is None:
        return None
    if is_text(kind):
        return _characters(as_text(value) or "", kind, code_page)
    if isinstance(value, list | dict) or not is_storable(kind):
        raise UnfitValue(f"a {type(value).__name__} in a column of type {kind or 'that is not known'}")
    try:
        return _converted(value, kind)
    except UnfitValue:
        raise
    except (ValueError, ArithmeticError) as error:
        what = "UUID" if kind == "UNIQUEIDENTIFIER" else "date" if _MOMENT.fullmatch(kind) else "number"
        raise UnfitValue(f"no {what}: {str(value)[:100]!r}") from error


def _converted(value: Any, kind: str) -> str:
    if match := _DECIMAL.fullmatch(_MONEY.get(kind, kind)):
        return _decimal(value, int(match[1]), int(match[2]))
    if match := _MOMENT.fullmatch(kind):
        return _moment(str(value).strip(), match[1], int(match[2] or 6))
    if kind in _WHOLE:
        return _whole(value, kind)
    if kind in _FLOATS:
        return _float(value, kind)
    return _bit(value) if kind == "BIT" else str(uuid.UUID(str(value)))


def _characters(text: str, kind: str, code_page: int) -> str:
    """Return a text as it is; it is unfit where the server would refuse it, cut it, or put a ? for a character."""
    if kind in _ANY_TEXT:
        return text
    match = _CHARACTERS.fullmatch(kind)
    is_wide = match is not None and match[1] == "N"
    size = len(text.encode("utf-16-le", "replace")) // 2 if is_wide else _bytes_in(text, kind, code_page)
    if match and match[2] != "MAX" and size > int(match[2]):
        raise UnfitValue(f"{size} {'characters' if is_wide else 'bytes'} in a column of type {kind}")
    return text


def _bytes_in(text: str, kind: str, code_page: int) -> int:
    try:
        return len(text.encode(f"cp{code_page}"))
    except (LookupError, UnicodeError) as error:
        if text.isascii():
            return len(text)
        raise UnfitValue(f"characters that code page {code_page} lacks, in a column of type {kind}") from error


def _number(value: Any) -> Decimal:
    number = Decimal(float.__repr__(value) if isinstance(value, float) else str(value).strip())
    if not number.is_finite():
        raise ValueError
    return number


def _fitted(value: Any, scale: int) -> Decimal:
    """Return a number; a float that was computed, and has more digits behind the point than fit, without its noise.

    Of more digits than a float surely has (15) the last ones were left by arithmetic, nobody wrote them. What would
    keep fewer than six digits that count stays as it is, and does not fit.

    >>> _fitted(1.1 * 1.1, 10), _fitted(1 / 51, 10), _fitted(0.12345678901, 10)
    (Decimal('1.2100000000'), Decimal('0.0196078431'), Decimal('0.12345678901'))
    """
    number = _number(int(value) if isinstance(value, bool) else value)
    if not isinstance(value, float) or _places(number) <= scale or len(number.as_tuple().digits) <= WRITTEN_DIGITS:
        return number
    places = min(max(scale, NUMBER_SCALE), sys.float_info.dig - 1 - number.adjusted())
    rounded = number.quantize(Decimal(1).scaleb(-places), context=_EXACT) if places > 0 else number
    return rounded if math.isclose(number, rounded, rel_tol=1e-6) else number


def _decimal(value: Any, precision: int, scale: int) -> str:
    number = _fitted(value, scale) or Decimal(0)
    if number and (number.adjusted() >= precision - scale or _places(number) > scale):
        raise UnfitValue(f"{str(value)[:100]} does not fit into DECIMAL({precision}, {scale})")
    return f"{number.normalize(_EXACT):f}"


def _places(number: Decimal) -> int:
    """Return how many digits stand behind the point, but for zeros at the end."""
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return -exponent - (len(digits) - len("".join(map(str, digits)).rstrip("0")))


def _whole(value: Any, kind: str) -> str:
    number = _fitted(value, 0)
    least, end = _WHOLE[kind]
    if not least <= number < end or number != number.to_integral_value():
        raise UnfitValue(f"{str(value)[:100]} is no whole number that {kind} holds")
    return str(int(number))


def _float(value: Any, kind: str) -> str:
    number = float(_number(value))
    if abs(number) > _FLOATS[kind]:
        raise UnfitValue(f"{str(value)[:100]} is too large for {kind}")
    return repr(number)


def _bit(value: Any) -> str:
    bit = _BITS.get(str(value).strip().lower())
    if bit is None:
        raise UnfitValue(f"neither true nor false: {str(value)[:100]!r}")
    return bit


def _moment(text: str, kind: str, digits: int) -> str:
    """Return a moment in UTC, as ISO 8601: of a date that is not exact, its beginning.

    It is unfit where its type would round it, or does not reach so far back.
    """
    if match := _DATE.fullmatch(text):
        moment = datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    else:
        moment = datetime.fromisoformat(text)
        moment = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    if kind == "DATETIME":
        fits = moment.year >= 1753 and not moment.microsecond
    elif kind == "SMALLDATETIME":
        fits = date(1900, 1, 1) <= moment.date() <= date(2079, 6, 5) and not (moment.second or moment.microsecond)
    elif kind == "DATE":
        fits = moment == datetime(moment.year, moment.month, moment.day)
    else:
        fits = digits >= 6 or moment.microsecond % 10 ** (6 - digits) == 0
    if not fits:
        raise UnfitValue(f"{moment.isoformat()} does not fit into {kind}")
    return moment.isoformat()


VERSION = 3
"""Of the tables that this program makes (`sql/tables.sql`)."""
ANOTHER_SCHEMA = "set GWC_MSSQL_SCHEMA (GWC_POSTGRES_SCHEMA) to a schema for the crawls alone"
TYPES = {"text": "NVARCHAR(MAX)", "number": f"DECIMAL(38, {NUMBER_SCALE})", "date": "DATETIME2(6)", "bit": "BIT",
         "int": "BIGINT", "float": "FLOAT"}  # fmt: skip
"""What a field is → the type of its column."""


@dataclass(frozen=True, slots=True)
class ServerColumn:
    """A column of a table of records: of which field, its name, and its type on the server. *code_page*: of texts,
    65001 for UTF-8.
    """

    field: str
    name: str
    type: str
    code_page: int = 0


def connect(config: ServerConfig) -> ServerConnection:
    """Sign in; the driver is loaded where it is needed."""
    with before_rows():
        if config.engine == POSTGRES:
            from gwc_crawler.store.server.postgres import PostgresConnection

            return PostgresConnection(config)
        from gwc_crawler.store.server.sql_server import SqlServerConnection

        return SqlServerConnection(config)


@cache
def statements(name: str, schema: str) -> tuple[str, ...]:
    """Return the batches of a file in `sql/`, for a schema; "GO" on a line of its own stands between them."""
    text = files(__package__).joinpath("sql", name).read_text(encoding="utf-8")
    plain = re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).replace("[dbo].", quoted(schema) + ".")
    return tuple(part.strip() for part in re.split(r"^GO$", plain, flags=re.MULTILINE))


def make_tables(server: ServerConnection, schema: str) -> None:
    """Make the tables, unless they are there; one process at a time. ServerFault: they are another program's, or can't
    be made.
    """
    versions = f"{quoted(schema)}.[gwc_versions]"
    with server.locked("gwc_crawler.migrate"):
        server.make_schema(schema)
        if server.has_table(versions):
            ((version,),) = server.run(f"SELECT MAX(version) AS version FROM {versions}")  # noqa: S608  # quoted
            if version == VERSION:
                return
            if version:
                raise ServerFault(
                    f"its tables have version {version}, this program knows {VERSION}",
                    help=f"update gwc-crawler, or {ANOTHER_SCHEMA}",
                )
            server.run(f"DROP TABLE {versions}")  # a program that could not make the others has left it empty
        server.run("BEGIN TRANSACTION")
        try:
            for statement in statements("tables.sql", schema):
                server.run(statement)
        except ServerFault as fault:
            if fault.number != server.taken_name:
                raise
            raise ServerFault(str(fault), fault.number, help=ANOTHER_SCHEMA) from fault
        server.run(f"INSERT INTO {versions} (version, applied_at) VALUES ({VERSION}, SYSUTCDATETIME())")  # noqa: S608
        server.commit()


def taking_over(table: str, stage: str, values: Mapping[str, str], where: str = "1 = 1") -> tuple[str, str]:
    """Return what changes rows of a table to those of a stage with their `url_id`, and what adds those that it lacks.

    *values*: quoted column → what it gets, of the stage's row `s`; *where*: which of these rows are taken over.
    """
    sets = ", ".join(f"t.{name} = {value}" for name, value in values.items())
    names, contents = ", ".join(("url_id, url", *values)), ", ".join(("s.url_id, s.url", *values.values()))
    there = f"SELECT 1 FROM {table} AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id"  # noqa: S608  # quoted
    return (
        f"UPDATE t SET {sets} FROM {table} AS t INNER JOIN {stage} AS s ON s.url_id = t.url_id WHERE {where}",  # noqa: S608
        f"INSERT INTO {table} ({names}) SELECT {contents} FROM {stage} AS s WHERE {where} AND NOT EXISTS ({there})",  # noqa: S608
    )


class Records:
    """A table of records: made, given the columns that are missing, and looked at. Columns that are there keep their
    types, whoever made them. *fields*: field → one of `TYPES`.
    """

    def __init__(self, server: ServerConnection, schema: str, table: str, fields: Sequence[tuple[str, str]]) -> None:
        self.table = f"{quoted(schema)}.{quoted(table)}"
        with server.locked(f"gwc_crawler.{table}"):
            if not server.has_table(self.table):
                server.run(
                    f"CREATE TABLE {self.table} (url_id BINARY(16) NOT NULL, "
                    "url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL, fetched_at DATETIME2(6) NOT NULL, "
                    "PRIMARY KEY (url_id))"
                )
            self.columns = self._with_columns(server, fields)

    def _with_columns(self, server: ServerConnection, fields: Sequence[tuple[str, str]]) -> tuple[ServerColumn, ...]:
        known = {folded(one[0]): ServerColumn("", *one) for one in server.columns(self.table)}
        if lacking := [name for name in OWN_COLUMNS if name not in known]:
            raise ServerFault(
                f"table {self.table} is there and is not ours: it lacks {', '.join(lacking)}",
                help=f"rename it, or {ANOTHER_SCHEMA}",
            )
        columns = []
        for name, (field, kind) in zip(
            server_columns([name for name, _ in fields], server.engine), fields, strict=True
        ):
            there = known.get(folded(name))
            if there is None:
                server.run(f"ALTER TABLE {self.table} ADD {quoted(name)} {TYPES[kind]} NULL")
                there = ServerColumn("", name, TYPES[kind])
            columns.append(replace(there, field=field))
        return tuple(columns)
