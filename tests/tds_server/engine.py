"""T-SQL over SQLite, one session: parsed by sqlglot as T-SQL, changed where the two differ, and run.

It is no SQL Server: it knows the statements that stand in the sources, refuses the rest by error 40000, and keeps those
rules that are easily broken without noticing: NOT NULL, lengths, keys that can't be so long, texts that are equal in
other case, tables that live as long as their session, statements that have to be alone in their batch, numbers and
dates that have to be ones.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp

from tests.tds_server import wire
from tests.tds_server.reserved import RESERVED

KEY_BYTES = 1700
NAME_CHARACTERS = 128
CONTINUED = re.compile(r"\\\r?\n")
"""At its end a line of a literal goes on in the next one."""
CATALOG = (
    "CREATE TABLE IF NOT EXISTS {0}.sys_columns (object_id INTEGER, name TEXT COLLATE NOCASE, column_id INTEGER, "
    "system_type_id TEXT, max_length INTEGER, precision INTEGER, scale INTEGER, is_nullable INTEGER, "
    "is_identity INTEGER DEFAULT 0, collation_name TEXT)"
)
OBJECTS = """CREATE VIEW IF NOT EXISTS main.sys_objects AS
SELECT substr(o.name, instr(o.name, '.') + 1) AS name, o.type AS type,
    (SELECT rowid FROM sys_schemas AS s WHERE s.name = substr(o.name, 1, instr(o.name, '.') - 1)) AS schema_id
FROM (
    SELECT name, CASE type WHEN 'view' THEN 'V' ELSE 'U' END AS type FROM sqlite_master WHERE type IN ('table', 'view')
    UNION ALL SELECT name, 'P' FROM sys_procedures
) AS o WHERE instr(o.name, '.')"""
COLLATIONS = {"main": "Latin1_General_CI_AS", "temp": "Chinese_PRC_CI_AS"}
"""Of columns without one of their own: the database's, and tempdb's, which may differ."""

EXACT = "BINARY"
"""SQLite's name of T-SQL's …_BIN2; a column without COLLATE takes texts in other case for equal, as most servers do."""

TOKENS = {"NVARCHAR": wire.NVARCHAR, "VARCHAR": wire.VARCHAR, "CHAR": wire.CHAR, "NCHAR": wire.NCHAR,
          "BINARY": wire.BINARY, "VARBINARY": wire.VARBINARY, "INT": wire.INTN, "BIGINT": wire.INTN,
          "SMALLINT": wire.INTN, "TINYINT": wire.INTN, "BIT": wire.BITN, "FLOAT": wire.FLTN}  # fmt: skip
BYTES = {"INT": 4, "BIGINT": 8, "SMALLINT": 2, "TINYINT": 1, "BIT": 1, "FLOAT": 8}
TEXTS = {"NVARCHAR", "VARCHAR", "CHAR", "NCHAR"}


class SqlError(Exception):
    """What a server would say: its number and its words."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number


@dataclass
class Locks:
    """The application locks of a server: name → the session that holds it."""

    held: dict[str, Session] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self, name: str, session: Session, seconds: float) -> int:
        """Return 0 when it was free, 1 after a wait, -1 when it was not given."""
        with self.changed:
            free = self.held.get(name) in (None, session)
            if not free and not self.changed.wait_for(lambda: self.held.get(name) is None, seconds):
                return -1
            self.held[name] = session
            return int(not free)

    def release(self, session: Session, name: str | None = None) -> None:
        """Release one lock of a session, or all."""
        with self.changed:
            for one in [key for key, holder in self.held.items() if holder is session and name in (None, key)]:
                del self.held[one]
            self.changed.notify_all()


class Session:
    """One connection: its transaction, its temporary tables, its locks."""

    def __init__(self, directory: Path, database: str, locks: Locks) -> None:
        self._directory = directory
        self._locks = locks
        self._fault: SqlError | None = None
        self._variables: dict[str, Any] = {}
        self._aborts = False
        self._counts = False
        """Whether answers tell how many rows they are about (NOCOUNT OFF); a server may not by default."""
        self._bulk: tuple[str, list[str]] | None = None
        self._db = self._open(database)

    def _open(self, database: str) -> sqlite3.Connection:
        """Open a database; each is a file."""
        path = self._directory / f"{database}.db"
        if database != "master" and not path.exists():
            raise SqlError(4060, f'Cannot open database "{database}" requested by the login. The login failed.')
        self.database = database
        db = sqlite3.connect(path, isolation_level=None, timeout=20.0)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")  # what is killed here is the process, not the machine
        for schema in ("main", "temp"):
            db.execute(CATALOG.format(schema))
        db.execute("CREATE TABLE IF NOT EXISTS main.sys_procedures (name TEXT PRIMARY KEY, text TEXT)")
        db.execute("CREATE TABLE IF NOT EXISTS main.sys_schemas (name TEXT COLLATE NOCASE PRIMARY KEY)")
        db.execute("INSERT OR IGNORE INTO main.sys_schemas VALUES ('dbo')")
        db.execute(OBJECTS)
        for name, parameters, function in (
            ("tsql_convert", 4, self._guarded(convert)),
            ("hashbytes_md5", 1, hashbytes_md5),
            ("code_page", 1, code_page),
            ("decompress", 1, lambda data: None if data is None else gzip.decompress(data)),
            ("charindex", 2, lambda part, text: None if text is None else text.casefold().find(part.casefold()) + 1),
        ):
            db.create_function(name, parameters, function, deterministic=True)
        return db

    def close(self) -> None:
        """End the session: its transaction is rolled back, its locks are free."""
        self._db.close()
        self._locks.release(self)

    def run(self, batch: str) -> bytes:
        """Run a batch; returns its answer's tokens."""
        if batch.lstrip().lower().startswith("insert bulk"):
            self._begin_bulk(batch)
            return wire.done()
        if batch.strip().lower().startswith(("set fmtonly on", "set fmtonly off")):
            return self._describe(batch)
        self._variables = {}
        batch = CONTINUED.sub("", batch)
        answers = [answer for statement in parsed(batch) if (answer := self._answer(statement))]
        return wire.in_a_row(answers) if answers else wire.done()

    def _answer(self, statement: exp.Expression) -> bytes:
        self._fault = None
        try:
            return self._run(statement.copy())
        except SqlError:
            self.abort()
            raise
        except sqlite3.Error as error:
            self.abort()
            raise self._fault or translated(error) from error

    def abort(self) -> None:
        """Roll back what is open, as an error does with XACT_ABORT."""
        if self._aborts and self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _run(self, statement: exp.Expression) -> bytes:
        if isinstance(statement, exp.Set):
            said = statement.sql("tsql").upper().replace("=", " ").replace("  ", " ")
            self._aborts |= "XACT_ABORT ON" in said
            self._counts = ("NOCOUNT OFF" in said or self._counts) and "NOCOUNT ON" not in said
            return b""
        if isinstance(statement, exp.Use):
            self._db.close()
            self._db = self._open(statement.this.name)
        elif isinstance(statement, exp.Transaction):
            self._db.execute("BEGIN IMMEDIATE")
        elif isinstance(statement, exp.Commit):
            self._ended("COMMIT", 3902)
        elif isinstance(statement, exp.Rollback):
            self._ended("ROLLBACK", 3903)
        elif isinstance(statement, exp.IfBlock):
            return self._choose(statement)
        elif isinstance(statement, exp.Block):
            parts = [one for one in statement.expressions if not isinstance(one, exp.EndStatement)]
            answers = [answer for one in parts if (answer := self._run(one.copy()))]
            return wire.in_a_row(answers) if answers else b""
        elif isinstance(statement, exp.Declare):
            for item in statement.expressions:
                self._variables |= {parameter.name.lower(): None for parameter in item.this}
        elif isinstance(statement, exp.Execute):
            return self._execute(statement)
        elif isinstance(statement, exp.Create):
            self._create(statement)
        elif isinstance(statement, exp.Alter):
            self._alter(statement)
        elif isinstance(statement, exp.TruncateTable):
            count = self._db.execute(f"DELETE FROM {name_of(statement.expressions[0])}").rowcount
            return wire.done(count)
        elif isinstance(statement, exp.Drop):
            self._drop(statement)
        elif isinstance(statement, exp.Select) and all(is_assignment(one) for one in statement.expressions):
            self._assign(statement)
            return b""
        elif isinstance(statement, (exp.Select, exp.Insert, exp.Update, exp.Delete)):
            return self._query(with_ties(statement))
        else:
            raise SqlError(40000, f"the responder does not know {statement.sql('tsql')[:200]}")
        return wire.done()

    def _ended(self, how: str, number: int) -> None:
        if not self._db.in_transaction:
            raise SqlError(number, f"The {how} TRANSACTION request has no corresponding BEGIN TRANSACTION.")
        self._db.execute(how)

    def _choose(self, statement: exp.IfBlock) -> bytes:
        condition = exp.Select(expressions=[exp.Case().when(statement.this.copy(), "1").else_("0")])
        chosen = statement.args["true"] if self._rows(condition)[1][0][0] else statement.args.get("false")
        return self._run(chosen.copy()) if chosen else b""

    # --- queries ------------------------------------------------------------------------------------------------------

    def _query(self, statement: exp.Expression) -> bytes:
        names, found, count = self._rows(statement)
        if names:
            return wire.rows(names, found) + wire.done(len(found))
        return wire.done(count)

    def _assign(self, statement: exp.Select) -> None:
        """`SELECT @a = x FROM t`: as the last row has it; without a row it stays as it is."""
        names = [one.this.name.lower() for one in statement.expressions]
        for name in names:
            if name not in self._variables:
                raise SqlError(137, f'Must declare the scalar variable "@{name}".')
        statement.set("expressions", [one.expression for one in statement.expressions])
        for row in self._rows(statement)[1][-1:]:
            self._variables |= dict(zip(names, row, strict=True))

    def _check_collations(self, statement: exp.Expression) -> None:
        """Refuse to compare columns whose texts are in different order."""
        tables = {one.alias_or_name: plain_table(one.copy()).this.name for one in statement.find_all(exp.Table)}
        for comparison in statement.find_all(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE):
            if isinstance(comparison.parent, exp.Update) and comparison.arg_key == "expressions":
                continue
            sides = [self._collation(side, tables) for side in (comparison.this, comparison.expression)]
            if None not in sides and len(set(sides)) > 1:
                raise SqlError(468, f"Cannot resolve the collation conflict between {sides[0]} and {sides[1]}.")

    def _collation(self, side: exp.Expression, tables: dict[str, str]) -> str | None:
        if isinstance(side, exp.Collate):
            return None
        column = side.find(exp.Column)
        if column is None or column.table not in tables:
            return None
        table = tables[column.table]
        row = self._db.execute(
            f"SELECT collation_name FROM {'temp' if table.startswith('#') else 'main'}.sys_columns "
            "WHERE object_id = ? AND name = ?",
            (object_id(table), column.name),
        ).fetchone()
        return row[0] if row else None

    def _rows(self, statement: exp.Expression) -> tuple[list[str], list[Any], int]:
        self._check_collations(statement)
        cursor = self._db.execute(self._sqlite(statement))
        names = [column[0] for column in cursor.description or ()]
        return names, cursor.fetchall(), cursor.rowcount

    def _sqlite(self, statement: exp.Expression) -> str:
        statement = statement.transform(self._changed)
        if isinstance(statement, exp.Update):
            return update_from(statement)
        return statement.sql("sqlite")

    def _changed(self, node: exp.Expression) -> exp.Expression:
        """Change one node of T-SQL's into SQLite's; of a new one the parts are not visited again."""
        if isinstance(node, exp.Table):
            for join in node.args.get("joins") or ():
                join.set("this", join.this.transform(self._changed))
                join.set("on", join.args["on"].transform(self._changed))
            return plain_table(node)
        if isinstance(node, exp.National):
            return exp.Literal.string(node.this)
        if isinstance(node, exp.ObjectId):
            return literal(self._object_id(node.this.name))
        if isinstance(node, exp.Convert):
            value = node.args["expression"].transform(self._changed)
            return call("tsql_convert", value, node.this, node.args.get("style"))
        if isinstance(node, (exp.Cast, exp.TryCast)):
            return call("tsql_convert", node.this.transform(self._changed), node.to, None)
        if isinstance(node, exp.MD5):
            return exp.Anonymous(this="hashbytes_md5", expressions=[node.this.transform(self._changed)])
        if isinstance(node, exp.Left):
            parts = [node.this, exp.Literal.number(1), node.expression]
            return exp.Anonymous(this="substr", expressions=[part.transform(self._changed) for part in parts])
        if isinstance(node, exp.Parameter):
            return self._variable(node)
        if isinstance(node, exp.Anonymous):
            return self._function(node)
        if isinstance(node, exp.Column) and (table := node.args.get("table")) is not None:
            name = f"#{table.name}" if table.args.get("temporary") else table.name
            node.set("table", exp.to_identifier(name, quoted=True))
        return node

    def _variable(self, node: exp.Parameter) -> exp.Expression:
        if isinstance(node.this, exp.Parameter):
            if node.this.name.upper() == "TRANCOUNT":
                return literal(int(self._db.in_transaction))
            return literal({"SPID": 51, "VERSION": "Microsoft SQL Server 2017 (responder)"}.get(node.this.name.upper()))
        if isinstance(node.parent, exp.Parameter):
            return node
        name = node.name.lower()
        if name not in self._variables:
            raise SqlError(137, f'Must declare the scalar variable "@{node.name}".')
        return literal(self._variables[name])

    def _function(self, node: exp.Anonymous) -> exp.Expression:
        name = node.name.upper()
        if name == "SCHEMA_ID":
            asked = (node.expressions[0].name,)
            return literal(
                (self._db.execute("SELECT rowid FROM sys_schemas WHERE name = ?", asked).fetchone() or (None,))[0]
            )
        if name == "COLLATIONPROPERTY":
            return exp.Anonymous(this="code_page", expressions=[node.expressions[0].transform(self._changed)])
        if name == "CODE_PAGE":
            return node
        if name == "TYPE_NAME":
            return node.expressions[0]
        if name == "SYSUTCDATETIME":
            return exp.CurrentTimestamp()
        if name == "DB_NAME":
            return literal(self.database)
        if name == "DATALENGTH":
            return exp.Anonymous(this="length", expressions=node.expressions)
        if name in ("TSQL_CONVERT", "HASHBYTES_MD5", "DECOMPRESS"):
            return node
        raise SqlError(195, f"'{node.name}' is not a recognized built-in function name.")

    def _object_id(self, text: str) -> int | None:
        table = exp.to_table(text.replace("tempdb..", ""), dialect="tsql")
        name = plain_table(table).this.name
        schema = "temp" if name.startswith("#") else "main"
        query = f"SELECT 1 FROM {schema}.sqlite_master WHERE name = ? COLLATE NOCASE"
        if self._db.execute(query, (name,)).fetchone():
            return object_id(name)
        asked = (name.lower(),)
        return (
            object_id(name)
            if self._db.execute("SELECT 1 FROM sys_procedures WHERE name = ?", asked).fetchone()
            else None
        )

    def _guarded(self, function: Any) -> Any:
        """Keep what a function has to say: SQLite itself only knows that it failed."""

        def guarded(*values: Any) -> Any:
            try:
                return function(*values)
            except SqlError as error:
                self._fault = error
                raise

        return guarded

    # --- procedures ---------------------------------------------------------------------------------------------------

    def _execute(self, statement: exp.Execute) -> bytes:
        name = plain_table(statement.this).this.name.lower()
        given = [
            part.transform(self._changed) if not isinstance(part, exp.EQ) else part for part in statement.expressions
        ]
        named = {part.this.name.lower(): value_of(part.expression.transform(self._changed)) for part in given
                 if isinstance(part, exp.EQ)}  # fmt: skip
        plain = [value_of(part) for part in given if not isinstance(part, exp.EQ)]
        builtin = name.removeprefix("dbo.")
        if builtin == "sp_getapplock":
            code = self._locks.take(named["resource"], self, int(named["locktimeout"]) / 1000)
            if statement.args.get("return_status") is not None:
                self._variables[statement.args["return_status"].name.lower()] = code
            return b""
        if builtin == "sp_releaseapplock":
            self._locks.release(self, named["resource"])
            return b""
        if builtin == "sp_rename":
            self._rename(*plain[:2])
            return b""
        return self._call(name, named, plain)

    def _call(self, name: str, named: dict[str, Any], plain: Sequence[Any]) -> bytes:
        row = self._db.execute("SELECT text FROM sys_procedures WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise SqlError(2812, f"Could not find stored procedure '{name}'.")
        procedure = parsed(row[0])[0]
        names = [one.this.name.lower() for one in procedure.this.expressions]
        outer, self._variables = self._variables, dict(zip(names, plain, strict=False)) | named
        try:
            return self._run(procedure.expression.copy())
        finally:
            self._variables = outer

    def _rename(self, old: str, new: str) -> None:
        *table, column = exp.to_column(old, dialect="tsql").parts
        name = ".".join(part.name for part in table)
        self._db.execute(f"ALTER TABLE {quoted(name)} RENAME COLUMN {quoted(column.name)} TO {quoted(new)}")
        self._db.execute(
            "UPDATE sys_columns SET name = ? WHERE object_id = ? AND name = ?", (new, object_id(name), column.name)
        )

    # --- definitions --------------------------------------------------------------------------------------------------

    def _create(self, statement: exp.Create) -> None:
        if statement.kind == "TABLE":
            self._create_table(statement)
        elif statement.kind == "SCHEMA":
            self._db.execute("INSERT INTO sys_schemas VALUES (?)", (statement.this.db or statement.this.name,))
        elif statement.kind == "PROCEDURE":
            name = plain_table(statement.this.this).this.name.lower()
            verb = "REPLACE" if statement.args.get("replace") else "INSERT"  # CREATE OR ALTER
            self._db.execute(f"{verb} INTO sys_procedures VALUES (?, ?)", (name, statement.sql("tsql")))
        elif statement.kind == "INDEX":
            self._create_index(statement)
        else:
            self._db.execute(statement.transform(self._changed).sql("sqlite"))

    def _create_table(self, statement: exp.Create) -> None:
        schema = statement.this
        name = plain_table(schema.this).this.name
        check_name(name)
        parts, keys = [], []
        definitions = [one for one in schema.expressions if isinstance(one, exp.ColumnDef)]
        owner = name.partition(".")[0]
        if "." in name and not self._db.execute("SELECT 1 FROM sys_schemas WHERE name = ?", (owner,)).fetchone():
            raise SqlError(2760, f'The specified schema name "{owner}" either does not exist or may not be used.')
        if self._object_id_of(name):
            raise SqlError(2714, f"There is already an object named '{name}' in the database.")
        for one in definitions:
            parts.append(self._column(name, one))
        for one in schema.expressions:
            if not isinstance(one, exp.ColumnDef):
                key = one.find(exp.PrimaryKey)
                assert key is not None, one.sql("tsql")
                keys = [part.find(exp.Identifier).name for part in key.expressions]
                parts.append(f"PRIMARY KEY ({', '.join(map(quoted, keys))})")
        self._check_key(name, keys)
        where = "temp." if name.startswith("#") else "main."
        self._db.execute(f"CREATE TABLE {where}{quoted(name)} ({', '.join(parts)})")

    def _object_id_of(self, name: str) -> bool:
        schema = "temp" if name.startswith("#") else "main"
        query = f"SELECT 1 FROM {schema}.sqlite_master WHERE name = ? COLLATE NOCASE"
        return self._db.execute(query, (name,)).fetchone() is not None

    def _column(self, table: str, column: exp.ColumnDef) -> str:
        """Enter a column into the catalog; returns its definition for SQLite."""
        name, kind = column.name, type_name(column.kind)
        check_name(name)
        size = type_size(column.kind)
        constraints = [one.kind for one in column.constraints]
        nullable = not any(
            isinstance(one, exp.NotNullColumnConstraint) and not one.args.get("allow_null") for one in constraints
        )
        collations = [one.this.name for one in constraints if isinstance(one, exp.CollateColumnConstraint)]
        default = next((one.this for one in constraints if isinstance(one, exp.DefaultColumnConstraint)), None)
        schema = "temp" if table.startswith("#") else "main"
        number = (
            1
            + self._db.execute(
                f"SELECT count(*) FROM {schema}.sys_columns WHERE object_id = ?", (object_id(table),)
            ).fetchone()[0]
        )
        precision, scale = numbers_of(column.kind)
        self._db.execute(
            f"INSERT INTO {schema}.sys_columns VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
            (object_id(table), name, number, kind.lower(), -1 if size is None else size, precision, scale,
             int(nullable), (collations[0] if collations else COLLATIONS[schema]) if kind in TEXTS else None),
        )  # fmt: skip
        if any(isinstance(one, exp.GeneratedAsIdentityColumnConstraint) for one in constraints):
            return f"{quoted(name)} INTEGER PRIMARY KEY AUTOINCREMENT"
        parts = [
            quoted(name),
            "TEXT" if kind in TEXTS else "BLOB" if "BINARY" in kind else "NUMERIC" if kind in BYTES else "TEXT",
        ]
        if kind in TEXTS:
            parts.append(f"COLLATE {EXACT if collations and 'BIN2' in collations[0].upper() else 'NOCASE'}")
        if not nullable:
            parts.append("NOT NULL")
        if default is not None:
            parts.append(f"DEFAULT {default.transform(self._changed).sql('sqlite')}")
        if size is not None and (kind in TEXTS or "BINARY" in kind):
            limit = size // 2 if kind.startswith("N") else size
            parts.append(f"CHECK (length({quoted(name)}) <= {limit})")
        return " ".join(parts)

    def _create_index(self, statement: exp.Create) -> None:
        index = statement.this
        table = plain_table(index.args["table"]).this.name
        keys = [one.find(exp.Identifier).name for one in index.args["params"].args["columns"]]
        self._check_key(table, keys)
        unique = "UNIQUE " if statement.args.get("unique") else ""
        name = quoted(f"{table}.{index.name}")
        self._db.execute(f"CREATE {unique}INDEX {name} ON {quoted(table)} ({', '.join(map(quoted, keys))})")

    def _check_key(self, table: str, keys: Sequence[str]) -> None:
        schema = "temp" if table.startswith("#") else "main"
        length = 0
        for key in keys:
            row = self._db.execute(
                f"SELECT max_length FROM {schema}.sys_columns WHERE object_id = ? AND name = ?", (object_id(table), key)
            ).fetchone()
            if row is None:
                raise SqlError(1911, f"Column name '{key}' does not exist in the target table or view.")
            if row[0] == -1:
                raise SqlError(1919, f"Column '{key}' is of a type that is invalid for use as a key column.")
            length += row[0]
        if length > KEY_BYTES:
            raise SqlError(1944, f"Index on '{table}' was not created. A key of {length} bytes is too long.")

    def _alter(self, statement: exp.Alter) -> None:
        name = plain_table(statement.this).this.name
        if not self._object_id_of(name):
            raise SqlError(4902, f'Cannot find the object "{name}".')
        for action in statement.args["actions"]:
            if isinstance(action, exp.ColumnDef):
                self._db.execute(f"ALTER TABLE {quoted(name)} ADD COLUMN {self._column(name, action)}")
            elif isinstance(action, exp.AddConstraint):
                self._add_check(name, action)
            elif isinstance(action, exp.Drop) and action.args["kind"] == "CONSTRAINT":
                constraint = action.args["tables"][0].name
                for event in ("INSERT", "UPDATE"):
                    self._db.execute(f"DROP TRIGGER {quoted(f'{constraint} {event}')}")
            elif isinstance(action, exp.Drop):
                column = action.this.name
                self._db.execute(f"ALTER TABLE {quoted(name)} DROP COLUMN {quoted(column)}")
                self._db.execute("DELETE FROM sys_columns WHERE object_id = ? AND name = ?", (object_id(name), column))
            else:
                raise SqlError(40000, f"the responder does not know {action.sql('tsql')}")

    def _add_check(self, table: str, action: exp.AddConstraint) -> None:
        """Add a CHECK, which SQLite takes with the table only: as triggers."""
        constraint = action.expressions[0]
        check = constraint.find(exp.CheckColumnConstraint)
        if check is None:
            raise SqlError(40000, f"the responder does not know {action.sql('tsql')}")
        for column in check.find_all(exp.Column):
            column.set("table", exp.to_identifier("NEW"))
        condition = check.this.transform(
            lambda node: exp.Literal.string(node.this) if isinstance(node, exp.National) else node
        )
        for event in ("INSERT", "UPDATE"):
            self._db.execute(
                f"CREATE TRIGGER {quoted(f'{constraint.name} {event}')} BEFORE {event} ON {quoted(table)} "
                f"WHEN NOT ({condition.sql('sqlite')}) BEGIN SELECT RAISE(ABORT, 'a rule: {constraint.name}'); END"
            )

    def _drop(self, statement: exp.Drop) -> None:
        if statement.args["kind"] == "SCHEMA":
            self._drop_schema(statement)
            return
        name = plain_table(statement.args["tables"][0]).this.name
        if statement.args["kind"] == "PROCEDURE":
            self._db.execute("DELETE FROM sys_procedures WHERE name = ?", (name.lower(),))
            return
        schema = "temp" if name.startswith("#") else "main"
        there = "IF EXISTS " if statement.args.get("exists") else ""
        self._db.execute(f"DROP {statement.args['kind']} {there}{schema}.{quoted(name)}")
        self._db.execute(f"DELETE FROM {schema}.sys_columns WHERE object_id = ?", (object_id(name),))

    def _drop_schema(self, statement: exp.Drop) -> None:
        name = statement.find(exp.Identifier).name
        if self._db.execute("SELECT 1 FROM sqlite_master WHERE name LIKE ? || '.%'", (name,)).fetchone():
            raise SqlError(3729, f"Cannot drop schema '{name}' because it is being referenced by an object.")
        self._db.execute("DELETE FROM sys_schemas WHERE name = ?", (name,))

    # --- bulk copies --------------------------------------------------------------------------------------------------

    def _describe(self, batch: str) -> bytes:
        """Answer `SET FMTONLY ON select * from t SET FMTONLY OFF`: the columns, and no row."""
        inner = batch.strip()[len("set fmtonly on") :]
        select = inner.lower().rpartition("set fmtonly off")[0] or inner
        if "from" not in select.lower():
            return wire.done()
        table = plain_table(parsed(select)[0].find(exp.Table)).this.name
        if not self._object_id_of(table):
            raise SqlError(208, f"Invalid object name '{table}'.")
        return wire.columns(self._columns_of(table)) + wire.done(0)

    def _columns_of(self, table: str) -> list[wire.Column]:
        schema = "temp" if table.startswith("#") else "main"
        rows = self._db.execute(
            f"SELECT name, system_type_id, max_length FROM {schema}.sys_columns WHERE object_id = ? ORDER BY column_id",
            (object_id(table),),
        )
        return [wire.Column(name, TOKENS[kind.upper()], wire.MAX if size == -1 else size) for name, kind, size in rows]

    def _begin_bulk(self, batch: str) -> None:
        head, _, _ = batch.strip()[len("insert bulk") :].partition("(")
        names = [column.name for column in self._columns_of(head.strip().strip("[]"))]
        self._bulk = head.strip().strip("[]"), names

    def take_bulk(self, body: bytes) -> bytes:
        """Enter the rows of a bulk copy."""
        assert self._bulk is not None
        table, names = self._bulk
        marks = ", ".join("?" * len(names))
        taken = list(wire.bulk_rows(body))
        schema = "temp" if table.startswith("#") else "main"
        try:
            self._db.executemany(f"INSERT INTO {schema}.{quoted(table)} VALUES ({marks})", taken)
        except sqlite3.Error as error:
            self.abort()
            raise translated(error) from error
        return wire.done(len(taken) if self._counts else None)


# --- names and types --------------------------------------------------------------------------------------------------


@lru_cache(500)
def parsed(batch: str) -> list[exp.Expression]:
    """Return the statements of a batch.

    Raises:
        SqlError: it is no T-SQL, or a statement is not alone that has to be.
    """
    try:
        statements = [one for one in sqlglot.parse(batch, dialect="tsql") if one is not None]
    except sqlglot.errors.SqlglotError as error:
        raise SqlError(102, f"Incorrect syntax: {error}") from error
    for one in statements:
        for word in () if isinstance(one, (exp.Set, exp.Use)) else one.find_all(exp.Identifier):
            if not word.quoted and word.name.upper() in RESERVED:
                raise SqlError(156, f"Incorrect syntax near the keyword '{word.name}'.")
        if isinstance(one, exp.Create) and one.kind in ("VIEW", "PROCEDURE", "SCHEMA") and len(statements) > 1:
            raise SqlError(111, f"'CREATE {one.kind}' must be the first statement in a query batch.")
    return statements


def plain_table(node: exp.Table) -> exp.Table:
    """Return the table by the name it has in SQLite: `schema.name`, or with its #."""
    name = node.name
    if isinstance(node.this, exp.Identifier) and node.this.args.get("temporary"):
        name = f"#{name.lstrip('#')}"
    schema = node.db
    if schema.lower() == "sys":
        where = "temp" if node.catalog.lower() == "tempdb" else "main"
        table = exp.table_(f"sys_{name}", db=where, quoted=True)
    elif name.startswith(("#", "sys_", "dbo.")):
        table = exp.table_(name, quoted=True)
    elif isinstance(node.this, exp.Func) or (not schema and not name):
        return node
    else:
        table = exp.table_(f"{schema or 'dbo'}.{name}", quoted=True)
    if node.args.get("alias") is not None:
        table.set("alias", node.args["alias"].copy())
        table.args["alias"].this.set("quoted", True)
    if node.args.get("joins"):
        table.set("joins", node.args["joins"])
    return table


def name_of(node: exp.Table) -> str:
    """Return a table's quoted name."""
    return quoted(plain_table(node).this.name)


def update_from(statement: exp.Update) -> str:
    """Return `UPDATE t SET … FROM table AS t INNER JOIN s ON …` as SQLite has it: the table itself is not in FROM."""
    source = statement.args.get("from_")
    if source is None:
        return statement.sql("sqlite")
    target = source.this
    joins = target.args.pop("joins", None) or statement.args.get("joins") or []
    (first, *others) = joins
    condition = first.args.pop("on")
    sets = ", ".join(f"{quoted(one.this.name)} = {one.expression.sql('sqlite')}" for one in statement.expressions)
    where = statement.args.get("where")
    more = f" AND ({where.this.sql('sqlite')})" if where is not None else ""
    joined = "".join(f" {one.sql('sqlite')}" for one in others)
    return (
        f"UPDATE {target.sql('sqlite')} SET {sets} FROM {first.this.sql('sqlite')}{joined} "
        f"WHERE ({condition.sql('sqlite')}){more}"
    )


def is_assignment(node: exp.Expression) -> bool:
    """Say whether this is `@a = x`, of a SELECT."""
    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Parameter)


def with_ties(statement: exp.Expression) -> exp.Expression:
    """Return `SELECT TOP (n) WITH TIES … ORDER BY key` by other means: with all keys equal to the last."""
    limit = statement.args.get("limit")
    options = limit and limit.args.get("limit_options")
    if not options or not options.args.get("with_ties"):
        return statement
    key = statement.args["order"].expressions[0].this
    options.set("with_ties", False)
    first = statement.copy()
    first.set("expressions", [exp.alias_(key.copy(), "k")])
    last = exp.select("k").from_(first.subquery("first")).order_by("k DESC").limit(1)
    statement.set("limit", None)
    return statement.where(exp.LTE(this=key.copy(), expression=last.subquery()))


def quoted(name: str) -> str:
    """Return a name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> exp.Expression:
    """Return a value as SQL."""
    if value is None:
        return exp.null()
    return exp.Literal.string(value) if isinstance(value, str) else exp.Literal.number(value)


def value_of(node: exp.Expression) -> Any:
    """Return the value of a literal."""
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Neg):
        return -value_of(node.this)
    return node.name if not isinstance(node, exp.Literal) or node.is_string else int(node.name)


def call(function: str, value: exp.Expression, kind: exp.DataType, style: exp.Expression | None) -> exp.Expression:
    """Return a conversion as a call: value, type, its numbers, style."""
    size = [part.name for part in kind.expressions]
    parts = [exp.Literal.string(type_name(kind)), exp.Literal.string(",".join(size)), style or exp.null()]
    return exp.Anonymous(this=function, expressions=[value, *parts])


def type_name(kind: exp.DataType) -> str:
    """Return the name of a type."""
    name = str(kind.this.value)
    return {"DECIMAL": "DECIMAL", "DOUBLE": "FLOAT", "TIMESTAMP": "DATETIME2"}.get(name, name)


def type_size(kind: exp.DataType) -> int | None:
    """Return how many bytes a value has at most, None for MAX."""
    name = type_name(kind)
    if name in BYTES:
        return BYTES[name]
    if name in TEXTS or "BINARY" in name:
        if not kind.expressions:
            return 2 if name.startswith("N") else 1
        size = kind.expressions[0].name
        return None if size.upper() == "MAX" else int(size) * (2 if name.startswith("N") else 1)
    return 17


def numbers_of(kind: exp.DataType) -> tuple[int, int]:
    """Return precision and scale of a type, 0 where it has none."""
    if type_name(kind) not in ("DECIMAL", "DATETIME2"):
        return 0, 0
    sizes = [int(part.name) for part in kind.expressions]
    return (sizes[0], sizes[1]) if len(sizes) > 1 else (0, sizes[0] if sizes else 7)


def check_name(name: str) -> None:
    """Refuse a name that a server finds too long."""
    if len(name.rpartition(".")[2].encode("utf-16-le")) // 2 > NAME_CHARACTERS:
        raise SqlError(103, f"The identifier that starts with '{name[:40]}' is too long. Maximum length is 128.")


def object_id(name: str) -> int:
    """Return a table's number."""
    return int.from_bytes(hashlib.md5(name.lower().encode()).digest()[:4], "big") >> 1


# --- functions --------------------------------------------------------------------------------------------------------


def hashbytes_md5(text: str | None) -> bytes | None:
    """HASHBYTES('MD5', …) of an NVARCHAR."""
    return None if text is None else hashlib.md5(text.encode("utf-16-le")).digest()


def code_page(collation: str | None) -> int | None:
    """COLLATIONPROPERTY(collation, 'CodePage')."""
    if collation is None:
        return None
    return 65001 if "UTF8" in collation else 936 if collation.startswith("Chinese_PRC") else 1252


def convert(value: Any, kind: str, size: str, style: int | None) -> Any:
    """CONVERT: a value as a type has it, or an error where it is none."""
    if value is None:
        return None
    if kind == "DECIMAL":
        return as_decimal(value, *map(int, size.split(",")))
    if "DATE" in kind:
        return as_moment(value)
    if kind in ("BINARY", "VARBINARY"):
        return as_bytes(value, style)
    if kind in ("INT", "BIGINT", "BIT"):
        return as_number(value, kind)
    if kind == "FLOAT":
        return float(value)
    # sqlglot has LEFT and LEN cast what they get to TEXT
    encoding = "ascii" if kind == "VARCHAR" else "utf-16-le"
    text = value.decode(encoding) if isinstance(value, bytes) else str(value)
    return text if size.upper() == "MAX" or kind == "TEXT" else text[: int(size or 30)]


def as_decimal(value: Any, precision: int, scale: int) -> str:
    try:
        number = Decimal(str(value)).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    except InvalidOperation as error:
        raise SqlError(8114, "Error converting data type nvarchar to numeric.") from error
    if len(number.as_tuple().digits) > precision:
        raise SqlError(8115, "Arithmetic overflow error converting nvarchar to data type numeric.")
    return str(number)


def as_moment(value: Any) -> str:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise SqlError(241, "Conversion failed when converting date and/or time from character string.") from error
    return moment.isoformat(" ", "microseconds")


def as_bytes(value: Any, style: int | None) -> bytes:
    if isinstance(value, bytes):
        return value
    return bytes.fromhex(value) if style == 2 else str(value).encode("utf-16-le")


def as_number(value: Any, kind: str) -> int:
    try:
        number = int(str(value))
    except ValueError as error:
        raise SqlError(245, f"Conversion failed when converting the nvarchar value '{value}' to int.") from error
    return int(bool(number)) if kind == "BIT" else number


def translated(error: sqlite3.Error) -> SqlError:
    """Return what a server would say where SQLite says this."""
    text = str(error)
    for part, number in (
        ("UNIQUE constraint", 2627),
        ("NOT NULL constraint", 515),
        ("CHECK constraint", 2628),
        ("a rule:", 547),
        ("no such table", 208),
        ("no such column", 207),
        ("duplicate column", 2705),
        ("already exists", 2714),
        ("has no column", 207),
        ("locked", 1222),
        ("full", 1105),
    ):
        if part in text:
            return SqlError(number, text)
    return SqlError(40000, text)
