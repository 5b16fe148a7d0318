"""Texts that stand in place of a number: "Check in store"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from gwc_crawler.extract import has_digit

STEP = re.compile(r"\d{1,2}")
SEVERAL = 5
"""So many further pages have to have a number to tell that it always is one."""
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
