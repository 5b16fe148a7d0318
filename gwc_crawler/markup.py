r"""Text as it is, inside Rich's markup.

`rich.markup.escape` keeps texts of people; regexes it does not: of `\[0-9]` the backslash is lost, and a backslash at
the end of a text may escape the markup behind it.
"""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"(\\*)(\[|\Z)")
_NOTHING = "[none][/none]"
"""Markup that shows nothing: Rich takes backslashes in front of a tag, and only these, for pairs."""


def escape(text: str) -> str:
    r"""Return markup that shows *text*, whatever stands before and behind it.

    >>> print(escape(r"p/\[[a-z]+]"))
    p/\\[none][/none]\[\[a-z]+]
    """
    return _BRACKETS.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    backslashes, bracket = found.groups()
    return backslashes * 2 + _NOTHING * bool(backslashes) + bracket.replace("[", "\\[")
