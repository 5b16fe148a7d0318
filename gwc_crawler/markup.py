r"""Text as it is, inside Rich's markup and on a terminal.

`rich.markup.escape` keeps texts of people; regexes it does not: of `\[0-9]` the backslash is lost, and a backslash at
the end of a text may escape the markup behind it. And what a page says may hold control characters, which a terminal
would obey.
"""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"(\\*)(\[|\Z)")
_ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_NOTHING = "[none][/none]"
"""Markup that shows nothing: Rich takes backslashes in front of a tag, and only these, for pairs."""


def escape(text: str) -> str:
    r"""Return markup that shows *text*, whatever stands before and behind it, and is `visible`.

    >>> print(escape(r"p/\[[a-z]+]"))
    p/\\[none][/none]\[\[a-z]+]
    """
    return _BRACKETS.sub(_escaped, visible(text))


def visible(text: str) -> str:
    r"""Return *text* with U+FFFD for what a terminal obeys: control characters but tab and line feed, and those that
    turn the direction of writing (Unicode Technical Report 36, section 2.8, names the attacks).

    >>> visible("a\x1b]0;title\x07\tb")
    'a\ufffd]0;title\ufffd\tb'
    """
    return _ORDERS.sub("\ufffd", text)


def _escaped(found: re.Match[str]) -> str:
    backslashes, bracket = found.groups()
    return backslashes * 2 + _NOTHING * bool(backslashes) + bracket.replace("[", "\\[")
