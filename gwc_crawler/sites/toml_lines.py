"""Where in a TOML text each key stands: text in, {path: line} out. Called by `validation` for its messages.

`tomllib` gives values without positions, and the libraries that give positions are unmaintained or hide them; so this
walks the text a second time, knowing that `tomllib` has accepted it: only strings, brackets and keys need telling apart.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right

Path = tuple[str | int, ...]
"""Keys from the root; a number counts the items of an array, from 0: ("samples", 1, "fields", "price")."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r""""{3}(?:\\.|[^\\])*?"{3}"{0,2}|'{3}.*?'{3}'{0,2}|"(?:\\.|[^"\\])*"|'[^']*\'""",
    re.DOTALL,
)
_BARE_VALUE = re.compile(r"[^,\]}#\n]*")
_KEY_PART = re.compile(r"[ \t]*(?:([A-Za-z0-9_-]+)|(\"(?:\\.|[^\"\\])*\"|'[^']*'))[ \t]*")


def find_lines(text: str) -> dict[Path, int]:
    """Map every table, key and array item of a valid TOML document to the line it starts on (from 1).

    A table that is only named inside a longer header gets that header's line.
    """
    scanner = _Scanner(text)
    scanner.scan_document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._text = text
        self._at = 0
        self._line_ends = [found.start() for found in re.finditer("\n", text)]
        self._last_item: dict[Path, int] = {}  # array of tables → index of its newest item

    def scan_document(self) -> None:
        table: Path = ()
        while self._skip_blank() < len(self._text):
            table = self._scan_header() if self._text[self._at] == "[" else self._scan_pair(table)

    def _scan_header(self) -> Path:
        start = self._at
        double = self._text.startswith("[[", start)
        self._at += 2 if double else 1
        keys = self._read_key()
        self._at += 2 if double else 1
        path: Path = ()
        for key in keys[:-1]:
            path = self._current_item((*path, key))
            self._note(path, start)
        path = (*path, keys[-1])
        if double:
            self._note(path, start)
            self._last_item[path] = self._last_item.get(path, -1) + 1
        path = self._current_item(path)
        self._note(path, start)
        return path

    def _current_item(self, path: Path) -> Path:
        return (*path, self._last_item[path]) if path in self._last_item else path

    def _scan_pair(self, table: Path) -> Path:
        start = self._at
        path = table
        for key in self._read_key():
            path = (*path, key)
            self._note(path, start)
        self._at += 1  # the "="
        self._scan_value(path)
        return table

    def _scan_value(self, path: Path) -> None:
        start = self._skip_blank()
        self._note(path, start)
        if self._text[start] == "[":
            self._scan_array(path)
        elif self._text[start] == "{":
            self._scan_inline_table(path)
        else:
            pattern = _STRING if self._text[start] in "\"'" else _BARE_VALUE
            found = pattern.match(self._text, start)
            assert found is not None  # the document is valid TOML
            self._at = found.end()

    def _scan_array(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._text[self._skip_blank()] != "]":
            if self._text[self._at] == ",":
                self._at += 1
                continue
            self._scan_value((*path, index))
            index += 1
        self._at += 1

    def _scan_inline_table(self, path: Path) -> None:
        self._at += 1
        while self._text[self._skip_blank()] != "}":
            if self._text[self._at] == ",":
                self._at += 1
                continue
            self._scan_pair(path)
        self._at += 1

    def _read_key(self) -> list[str]:
        """Read a dotted key; stop before what follows it ("=" or "]")."""
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

    def _note(self, path: Path, at: int) -> None:
        self.lines.setdefault(path, bisect_right(self._line_ends, at - 1) + 1)
