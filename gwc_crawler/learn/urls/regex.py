"""One readable regex for a class of URLs, in the paper's form (GWC, *Regex generation*).

In: the URLs of one class. Out: a pattern for `re.fullmatch` on a normalised URL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.learn.urls.url_parts import (
    SlottedUrl,
    UrlParts,
    common_start,
    is_number,
    query_pairs,
    split_extension,
    split_url,
)
from gwc_crawler.urls import query_parts, query_separator

ValuePattern: TypeAlias = Callable[[Sequence[str], str], str]
"""Writes the pattern of a query key's values."""

_PAPER_ENDING = r"(\.[a-zA-Z]+)?/?"
_ENDING_WITH_DIGITS = r"(\.[a-zA-Z][a-zA-Z0-9]*)?/?"
_ALTERNATIVES = 2
_FIRST_ALTERNATIVES = 8
"""Maximum numbers of words listed as alternatives: in any slot, and in the first of several segments (sections)."""
_CONSTANT_NUMBER = 30
_SHOWN_ORDERS = 6
"""Orders of query keys that are written out."""
_LITERAL_SAFE = re.compile(r"[A-Za-z0-9_~%@:!&=,;'-]*")


def url_regex(urls: Iterable[str]) -> str:
    """Write one regex that fully matches every URL of *urls*: the paper's rule table.

    Host and scheme stay literal; each path segment, and the value of each query key, becomes the narrowest class all
    members share: the literal itself, `[0-9]+`, `[a-zA-Z]+`, `\\w+`, else anything within it; an optional extension
    and slash end the path. A query's value that looks like a session's id never stays literal: the next visit has
    another one. The keys stand as the members have them; where their keys or orders differ, any of them in
    any order; the whole query may be absent where a member has none.
    What we do differently: dots are escaped and "anything" does not run over "/", "?" or, in a query, "&" (the
    paper's `.*` would pass the whole site), and an extension may have digits (`.mp4`) where a member's has.

    Raises:
        ValueError: *urls* is empty.

    >>> url_regex(["http://www.dianping.com/shop/1", "http://www.dianping.com/shop/22"])
    'http://www\\\\.dianping\\\\.com/shop/[0-9]+(\\\\.[a-zA-Z]+)?/?'
    >>> url_regex(["http://a.example/info?id=1&view=full", "http://a.example/info?id=22&view=full"])
    'http://a\\\\.example/info(\\\\.[a-zA-Z]+)?/?\\\\?id=[0-9]+&view=full'
    """
    members = [split_url(url) for url in urls]
    if not members:
        raise ValueError("url_regex needs at least one URL, got none; pass the members of one class")
    by_length: dict[int, list[UrlParts]] = {}
    for parts in members:
        by_length.setdefault(len(parts.segments), []).append(parts)
    paths = [_path_pattern(by_length[length]) for length in sorted(by_length)]
    path = paths[0] if len(paths) == 1 else f"(?:{'|'.join(paths)})"
    query = _query_pattern([parts.query for parts in members], _narrowest_value)
    return origin_pattern(members) + path + query


def origin_pattern(members: Sequence[UrlParts]) -> str:
    """Scheme and host, literally; several of them as alternatives."""
    schemes = sorted({parts.scheme for parts in members})
    hosts = sorted({parts.host for parts in members})
    scheme = "https?" if schemes == ["http", "https"] else _either(schemes)
    if len(hosts) <= _FIRST_ALTERNATIVES:
        return f"{scheme}://{_either(hosts)}"
    end = common_start(host[::-1] for host in hosts)[::-1]
    end = end[end.index(".") :] if "." in end else ""
    are_names = all(map(re.compile(r"[\w.-]+").fullmatch, (host.removesuffix(end) for host in hosts)))
    return f"{scheme}://" + (r"[\w.-]+" if are_names else "[^/?]*") + literal(end)


def _either(texts: Sequence[str]) -> str:
    return literal(texts[0]) if len(texts) == 1 else f"({'|'.join(map(literal, texts))})"


def literal(text: str) -> str:
    """Escape *text* for a regex, leaving what needs no escape readable.

    >>> literal("a-b.html")
    'a-b\\\\.html'
    """
    return "".join(char if _LITERAL_SAFE.fullmatch(char) or ord(char) > 127 else re.escape(char) for char in text)


def _path_pattern(members: Sequence[UrlParts]) -> str:
    columns = list(zip(*(parts.segments for parts in members), strict=True))
    if not columns:
        return "/?"
    stems, endings = zip(*map(split_extension, columns[-1]), strict=True)
    inner = [_narrowest(column) for column in columns[:-1]]
    has_digits = any(re.search(r"[0-9]", ending) for ending in endings)
    ending = _ENDING_WITH_DIGITS if has_digits else _PAPER_ENDING
    return "".join(f"/{part}" for part in [*inner, _narrowest(stems)]) + ending


def _narrowest(values: Sequence[str], outside: str = "/?") -> str:
    """Return the pattern by the paper's table, first row that fits; `outside`: the characters that end the values."""
    return literal(values[0]) if len(set(values)) == 1 else _class_of(values, outside)


_SESSION = re.compile(r"[0-9]{8,}|(?=[0-9]*[a-zA-Z])(?=[a-zA-Z]*[0-9])(?:[0-9a-fA-F]{8,}|[0-9a-zA-Z]{16,})")
"""Hexadecimal digits, or many letters with digits between."""


def _narrowest_value(values: Sequence[str], outside: str) -> str:
    is_session = all(map(_SESSION.fullmatch, values))
    return _class_of(values, outside) if is_session else _narrowest(values, outside)


def _class_of(values: Sequence[str], outside: str) -> str:
    for pattern in (r"[0-9]+", r"[a-zA-Z]+", r"\w+"):
        if all(map(re.compile(pattern).fullmatch, values)):
            return pattern
    return f"[^{outside}]+" if all(values) else f"[^{outside}]*"


def class_regexes(rows: Sequence[SlottedUrl]) -> list[str]:
    """Write the fewest tight regexes for *rows*: one per number of segments and set of query keys."""
    layouts: dict[tuple[int, tuple[str, ...]], list[SlottedUrl]] = {}
    for row in rows:
        layouts.setdefault((row.layout[0], row.layout[2]), []).append(row)
    return [tight_regex(alike) for alike in layouts.values()]


def tight_regex(rows: Sequence[SlottedUrl]) -> str:
    """Write one regex for rows of one number of segments and one set of query keys, as tight as they allow.

    A slot that never varies stays literal. One that varies keeps the words that all its values begin and end with;
    between them stands the narrowest of `[0-9]+`, `[a-zA-Z]+`, `\\w+`, `[\\w-]+`, `[\\w%-]+`, `[^/?]+` that enough
    different values speak for. Lengths are never fixed: a whole site has longer and shorter numbers than its first
    pages.
    Extension and slash are optional only if some rows have them and some have not.
    """
    if not rows:
        raise ValueError("tight_regex needs at least one row, got none; pass the rows of one group")
    columns = list(zip(*(row.values for row in rows), strict=True))
    count = rows[0].layout[0]
    most = [_FIRST_ALTERNATIVES if count > 1 else _ALTERNATIVES, *[_ALTERNATIVES] * count]
    path = "".join(f"/{slot_pattern(values, most[place])}" for place, values in enumerate(columns[1 : count + 1]))
    slashes = {row.parts.slash for row in rows}
    slash = "/?" if len(slashes) == 2 else "/" if True in slashes else ""
    ending = _extension_pattern(set(columns[count + 1])) + slash
    query = _query_pattern([row.parts.query for row in rows], lambda values, sign: slot_pattern(values, outside=sign))
    return origin_pattern([row.parts for row in rows]) + path + ending + query


def slot_pattern(values: Sequence[str], most_alternatives: int = _ALTERNATIVES, *, outside: str = "/?") -> str:
    """Return the pattern of one slot, given its value in every row.

    Args:
        most_alternatives: maximum number of words listed as alternatives, each seen several times.
        outside: the characters that end the slot.
    """
    uses = Counter(values)
    numbers = all(map(is_number, uses))
    if len(uses) == 1:
        return literal(values[0]) if not numbers or len(values) >= _CONSTANT_NUMBER else "[0-9]+"
    if not numbers and len(uses) <= most_alternatives and min(uses.values()) >= SEVERAL and "" not in uses:
        return _either(sorted(uses))
    start = _shared_start(set(uses))
    rest = {value[len(start) :] for value in uses}
    end = _shared_end(rest)
    middle = {value[: len(value) - len(end)] for value in rest}
    return literal(start) + _kind(middle, outside) + literal(end)


_KINDS = ((r"[0-9]+", 2), (r"[a-zA-Z]+", 150), (r"\w+", 150), (r"[\w-]+", 150), (r"[\w%-]+", 150))
"""Character classes, narrowest first, each with the number of different values that must agree on it: up to 3/n of
the rest may still have a sign that n values never show (the rule of three)."""


def _kind(values: set[str], outside: str) -> str:
    for pattern, least in _KINDS:
        if len(values) >= least and all(map(re.compile(pattern, re.ASCII).fullmatch, values)):
            return pattern
    return f"[^{outside}]+" if "" not in values else f"[^{outside}]*"


def _shared_start(values: set[str]) -> str:
    """Whole words that all values begin with: a delimiter must follow, or nothing but a number."""
    start = common_start(values)
    letters = start.rstrip("0123456789")
    if letters and all(value[len(letters) :].isdecimal() for value in values):
        return letters
    found = re.match(r".*[_.-]", start)
    return found.group() if found else ""


def _shared_end(values: set[str]) -> str:
    """Whole words, with their delimiters, that all values end with."""
    end = common_start(value[::-1] for value in values)[::-1]
    found = re.search(r"[_.-].*", end)
    return found.group() if found else ""


def _extension_pattern(extensions: set[str]) -> str:
    named = sorted(extensions - {""})
    if not named:
        return ""
    return f"({'|'.join(map(literal, named))})?" if "" in extensions else _either(named)


def _query_pattern(queries: Sequence[str | None], value_pattern: ValuePattern) -> str:
    given = [query_pairs(query) for query in queries if query is not None]
    if not given:
        return ""
    signs = {query_separator(query) for query in queries if query and len(query_parts(query)) > 1}
    sign = "".join(sorted(signs)) or "&"
    pattern = rf"\?{_pairs_pattern(given, value_pattern, sign)}"
    return pattern if None not in queries else f"({pattern})?"


def _pairs_pattern(queries: Sequence[Sequence[tuple[str, str, str]]], value_pattern: ValuePattern, signs: str) -> str:
    """Return the pattern of the keys in every order that occurs, each with the pattern of its values.

    Any order and number is allowed if too many orders occur, or if keys occur twice or not always.

    Args:
        signs: the signs between the pairs of a query.
    """
    pairs: dict[str, list[tuple[str, str]]] = {}
    for query in queries:
        for key, sign, value in query:
            pairs.setdefault(key, []).append((sign, value))
    if "" in pairs:  # nothing between two "&"s, or a value without a key
        return ".*"
    have_both = any(";" in value for found in pairs.values() for _, value in found)
    outside = "&" if have_both else signs
    parts = {}
    for key, found in pairs.items():
        equals = {sign for sign, _ in found}
        values = value_pattern([value for _, value in found], outside)
        parts[key] = literal(key) + (equals.pop() if len(equals) == 1 else "=?") + values
    between = signs if len(signs) == 1 else f"[{signs}]"
    orders = list(dict.fromkeys(tuple(key for key, *_ in query) for query in queries))
    if len(orders) <= _SHOWN_ORDERS and all(len(order) == len(set(order)) == len(parts) for order in orders):
        written = [between.join(parts[key] for key in order) for order in orders]
        return written[0] if len(written) == 1 else f"({'|'.join(written)})"
    one = f"({'|'.join(parts.values())})"
    return f"{one}({between}{one})*"


def pattern_of(regexes: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for any of *regexes*; none matches nothing."""
    return re.compile("|".join(f"(?:{regex})" for regex in regexes) or r"(?!)")
