"""A real SQL Server in the place of the one that answers like it: `GWC_TEST_MSSQL=mssql://user:password@host:port/db`.

Each test has a schema of its own there (`?encryption=off` behind the URL where the server has no TLS). What needs a
fault on request, or what was said over the wire, is skipped.
"""

from __future__ import annotations

import re
import secrets
from contextlib import closing
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pymssql
import pytest

from tests.tds_server.hooks import Hook


class RealServer:
    """The face of `TdsServer`, as far as a real server has it."""

    engine = "mssql"
    process = None

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "localhost", parts.port or 1433
        self.user, self.password = unquote(parts.username or ""), unquote(parts.password or "")
        self.database = parts.path.strip("/")
        self.encryption = parse_qs(parts.query).get("encryption", ["require"])[0]
        self.schema = ""

    def new_database(self) -> None:
        """Go on with an empty schema; what the last test has left is dropped."""
        self.drop()
        self.schema = f"t{secrets.token_hex(6)}"

    def drop(self) -> None:
        """Drop the schema of the last test, with all that is in it."""
        if not self.schema:
            return
        with closing(self._connect()) as connection, connection.cursor() as cursor:
            for kind, word in (("V", "VIEW"), ("P", "PROCEDURE"), ("U", "TABLE")):
                cursor.execute(
                    "SELECT o.name FROM sys.objects AS o WHERE o.schema_id = "  # noqa: S608  # our own names
                    f"SCHEMA_ID(N'{self.schema}') AND o.type = '{kind}'"
                )
                for (name,) in cursor.fetchall():
                    cursor.execute(f"DROP {word} [{self.schema}].[{name}]")
            if self._has_schema(cursor):
                cursor.execute(f"DROP SCHEMA [{self.schema}]")
        self.schema = ""

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a crawl that writes there."""
        return {
            "GWC_MSSQL_HOST": self.host,
            "GWC_MSSQL_PORT": self.port,
            "GWC_MSSQL_USER": self.user,
            "GWC_MSSQL_PASSWORD": self.password,
            "GWC_MSSQL_DATABASE": self.database,
            "GWC_MSSQL_SCHEMA": self.schema,
            "GWC_MSSQL_ENCRYPTION": self.encryption,
        }

    def hook(self, *hooks: Hook) -> None:
        """Nothing goes wrong on request."""
        if hooks:
            pytest.skip("a real server has no hooks")

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what a query gives, with numbers and moments as the responder keeps them."""
        with closing(self._connect()) as connection, connection.cursor() as cursor:
            cursor.execute(re.sub(r"\bdbo\.(\w+)", rf"[{self.schema}].[\1]", query))
            return [tuple(map(as_responder, row)) for row in cursor.fetchall()]

    def run(self, statement: str) -> None:
        """Run a statement as a person would; [dbo] is the test's schema."""
        with closing(self._connect()) as connection, connection.cursor() as cursor:
            if not self._has_schema(cursor):
                cursor.execute(f"CREATE SCHEMA [{self.schema}]")
            cursor.execute(statement.replace("[dbo]", f"[{self.schema}]"))

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self.rows(f"SELECT count(*) FROM dbo.{table}")[0][0])  # noqa: S608

    def _has_schema(self, cursor: Any) -> bool:
        cursor.execute(f"SELECT SCHEMA_ID(N'{self.schema}') AS id")
        return bool(cursor.fetchone()[0] is not None)

    def _connect(self) -> Any:
        return pymssql.connect(
            server=self.host,
            port=str(self.port),
            user=self.user,
            password=self.password,
            database=self.database,
            encryption=self.encryption,
            tds_version="7.4",
            autocommit=True,
        )

    def start(self) -> None:
        """It runs."""

    def heard(self) -> list[str]:
        """Nobody listens."""
        pytest.skip("a real server is not overheard")

    def kill(self) -> None:
        """It is not killed."""
        pytest.skip("a real server is not killed")


def as_responder(value: Any) -> Any:
    """Return a value as the responder's SQLite file has it."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat(" ", "microseconds")
    return int(value) if isinstance(value, bool) else value
