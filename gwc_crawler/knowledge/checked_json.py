"""JSON that a person may have edited: read whole, or refused with file, key and what is wrong; checked by msgspec's
types."""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, convert, defstruct

from gwc_crawler.errors import KnowledgeError, did_you_mean
from gwc_crawler.knowledge.keywords import MAX_NESTING

Form: TypeAlias = Any  # a type of msgspec's
_NAMED_KEYS = 4  # keys named for a value that is too deep

_TWICE = object()  # stands for the value of a key that an object has twice

HELP = "mend it or learn again"

_TOO_DEEP = f"more than {MAX_NESTING} objects and lists inside each other"
_UNKNOWN_KEY = re.compile("unknown field `(.*)`")
_PLACE = " - at `$"  # in msgspec's errors, before the place of what is wrong; what is around that comes behind it


def read_checked(body: bytes, origin: str, form: Form) -> Any:
    """Parse *body* and check it; KnowledgeError: *origin*, key and what is wrong; the line where it is no JSON."""
    data = _parsed(body, origin)
    check_parsed(data, origin, form)
    return data


def check_parsed(data: Any, origin: str, form: Form) -> None:
    """As `read_checked`, for what is parsed already."""
    try:
        _check_plain(data)
        check(data, form)
    except ValueError as error:
        text, *places = str(error).split(_PLACE)
        path = "".join(place.removesuffix("`") for place in reversed(places)).removeprefix(".")
        unknown = _UNKNOWN_KEY.search(text)
        meant = did_you_mean(unknown[1], _KEYS) if unknown else ""
        hint = f" ({meant})" if meant else ""
        raise KnowledgeError(f"{origin}: {f'{path}: ' if path else ''}{text}{hint}; {HELP}") from error


def check(data: Any, form: Form) -> None:
    """Raise a ValueError with what is wrong first, and its place, as msgspec says them."""
    convert(data, form, dec_hook=_check_also)


def _parsed(body: bytes, origin: str) -> Any:
    try:
        return json.loads(body.decode("utf-8-sig"), object_pairs_hook=_object, parse_int=_whole)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise KnowledgeError(f"{origin}:{line}: byte 0x{body[error.start]:02x} is not UTF-8; {HELP}") from error
    except json.JSONDecodeError as error:
        what = f"is no JSON ({error.msg}); {HELP}" if error.doc.strip() else "is empty; learn again"
        raise KnowledgeError(f"{origin}:{error.lineno}: {what}") from error
    except RecursionError as error:
        raise KnowledgeError(f"{origin}: {_TOO_DEEP}; {HELP}") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; a key that it has twice is marked: JSON would keep the last one, without a word."""
    table = dict(pairs)
    if len(table) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        table |= {key: _TWICE for key, count in counts.items() if count > 1}
    return table


def _whole(digits: str) -> int | float:
    """Return a whole number; an endless one for more digits than Python reads."""
    return int(digits) if len(digits) <= sys.int_info.default_max_str_digits else math.inf


def _check_plain(value: Any, *path: str | int) -> None:
    """Check the rules for every value: it can be written again, and walked through without a stack overflow."""
    if len(path) > MAX_NESTING:
        raise _misfit(_TOO_DEEP, *path[:_NAMED_KEYS])
    if value is _TWICE:
        raise _misfit("stands there twice", *path)
    if isinstance(value, float) and not math.isfinite(value):
        raise _misfit("is no number that can be used", *path)
    for text in value if isinstance(value, Mapping) else (value,):
        if isinstance(text, str) and any("\ud800" <= char <= "\udfff" for char in text):
            raise _misfit(f"{text!r} holds half a character", *path)
    inner = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, one in inner:
        _check_plain(one, *path, key)


# --- Forms ------------------------------------------------------------------------------------------------------------

number: Form = Annotated[float, Meta(ge=-1e18, le=1e18)]
share: Form = Annotated[float, Meta(gt=0, le=1)]

_KEYS: set[str] = set()  # keys of all tables


def whole(least: int, most: int = 1 << 30) -> Form:
    """Return the form of a whole number within these bounds."""
    return Annotated[int, Meta(ge=least, le=most)]


def one_of(*words: str) -> Form:
    """Return the form of one of these texts."""
    return matching("|".join(words))


def matching(pattern: str) -> Form:
    """Return the form of a text that matches a pattern."""
    return Annotated[str, Meta(pattern=rf"^(?:{pattern})\Z")]


def list_of(inner: Form, least: int = 0) -> Form:
    """Return the form of a list."""
    return Annotated[tuple[inner, ...], Meta(min_length=least)]


def table(required: Mapping[str, Form], others: Mapping[str, Form], *, more: bool = False) -> Form:
    """Return the form of an object with these keys; with no others, unless there may be *more*."""
    _KEYS.update(required, others)
    keys: list[Any] = [*required.items(), *((key, form, None) for key, form in others.items())]
    return defstruct("Table", keys, forbid_unknown_fields=not more)


def also(form: Form, checks: Callable[[Any], None]) -> Form:
    """Return the form of values of *form* for which *checks* raises no ValueError."""
    return type("Also", (_Also,), {"form": form, "checks": staticmethod(checks)})


class _Also:
    form: Form
    checks: Callable[[Any], None]


def _check_also(kind: type[_Also], value: Any) -> _Also:
    with below():  # msgspec adds the place to a ValueError, but not to one of its own
        check(value, kind.form)
        kind.checks(value)
    return kind()


def map_of(inner: Form, keys: Form = Any) -> Form:
    """Return the form of an object with keys of a person's choice."""

    def checks(value: Mapping[str, Any]) -> None:
        for key, one in value.items():
            with below(key):
                check(key, keys)
                check(one, inner)

    return also(dict, checks)


def by_key(key: str, forms: Mapping[str, Form]) -> Form:
    """Return the form of an object whose *key* chooses among *forms*."""
    return also(table({key: one_of(*forms)}, {}, more=True), lambda value: check(value, forms[value[key]]))


@contextmanager
def below(*path: str | int) -> Iterator[None]:
    """Run a check of something inside a value: its errors get the path to it."""
    try:
        yield
    except ValueError as error:
        raise _misfit(str(error), *path) from error


def _misfit(text: str, *path: str | int) -> ValueError:
    return ValueError(f"{text}{_PLACE}{''.join(f'[{one}]' if isinstance(one, int) else f'.{one}' for one in path)}`")
