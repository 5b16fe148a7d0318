"""A URL rule written as one regex: demanded words make up the path, refused words stand in front of it as lookaheads.

In: words. Out: a pattern for `re.fullmatch` on a normalised URL; it takes time linear in the URL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from gwc_crawler.learn.kinds.words import Word, WordKind
from gwc_crawler.learn.urls.regex import literal
from gwc_crawler.learn.urls.url_parts import KNOWN_EXTENSION

_END = r"/?(?:\?|$)"
_SIGNS = {"upper": "[A-Z]", "lower": "[a-z]", "digit": "[0-9]", "other": "[^/?A-Za-z0-9]"}
_ANY_FILE = "[^/?]+"
_EXTENSION = f"(?:{KNOWN_EXTENSION})?"
_NO_EXTENSION = rf"(?!{KNOWN_EXTENSION[2:]}{_END})"
"""Behind this dot the path does not end with an extension."""
_BARE = rf"(?![^?]*{KNOWN_EXTENSION}(?:\?|$))"
"""Matches ahead of a URL whose path has no extension."""

_IN_QUERY, _KEY_END = r"\?(?:.*&|[^&]*;(?=[^&]*$))?", "(?:[=&;]|$)"
"""Behind this a pair of the query begins, behind a semicolon if no "&" stands in it; so its key ends."""

_LOOKED_FOR = (
    WordKind.END,
    WordKind.WITHIN,
    WordKind.PARENT,
    WordKind.KEY,
    WordKind.VALUE,
    WordKind.SPACE,
    WordKind.FIRST,
    WordKind.NAME,
    WordKind.TAIL,
    WordKind.DOTS,
)
"""Kinds of words that the pattern of the path does not express by itself, so that a lookahead has to."""


@dataclass(frozen=True)
class UrlRule:
    """A condition on a URL: it has all words of `demanded` and none of `refused`."""

    demanded: frozenset[Word] = frozenset()
    refused: frozenset[Word] = frozenset()

    def with_words(self, words: Iterable[tuple[Word, bool]]) -> UrlRule:
        """Return this rule with further words, each with whether it is refused."""
        given = list(words)
        return UrlRule(
            self.demanded | {word for word, negated in given if not negated},
            self.refused | {word for word, negated in given if negated},
        )

    def holds(self, words: frozenset[Word]) -> bool:
        """Say whether a URL with *words* is taken."""
        return self.demanded <= words and not self.refused & words

    def regex(self, origin: str) -> str:
        """Write the rule for URLs of one origin.

        Args:
            origin: the pattern of scheme and host.
        """
        return origin + "".join(self._lookaheads()) + self._path() + self._query()

    def _values(self, kind: WordKind) -> list[Word]:
        return sorted(word for word in self.demanded if word.kind == kind)

    def _value(self, kind: WordKind) -> str | None:
        return next((word.value for word in self._values(kind)), None)

    def _lookaheads(self) -> Iterable[str]:
        for word in sorted(self.refused):
            yield f"(?!{_anywhere(word)})"
        for kind in _LOOKED_FOR:
            for word in self._values(kind):
                if not self._is_said_by_the_path(word):
                    yield f"(?={_anywhere(word)})"
        if self._value(WordKind.EXTENSION) == "" and self._value(WordKind.SLASH) != "/" and not self._is_number():
            yield _BARE
        if self._value(WordKind.DEPTH) is None:
            behind = [word for word in self._values(WordKind.DIRECTORY) if word.at >= len(self._leading())]
            yield from (f"(?={_anywhere(word)})" for word in [*behind, *self._values(WordKind.NUMBER)])

    def _is_said_by_the_path(self, word: Word) -> bool:
        begun = bool(self._values(WordKind.START) or self._values(WordKind.STEM)) or self._is_number()
        match word.kind:
            case WordKind.FIRST:
                return begun or self._value(WordKind.NAME) is not None
            case WordKind.DOTS:
                return not begun and self._value(WordKind.EXTENSION) is not None
            case WordKind.WITHIN:
                return any(word.value == one.value for one in self._values(WordKind.DIRECTORY))
            case WordKind.PARENT:
                return Word(WordKind.DIRECTORY, word.value, int(self._value(WordKind.DEPTH) or 0) - 2) in self.demanded
        return False

    def _is_number(self) -> bool:
        return Word(WordKind.NUMBER, "", int(self._value(WordKind.DEPTH) or 0) - 1) in self.demanded

    def _leading(self) -> list[str]:
        known = {word.at: literal(word.value) for word in self._values(WordKind.DIRECTORY)}
        return [known[depth] for depth in takewhile(known.__contains__, range(len(known)))]

    def _path(self) -> str:
        depth, file = self._value(WordKind.DEPTH), self._file()
        if depth == "0":
            return "/?"
        end = {"/": "/", "": "", None: "/?"}[self._value(WordKind.SLASH)]
        if depth is not None:
            known = {word.at: literal(word.value) for word in self._values(WordKind.DIRECTORY)}
            known |= {word.at: "[0-9]+" for word in self._values(WordKind.NUMBER)}
            directories = "".join(f"/{known.get(place, '[^/?]+')}" for place in range(int(depth) - 1))
            return f"{directories}/{file}{end}"
        # any number of segments: the home page may be one
        leading = "".join(f"/{one}" for one in self._leading())
        if file != _ANY_FILE:
            return f"{leading}(?:/[^/?]+)*/{file}{end}"
        if leading or end == "/":
            return f"{leading}(?:/[^/?]+)+{end}"
        return "(?:/|(?:/[^/?]+)+)" if not end else "(?:/[^/?]+)*/?"

    def _file(self) -> str:
        known = self._value(WordKind.EXTENSION)
        extension = literal(known or "")
        if self._is_number():
            return f"[0-9]+{_EXTENSION if known is None else extension}"
        starts = [*self._values(WordKind.START), *self._values(WordKind.STEM)]
        start = max((word.value for word in starts), key=len, default="")
        dots = self._value(WordKind.DOTS)
        if dots is not None and known is not None and not start:
            return _with_dots(dots, extension)
        start = literal(start) if extension else _prefix(start)
        return f"{start}[^/?]*{extension}" if start else f"{_ANY_FILE}{extension}"

    def _query(self) -> str:
        keys = self._value(WordKind.KEYS)
        return r"(?:\?.*)?" if keys is None else _query_of(keys) if keys else ""


def _query_of(keys: str) -> str:
    """Return the pattern of a query with all given keys, in any order. The value of a single key may have a semicolon.

    Args:
        keys: as a word has them: joined by their separator; a semicolon also stands before the first.
    """
    sign, inside = (";", "[^&;]") if keys.startswith(";") else ("&", "[^&]")
    known = [literal(key) for key in keys.removeprefix(";").split(sign)]
    key = known[0] if len(known) == 1 else f"(?:{'|'.join(known)})"
    one = f"{key}(?:={inside}*)?"
    each = (rf"(?=[^?]*\?(?:.*{sign})?{key}(?:[={sign}]|$))" for key in known if len(known) > 1)
    return "".join(each) + rf"\?{one}(?:{sign}{one})*"


def _anywhere(word: Word) -> str:
    """Return the pattern that finds *word* anywhere in the part of a URL after the origin."""
    value = literal(word.value)
    match word.kind:
        case WordKind.DIRECTORY:
            return f"{_segments(word.at)}/{value}/[^/?]"
        case WordKind.NUMBER:
            return f"{_segments(word.at)}/[0-9]+{_EXTENSION}(?:[/?]|$)"
        case WordKind.WITHIN:
            return f"[^?]*/{value}/[^/?]"
        case WordKind.PARENT:
            return f"[^?]*/{value}/[^/?]+{_END}"
        case WordKind.DEPTH:
            return f"{_segments(int(word.value))}{_END}"
        case WordKind.START | WordKind.STEM:
            return f"[^?]*/{_prefix(word.value)}[^/?]*{_END}"
        case WordKind.NAME:
            return f"[^?]*/{value}{_EXTENSION}{_END}"
        case WordKind.END:
            return f"[^?]*{value}{_EXTENSION}{_END}"
        case WordKind.TAIL:
            return f"[^?]*{value}[0-9]+{_EXTENSION}{_END}"
        case WordKind.DOTS:
            return f"[^?]*/{_with_dots(word.value, _EXTENSION)}{_END}"
        case WordKind.FIRST:
            return f"[^?]*/{_SIGNS[word.value]}[^/?]*{_END}"
        case WordKind.EXTENSION:
            return rf"[^?]*{value}(?:\?|$)" if word.value else _BARE
        case WordKind.SLASH:
            return r"[^?]*/(?:\?|$)" if word.value else r"[^?]*[^/?](?:\?|$)"
        case WordKind.KEYS:
            return f"[^?]*{_query_of(word.value)}$" if word.value else r"[^?]*$"
        case WordKind.KEY:
            return f"[^?]*{_IN_QUERY}{value}{_KEY_END}"
        case WordKind.SPACE:
            return f"[^?]*{_IN_QUERY}{value}"
        case WordKind.VALUE:
            return f"[^?]*{_IN_QUERY}{value}(?:[&;]|$)"
    raise AssertionError(f"no pattern for words of the kind {word.kind!r}")


def _prefix(start: str) -> str:
    return literal(start) + (_NO_EXTENSION if start.endswith(".") else "")


def _with_dots(count: str, extension: str) -> str:
    """Return the pattern of a file name with *count* dots before its extension."""
    if count == "0":
        return f"[^/?.]+{extension}"
    part = rf"\.{'' if extension != _EXTENSION else _NO_EXTENSION}[^/?.]*"
    return f"[^/?.]*{part if count == '1' else f'(?:{part}){{{count}}}'}{extension}"


def _segments(count: int) -> str:
    return rf"(?:/[^/?]+){{{count}}}" if count else ""
