"""What closes all pages below their last section, whichever that is: a footer, "End of the notice.".

On the samples another section follows; where none does, a section's text would run on into it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import LEVELS, Finder, PageView, child_elements, heading_form, select, text_of
from gwc_crawler.learn.places import unnumbered

MOST_CLOSING, LEAST_CLOSED = 4, 5
"""Fewer elements than the first close a page; seen on so many pages."""
MOSTLY_CLOSED, LONGEST_CLOSING = 0.8, 40
"""So many pages close with words of so many characters at most."""
CLOSING = frozenset({"hr", "footer", "nav", "script", "style", "noscript"})
LOOKS = frozenset({"align", "bgcolor", "border", "class", "role", "width"})


def above_the_closing(finder: Finder, samples: Sequence[PageView], pages: Sequence[PageView]) -> Finder:
    """A finder of a section; where that is a page's last one, it ends before what stands below all sections.

    Args:
        samples: those that have the field; it reads the same there.
        pages: further pages.
    """
    if not finder.read.startswith("after:"):
        return finder
    nodes = (node for page in (*samples, *pages) for node in select(finder.path, page, None, first=True))
    headings = [node for node in nodes if not isinstance(node, str) and node.getparent() is not None]
    stop = _closing_form(headings) or _closing_words(headings) if len(headings) >= LEAST_CLOSED else ""
    shorter = replace(finder, read=f"{finder.read},{stop}")
    same = stop and all(shorter.first(page) == finder.first(page) for page in samples)
    return shorter if same else finder


def _closing_form(headings: Sequence[Any]) -> str:
    """The first of the elements that look alike at the end of all pages, as a stop of `text_after`; "" for none."""
    lasts = [list(child_elements(one.getparent()))[:-MOST_CLOSING:-1] for one in headings]
    place = 0
    for some in zip(*lasts, strict=False):
        forms = {_look_of(one) for one in some}
        if len(forms) > 1 or None in forms:
            break
        place += 1
    if not place:
        return ""
    above = {text_of(next(one[place - 1].itersiblings(*LEVELS, preceding=True), one[place - 1])) for one in lasts}
    return f"{lasts[0][place - 1].tag}/{place}" if len(above) > 1 else ""


def _closing_words(headings: Sequence[Any]) -> str:
    """What an element below the last heading says on nearly all pages, as a stop of `text_after`; "" for none."""
    last, below = set[str](), Counter[str]()
    for one in headings:
        form, beside = heading_form(one), list(child_elements(one.getparent()))
        at = max(place for place, other in enumerate(beside) if other is one or heading_form(other) == form)
        last.add(unnumbered(text_of(beside[at])))
        below.update({text_of(other) for other in beside[at + 1 :]})
    common = (text for text, count in below.most_common() if count >= MOSTLY_CLOSED * len(headings))
    short = (text for text in common if 1 < len(text) <= LONGEST_CLOSING and not re.search(r"[\s,]", text))
    return f"={found}" if len(last) > 1 and (found := next(short, "")) else ""


def _look_of(node: Any) -> tuple[str, ...] | None:
    """The name and look of an element; None for a plain paragraph and the like, with which sections may end."""
    look = [f"{name}={node.get(name)}" for name in sorted(node.keys()) if name in LOOKS]
    return (node.tag, *look) if look or node.tag in CLOSING else None
