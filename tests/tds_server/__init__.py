"""A server that speaks TDS 7.4 over SQLite, for tests of what writes to SQL Server: real wire, real driver, real kills.

`TdsServer` runs it as a process of its own: the driver holds Python's lock while it sends. It tests the wire, the
failures and the outcome, not T-SQL itself: `GWC_TEST_MSSQL` names a real server for that.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import pymssql

from tests.processes import hanging
from tests.tds_server.hooks import Hook

__all__ = ["Hook", "TdsServer"]

ROOT = Path(__file__).parents[2]


class TdsServer:
    """One server process; its databases are the files `*.db` in its directory. Use as a context manager."""

    engine = "mssql"
    user = "crawler"
    password = "p4 ss'wörd"

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = 0
        self.database = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, after a kill on the same port."""
        self.directory.mkdir(parents=True, exist_ok=True)
        if not self.database:
            self.new_database()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.tds_server", str(self.directory), str(self.port), self.password],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())

    def new_database(self) -> None:
        """Go on with an empty database."""
        self.database = f"crawls{len(list(self.directory.glob('*.db')))}"
        self.file.touch()

    @property
    def file(self) -> Path:
        """The SQLite file of the database."""
        return self.directory / f"{self.database}.db"

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.wait()

    def wait(self) -> None:
        """Wait until it has ended, by a hook for instance."""
        assert self.process is not None
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def hanging(self) -> AbstractContextManager[None]:
        """It takes what is sent and answers nothing; then it answers all at once."""
        assert self.process is not None
        return hanging(self.process)

    def hook(self, *hooks: Hook) -> None:
        """Have this go wrong from now on, and nothing else; what was heard is forgotten."""
        self._order({"hooks": [one.as_json() for one in hooks], "forget": True})

    def heard(self) -> list[str]:
        """Return the messages since the last hook, or the start: "login", batches as they are, "bulk rows"."""
        return list(self._order({}))

    def _order(self, order: dict[str, Any]) -> Any:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a crawl that writes there."""
        return {
            "GWC_MSSQL_HOST": "127.0.0.1",
            "GWC_MSSQL_PORT": self.port,
            "GWC_MSSQL_USER": self.user,
            "GWC_MSSQL_PASSWORD": self.password,
            "GWC_MSSQL_DATABASE": self.database,
            "GWC_MSSQL_ENCRYPTION": "off",
        }

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Look into the file; `dbo.pages` is the name of a table there."""
        with closing(sqlite3.connect(self.file, timeout=20)) as database:
            return database.execute(re.sub(r"\bdbo\.\w+", r'"\g<0>"', query)).fetchall()

    def run(self, statement: str) -> None:
        """Run a statement as a person would."""
        there = pymssql.connect(
            server="127.0.0.1",
            port=str(self.port),
            user=self.user,
            password=self.password,
            database=self.database,
            tds_version="7.4",
            encryption="off",
            autocommit=True,
        )
        with closing(there):
            there.cursor().execute(statement)

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self.rows(f"SELECT count(*) FROM dbo.{table}")[0][0])  # noqa: S608

    def __enter__(self) -> TdsServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()
