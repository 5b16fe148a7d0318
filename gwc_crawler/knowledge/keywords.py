"""The keyword language of site files: an expression in, "does this text match?" out.

    ISBN && (Paperback || Hardcover) && !"out of print"        成都 川菜 || 火锅

Words and "quoted phrases" are joined by `!` (not), `&&` (and) and `||` (or), which bind in this order; words side by
side mean `&&`; parentheses group. The full-width forms ＆＆ ｜｜ ！ （ ） and “ ” serve as well.

Case is ignored and full-width letters equal half-width ones (NFKC, then casefold). A Latin word has to stand alone
(`art` is not in `party`); Chinese, Japanese, Korean and Thai need no word boundaries. White space inside a phrase
matches any."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from gwc_crawler.errors import KeywordError

MAX_NESTING = 60
"""Parentheses and `!`, or objects and lists, inside each other; more is a mistake, and would exhaust the call stack."""

# Scripts that write no spaces between words (Thai, Lao, Tibetan, Burmese, Khmer, kana, Han) or that append particles to
# them (Hangul): a word of these matches anywhere.
_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_SPACED_LETTER = rf"[^\W{_UNSPACED}]"


Test: TypeAlias = Callable[[str], bool]  # says of a folded text whether it matches


class Keywords:
    """A keyword expression, read.

    >>> Keywords.parse("成都 && (川菜 || 火锅)").matches("成都的老火锅")
    True
    """

    def __init__(self, test: Test) -> None:
        self._test = test

    @classmethod
    def parse(cls, expression: str) -> Keywords:
        """Read an expression; KeywordError has the position (from 0; the message counts from 1) and a remedy."""
        return cls(_Parser(expression).parse())

    def matches(self, text: str) -> bool:
        """Say whether *text* satisfies the expression. Cost: one folding and a search per word, ≤ 0.3 ms for 40 KB."""
        return self._test(fold(text))


# The compatibility characters that nearly every Chinese page holds. Replacing them first leaves most pages in NFKC,
# which `normalize` sees quickly: .1 ms for 40 KB, where rewriting them takes 1.2.
_COMMON_WIDE = tuple((char, unicodedata.normalize("NFKC", char)) for char in "，：；！？（）～\u3000\xa0…")


def fold(text: str) -> str:
    """Fold differences that do not tell words apart: full and half width, compatibility forms (NFKC), case."""
    if not text.isascii():
        for wide, narrow in _COMMON_WIDE:
            if wide in text:
                text = text.replace(wide, narrow)
        text = unicodedata.normalize("NFKC", text)
    return text.casefold()


def _is_spaced_letter(char: str) -> bool:
    return re.match(_SPACED_LETTER, char) is not None  # compiled when first used: that takes milliseconds


def _term(text: str) -> Test:
    """Build the test for one word: a plain substring search first, a boundary check only for hits."""
    parts = fold(text).split()
    first = re.escape(parts[0])
    # The look-behind stands after the literal, so that `re` can jump from literal to literal.
    before = f"(?<!{_SPACED_LETTER}{first})" if _is_spaced_letter(parts[0][0]) else ""
    after = f"(?!{_SPACED_LETTER})" if _is_spaced_letter(parts[-1][-1]) else ""
    literal = parts[0]
    if not (before or after or len(parts) > 1):
        return lambda folded: literal in folded

    @cache
    def pattern() -> re.Pattern[str]:  # compiled when the word first appears: the letter classes cost 2 ms
        return re.compile(first + before + "".join(r"\s+" + re.escape(part) for part in parts[1:]) + after)

    return lambda folded: literal in folded and pattern().search(folded) is not None


_AND, _OR, _NOT, _OPEN, _CLOSE, _END = "&&", "||", "!", "(", ")", "end"
_OPERATOR = re.compile(r"[&＆]{2}|[|｜]{2}|[!！(（)）]")
_NARROW = str.maketrans("＆｜！（）", "&|!()")
_WORD = re.compile(r"(?:(?![&＆]{2}|[|｜]{2})[^\s!！(（)）\"＂“”])+")
_PHRASE = re.compile(r'["＂]((?:[^"＂\\]|\\["＂\\]|\\(?!["＂\\]))*)["＂]|[“”]([^“”]*)[“”]')
_QUOTES = '"＂“”'
_LONE = "&＆|｜"
_SPELLED_OUT = {"AND": _AND, "OR": _OR, "NOT": _NOT}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # an operator, "term" or "end"
    text: str
    position: int


class _Parser:
    """Recursive descent; each method reads one level of precedence."""

    def __init__(self, expression: str) -> None:
        self._tokens = list(_tokens(expression))
        self._at = 0
        self._depth = 0

    def parse(self) -> Test:
        if self._next.kind == _END:
            raise KeywordError("the expression is empty; write at least one word", 0)
        test = self._any_of()
        if self._next.kind == _CLOSE:
            raise _error("')' without a '('", self._next, "remove it or add the '('")
        return test

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self._next
        self._at += 1
        return token

    def _any_of(self) -> Test:
        tests = [self._all()]
        while self._next.kind == _OR:
            self._take()
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else lambda folded: any(test(folded) for test in tests)

    def _all(self) -> Test:
        tests = [self._not()]
        while self._next.kind in (_AND, _NOT, _OPEN, "term"):
            if self._next.kind == _AND:
                self._take()
            tests.append(self._not())
        return tests[0] if len(tests) == 1 else lambda folded: all(test(folded) for test in tests)

    def _not(self) -> Test:
        token = self._take()
        if token.kind == "term":
            return _term(token.text)
        if token.kind not in (_NOT, _OPEN):
            self._at -= 1
            raise self._word_missing(token)
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise _error(f"more than {MAX_NESTING} levels of '(' and '!'", token, "write it flatter")
        inner = self._not() if token.kind == _NOT else self._any_of()
        if token.kind == _OPEN:
            if self._next.kind != _CLOSE:
                raise _error("'(' is never closed", token, "add the ')'")
            self._take()
        self._depth -= 1
        return inner if token.kind == _OPEN else lambda folded: not inner(folded)

    def _word_missing(self, token: _Token) -> KeywordError:
        before = self._tokens[self._at - 1] if self._at else None
        if token.kind == _END and before:
            return _error(f"nothing follows {before.text!r}", before, "add a word" + _quote_hint(before))
        if token.kind == _CLOSE and before is None:
            return _error("')' without a '('", token, "remove it or add the '('")
        if token.kind == _CLOSE and before and before.kind == _OPEN:
            return _error("'()' holds nothing", before, "put a word in or remove it")
        if before is None:
            return _error(f"no word before {token.text!r}", token, "add one")
        return _error(f"no word between {before.text!r} and {token.text!r}", token, "add one" + _quote_hint(before))


def _quote_hint(token: _Token) -> str:
    return ", or put the '!' in quotes together with its word" if token.kind == _NOT else ""


def _tokens(expression: str) -> Iterator[_Token]:
    at = 0
    while at < len(expression):
        if expression[at].isspace():
            at += 1
        elif found := _OPERATOR.match(expression, at):
            yield _Token(found[0].translate(_NARROW), found[0], at)
            at = found.end()
        elif expression[at] in _QUOTES:
            token, at = _phrase(expression, at)
            yield token
        else:
            found = _WORD.match(expression, at)
            assert found is not None  # whatever starts no operator, quote or space starts a word
            yield _word(found[0], at)
            at = found.end()
    yield _Token(_END, "the end", len(expression))


def _phrase(expression: str, at: int) -> tuple[_Token, int]:
    """Read a quoted phrase; return it with the position behind it."""
    found = _PHRASE.match(expression, at)
    if not found:
        raise KeywordError(f"the quote {expression[at]} at character {at + 1} is never closed; add the closing one", at)
    straight, curly = found.groups()
    text = re.sub(r'\\(["＂\\])', r"\1", straight) if straight is not None else curly
    words = text.split()
    if not words or not fold(text).split():
        raise KeywordError(f"the quotes at character {at + 1} hold nothing; put a word in or remove them", at)
    return _Token("term", " ".join(words), at), found.end()


def _word(text: str, at: int) -> _Token:
    token = _Token("term", text, at)
    if text in _SPELLED_OUT:
        raise _error(f"{text!r} is no operator", token, f'write {_SPELLED_OUT[text]}, or "{text}" to look for the word')
    for lone in (text[0], text[-1]):
        if lone in _LONE:
            double = lone.translate(_NARROW) * 2
            raise _error(f"single {lone!r}", token, f'write {double}, or "{text}" to look for it')
    if not fold(text).split():
        raise _error(f"{text!r} is no word", token, "remove it")
    return token


def _error(what: str, token: _Token, help_text: str) -> KeywordError:
    return KeywordError(f"{what} (character {token.position + 1}); {help_text}", token.position)
