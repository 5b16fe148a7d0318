"""Texts that stand in place of a value: "--", "none", "Check in store", "No description yet"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from gwc_crawler.extract import DASHES, has_digit, is_like_number

NOTHING = re.compile(r"(?:暂|暫|尚|未|无|無|不详|不詳|待|--|n/?a$|none$|null$|unknown$|tb[ad]$)")
"""How words begin that say there is no value."""
_IS_NONE = re.compile(
    r"暂无|暫無|尚无|尚無|尚未|no (?:\w+ ){1,3}(?:yet|available|given|provided|found)\b"
    r"|not (?:yet )?(?:available|given|provided)|none(?: given| specified| listed)?\W*$|n/a\W*$"
)
"""How notices begin that say there is no text."""
STEP = re.compile(r"\d{1,2}")
SEVERAL = 5
"""So many texts have to say something to tell that it is no number."""
MOST_NOTICES = 3
"""Texts without a digit that may stand in a number's place; more of them are values."""
PRICE_WORDS = frozenset(
    {
        *("free", "free!", "on request", "tba"),
        *("免费", "免費", "面议", "面議", "电议", "议价", "待定", "待议", "停售", "询价"),
    }
)
"""What says of a price, too, that it is none, or is to be asked for: that is the value."""
MOST_CHOICES, LEAST_TIMES = 6, 2.5
"""Numbers with words, or times ("5-10 years", "8:30-17:30"), so few of them and each so often, are choices, as words
beside them are ("all day")."""
_COLONS = frozenset(":：")


def are_words(texts: Sequence[str]) -> bool:
    """Whether most texts that say something are no numbers, and no notice that stands there again and again.

    Then it is by chance that the samples have numbers there.
    """
    said = [text for text in texts if not says_nothing(text)]
    words = Counter(text for text in said if not is_like_number(text))
    differ = 2 * max(words.values(), default=0) <= words.total()
    return len(said) >= SEVERAL and 2 * words.total() > len(said) and differ


def says_nothing(text: str) -> bool:
    """Whether a text says that there is no value: a dash, "n/a", "暂无"."""
    return text in DASHES or NOTHING.match(text.strip().casefold()) is not None


def is_notice(text: str) -> bool:
    """Whether a text, of one word or several, says that there is none."""
    return _IS_NONE.match(text.strip().casefold()) is not None or (len(text.split()) == 1 and says_nothing(text))


def notices(texts: Sequence[str], wanted: Sequence[str]) -> frozenset[str]:
    """What stands again and again where all other texts are longer and differ, and says that there is none."""
    counts = Counter(texts)
    again = frozenset(text for text, count in counts.items() if count > 1)
    longest = min(map(len, wanted)) / 2
    are_notices = all(is_notice(text) and len(text) <= longest for text in again)
    return again if len(counts) - len(again) >= SEVERAL and are_notices else frozenset()


def gives_notice(values: Sequence[str]) -> bool:
    """Whether a few texts without a digit stand again and again where there should be numbers.

    Beside "1" and "2" alone, "basic" is a third stage; so is "any" beside a few spans of years again and again.
    """
    notices = Counter(value for value in values if not has_digit(value) and value.casefold() not in PRICE_WORDS)
    numbers = Counter(value for value in values if has_digit(value))
    are_steps = len(numbers) <= len(notices) + 1 and all(map(STEP.fullmatch, numbers))
    have_words = all(any(map(str.isalpha, value)) or not _COLONS.isdisjoint(value) for value in numbers)
    are_choices = len(numbers) <= MOST_CHOICES and numbers.total() >= LEAST_TIMES * len(numbers) and have_words
    return 0 < len(notices) <= MOST_NOTICES and max(notices.values()) > 1 and not are_steps and not are_choices
