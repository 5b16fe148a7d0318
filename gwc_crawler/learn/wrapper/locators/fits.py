"""Fit the cut that gives the value from the text on every sample: the texts before and behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gwc_crawler.extract.affixes import FIRST_SENTENCE, FIRST_WORD, LAST_WORD, NO_AFFIXES, SENTENCE_END, Affixes
from gwc_crawler.extract.fields import level, squeeze
from gwc_crawler.learn.degrees import NAME_LENGTH
from gwc_crawler.page.text import fold

_NUMBER = re.compile(r"(?:(?<=[\s(])|^)\d[\d.,]*(?=[\s)]|$)")
"""A number that stands alone in a literal, or is cut off at its end."""
_SET_APART = re.compile(r"\s*[-–—|·•»:]+\s+.*\w", re.DOTALL)
"""An ending that a page may have or not: a sign that sets apart, then words."""
_BETWEEN = r"[\s·|/,，、]+"
"""Matches the separator between two values in a text."""


def fit_word(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Return the cut to the first or last word, or first sentence, if every value is that and some texts have more."""
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
    befores, afters = ([part[side] for part in parts if part] for side in (0, 1))
    for any_case in (False, True):
        turned, whole_before = _common_start([(text.lower() if any_case else text)[::-1] for text in befores])
        after, whole_after = _common_start([text.lower() if any_case else text for text in afters])
        before = turned[::-1]
        if (before or not any(befores)) and (after or not any(afters)):
            break
    else:
        return None
    for last in (False, True):
        cut = Affixes(before, after, whole_before, whole_after, last, any_case)
        for one in (_without_numbers(cut), cut):
            if all(_gives(one, text, value) for text, value in pairs):
                return one
    return None


def _without_numbers(cut: Affixes) -> Affixes:
    """Return the cut with literals that end before the first number, or begin behind the last: numbers are chance.

    The literals of two samples may be " euros, sleeps 4 guests", while other pages sleep 3.
    """
    before, after = cut.before, cut.after
    if before and not cut.whole_before:
        before = _NUMBER.split(before)[-1]
    if after and (first := _NUMBER.search(after)):
        after = after[: first.start()]
    if (cut.before and not before.strip()) or (cut.after and not after.strip()):
        return cut
    return replace(cut, before=before, after=after, whole_after=cut.whole_after and after == cut.after)


def fit_beside_value(pairs: Sequence[tuple[str, str]], is_value: Callable[[str], bool]) -> Affixes | None:
    """Find the blank or sign between the value and another field's, where the two are all of each text: "第6章 Verbs".

    The separator must not stand in the text read up to it, or behind it: in the value, or the other one, on any sample.
    """
    parts = [part for text, value in pairs if (part := _split(text, value)) is not None]
    found = [re.search(rf"{_BETWEEN}$", before) or re.match(_BETWEEN, after) for before, after in parts]
    signs = {one[0] if one else "" for one in found} - {""}
    if len(parts) < len(pairs) or len(signs) != 1:
        return None
    sign = signs.pop()
    others = [before.removesuffix(sign) + after.removeprefix(sign) for before, after in parts]
    if not all(one and is_value(one) for one in others):
        return None
    first = Affixes(after=sign, whole_after=False)
    behind = Affixes(before=sign, whole_before=False)
    cuts = [first] if all(not before for before, _ in parts) else [behind, replace(behind, last=True)]
    return next((cut for cut in cuts if all(_gives(cut, text, value) for text, value in pairs)), None)


def fit_remark(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Find the text before all values where a sign and words follow some of them: "Price: $8 (4 left)"."""
    parts = [("", "") if squeeze(text) == squeeze(value) else _split(text, value) for text, value in pairs]
    befores = {part[0] if part else None for part in parts}
    remarks = [part[1] for part in parts if part and part[1]]
    before = befores.pop() if len(befores) == 1 else None
    if before is None or len(before) > NAME_LENGTH or not remarks or len(remarks) == len(pairs):
        return None
    common = _common_prefix(remarks)
    signs = common[: next((n for n, sign in enumerate(common) if sign.isalnum()), len(common))]
    cut = Affixes(before, signs, whole_after=False, optional=True)
    return cut if signs.strip() and all(_gives(cut, text, value) for text, value in pairs) else None


def fit_ending(pairs: Sequence[tuple[str, str]]) -> Affixes | None:
    """Find the ending that texts have behind the value if they have any: "Title – Recipe", "Title | Site".

    None if no text has one, or if the text behind the value is not set apart by a sign, or differs.
    """
    parts = [("", "") if squeeze(text) == squeeze(value) else _split(text, value) for text, value in pairs]
    endings = {part[1].lower() if part and not part[0] else "" for part in parts if part != ("", "")}
    ending = endings.pop() if len(endings) == 1 else ""
    if len(ending) > NAME_LENGTH or not _SET_APART.match(ending):
        return None
    cut = Affixes(after=ending, any_case=True, optional=True)
    return cut if all(_gives(cut, text, value) for text, value in pairs) else None


def _gives(cut: Affixes, text: str, value: str) -> bool:
    found = cut.apply(text)
    return found is not None and squeeze(found) == squeeze(value)


def _split(text: str, value: str) -> tuple[str, str] | None:
    """Return the texts before and after the value in the text, if the value stands on its own there."""
    value = fold(value)
    if not value:
        return None
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
    """Return the position of *value* in *text* where it does not run on as a word or number at either end, or -1."""
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


def _common_start(texts: list[str]) -> tuple[str, bool]:
    """Return the common beginning of texts, and whether it is all of each; blanks alone, between any words, are none.

    Up to the end of a word or number in all of them, if that tells anything: for the titles "Ape - …" and "Cake - …"
    the text before the value is " - ", not "e - ".
    """
    if len(set(texts)) == 1 and len(texts[0]) <= NAME_LENGTH:
        return texts[0], True
    common = _common_prefix(texts)[:NAME_LENGTH]
    end = len(common)
    while end and any(end < len(text) and _joins(text[end - 1], text[end]) for text in texts):
        end -= 1
    common = common[:end] if common[:end].strip() else common
    return (common if common.strip() else ""), False


def _common_prefix(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    same = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, min(len(first), len(last)))]
