"""Line numbers of TOML keys: hand-made hard cases, and generated documents whose lines are known."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.sites.toml_text import KeyPath, find_lines

HARD = '''\
# [not.a.table] = "x"
a = 1 # b = 2
"quoted ] key".'c = d' = """
[[fake]]
k = \\"""
still text""""
[t . u]   # header
list = [ # comment ]
  "a ] # not a comment", 'b"', # "
  [1, 2, [3]],
  { x = "}", y = [ "]" ] },
]
day = 1979-05-27 07:32:00
raw = \'\'\'
it's ''quoted\'\'\'\'
[[s]]
[s.fields]
v = ""
[[s]]
[[s.inner]]
[[s.inner]]
w.x.y = { z = -inf }
'''

HARD_LINES: dict[KeyPath, int] = {
    ("a",): 2,
    ("quoted ] key",): 3,
    ("quoted ] key", "c = d"): 3,
    ("t",): 7,
    ("t", "u"): 7,
    ("t", "u", "list"): 8,
    ("t", "u", "list", 0): 9,
    ("t", "u", "list", 1): 9,
    ("t", "u", "list", 2): 10,
    ("t", "u", "list", 2, 0): 10,
    ("t", "u", "list", 2, 1): 10,
    ("t", "u", "list", 2, 2): 10,
    ("t", "u", "list", 2, 2, 0): 10,
    ("t", "u", "list", 3): 11,
    ("t", "u", "list", 3, "x"): 11,
    ("t", "u", "list", 3, "y"): 11,
    ("t", "u", "list", 3, "y", 0): 11,
    ("t", "u", "day"): 13,
    ("t", "u", "raw"): 14,
    ("s",): 16,
    ("s", 0): 16,
    ("s", 0, "fields"): 17,
    ("s", 0, "fields", "v"): 18,
    ("s", 1): 19,
    ("s", 1, "inner"): 20,
    ("s", 1, "inner", 0): 20,
    ("s", 1, "inner", 1): 21,
    ("s", 1, "inner", 1, "w"): 22,
    ("s", 1, "inner", 1, "w", "x"): 22,
    ("s", 1, "inner", 1, "w", "x", "y"): 22,
    ("s", 1, "inner", 1, "w", "x", "y", "z"): 22,
}


def all_paths(value: Any, path: KeyPath = ()) -> list[KeyPath]:
    """Every key path of a parsed document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [one for key, inner in items for one in ((*path, key), *all_paths(inner, (*path, key)))]


def test_hard_document() -> None:
    assert set(all_paths(tomllib.loads(HARD))) == set(HARD_LINES)
    assert find_lines(HARD) == HARD_LINES


KEYS = st.text(alphabet="ab-_1.]= #é", min_size=1, max_size=4)
TEXTS = st.text(alphabet="a\"'\\#[]{}=,\n\té", max_size=8)
SCALARS = TEXTS | st.integers() | st.booleans() | st.floats(allow_nan=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)


class Writer:
    """Writes a document, noting the line of each path; list items stand on lines of their own."""

    def __init__(self) -> None:
        self.text = ""
        self.lines: dict[KeyPath, int] = {}

    def note(self, path: KeyPath) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def pair(self, path: KeyPath, value: Any) -> None:
        self.note(path)
        self.text += f"{quote(str(path[-1]))} = "
        self.value(path, value)

    def value(self, path: KeyPath, value: Any) -> None:
        self.note(path)
        if isinstance(value, str):
            self.text += literal(value)
        elif isinstance(value, bool):
            self.text += str(value).lower()
        elif isinstance(value, list):
            self.text += "[ # ] \n"
            for index, item in enumerate(value):
                self.text += "\t"
                self.value((*path, index), item)
                self.text += ",\n # }\n"
            self.text += "]"
        elif isinstance(value, dict):
            self.text += "{"
            for number, (key, item) in enumerate(value.items()):
                self.text += ", " if number else ""
                self.pair((*path, key), item)
            self.text += "}"
        else:
            self.text += repr(value)

    def document(self, data: dict[str, Any], tables: list[dict[str, Any]]) -> None:
        for key, value in data.items():
            self.pair((key,), value)
            self.text += " # =\n"
        for index, table in enumerate(tables):
            self.note(("the tables",))
            self.note(("the tables", index))
            self.text += '[["the tables"]] # [x]\n'
            for key, value in table.items():
                self.pair(("the tables", index, key), value)
                self.text += "\n\n"


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return '"' + escaped.replace("\n", "\\n") + '"'


def literal(text: str) -> str:
    """A form of *text* that keeps its line breaks where TOML can."""
    if "\n" in text and "'" not in text:
        return "'''\n" + text + "'''"
    if "\n" in text:
        return '"""\n' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'
    return f"'{text}'" if "'" not in text else quote(text)


@pytest.mark.dear
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=3))
def test_lines_are_those_it_was_written_on(data: dict[str, Any], tables: list[dict[str, Any]]) -> None:
    writer = Writer()
    writer.document(data, tables)
    assert tomllib.loads(writer.text) == data | ({"the tables": tables} if tables else {})
    assert find_lines(writer.text) == writer.lines
