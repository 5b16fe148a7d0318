"""What the crawler has stored in English (why a value is missing, why a URL is in error), in a page's language."""

from __future__ import annotations

import re
from collections.abc import Callable

STORED = (
    "not found on the page",
    "the page is not HTML",
    "lacks {missing} of {all} marks of a target page, such as {mark}",
    "has {found} of {all} marks of another kind of page, such as {mark}",
    "{missing} of {all} fields are not there: {names}",
    "is a list: it has all that lists have in common, such as {mark}",
    "is a list: {names} stand there several times",
    "the keywords {expression} do not hold outside links",
    "no number in {text}",
    "no amount in {text}",
    "no date in {text}",
    "not an http(s) URL: {text}",
    "Forbidden by robots.txt",
    "dropped",
    "the page says there is no such page",
    "reading failed: {problem}",
)
"""Those that are common; in braces what is another text each time."""

_FORMS = tuple(
    (text, re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*?)", re.escape(text)) + r"\Z", re.DOTALL)) for text in STORED
)


def retold(text: str, say: Callable[..., str]) -> str:
    """Return *text* in the words of *say*, or as it is where it is none of those known.

    >>> retold("no date in 'soon'", lambda form, **parts: f"{form}: {parts['text']}")
    "no date in {text}: 'soon'"
    """
    for form, pattern in _FORMS:
        if found := pattern.match(text):
            return say(form, **found.groupdict())
    return text
