"""Correct the cut of a chosen locator by the texts of further pages.

Two samples may have more in common around a value than all pages do ("[Tang] Li Bai", "[Tang] Du Fu"): then the
signs beside the value are enough. And in place of a number, other pages may say "Check in store"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, product

from gwc_crawler.extract.affixes import FIRST_WORD, LAST_WORD, NO_AFFIXES, Affixes, has_digit, is_like_number
from gwc_crawler.extract.fields import kind_of, same_text
from gwc_crawler.extract.locator import NO_VALUES, Locator
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, HALF, NEARLY_ALL, SEVERAL, SLIPS
from gwc_crawler.learn.texts.context import ExampleContext
from gwc_crawler.learn.wrapper.locators.extent import Spot, is_long, note_behind

NO_DELIMITERS = frozenset(".?!'\"")
"""Signs that end sentences and words: they stand anywhere."""
NUMBERED_NAME = re.compile(r"[^\W\d][\w*]*")
WORD_END = re.compile(r"[\w。！？](?=\s)")
VERSION = re.compile(r"\d+(?:\.\d+){2,}")
LONGER_TIMES, LONGER_MORE = 3, 8
"""Maximum factor, and extra characters, by which a text that is not like a number exceeds the samples' numbers."""
_STEP = re.compile(r"\d{1,2}")
_PRICE_WORDS = frozenset(
    {
        *("free", "free!", "on request", "tba"),
        *("免费", "免費", "面议", "面議", "电议", "议价", "待定", "待议", "停售", "询价"),
    }
)
"""Texts for goods without a price, or with a price on request: they are the price's value."""
_LEAST_TIMES = 2.5
"""Numbers with words, or times ("5-10 years", "8:30-17:30"), are choices, as words beside them are ("all day"), if
there are at most this many, each this often on average."""
_COLONS = frozenset(":：")


def mended(locators: Sequence[Locator], contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> list[Locator]:
    """Return the locators with cuts that fit more of the further pages (or records), silent where those give notice."""
    cut = [_mended(one, contexts, further) for one in locators]
    if cut and (nothing := cut[0].cut.nothing):  # a notice is no value, whichever locator reads it
        cut = [replace(one, cut=replace(one.cut, nothing=nothing)) if not one.cut.nothing else one for one in cut]
    if any(one.cut.digits for one in cut):
        return [replace(one, cut=replace(one.cut, digits=True)) for one in cut]
    if len(cut) > 1 and _has_always_digits(cut[0], contexts, further):
        return [cut[0], *(replace(one, cut=replace(one.cut, digits=True)) for one in cut[1:])]
    return cut


def _has_always_digits(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> bool:
    """Tell whether only numbers stand where a locator looks: if it is silent, another one must also find a number."""
    if not all(is_like_number(one.wanted) for one in contexts if not one.empty):
        return False
    found = [text for page, scope in further for text in locator.texts(page, scope, limit=1)[:1]]
    return len(found) >= A_HANDFUL and all(has_digit(value) for text in found if (value := locator.cut.apply(text)))


def _mended(locator: Locator, contexts: Sequence[ExampleContext], further: Sequence[Spot]) -> Locator:
    """Return the locator with its cut as further pages have it."""
    if locator.split:
        return locator
    texts = [text for page, scope in further for text in locator.texts(page, scope, limit=1)[:1]]
    wanted = [one.wanted for one in contexts if not one.empty]
    samples = [(text, one.wanted) for one in contexts for text in locator.texts(one.at, one.scope, limit=1)[:1]]
    cut = locator.cut
    for correction in (_shorter, _loosened, _to_the_word):
        cut = correction(cut, samples, texts, wanted)
    if replace(cut, digits=False) == NO_AFFIXES and _has_labels(texts, wanted):
        cut = replace(FIRST_WORD, digits=cut.digits)
    # "V4", "V6", "u***59" are names that happen to end in a digit: others may be "Unbounded", "Anonymous".
    numbers = all(map(is_like_number, wanted)) and not all(map(NUMBERED_NAME.fullmatch, wanted))
    if numbers and (cut == FIRST_WORD or _gives_notice([value for text in texts if (value := cut.apply(text))])):
        cut = replace(cut, digits=True)
    if cut == NO_AFFIXES and is_long(contexts) and (note := note_behind(locator, contexts, further)):
        cut = replace(cut, after=note, whole_after=False, optional=True)
    absent = NO_VALUES.intersection(texts) - {*wanted}
    if absent and not cut.nothing and all(any(map(str.isalnum, value)) for value in wanted):
        cut = replace(cut, nothing=tuple(sorted(absent)))
    if numbers:
        longest = LONGER_TIMES * max(map(len, wanted)) + LONGER_MORE
        if any(cut.apply(text) and replace(cut, longest=longest).apply(text) is None for text in texts):
            cut = replace(cut, longest=longest)
    return locator if cut == locator.cut else replace(locator, cut=cut)


def _to_the_word(
    cut: Affixes, samples: Sequence[tuple[str, str]], texts: Sequence[str], wanted: Sequence[str]
) -> Affixes:
    """Return the cut, or the last word where the values of several words end in one that stands alone elsewhere.

    Behind "public " stand "class", "interface", and "static interface".
    """
    if cut == NO_AFFIXES or any(" " in value.strip() for value in wanted):
        return cut
    values = [value for text in texts if (value := cut.apply(text))]
    alone = {value for value in (*values, *wanted) if " " not in value}
    longer = [value for value in values if " " in value]
    fits = all(same_text(LAST_WORD.apply(text) or "", value or "") for text, value in samples)
    return LAST_WORD if fits and longer and all(value.split()[-1] in alone for value in longer) else cut


def _has_labels(texts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether some versions stand behind labels, unlike the samples' ones: "const: 1.40.0" is another's."""
    if not all(map(VERSION.fullmatch, wanted)):
        return False
    longer = [words[0] for text in texts if len(words := text.split()) > 1]
    return bool(longer) and all(VERSION.fullmatch(one) or one.endswith((":", "：")) for one in longer)


def _shorter(cut: Affixes, samples: Sequence[tuple[str, str]], texts: Sequence[str], wanted: Sequence[str]) -> Affixes:
    """Return the cut, or its literals reduced to the signs beside the value where that finds more of the same kind."""
    said = {text: value for text in texts if (value := cut.apply(text))}
    kind = kind_of(wanted)
    best, most = cut, len(said)
    for other in _reductions(cut):
        if not all(same_text(other.apply(text) or "", value or "") for text, value in samples):
            continue
        values = {text: value for text in texts if (value := other.apply(text))}
        same = sum(values.get(text) == value for text, value in said.items())
        new = [value for text, value in values.items() if text not in said]
        is_same = len(said) - same <= SLIPS * len(said)
        if len(values) > most and is_same and sum(map(kind, new)) >= NEARLY_ALL * len(new):
            best, most = other, len(values)
    return best


def _loosened(cut: Affixes, samples: Sequence[tuple[str, str]], texts: Sequence[str], wanted: Sequence[str]) -> Affixes:
    """Return the cut, or one that also takes texts without the part behind the value: "V4(Ipv4Addr)", "Unbounded".

    For a text behind a label the part behind the label counts: "Price: $3 (9 left)", "Price: $4".
    The texts without it must be of the samples' kind: single words, or numbers of their form, where those are.
    A word without digits is half like those that have some: "Unbounded", "V4".
    """
    words = not any(" " in value.strip() for value in wanted)
    numbers = words and all(is_like_number(value) and not value[:1].isalpha() for value in wanted)
    by_word = numbers and not cut.before and cut.after[:1] == " "
    loose = replace(FIRST_WORD, digits=True) if by_word else replace(cut, optional=True)
    is_led = not cut.before or all(cut.whole_before and text.startswith(cut.before) for text in texts)
    fits = all(same_text(loose.apply(text) or "", value or "") for text, value in samples)
    if not cut.after or not is_led or not fits:
        return cut
    bare = [value for text in texts if cut.apply(text) is None and (value := loose.apply(text))]
    kind, numbers_of = kind_of(wanted), partial(re.sub, r"\d+", "0")
    if numbers:
        forms = {numbers_of(value.strip()) for value in wanted}  # "0.0.0" for versions
        fitting = sum(numbers_of(value.strip()) in forms for value in bare)
    elif words:
        fitting = sum(" " not in value and kind(value) >= HALF for value in bare)
    else:
        fitting = int(sum(map(kind, bare)))
    return loose if bare and fitting >= NEARLY_ALL * len(bare) else cut


def _reductions(cut: Affixes) -> Iterator[Affixes]:
    """Yield the cut with its literals reduced to the signs beside the value, then to fewer and fewer words."""
    before, after = _signs(cut.before[::-1])[::-1], _signs(cut.after)
    for less_before, less_after in ((True, True), (True, False), (False, True)):
        changed = cut
        if less_before and before and before != cut.before:
            changed = replace(changed, before=before, whole_before=False)
        if less_after and after and after != cut.after:
            changed = replace(changed, after=after, whole_after=False)
        if changed != cut:
            yield changed
            if changed.before and not changed.whole_before:
                yield replace(changed, last=not changed.last)
    befores = [cut.before, *([] if cut.whole_before else _less(cut.before[::-1]))]
    for first, last in islice(product(befores, [cut.after, *_less(cut.after)]), ENOUGH):
        whole = cut.whole_after and last == cut.after
        yield replace(cut, before=first if first == cut.before else first[::-1], after=last, whole_after=whole)


def _less(literal: str) -> list[str]:
    """Return the beginnings of a literal, each up to the end of a word but the last: the longest first.

    Before these comes all up to its last blank, if only signs follow: they may end a text behind it, like the "%" in
    "%paper-type% -- Name of paper type", or a full stop in "Yes. -- Ann".
    """
    known, _, end = literal.rpartition(" ")
    beyond = [f"{known} "] if known.strip() and end and not any(map(str.isalnum, end)) else []
    ends = [found.end() for found in WORD_END.finditer(literal)]
    return [*beyond, *(literal[:end] for end in reversed(ends) if end < len(literal))]


def _signs(literal: str) -> str:
    """Return the beginning of a literal up to its first letter or digit, if it has a sign that delimits."""
    end = next((place for place, sign in enumerate(literal) if sign.isalnum()), len(literal))
    signs = literal[:end]
    return signs if any(not sign.isspace() and sign not in NO_DELIMITERS for sign in signs) else ""


# --- Texts that stand in place of a number: "Check in store" ----------------------------------------------------------


def _gives_notice(values: Sequence[str]) -> bool:
    """Say whether a few texts without a digit stand again and again where there should be numbers.

    Beside "1" and "2" alone, "basic" is a third stage; so is "any" beside a few spans of years again and again.
    """
    notices = Counter(value for value in values if not has_digit(value) and value.casefold() not in _PRICE_WORDS)
    numbers = Counter(value for value in values if has_digit(value))
    are_steps = len(numbers) <= len(notices) + 1 and all(map(_STEP.fullmatch, numbers))
    have_words = all(any(map(str.isalpha, value)) or not _COLONS.isdisjoint(value) for value in numbers)
    are_choices = len(numbers) <= A_HANDFUL and numbers.total() >= _LEAST_TIMES * len(numbers) and have_words
    return 0 < len(notices) <= SEVERAL and max(notices.values()) > 1 and not are_steps and not are_choices
