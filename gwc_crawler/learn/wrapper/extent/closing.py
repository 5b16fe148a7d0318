"""What closes all pages below their last section, whichever that is: a footer, a line that says "特此公告。".

On the samples another section follows; where none does, a section's text would run on into it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import LEVELS, Finder, PageView, child_elements, heading_form, select, text_of
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.texts import unnumbered

MOST_CLOSING, LEAST_CLOSED = 3, 5
"""So many elements may close a page; it must be seen on so many pages."""
MOSTLY_CLOSED, LONGEST_CLOSING = 0.8, 40
"""So many pages close with words of so many characters at most."""
CLOSING = frozenset({"hr", "footer", "nav", "script", "style", "noscript"})
PLAIN = re.compile(r"[\w-]+")
LOOKS = frozenset({"align", "bgcolor", "border", "class", "role", "width"})


def above_the_closing(finder: Finder, samples: Sequence[PageView], pages: Sequence[PageView]) -> Finder:
    """A finder of a section; where that is a page's last one, it ends before what stands below all sections.

    Where few pages have this section, or all end with another one, those without it show what is below all.

    Args:
        samples: those that have the field; it reads the same there.
        pages: further pages.
    """
    if not finder.read.startswith("after:"):
        return finder
    own = [_heading(finder, page) for page in (*samples, *pages)]
    found = [one for one in own if one is not None]
    tag = found[0].tag if found else ""
    others = [next(page.tree.iter(tag), None) if tag in LEVELS else None for page in (*samples, *pages)]
    of_all = [mine if mine is not None else other for mine, other in zip(own, others, strict=True)]
    for headings in (found, [one for one in of_all if one is not None]):
        stop = _closing_form(headings) or _closing_words(headings) if len(headings) >= LEAST_CLOSED else ""
        shorter = replace(finder, read=f"{finder.read},{stop}")
        if stop and all(shorter.first(page) == finder.first(page) for page in samples):
            return shorter
    return finder


def _heading(finder: Finder, page: PageView) -> Any:
    """The element that a finder goes by on a page, None for none within another one."""
    nodes = (node for node in select(finder.path, page, None, first=True) if not isinstance(node, str))
    return next((node for node in nodes if node.getparent() is not None), None)


def _closing_form(headings: Sequence[Any]) -> str:
    """The first of the elements that look alike at the end of all pages, and as none above them does; "" for none.

    Plain ones may stand below it: a line, and a paragraph that names the version.

    Returns:
        A stop of `text_after`: "table.foot/2" for the second from the end.
    """
    pages = [_parted(one) for one in headings]
    above = {_look_of(one) for sections, _ in pages for one in sections}
    place = 0
    for number, some in enumerate(zip(*([*closing[::-1]][:MOST_CLOSING] for _, closing in pages), strict=False), 1):
        looks = {_look_of(one) for one in some}
        is_told = None not in looks and (some[0].tag in CLOSING or not looks & above)
        if len(looks) > 1 or not (is_told or looks == {None}):
            break
        place = number if is_told else place
    if not place or not _differ(pages):
        return ""
    first = pages[0][1][-place]
    classes = [token for token in (first.get("class") or "").split() if PLAIN.fullmatch(token)]
    return f"{'.'.join([first.tag, *classes[:1]])}/{place}"


def _closing_words(headings: Sequence[Any]) -> str:
    """What an element below the last heading says on nearly all pages, and none above it; "" for none.

    Returns:
        A stop of `text_after`: "=End.".
    """
    pages = [_parted(one) for one in headings]
    above = {text_of(one) for sections, _ in pages for one in sections}
    below = Counter(text for _, closing in pages for text in dict.fromkeys(map(text_of, closing)))
    common = (text for text, count in below.items() if count >= MOSTLY_CLOSED * len(pages) and text not in above)
    short = (text for text in common if 1 < len(text) <= LONGEST_CLOSING and not re.search(r"[\s,/]", text))
    return f"={found}" if _differ(pages) and (found := next(short, "")) else ""


def _parted(heading: Any) -> tuple[list[Any], list[Any]]:
    """The elements beside a heading: those from the first one like it up to the last, and those below that."""
    form, beside = heading_form(heading), list(child_elements(heading.getparent()))
    ranked = form[0] in LEVELS
    alike = [one is heading or (one.tag in LEVELS if ranked else heading_form(one) == form) for one in beside]
    last = len(alike) - alike[::-1].index(True)
    return beside[alike.index(True) : last], beside[last:]


def _differ(pages: Sequence[tuple[list[Any], list[Any]]]) -> bool:
    """Whether the last headings of pages differ: what follows belongs to none of them."""
    return len({unnumbered(text_of(sections[-1])) for sections, _ in pages}) > 1


def _look_of(node: Any) -> tuple[str, ...] | None:
    """The name and look of an element; None for a plain paragraph and the like, with which sections may end.

    A link beside blocks is no part of them, nor a paragraph that says nothing else: "Back to index".
    """
    linked = "".join(text_of(one) for one in node.iter("a") if one.get("href"))
    if linked and squeeze(linked) == squeeze(text_of(node)):
        return node.tag, "link"
    look = [f"{name}={node.get(name)}" for name in sorted(node.keys()) if name in LOOKS]
    return (node.tag, *look) if look or node.tag in CLOSING else None
