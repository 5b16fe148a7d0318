"""A connection to PostgreSQL, by psycopg: the same statements as for a SQL Server, put into its words.

Only those forms of T-SQL are known that our statements have. Texts and names in quotes are never looked into.
"""

from __future__ import annotations

import os
import re
import socket
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import sql

from gwc_crawler.store.server.config import POSTGRES, SSL_MODES, ServerConfig
from gwc_crawler.store.server.connection import LOCK_SECONDS, LOGIN_SECONDS, Blame, ServerConnection, ServerFault

GRACE_SECONDS = 2
"""So much longer than the server itself a statement is waited for."""
LOCK_NOT_GIVEN = "55P03"

DATA = ("22", "23", "P0", "44")
"""Classes of SQLSTATE: a value does not go into its column, or breaks a constraint or a rule of somebody's function."""
REFUSED = ("28", "3D")
"""The login is wrong, or there is no such database."""
PATIENT = ("08", "25", "40", "42", "53", "54", "55", "57", "58", "F0")
"""The server can't just now, or lacks something that people have to give it; no row is to blame."""

SESSION = (
    "SET standard_conforming_strings = on; SET TIME ZONE 'UTC'; SET client_min_messages = error; "
    "CREATE OR REPLACE FUNCTION pg_temp.charindex(part text, whole text) RETURNS int LANGUAGE sql IMMUTABLE "
    "AS 'SELECT strpos(whole, part)'"
)

COLUMNS = """SELECT a.attname, t.typname, a.atttypmod FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"""

KINDS = {"text": "NVARCHAR(MAX)", "timestamp": "DATETIME2(6)", "timestamptz": "DATETIME2(6)", "date": "DATE",
         "int8": "BIGINT", "int4": "INT", "int2": "SMALLINT", "float8": "FLOAT", "float4": "REAL", "bool": "BIT",
         "uuid": "UNIQUEIDENTIFIER", "bytea": "VARBINARY(MAX)"}  # fmt: skip
"""PostgreSQL's types → those of a SQL Server that hold the same."""
WIDEST = "DECIMAL(1000, 500)"
"""What a NUMERIC without precision and scale is called here."""


class PostgresConnection(ServerConnection):
    """Its errors are told by their SQLSTATE."""

    engine, taken_name, locks_rows = POSTGRES, "42P07", False

    def __init__(self, config: ServerConfig) -> None:
        milliseconds = 1000 * config.timeout_seconds
        self._patience = config.timeout_seconds + GRACE_SECONDS
        self._kinds: dict[str, list[str]] = {}
        """Table → the types of its columns, of those that were copied into since a table was made."""
        with _faults():
            self._connection = psycopg.connect(
                host=config.host,
                port=config.port,
                user=config.user,
                password=config.password or None,
                dbname=config.database,
                sslmode=SSL_MODES.get(config.encryption, config.encryption),
                connect_timeout=min(LOGIN_SECONDS, config.timeout_seconds),
                options=f"-c statement_timeout={milliseconds}",
                tcp_user_timeout=milliseconds,
                application_name="gwc-crawler",
                autocommit=True,  # transactions are begun and ended by statements
            )
            self._connection.execute(SESSION)

    def _run(self, statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        if "CREATE TABLE" in statement:
            self._kinds.clear()
        return self._ask(translated(statement), values)

    def _ask(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with _faults(), self._given_up_in_time(), self._connection.cursor() as cursor:
            cursor.execute(query.encode(), tuple(values) or None)
            while not cursor.description and cursor.nextset():
                pass
            return cursor.fetchall() if cursor.description else []

    def copy(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        name = translated(table)
        if name not in self._kinds:
            self._kinds[name] = [kind for _, kind, _ in self._ask(COLUMNS, (name,))]
        query = f"COPY {name} FROM STDIN (FORMAT BINARY)"  # bytes as text cost as much as all else of a batch
        with _faults(), self._given_up_in_time(), self._connection.cursor() as cursor, cursor.copy(query) as to:
            to.set_types(self._kinds[name])
            for row in rows:
                to.write_row(row)

    @contextmanager
    def _given_up_in_time(self) -> Iterator[None]:
        """End the connection where the server says nothing any more, not even that a statement took too long."""
        alarm = threading.Timer(self._patience, self._hang_up)
        alarm.daemon = True
        alarm.start()
        try:
            yield
        finally:
            alarm.cancel()

    def _hang_up(self) -> None:
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(self._connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)

    def columns(self, table: str) -> list[tuple[str, str, int]]:
        return [(name, _kind(*kind), 0) for name, *kind in self._ask(COLUMNS, (translated(table),))]

    def make_schema(self, schema: str) -> None:
        if not self._ask("SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)):
            name = sql.Identifier(schema).as_string(self._connection)
            self._ask(f"CREATE SCHEMA IF NOT EXISTS {name}")

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        key = "hashtextextended(%s, 0)"
        self._ask(f"SET lock_timeout = {LOCK_SECONDS * 1000}")
        try:
            self._ask(f"SELECT pg_advisory_lock({key})", (name,))
        except ServerFault as fault:
            if fault.number != LOCK_NOT_GIVEN:
                raise
            told = f"another process is changing its tables for {LOCK_SECONDS} seconds already"
            raise ServerFault(told, fault.number) from fault
        self._ask("SET lock_timeout = 0")
        yield
        self._ask(f"SELECT pg_advisory_unlock({key})", (name,))

    def give_page(self, procedure: str, key: bytes) -> None:
        unpacked = "COALESCE(CAST(DECOMPRESS(body) AS NVARCHAR(MAX)), N'')"
        page = self.run(f"SELECT LEFT(title, LEN(title) - 1), {unpacked} FROM #pages WHERE url_id = 0x{key.hex()}")  # noqa: S608
        self.run(f"CALL {procedure}(%s, %s)", page[0])

    def version(self) -> str:
        return str(self._ask("SELECT version()")[0][0]).split(",")[0]

    def close(self) -> None:
        with suppress(psycopg.Error):
            self._connection.close()


@contextmanager
def _faults() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        state = error.sqlstate or ""
        told = error.diag.message_primary or " ".join(str(error).split()) or type(error).__name__
        if state.startswith(REFUSED) or "password authentication failed" in told:
            blame = Blame.PEOPLE
        elif state.startswith(DATA) or (not state and isinstance(error, psycopg.DataError)):
            blame = Blame.ROWS
        else:
            blame = Blame.MOMENT if not state or state.startswith(PATIENT) else Blame.DOUBT
        raise ServerFault(told, state, blame) from error
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise ServerFault(f"the driver refuses a value: {error}", blame=Blame.ROWS) from error


def _kind(name: str, modifier: int) -> str:
    """Return what a SQL Server calls a column's type; *modifier*: its length or its digits, and 4; -1 for none."""
    if name in ("varchar", "bpchar"):
        return "NVARCHAR(MAX)" if modifier < 0 else f"NVARCHAR({modifier - 4})"
    if name == "numeric":
        packed = modifier - 4
        return WIDEST if modifier < 0 else f"DECIMAL({packed >> 16}, {packed & 0x7FF})"
    return KINDS.get(name, name.upper())


# --- T-SQL → PostgreSQL -----------------------------------------------------------------------------------------------


_KEPT = re.compile(r"CAST\(0x([0-9a-f]*) AS NVARCHAR\(MAX\)\)|N?('(?:[^']|'')*')|\[((?:[^\]]|\]\])*)\]")
"""A text as bytes, a text, a name."""
_PLACE = re.compile("\ue000(\\d+)\ue001")

_WORDS: Sequence[tuple[str, str]] = (
    (r" WITH \(UPDLOCK, HOLDLOCK\)", ""),
    (r" COLLATE Latin1_General_100_BIN2", ""),
    (r"\bN?(?:VAR)?CHAR\((?:\d+|MAX)\)|\bNTEXT\b", "TEXT"),
    (r"\b(?:VAR)?BINARY\((?:\d+|MAX)\)", "BYTEA"),
    (r"\bDATETIME2\(\d\)", "TIMESTAMP(6)"),
    (r"(\bADD \S+|\bAS) BIT\b", r"\1 BOOLEAN"),
    (r"\bBIT\b", "SMALLINT"),
    (re.escape(WIDEST), "NUMERIC"),
    (r"\bFLOAT\b", "DOUBLE PRECISION"),
    (r"\bUNIQUEIDENTIFIER\b", "UUID"),
    (r"\bCREATE TABLE #", "CREATE TEMP TABLE #"),
    (r"#(\w+)", r"stage_\1"),
    (r"\b0x([0-9a-f]+)\b", r"'\\x\1'::BYTEA"),
    (r"\bCAST\(DECOMPRESS\(([\w.]+)\) AS TEXT\)", r"CONVERT_FROM(\1, 'UTF8')"),
    (r"\bDATALENGTH\(", "OCTET_LENGTH("),
    (r"\bLEN\(", "LENGTH("),
    (r"\bCHARINDEX\(", "pg_temp.charindex("),
    (r"\bSYSUTCDATETIME\(\)", "(NOW() AT TIME ZONE 'utc')"),
)
_RULES: Sequence[tuple[re.Pattern[str], str]] = [(re.compile(one, re.DOTALL), to) for one, to in _WORDS]
_TOP = re.compile(r"^SELECT TOP \((\d+)\)( WITH TIES)? (.*)$", re.DOTALL)
_UPDATE = re.compile(
    r"UPDATE t SET\s+(?P<sets>.*?)\s+FROM (?P<table>\S+) AS t\s+INNER JOIN (?P<source>.*? AS s) ON (?P<on>[^\n]*?)"
    r"(?:\s+WHERE (?P<where>.*))?$",
    re.DOTALL,
)


@lru_cache(500)
def translated(statement: str) -> str:
    """Return statements in the words of PostgreSQL.

    >>> print(translated("SELECT TOP (1) [a] AS x FROM #t WHERE b = N'[c]' AND k = 0x0a ORDER BY x"))
    SELECT "a" AS x FROM stage_t WHERE b = '[c]' AND k = '\\x0a'::BYTEA ORDER BY x FETCH FIRST 1 ROWS ONLY
    """
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        packed, text, name = found.groups()
        if packed is not None:
            text = "'" + bytes.fromhex(packed).decode("utf-16-le").replace("'", "''") + "'"
        kept.append(text if name is None else '"' + name.replace("]]", "]").replace('"', '""') + '"')
        return f"\ue000{len(kept) - 1}\ue001"

    parts = _KEPT.sub(keep, statement).split(";\n")
    for pattern, to in _RULES:
        parts = [pattern.sub(to, part) for part in parts]
    whole = ";\n".join(_TOP.sub(_first, _UPDATE.sub(_updated, part)) for part in parts)
    return _PLACE.sub(lambda found: kept[int(found[1])], whole)


def _first(found: re.Match[str]) -> str:
    return f"SELECT {found[3]} FETCH FIRST {found[1]} ROWS {'WITH TIES' if found[2] else 'ONLY'}"


def _updated(found: re.Match[str]) -> str:
    sets = re.sub(r"\bt\.(\S+) = ", r"\1 = ", found["sets"])
    where = f" AND ({found['where']})" if found["where"] else ""
    return f"UPDATE {found['table']} AS t SET {sets} FROM {found['source']} WHERE {found['on']}{where}"  # noqa: S608  # parts of a statement of ours
