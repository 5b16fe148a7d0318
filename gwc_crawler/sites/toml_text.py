"""TOML with line numbers: text in, values and {key path: line} out. Called by `validation`.

`tomllib` gives values without positions, and the libraries that give positions are unmaintained or hide them; so
`find_lines` walks the text a second time, knowing that `tomllib` has accepted it: only strings, brackets and keys need
telling apart.
"""

from __future__ import annotations

import datetime
import json
import re
import tomllib
from bisect import bisect_right, insort
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from gwc_crawler.items import FieldValue

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys from the root; a number counts the items of an array, from 0: ("samples", 1, "fields", "price")."""


class TomlError(ValueError):
    """A fault of a TOML text with its remedy; `line` is None if it is unknown."""

    def __init__(self, line: int | None, message: str) -> None:
        self.line = line
        super().__init__(message)


def read_toml(text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """Return the values of a document, and the line (from 1) of each key, table and array item; raise TomlError."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        return tomllib.loads(text), find_lines(text)
    except tomllib.TOMLDecodeError as error:
        raise _explain(error, text) from None
    except RecursionError:
        raise TomlError(None, "brackets are nested too deeply; a site file needs four levels") from None


def find_lines(text: str) -> dict[KeyPath, int]:
    """Map every table, key and array item of a valid TOML document to the line it starts on (from 1).

    A table that is only named inside a longer header gets that header's line.
    """
    return _Scanner(text).lines


class Span(NamedTuple):
    """The place of a part in a text."""

    start: int
    end: int


def find_spans(text: str) -> dict[KeyPath, Span]:
    """Map every value and array item of a valid TOML document, and every table's header, to its place."""
    return _Scanner(text).spans


_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(r""""{3}(?:\\.|[^\\])*?"{3}"{0,2}|'{3}.*?'{3}'{0,2}|"(?:\\.|[^"\\])*"|'[^']*\'""", re.DOTALL)
_BARE_VALUE = re.compile(r"[^,\]}#\n]*")
_KEY_PART = re.compile(r"[ \t]*(?:([A-Za-z0-9_-]+)|(\"(?:\\.|[^\"\\])*\"|'[^']*'))[ \t]*")


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.spans: dict[KeyPath, Span] = {}
        self._text = text
        self._at = 0
        self._line_ends = [found.start() for found in re.finditer("\n", text)]
        self._last_item: dict[KeyPath, int] = {}  # array of tables → index of its newest item
        table: KeyPath = ()
        while self._skip_blank() < len(text):
            table = self._scan_header() if text[self._at] == "[" else self._scan_pair(table)

    def _scan_header(self) -> KeyPath:
        start = self._at
        double = self._text.startswith("[[", start)
        self._at += 2 if double else 1
        keys = self._read_key()
        self._at += 2 if double else 1
        path: KeyPath = ()
        for key in keys[:-1]:
            path = self._current_item((*path, key))
            self._note(path, start)
        path = (*path, keys[-1])
        if double:
            self._note(path, start)
            self._last_item[path] = self._last_item.get(path, -1) + 1
        path = self._current_item(path)
        self._note(path, start)
        self.spans[path] = Span(start, self._at)
        return path

    def _current_item(self, path: KeyPath) -> KeyPath:
        return (*path, self._last_item[path]) if path in self._last_item else path

    def _scan_pair(self, table: KeyPath) -> KeyPath:
        start = self._at
        path = table
        for key in self._read_key():
            path = (*path, key)
            self._note(path, start)
        self._at += 1  # the "="
        self._scan_value(path)
        return table

    def _scan_value(self, path: KeyPath) -> None:
        start = self._skip_blank()
        self._note(path, start)
        if self._text[start] in "[{":
            self._scan_items(path, is_list=self._text[start] == "[")
        else:
            pattern = _STRING if self._text[start] in "\"'" else _BARE_VALUE
            found = pattern.match(self._text, start)
            assert found is not None  # the document is valid TOML
            self._at = found.end()
        self.spans[path] = Span(start, self._at)

    def _scan_items(self, path: KeyPath, *, is_list: bool) -> None:
        self._at += 1
        index = 0
        while (sign := self._text[self._skip_blank()]) != ("]" if is_list else "}"):
            if sign == ",":
                self._at += 1
            elif is_list:
                self._scan_value((*path, index))
                index += 1
            else:
                self._scan_pair(path)
        self._at += 1

    def _read_key(self) -> list[str]:
        keys: list[str] = []
        while found := _KEY_PART.match(self._text, self._at):
            bare, quoted = found.groups()
            keys.append(bare if bare is not None else tomllib.loads(f"key = {quoted}")["key"])
            self._at = found.end()
            if self._text[self._at] != ".":
                break
            self._at += 1
        return keys

    def _skip_blank(self) -> int:
        found = _BLANK.match(self._text, self._at)
        assert found is not None  # it matches the empty string too
        self._at = found.end()
        return self._at

    def _note(self, path: KeyPath, at: int) -> None:
        self.lines.setdefault(path, bisect_right(self._line_ends, at - 1) + 1)


_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_OPEN_BRACE = re.compile(r"[\w.\"'-]+\s*=\s*\{[^}]*$")
_UNQUOTED = re.compile(r"[\w-]+\s*=\s*[^\s\"'\[{0-9+-]")
_COLON = re.compile(r"[\w-]+\s*:\s")
_FOREIGN_KEY = re.compile(r"(?:^|[{,.])\s*[\w-]*[^\W\x00-\x7f][\w-]*\s*=")
_WIDE_SIGN = re.compile(r"[“”‘’＂＝［］｛｝，]")


def _explain(error: tomllib.TOMLDecodeError, text: str) -> TomlError:
    message = str(error)
    place = _TOML_PLACE.search(message)
    what = message[: place.start()] if place else message
    if place and place[1]:
        line, where = int(place[1]), f", column {place[2]}"
    else:
        line, where = text.rstrip("\n").count("\n") + 1, ", at the end of the file"
    # A string or table that the line break cuts off is reported where the next line begins.
    advice = _advise(text.split("\n")[line - 1].strip(), what)
    return TomlError(line, f"not valid TOML{where}: {what[:1].lower()}{what[1:]}{advice}")


def _advise(written: str, what: str) -> str:
    if "overwrite" in what or "twice" in what or "Duplicate" in what:
        return "; the same key or table stands above: put both together"
    if "\\n" in what:
        return "; a text ends on its line: close the quote, or begin and end it with three quotes"
    if "'\\'" in what:
        return "; between single quotes a backslash is a plain sign: 'a\\d'"
    if _OPEN_BRACE.match(written):
        return "; TOML keeps { … } on one line: write its parts below a line [samples.fields] instead"
    if _FOREIGN_KEY.search(written):
        return '; a key of other letters than A-Z stands in quotes: "菜名" = "…"'
    if _COLON.match(written):
        return "; TOML writes key = value"
    if _WIDE_SIGN.search(written):
        return '; outside of texts TOML wants the plain signs " = [ ] { } ,'
    return '; texts stand in quotes: key = "value"' if _UNQUOTED.match(written) else ""


def toml_string(text: str) -> str:
    """Return a text as a TOML string on one line."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_LINE = 100


def toml_key(name: str) -> str:
    """Return a key as TOML wants it.

    >>> toml_key("page_count"), toml_key("菜名")
    ('page_count', '"菜名"')
    """
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def toml_value(value: FieldValue) -> str:
    """Return a field's value: a list on one line where that is short, else an item to a line."""
    if isinstance(value, str):
        return toml_string(value)
    items = [toml_string(one) if isinstance(one, str) else toml_table(one) for one in value]
    whole = f"[{', '.join(items)}]"
    if len(whole) <= _LONGEST_LINE and not whole.startswith("[{"):
        return whole
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def toml_table(values: Mapping[str, FieldValue]) -> str:
    """Return a table in braces."""
    return f"{{ {', '.join(f'{toml_key(name)} = {toml_value(value)}' for name, value in values.items())} }}"


Note: TypeAlias = tuple[int | None, str]  # a line (None: the whole file) and a sentence


class Notes:
    """Collects mistakes and warnings, both in file order, those of the whole file first."""

    def __init__(self, lines: Mapping[KeyPath, int]) -> None:
        self._lines = lines
        self.mistakes: list[Note] = []
        self.warnings: list[Note] = []

    def mistake(self, path: KeyPath, text: str) -> None:
        """Note a mistake that makes the file unusable; reading goes on, to find the others."""
        insort(self.mistakes, (self.line(path), text), key=lambda note: note[0] or 0)

    def warning(self, path: KeyPath, text: str) -> None:
        """Note something that works, but could be better."""
        insort(self.warnings, (self.line(path), text), key=lambda note: note[0] or 0)

    def line(self, path: KeyPath) -> int | None:
        """Return the line of *path*, or of the nearest table around it."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)


def describe(value: Any) -> str:
    """Name a TOML value as its writer sees it: "the number 3", "a list"."""
    match value:
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case datetime.date() | datetime.time():
            return f"the date or time {value}"
        case str():
            return f"the text {value!r}"
        case list():
            return "a list"
        case _:
            return "a table"


def numbered(path: KeyPath, value: Any) -> list[tuple[KeyPath, Any]] | None:
    """Return the items of a list with their paths; None if *value* is no list."""
    return [((*path, index), item) for index, item in enumerate(value)] if isinstance(value, list) else None
