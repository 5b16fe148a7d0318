"""JSON that a person may have edited: read whole or refused with file, line and key; checked against a shape.

In: bytes. Out: plain data of the requested shape, or a `KnowledgeError`. A shape is a function that
takes a value and its path and raises `Misfit`; larger shapes are made of those here, as in `form`.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn, TypeAlias

from gwc_crawler.errors import KnowledgeError

Path: TypeAlias = tuple[str | int, ...]
"""The keys and places that lead to a value."""

Shape: TypeAlias = Callable[[Any, Path], None]

DEEPEST = 60
"""Maximum depth of objects and lists inside each other; our files have a dozen levels."""

_NAMED_KEYS = 4
"""Keys named for a value that is too deep."""

HELP = "mend it or learn again"

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_NO_NUMBER = re.compile(r"-?(?:NaN|Infinity|[0-9]{1000,})")
ENDLESS_REGEX = re.compile(r"\((?:\?:|\?P<\w+>)?(?:\[[^\]]*\]|\\.|[^\\()\[\]])[+*]\)(?:[+*]|\{[0-9]*,\})")


class Misfit(Exception):  # it never leaves this mechanism
    """A value that is not what belongs at its path."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        super().__init__(text)


class _DoubleKey(ValueError):
    """An object has a key twice: JSON would keep the last one, without a word."""


def read_checked(body: bytes, origin: str, shape: Shape) -> Any:
    """Parse *body* and check it.

    Args:
        origin: the file, or another name that a person knows it by.
    Raises:
        KnowledgeError: names origin, line, key and problem.
    """
    text = _decoded(body, origin)
    data = _parsed(text, origin)
    try:
        check(data, shape)
    except Misfit as misfit:
        raise _error(origin, misfit, _line_of(text, misfit.path)) from misfit
    return data


def check_parsed(data: Any, origin: str, shape: Shape) -> None:
    """Check as `read_checked` does, for parsed data: there are no lines to name."""
    try:
        check(data, shape)
    except Misfit as misfit:
        raise _error(origin, misfit, None) from misfit


def check(data: Any, shape: Shape) -> None:
    """Raise the first `Misfit` of *data*."""
    _check_plain(data, ())
    shape(data, ())


def _error(origin: str, misfit: Misfit, line: int | None) -> KnowledgeError:
    place = f"{origin}:{line}" if line else origin
    key = named(misfit.path)
    return KnowledgeError(f"{place}: {f'{key}: ' if key else ''}{misfit}; {HELP}")


def named(path: Path) -> str:
    """Write a path as a person would.

    >>> named(("wrapper", "fields", "title", "finders", 2))
    'wrapper.fields.title.finders[2]'
    """
    return "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path).removeprefix(".")


# --- parsing ----------------------------------------------------------------------------------------------------------


def _decoded(body: bytes, origin: str) -> str:
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise KnowledgeError(f"{origin}:{line}: byte 0x{body[error.start]:02x} is not UTF-8; {HELP}") from error
    if not text.strip():
        raise KnowledgeError(f"{origin}:1: is empty; learn again")
    return text


def _parsed(text: str, origin: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise KnowledgeError(f"{origin}:{error.lineno}: is no JSON ({error.msg}); {HELP}") from error
    except (ValueError, RecursionError) as error:
        line, what = _first_fault(text)
        raise KnowledgeError(f"{origin}:{line}: {what}; {HELP}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise _DoubleKey
    return table


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _first_fault(text: str) -> tuple[int, str]:
    """Return line and description of an error for which Python's parser gave no place."""
    seen: set[Path] = set()
    for path, place, token in _places(text):
        if len(path) > DEEPEST:
            return _line_at(text, place), f"more than {DEEPEST} objects and lists inside each other"
        if _NO_NUMBER.fullmatch(token):
            return _line_at(text, place), f"{token[:20]} is no number that can be used"
        if token.startswith('"') and isinstance(path[-1], str):
            if path in seen and text[place] == '"' and text[place + len(token) :].lstrip()[:1] == ":":
                return _line_at(text, place), f"{named(path)}: stands there twice"
            seen.add(path)
    return 1, f"more than {DEEPEST} objects and lists inside each other"


def _line_of(text: str, path: Path) -> int:
    """Return the line at which the value at *path* begins; if it is absent, that of the value around it."""
    best, line = -1, 1
    for here, place, _ in _places(text):
        if len(here) > best and here == path[: len(here)]:
            best, line = len(here), _line_at(text, place)
            if best == len(path):
                break
    return line


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _places(text: str) -> Iterator[tuple[Path, int, str]]:
    """Yield each key, value and element: its path, its start, its first token. Never deeper than the heap allows."""
    stack: list[list[Any]] = []  # [is it an object, its current key (None: one comes next) or place]
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in "}]":
            stack[-1:] = []
        elif token == ",":
            if stack:
                stack[-1][1] = None if stack[-1][0] else stack[-1][1] + 1
        elif token != ":":
            if stack and stack[-1][0] and stack[-1][1] is None:
                stack[-1][1] = _key(token)
            if stack and len(stack) <= DEEPEST + 1:
                yield tuple(key for _, key in stack), found.start(), token
            if token in "{[":
                stack.append([token == "{", None if token == "{" else 0])


def _key(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError:
        return token


# --- shapes -----------------------------------------------------------------------------------------------------------


def _check_plain(value: Any, path: Path) -> None:
    """Check the rules for every value: it can be written again, and walked through without a stack overflow."""
    if len(path) > DEEPEST:
        raise Misfit(path[:_NAMED_KEYS], f"more than {DEEPEST} objects and lists inside each other")
    if isinstance(value, float) and not math.isfinite(value):
        raise Misfit(path, "is no number that can be used")
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            _check_text(key, path)
            _check_plain(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            _check_plain(inner, (*path, number))


def _check_text(value: str, path: Path) -> None:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise Misfit(path, f"{value!r} holds half a character")


def text(value: Any, path: Path) -> None:
    """Any text."""
    if not isinstance(value, str):
        raise Misfit(path, f"is {describe(value)}, has to be a text")


def flag(value: Any, path: Path) -> None:
    """True or false."""
    if not isinstance(value, bool):
        raise Misfit(path, f"is {describe(value)}, has to be true or false")


def anything(_value: Any, _path: Path) -> None:
    """Accept any value."""


def whole(least: int, most: int = 1 << 30) -> Shape:
    """Return the shape of a whole number within these bounds."""

    def shape(value: Any, path: Path) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Misfit(path, f"is {describe(value)}, has to be a whole number from {least} to {most}")

    return shape


def number(value: Any, path: Path) -> None:
    """Accept any number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e18:
        raise Misfit(path, f"is {describe(value)}, has to be a number")


def share(value: Any, path: Path) -> None:
    """Accept a share: over 0 and at most 1."""
    number(value, path)
    if not 0 < value <= 1:
        raise Misfit(path, f"is {describe(value)}, has to be over 0 and at most 1")


def optional(inner: Shape) -> Shape:
    """Return a shape that takes null, too."""
    return lambda value, path: None if value is None else inner(value, path)


def one_of(*words: str) -> Shape:
    """Return the shape of one of these texts."""

    def shape(value: Any, path: Path) -> None:
        if not isinstance(value, str) or value not in words:
            raise Misfit(path, f"is {describe(value)}, has to be one of: {', '.join(repr(str(one)) for one in words)}")

    return shape


def matching(pattern: str, what: str) -> Shape:
    """Return the shape of a text that matches *pattern*."""

    def shape(value: Any, path: Path) -> None:
        text(value, path)
        if not re.fullmatch(pattern, value):
            raise Misfit(path, f"is {describe(value)}, has to be {what}")

    return shape


def list_of(inner: Shape, least: int = 0) -> Shape:
    """Return the shape of a list of *inner*."""

    def shape(value: Any, path: Path) -> None:
        if not isinstance(value, list | tuple):
            raise Misfit(path, f"is {describe(value)}, has to be a list")
        if len(value) < least:
            raise Misfit(path, f"has {len(value)} elements, has to have {least} at least")
        for place, one in enumerate(value):
            inner(one, (*path, place))

    return shape


def map_of(inner: Shape, keys: Shape = anything) -> Shape:
    """Return the shape of an object with keys of a person's choice."""

    def shape(value: Any, path: Path) -> None:
        _check_object(value, path)
        for key, one in value.items():
            keys(key, (*path, key))
            inner(one, (*path, key))

    return shape


def table(required: Mapping[str, Shape], others: Mapping[str, Shape], *, more: bool = False) -> Shape:
    """Return the shape of an object with these keys; with no others, unless there may be *more*."""
    known = {**required, **others}

    def shape(value: Any, path: Path) -> None:
        _check_object(value, path)
        for key, one in value.items():
            if key in known:
                known[key](one, (*path, key))
            elif not more:
                raise Misfit((*path, key), f"unknown key ({nearest(key, known, 'known keys')})")
        if missing := [key for key in required if key not in value]:
            raise Misfit(path, f"the key {missing[0]!r} is missing")

    return shape


def by_key(key: str, shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape of an object whose *key* chooses among the shapes."""

    def shape(value: Any, path: Path) -> None:
        _check_object(value, path)
        table({key: one_of(*shapes)}, {}, more=True)(value, path)
        shapes[value[key]](value, path)

    return shape


def regex(form: str = "(?:{})", groups: int | None = None) -> Shape:
    """Return the shape of a regular expression that compiles inside *form*, with this number of groups."""

    def shape(value: Any, path: Path) -> None:
        text(value, path)
        count = compiled(form.replace("{}", value), path, f"{describe(value)} is no regular expression").groups
        if endless := ENDLESS_REGEX.search(value):
            raise Misfit(path, f"{describe(value)} repeats a repetition, {endless[0]!r}: that can take for ever")
        if groups is not None and count != groups:
            raise Misfit(path, f"{describe(value)} has {count} groups, has to have {groups}")

    return shape


def compiled(pattern: str, path: Path, complaint: str) -> re.Pattern[str]:
    """Compile a regular expression; one that Python warns about is refused, too: its meaning will change one day."""
    try:
        with warnings.catch_warnings(action="error"):
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise Misfit(path, f"{complaint} ({error})") from error


def nearest(word: str, known: Iterable[str], heading: str) -> str:
    """Return the likely meaning of a misspelt word, or else all known words.

    >>> nearest("nme", ["name", "price"], "known keys"), nearest("x", ["price", "name"], "known keys")
    ("did you mean 'name'?", 'known keys: name, price')
    """
    words = sorted(known)
    near = get_close_matches(word, words, n=1) or get_close_matches(word.lower(), words, n=1)
    return f"did you mean {near[0]!r}?" if near else f"{heading}: {', '.join(words) or 'none'}"


def _check_object(value: Any, path: Path) -> None:
    if not isinstance(value, Mapping):
        raise Misfit(path, f"is {describe(value)}, has to be an object")


def describe(value: Any) -> str:
    """Name a JSON value as its writer sees it.

    >>> describe(None), describe([1]), describe("a")
    ('null', 'a list', "the text 'a'")
    """
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {str(value)[:20]}"
        case str():
            return f"the text {str(value)!r}" if len(value) < 80 else f"the text {value[:80]!r} …"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"
