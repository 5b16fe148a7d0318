r"""URL patterns as people write and read them: globs, and regexes, both for the whole of a normalised URL.

In a glob `*` stands for any characters of a segment of the path (at its beginning at least one), or of a value of
the query, `**` for any at all; every other character stands for itself. A regex begins with `^` or `re:`. A pattern
that begins with "/" holds on all hosts of a site.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

REGEX_MARK = "re:"
ANY_HOST = "[^/]+"
HOW_TO_BEGIN = "is no path, URL or regex; begin it with '/', 'https://', or, if it is a regex, 're:'"

_STARS = re.compile(r"\*+")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{[0-9,]+\})[?+]?")
_ONE, _ANY = "\0", "\1"  # placeholders that become `*` and `**`
_WILD = re.compile(f"[{_ONE}{_ANY}]+")


@dataclass(frozen=True, slots=True)
class UrlPattern:
    """`text` as a person wrote it, and the regex that it means."""

    text: str
    regex: str


def read_pattern(text: str, host: str = ANY_HOST) -> UrlPattern:
    r"""Read a person's pattern, of which a path holds on *host*, a regex; ValueError: "is no regular expression (…)".

    >>> read_pattern("/list/*/").regex
    'https?://[^/]+/list/[^/?]+/'
    >>> read_pattern(r"re:/item/\d+").regex
    'https?://[^/]+/item/\\d+'
    >>> read_pattern("https://a.example/find?q=*").regex
    'https://a\\.example/find\\?q=[^&]*'
    """
    is_regex = text.startswith((REGEX_MARK, "^"))
    body = text.removeprefix(REGEX_MARK).removeprefix("^") if is_regex else text
    if not is_regex and not body.startswith(("/", "http://", "https://", "**")):
        raise ValueError(HOW_TO_BEGIN)
    path, sign, query = body.partition("?")
    regex = body if is_regex else _with_stars(path, "[^/?]") + re.escape(sign) + _with_stars(query, "[^&]")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # "[[" may be a set of sets in a later Python
            re.compile(regex)
    except (re.error, FutureWarning) as error:
        raise ValueError(f"is no regular expression ({error})") from error
    return UrlPattern(text, f"https?://{host}{regex}" if body.startswith("/") else regex)


def _with_stars(glob: str, inside: str) -> str:
    written, end = "", 0
    for stars in _STARS.finditer(glob):
        written += re.escape(glob[end : stars.start()])
        times = "+" if written.endswith("/") else "*"
        written += f"{inside}{times}" if len(stars[0]) == 1 else ".*"
        end = stars.end()
    return written + re.escape(glob[end:])


def glob_of(regex: str, host: str = "") -> str:
    r"""Return roughly the URLs of a *regex* as a glob; without the host, if that is *host*, or any.

    Optional parts (a slash, a query) are left out, and so are lookaheads.

    >>> glob_of(r"http://a\.example/item/[0-9]+\.html", "a.example")
    '/item/*.html'
    >>> glob_of(r"https?://a\.example/(?!old/)(?:[^/?]+/)*(tea|pots)/?(?:\?.*)?")
    'http*://a.example/**'
    """
    shown = "".join(_shown(atom, times) for atom, times in pieces(regex))
    glob = _WILD.sub(lambda found: "**" if _ANY in found[0] else "*", shown)
    rest = glob.partition("://")[2]
    if host and re.match(rf"{re.escape(host)}(?![^/?*])", rest):
        return rest.removeprefix(host) or "/"
    place, _, path = rest.partition("/")
    return f"/{path}" if "*" in place else glob


def _shown(atom: str, times: str) -> str:
    """Return the form of a piece of a regex in a glob."""
    group = _inside(atom)
    if atom in ("^", "$") or (atom.startswith("(") and group is None):  # (?!…), (?=…)
        return ""
    if times.startswith("?") and (atom == "/" or (group or "").startswith(r"\?")):
        return ""
    if not times and group is not None and "|" not in dict(pieces(group)):
        return "".join(_shown(*piece) for piece in pieces(group))
    if not times and (plain := _plain(atom)):
        return plain
    return _ANY if _may_hold_a_slash(atom) else _ONE


def _plain(atom: str) -> str:
    """Return the one character that an atom takes, "" if it may be several."""
    if (len(atom) == 3 and atom[0] == "[") or (len(atom) == 2 and atom[0] == "\\" and not atom[1].isalnum()):
        return atom[1]
    return atom if len(atom) == 1 and atom != "." else ""


def _inside(atom: str) -> str | None:
    """Return the content of a group; None for other pieces, and for lookarounds."""
    if not atom.startswith("(") or (atom.startswith("(?") and not atom.startswith("(?:")):
        return None
    return atom[3 if atom.startswith("(?:") else 1 : -1]


def _may_hold_a_slash(atom: str) -> bool:
    if (group := _inside(atom)) is not None:
        return any(_may_hold_a_slash(one) for one, _ in pieces(group))
    return not atom.startswith("(") and atom not in ("|", "^", "$") and re.fullmatch(atom, "/") is not None


def pieces(regex: str) -> Iterator[tuple[str, str]]:
    """Cut a regex between its outermost parts: characters, classes and groups, each with its quantifier or ""."""
    start = place = depth = 0
    in_class = False
    while place < len(regex):
        one = regex[place]
        place += 2 if one == "\\" else 1
        if in_class:
            in_class = one != "]"
        elif one == "[":
            in_class = True
            place += 1 if regex[place : place + 1] == "]" else 2 if regex[place : place + 2] == "^]" else 0
        elif one in "()":
            depth += 1 if one == "(" else -1
        if not in_class and not depth:
            follows = _QUANTIFIER.match(regex, place)
            times = follows[0] if follows else ""
            yield regex[start:place], times
            start = place = place + len(times)


# --- Whether a crawl can go by regexes: tried in a process of its own, which may be ended -----------------------------

PATIENCE_SECONDS = 3.0
TOO_LARGE = "it is too large"
TOO_SLOW = "it takes too long; say it without a repetition in a repetition"
TRIAL = """
import bisect, json, re, sys
groups, urls = json.load(sys.stdin)
urls += [url + "\\n" for url in urls]  # with a sign at its end that no address has, it is tried in vain
begun = problem = ""

def told_together(patterns):
    try:
        re.compile("|".join(f"(?:{one})" for one in patterns))  # as a crawl has them
    except (re.error, FutureWarning) as error:
        return str(error)
    except (MemoryError, OverflowError, RecursionError, ValueError):
        return sys.argv[1]
    return ""

try:
    for group in groups:
        for begun in group:
            print(json.dumps([begun, ""]), flush=True)
            fits = re.compile(begun).fullmatch
            for url in urls:
                fits(url)
        if problem := told_together(group):
            ends = range(1, len(group) + 1)
            first = ends[bisect.bisect_left(ends, True, key=lambda end: bool(told_together(group[:end])))]
            begun, problem = group[first - 1], told_together(group[:first])
            break
except (re.error, FutureWarning) as error:
    problem = str(error)
except (MemoryError, OverflowError, RecursionError, ValueError):
    problem = sys.argv[1]
print(json.dumps([begun, problem]))
"""
"""Prints each pattern before it is tried, with "", and at last one with its problem, or with ""."""


class PatternError(ValueError):
    """A pattern can't be used. `pattern`: the line; `problem`: why, in English."""

    def __init__(self, pattern: str, problem: str) -> None:
        super().__init__(f"{pattern}: {problem}")
        self.pattern, self.problem = pattern, problem


def check_patterns(groups: Sequence[Sequence[str]], urls: Sequence[str]) -> None:
    """See that a crawl can go by each of the *groups* of patterns, tried on *urls*; PatternError: it can't."""
    command = [sys.executable, "-IS", "-W", "error::FutureWarning", "-c", TRIAL, TOO_LARGE]
    told = json.dumps([list(map(list, groups)), list(urls)]).encode()
    try:
        tried = subprocess.run(command, input=told, stdout=subprocess.PIPE, timeout=PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as slow:
        pattern, _ = _last_told(slow.stdout)
        raise PatternError(pattern, TOO_SLOW) from None
    pattern, problem = _last_told(tried.stdout)
    if problem or tried.returncode:
        raise PatternError(pattern, problem or TOO_LARGE)


def _last_told(said: bytes | None) -> tuple[str, str]:
    """Return the pattern, and its problem, of the last whole line; a process that was ended may have begun another."""
    whole, _, _ = (said or b"").rpartition(b"\n")
    pattern, problem = json.loads(whole.splitlines()[-1]) if whole else ("", "")
    return pattern, problem
