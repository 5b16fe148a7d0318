"""Pictures made of letters: numbers in, a sparkline, a bar or a tree out. Nothing here asks a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

BLOCKS = "▁▂▃▄▅▆▇█"
EIGHTHS = " ▏▎▍▌▋▊▉"

_SLASH = re.compile(r"/(?![^\[]*\])")
"""A slash of a class's pattern that is none of a set such as `[^/]`."""


def sparkline(values: Sequence[float], width: int) -> str:
    """Draw the last *width* values; the greatest reaches the top, and only 0 is a dot.

    >>> sparkline([0, 1, 4, 8], 10)
    '·▁▄█'
    """
    shown = list(values)[-width:] if width > 0 else []
    top = max(shown, default=0)
    return "".join(_block(value / top) if value > 0 else "·" for value in shown)


def _block(share: float) -> str:
    return BLOCKS[min(len(BLOCKS) - 1, max(0, round(share * len(BLOCKS)) - 1))]


def bar(value: float, top: float, width: int) -> str:
    """Draw *value* as a bar, *width* letters long where it is *top*; what is not 0 can be seen.

    >>> bar(3, 4, 8), bar(1, 10_000, 8), bar(0, 4, 8)
    ('██████', '▏', '')
    """
    if value <= 0 or top <= 0 or width <= 0:
        return ""
    whole, part = divmod(max(1, round(8 * width * min(1.0, value / top))), 8)
    return "█" * whole + EIGHTHS[part].strip()


def class_tree(classes: Iterable[tuple[str, str]]) -> list[str]:
    """Draw patterns of URLs as a tree of what they have in common; *classes*: pattern, and what is told of it.

    >>> print("\\n".join(class_tree([("http://a/p/[^/]+", "target"), ("http://a/list", "")])))
    http://a
    ├─ p/[^/]+  target
    └─ list
    """
    root: dict[str, _Node] = {}
    for pattern, told in classes:
        scheme, mark, rest = pattern.partition("://")
        first, *others = _SLASH.split(rest if mark else pattern)
        node = root.setdefault(f"{scheme}{mark}{first}" if mark else first, _Node())
        for part in others:
            node = node.parts.setdefault(part, _Node())
        node.told.append(told)
    return [line for name, node in root.items() for line in _drawn(name, node, "", "", root=True)]


class _Node:
    """A part of patterns, what is told of the pattern that ends here, and what follows it."""

    def __init__(self) -> None:
        self.parts: dict[str, _Node] = {}
        self.told: list[str] = []


def _drawn(name: str, node: _Node, branch: str, below: str, *, root: bool = False) -> Iterable[str]:
    while len(node.parts) == 1 and not node.told and not root:
        ((part, node),) = node.parts.items()
        name = f"{name}/{part}"
    yield f"{branch}{name or '/'}  {', '.join(filter(None, node.told))}".rstrip()
    for number, (part, child) in enumerate(node.parts.items(), 1):
        is_last = number == len(node.parts)
        yield from _drawn(part, child, below + ("└─ " if is_last else "├─ "), below + ("   " if is_last else "│  "))
