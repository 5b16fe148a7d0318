"""Affixes: the literal text before and after a value inside a longer text, learned from samples, required on each page.

`<b>ISBN-13</b>: 978…` has the value behind ": ", the title "Thor by Billy Tan (Hardcover)" has it before " by ".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gwc_crawler.extract.fields import fold, level, squeeze

LONGEST_AFFIX = 40
_ARTICLES = ("a", "an", "the")
LONGEST_LEVELLED = 2_000
_WORD = r"[^\W\d_][^\s:：]{0,19}"
LABEL = rf"(?:{_WORD} / )?{_WORD} ?[:：]"
"""A label within a text: a word with a colon, at times in two languages."""
NEXT_LABEL = re.compile(rf"[\s,;|/·•]+(?={LABEL})(?!\w+:\s?//)")
"""Where, behind a value, the label of the next one begins."""
SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")
ANY_LABEL = re.compile(LABEL)
NUMBER = re.compile(r"(?:(?<=\s)|^)\d[\d.,]*(?=\s|$)")
"""A number that stands alone in a literal, or is cut off at its end."""
SET_APART = re.compile(r"\s*[-–—|·•»:]+\s+.*\w", re.DOTALL)
"""An ending that a page may have or not: a sign that sets apart, then words."""
DASH = re.compile(r"\s+[-–—|·•»]+\s")
"""A sign between blanks, by which a name is set apart from what is said of it."""


@dataclass(frozen=True, slots=True)
class Affixes:
    """What stands around the value.

    Attributes:
        before, after: the literal texts; "" for the text's start or end.
        whole_before, whole_after: nothing else stands before (after) it: the text must start (end) with it.
        last: `before` is looked for from the end.
        any_case: the literals stand in lower case and are looked for in any.
        optional: a text that does not have the literals is the value as it stands; one with `before` alone ends with
            the value.
        digits: what has no digit is no value ("Check in store" where a price stands elsewhere).
        sentence: of what is left the first sentence is the value.
        longest: a text of more characters that is not like a number is no value; 0 for any length.
        labelled: the value ends where the next label begins, a word with a colon: "Size: 12 mm Colour: red".
        never: what begins so is no value, but another field with its label ("Level: 3" where others have a paragraph).
        nothing: what stands in place of a value: "--".
    """

    before: str = ""
    after: str = ""
    whole_before: bool = True
    whole_after: bool = True
    last: bool = False
    any_case: bool = False
    optional: bool = False
    digits: bool = False
    sentence: bool = False
    longest: int = 0
    labelled: bool = False
    never: tuple[str, ...] = ()
    nothing: tuple[str, ...] = ()

    def apply(self, text: str) -> str | None:
        """The value inside *text*; None where the literals are not there."""
        found = self._cut(text)
        if found is not None and (found in self.nothing or (self.never and found.startswith(self.never))):
            return None
        if found is not None and self.sentence:
            end = SENTENCE_END.search(found)
            found = found[: end.end()] if end else found
        if found is not None and self.labelled:
            found = NEXT_LABEL.split(found, maxsplit=1)[0].strip()
        if found is None or (self.digits and not has_digit(found)):
            return None
        return None if 0 < self.longest < len(found) and not is_like_number(found) else found

    def _cut(self, text: str) -> str | None:
        if not self.any_case:
            found = self._inside(text, text)
        else:
            found = self._inside(text, text.lower()) if len(text.lower()) == len(text) else None
        if found is None and not text.isascii() and len(text) <= LONGEST_LEVELLED:
            found = self._of_any_width(text)
        return text if found is None and self.optional else found

    def _of_any_width(self, text: str) -> str | None:
        """The value between literals of another width: "［Tang］" for "[Tang]"."""
        plain = _narrow(text.lower() if self.any_case else text)
        if len(plain) != len(text):
            return None
        return replace(self, before=_narrow(self.before), after=_narrow(self.after))._inside(text, plain)

    def _inside(self, whole: str, text: str) -> str | None:
        start = 0
        if self.before:
            if self.whole_before:
                if not text.startswith(self.before):
                    return None
            else:
                start = text.rfind(self.before) if self.last else text.find(self.before)
                if start < 0:
                    return None
            start += len(self.before)
        end = len(text)
        if self.after:
            if self.whole_after:
                if not text.endswith(self.after):
                    return None
                end = len(text) - len(self.after)
            else:
                end = text.find(self.after, start)
                if end < 0:
                    if not (self.optional and self.before):
                        return None
                    end = len(text)
        return whole[start:end].strip() if start <= end else None

    @property
    def cost(self) -> float:
        """How much can break: literal ends are safe, literals somewhere inside are less so."""
        parts = ((self.before, self.whole_before), (self.after, self.whole_after))
        return (
            sum(0.3 + 0.5 * (not whole) for literal, whole in parts if literal)
            + 0.3 * self.optional
            + 0.1 * self.digits
            + 0.5 * self.sentence
            + 0.3 * self.labelled
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file; what is as usual is left out."""
        usual = Affixes()
        told = {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) != getattr(usual, name)}
        return told | {name: list(told[name]) for name in ("never", "nothing") if name in told}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Affixes:
        """The inverse of `to_json`."""
        return cls(**{**data, **{name: tuple(data.get(name, ())) for name in ("never", "nothing")}})


NO_AFFIXES = Affixes()
FIRST_WORD = Affixes(after=" ", whole_after=False, optional=True)
FIRST_SENTENCE = Affixes(sentence=True)
LAST_WORD = Affixes(before=" ", whole_before=False, last=True, optional=True)


def _narrow(text: str) -> str:
    """The text with full-width signs as narrow ones, each in its place."""
    return "".join(plain if len(plain := unicodedata.normalize("NFKC", one)) == 1 else one for one in text)


def has_digit(text: str) -> bool:
    """Whether a text has a digit of any script."""
    return any(map(str.isdigit, text))


def is_like_number(text: str) -> bool:
    """Whether a text is made of digits rather than letters: a number, a price, a version.

    >>> is_like_number("$8.00 – $32.00"), is_like_number("10 mL"), is_like_number("3 May 2015")
    (True, True, True)
    >>> is_like_number("Check in store"), is_like_number("Formula 1")
    (False, False)
    """
    return has_digit(text) and sum(map(str.isalpha, text)) <= sum(map(str.isdigit, text))


def fit_word(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """The first or last word, or the first sentence, where that is the value of every text and some texts have more."""
    if all(SENTENCE_END.search(value) for _, value in pairs):
        return FIRST_SENTENCE if all(_gives(FIRST_SENTENCE, text, value) for text, value in pairs) else None
    if any(sign >= "\u2e80" for _, value in pairs for sign in value):
        return None  # where words are not set apart by blanks, a blank ends no word
    for cut in (FIRST_WORD, LAST_WORD):
        if all(" " not in value.strip() and _gives(cut, text, value) for text, value in pairs):
            return cut
    return None


def fit_affixes(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Find the one cut that gives the value from the text in every (text, value) pair; None if there is none."""
    if all(squeeze(text) == squeeze(value) for text, value in pairs):
        return NO_AFFIXES
    parts = [_split(text, value) for text, value in pairs]
    if any(part is None for part in parts):
        return None
    befores = [part[0] for part in parts if part]
    afters = [part[1] for part in parts if part]
    before, whole_before = _common_end(befores)
    after, whole_after = _common_start(afters)
    any_case = False
    if (not before and any(befores)) or (not after and any(afters)):
        before, whole_before = _common_end([text.lower() for text in befores])
        after, whole_after = _common_start([text.lower() for text in afters])
        any_case = True
    if (not before and any(befores)) or (not after and any(afters)):
        return None
    for last in (False, True):
        cut = Affixes(before, after, whole_before, whole_after, last, any_case)
        for one in (_up_to_label(cut), _up_to_dash(cut), _without_numbers(cut), cut):
            if one and all(_gives(one, text, value) for text, value in pairs):
                return one
    return None


def _up_to_label(cut: Affixes) -> Affixes | None:
    """The same cut up to a label, whatever its value: on both samples "Level: 3" follows, or a type that begins so."""
    start = NEXT_LABEL.match(cut.after) if not cut.any_case else None
    label = ANY_LABEL.match(cut.after, start.end()) if start else None
    if label is None or not cut.after[label.end() :].strip():
        return None
    return replace(cut, after=cut.after[: label.end()], whole_after=False)


def _up_to_dash(cut: Affixes) -> Affixes | None:
    """The same cut without the article of what is said of a name: "lazy — A function", "nop — The function"."""
    dash = DASH.match(cut.after) if not cut.before else None
    article = cut.after[dash.end() :].strip() if dash else ""
    is_article = article.lower() in _ARTICLES and (not cut.whole_after or cut.optional)
    return replace(cut, after=dash[0], whole_after=False, any_case=False) if dash and is_article else None


def _without_numbers(cut: Affixes) -> Affixes:
    """The cut with literals that end before the first number, or begin behind the last: it is theirs by chance.

    Those of two samples say " euros, sleeps 4 guests" where others sleep 3.
    """
    before, after = cut.before, cut.after
    if before and not cut.whole_before:
        before = NUMBER.split(before)[-1]
    if after and not cut.whole_after:
        after = NUMBER.split(after)[0]
    if not (_tells(before) or not cut.before) or not (_tells(after) or not cut.after):
        return cut
    return replace(cut, before=before, after=after)


def is_set_apart(cut: Affixes) -> bool:
    """Whether a cut takes the beginning of a text, up to a dash.

    >>> is_set_apart(Affixes(after=" — ", whole_after=False)), is_set_apart(Affixes(after=" by ", whole_after=False))
    (True, False)
    """
    return not cut.before and not cut.whole_after and DASH.match(cut.after) is not None


_OPENING = tuple("<([（【「")


def behind_value(cut: Affixes, is_value: Callable[[str], bool], pairs: Sequence[tuple[str, str]]) -> Affixes:
    """The cut; where it asks for another field's value before its own, for the dash behind that alone ("deep_copy — A
    function"), or for the last blank before one word in brackets ("Zhu Dongmei <u4@example.org>"): on other pages that
    value is another one."""
    if not cut.whole_before or not cut.before:
        return cut
    found = DASH.search(cut.before)
    if found is not None and found.end() == len(cut.before) and is_value(cut.before[: found.start()]):
        return replace(cut, before=found[0], whole_before=False)
    if cut.before[-1] != " " or not is_value(cut.before[:-1]):
        return cut
    if any(" " in value or value[:1] not in _OPENING for _, value in pairs):
        return cut
    general = replace(cut, before=" ", whole_before=False, last=True)
    return general if all(_gives(general, text, value) for text, value in pairs) else cut


def fit_labelled(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Find the label before all values in texts with several: "Size: 12 mm Colour: red"."""
    if not any(len(ANY_LABEL.findall(text)) > 1 for text, _ in pairs):
        return None
    labels = dict.fromkeys(ANY_LABEL.findall(pairs[0][0]))
    cuts = (Affixes(label, whole_before=False, labelled=True) for label in labels)
    return next((cut for cut in cuts if all(_gives(cut, text, value) for text, value in pairs)), None)


def fit_remark(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Find what stands before all values where a sign and words follow some of them: "Price: $8 (4 left)"."""
    parts = [("", "") if squeeze(text) == squeeze(value) else _split(text, value) for text, value in pairs]
    befores = {part[0] if part else None for part in parts}
    remarks = [part[1] for part in parts if part and part[1]]
    before = befores.pop() if len(befores) == 1 else None
    if before is None or len(before) > LONGEST_AFFIX or not remarks or len(remarks) == len(pairs):
        return None
    common = _common_prefix(remarks)
    signs = common[: next((n for n, sign in enumerate(common) if sign.isalnum()), len(common))]
    cut = Affixes(before, signs, whole_after=False, optional=True)
    return cut if _tells(signs) and all(_gives(cut, text, value) for text, value in pairs) else None


def fit_ending(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Find the ending that texts have behind the value where they have any: "Title – Recipe", "Title | Site".

    None where no text ends so, or where what follows the value is not set apart by a sign or differs.
    """
    parts = [("", "") if squeeze(text) == squeeze(value) else _split(text, value) for text, value in pairs]
    endings = {part[1].lower() if part and not part[0] else "" for part in parts if part != ("", "")}
    ending = endings.pop() if len(endings) == 1 else ""
    if len(ending) > LONGEST_AFFIX or not SET_APART.match(ending):
        return None
    cut = Affixes(after=ending, any_case=True, optional=True)
    cut = _up_to_dash(cut) or cut
    return cut if all(_gives(cut, text, value) for text, value in pairs) else None


def _gives(cut: Affixes, text: str, value: str) -> bool:
    found = cut.apply(text)
    return found is not None and squeeze(found) == squeeze(value)


def _split(text: str, value: str) -> tuple[str, str] | None:
    """What stands before and after the value in the text, where it stands on its own."""
    value = fold(value)
    found = _find_whole(text, value)
    if found < 0:
        plain, wanted = level(text), level(value)
        if len(plain) != len(text) or len(wanted) != len(value):
            return None
        found = _find_whole(plain, wanted)
        if found < 0:
            return None
    return text[:found], text[found + len(value) :]


def _find_whole(text: str, value: str) -> int:
    """Where *value* stands in *text* without running on as a word or number at either end; -1 if nowhere."""
    at = text.find(value)
    while at >= 0:
        end = at + len(value)
        runs_on = at > 0 and _joins(text[at - 1], value[0])
        if not runs_on and not (end < len(text) and _joins(value[-1], text[end])):
            return at
        at = text.find(value, at + 1)
    return -1


def _joins(left: str, right: str) -> bool:
    """Two characters of one word or number; Chinese and Japanese characters stand for themselves."""
    return left.isalnum() and right.isalnum() and ord(left) < 0x2E80 and ord(right) < 0x2E80


def _common_end(texts: list[str]) -> tuple[str, bool]:
    if len(set(texts)) == 1 and len(texts[0]) <= LONGEST_AFFIX:
        return texts[0], True
    reversed_texts = [text[::-1] for text in texts]
    common = _of_whole_words(_common_prefix(reversed_texts)[:LONGEST_AFFIX], reversed_texts)[::-1]
    return (common if _tells(common) else ""), False


def _common_start(texts: list[str]) -> tuple[str, bool]:
    if len(set(texts)) == 1 and len(texts[0]) <= LONGEST_AFFIX:
        return texts[0], True
    common = _of_whole_words(_common_prefix(texts)[:LONGEST_AFFIX], texts)
    return (common if _tells(common) else ""), False


def _of_whole_words(common: str, texts: Sequence[str]) -> str:
    """What texts begin with, up to the end of a word or number in all of them, if that tells anything.

    The titles "Ape - …" and "Cake - …" have " - " before the value, not "e - ".
    """
    end = len(common)
    while end and any(end < len(text) and _joins(text[end - 1], text[end]) for text in texts):
        end -= 1
    return common[:end] if _tells(common[:end]) else common


def _common_prefix(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    same = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, min(len(first), len(last)))]


def _tells(literal: str) -> bool:
    """A blank alone says nothing: it stands between any two words."""
    return bool(literal.strip())
