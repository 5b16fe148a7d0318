"""Tables are known where they are declared: in the store, and in the frontier that has its own in the file."""

from __future__ import annotations

import ast
import re

from tests.architecture.source import Module, each, modules

HOMES = ("store", "frontier.sqlite")
"""Packages whose modules know tables."""

SQL = re.compile(r"\s*(SELECT\s|INSERT\s|UPDATE\s\S+\sSET\s|DELETE\sFROM\s|CREATE\s|DROP\s|ALTER\s|PRAGMA\s)")

others = each([one for one in modules() if not any(f"{one.name}.".startswith(f"{home}.") for home in HOMES)])


def spoken(tree: ast.AST) -> list[str]:
    """Statements of SQL, wherever they stand, and whoever asks a database for its `sqlite3` connection."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.match(node.value):
            found.append(f"{node.lineno}: {node.value.strip()[:40]}")
        elif isinstance(node, ast.Attribute) and node.attr == "connection" and "database" in ast.unparse(node.value):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.Import) and any(name.name == "sqlite3" for name in node.names):
            found.append(f"{node.lineno}: import sqlite3")
    return found


@others
def test_others_ask_the_store_instead_of_its_tables(module: Module) -> None:
    assert spoken(module.tree) == []


def test_sql_is_seen() -> None:
    code = 'import sqlite3\nrows = sql.execute(f"SELECT {names} FROM urls")\ndatabase.connection.commit()'
    assert spoken(ast.parse(code)) == [
        "1: import sqlite3",
        "2: SELECT",
        "3: database.connection",
    ]


@each(modules())
def test_nothing_is_read_by_counting_rows(module: Module) -> None:
    """What goes over a table reads on behind the last row, so that the last batch costs what the first did."""
    texts = (node.value for node in module.nodes if isinstance(node, ast.Constant))
    assert [
        one for one in texts if isinstance(one, str) and re.search(r"LIMIT\b.*\bOFFSET\b|\bFETCH NEXT\b", one)
    ] == []
