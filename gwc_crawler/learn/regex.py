"""One readable regex for a class of URLs, in the paper's form (GWC, *Regex generation*).

In: the URLs of one class. Out: a pattern for `re.fullmatch` on a normalised URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gwc_crawler.learn.parts import UrlParts, split_extension, split_url

_PAPER_ENDING = r"(\.[a-zA-Z]+)?/?"
_LITERAL_SAFE = re.compile(r"[A-Za-z0-9_~%@:!&=,;'-]*")


def url_regex(urls: Iterable[str]) -> str:
    """Write one regex that fully matches every URL of *urls*: the paper's rule table.

    Host and scheme stay literal; each path segment becomes the narrowest class all members share: the literal
    itself, `[0-9]+`, `[a-zA-Z]+`, `\\w+`, else anything within the segment; an optional extension and slash end it.
    What we do differently: dots are escaped and "anything" does not run over "/" or "?" (the paper's `.*` would
    pass the whole site), and URLs with a query get an optional query, which the paper leaves out.

    Raises:
        ValueError: *urls* is empty.

    >>> url_regex(["http://www.dianping.com/shop/1", "http://www.dianping.com/shop/22"])
    'http://www\\\\.dianping\\\\.com/shop/[0-9]+(\\\\.[a-zA-Z]+)?/?'
    """
    members = [split_url(url) for url in urls]
    if not members:
        raise ValueError("url_regex needs at least one URL, got none; pass the members of one class")
    by_length: dict[int, list[UrlParts]] = {}
    for parts in members:
        by_length.setdefault(len(parts.segments), []).append(parts)
    paths = [_path_pattern(by_length[length]) for length in sorted(by_length)]
    path = paths[0] if len(paths) == 1 else f"(?:{'|'.join(paths)})"
    query = r"(\?.*)?" if any(parts.query is not None for parts in members) else ""
    return origin_pattern(members) + path + query


def origin_pattern(members: Sequence[UrlParts]) -> str:
    """Scheme and host, literally; several of them as alternatives."""
    schemes = sorted({parts.scheme for parts in members})
    hosts = sorted({parts.host for parts in members})
    scheme = schemes[0] if len(schemes) == 1 else "https?"
    host = literal(hosts[0]) if len(hosts) == 1 else f"({'|'.join(map(literal, hosts))})"
    return f"{scheme}://{host}"


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
    stems = [split_extension(segment)[0] for segment in columns[-1]]
    inner = [_narrowest(column) for column in columns[:-1]]
    return "".join(f"/{part}" for part in [*inner, _narrowest(stems)]) + _PAPER_ENDING


def _narrowest(values: Sequence[str]) -> str:
    """The paper's table, first row that fits."""
    first = values[0]
    if all(value == first for value in values):
        return literal(first)
    for pattern in (r"[0-9]+", r"[a-zA-Z]+", r"\w+"):
        matches = re.compile(pattern).fullmatch
        if all(matches(value) for value in values):
            return pattern
    return r"[^/?]+"
