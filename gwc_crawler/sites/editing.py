"""A site file changed in place: URL patterns put into lists of [learn]; every other sign of it stays as it stands.

Called by who asks a person, in a terminal or in the dashboard. What comes out is read before it is written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gwc_crawler.errors import InputError, StoreError
from gwc_crawler.sites.toml_text import KeyPath, Span, TomlError, find_spans, read_toml, toml_string

_SECTION = "learn"


def add_url_patterns(path: Path, patterns: Mapping[str, Sequence[str]]) -> None:
    """Add patterns to lists of [learn] (key → patterns) in the site file *path*, whole or not at all.

    Raises:
        StoreError: it can't be read or written.
        InputError: it can't be changed so; nothing is written.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        changed = with_url_patterns(text, patterns)
        _replace(path.resolve(), changed)
    except OSError as error:
        raise StoreError(f"{path} can't be changed ({error.strerror}); make it writable") from error
    except (UnicodeDecodeError, TomlError) as error:
        lines = "; ".join(f"{key} = {_array(some)}" for key, some in patterns.items())
        raise InputError(f"{path} can't be changed ({error}); write in [learn] by hand: {lines}") from error


def with_url_patterns(text: str, patterns: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a site file with patterns added to the lists of [learn].

    Raises:
        TomlError: it is no TOML, or has [learn] in a form that can't be added to.

    >>> print(with_url_patterns('[learn]  # how\\nalso = ["/a/*",]', {"also": ["/b/*"], "exclude": ["/c/*"]}))
    [learn]  # how
    exclude = ["/c/*"]
    also = ["/a/*", "/b/*",]
    """
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    ends = "\r\n" if "\r\n" in body else "\n"
    body = body.replace("\r\n", "\n")
    wanted = read_toml(body)[0]
    for key, some in patterns.items():
        new = [one for one in some if one not in _listed(wanted, key)]
        if new:
            body = _added(body, key, new)
            wanted.setdefault(_SECTION, {})[key] = [*_listed(wanted, key), *new]
    if read_toml(body)[0] != wanted:
        raise TomlError(None, "[learn] is written in an unusual form")
    return mark + body.replace("\n", ends)


def _listed(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(_SECTION, {}).get(key, [])
    if not isinstance(value, str | list):
        raise TomlError(None, f"{key} in [{_SECTION}] is no list")
    return [value] if isinstance(value, str) else value


def _added(text: str, key: str, new: Sequence[str]) -> str:
    """The text with new items of the list, which is begun where there is none."""
    spans = find_spans(text)
    items = ", ".join(map(toml_string, new))
    if (span := spans.get((_SECTION, key))) is not None:
        return _longer(text, span, _last_item(spans, key), items)
    line = f"{key} = [{items}]"
    if (header := spans.get((_SECTION,))) is None:
        return f"{text.rstrip()}\n\n[{_SECTION}]\n{line}\n" if text.strip() else f"[{_SECTION}]\n{line}\n"
    if text[header.start : header.end].startswith("{"):
        inside = text[header.start + 1 : header.end - 1].strip()
        return f"{text[: header.end - 1].rstrip()}{',' if inside else ''} {line} {text[header.end - 1 :]}"
    end = text.find("\n", header.end)
    return f"{text}\n{line}\n" if end < 0 else f"{text[: end + 1]}{line}\n{text[end + 1 :]}"


def _last_item(spans: Mapping[KeyPath, Span], key: str) -> Span | None:
    items = [span for path, span in spans.items() if path[:2] == (_SECTION, key) and len(path) == 3]
    return max(items, key=lambda span: span.end, default=None)


def _longer(text: str, span: Span, last: Span | None, items: str) -> str:
    """The text with *items* behind the last one of a list; a single text becomes one."""
    if text[span.start] != "[":
        return f"{text[: span.start]}[{text[span.start : span.end]}, {items}]{text[span.end :]}"
    at, before = (last.end, ", ") if last else (span.start + 1, "")
    return f"{text[:at]}{before}{items}{text[at:]}"


def _array(some: Sequence[str]) -> str:
    return f"[{', '.join(map(toml_string, some))}]"


def _replace(path: Path, text: str) -> None:
    """Write a file whole, with the rights it had."""
    mode = path.stat().st_mode & 0o7777
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
