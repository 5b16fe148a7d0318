"""Lists and records that stand deeper on some pages, or further down in their section.

`div.senses/ol/li`, and of a word with several readings in a box each; the table right below its heading, and elsewhere
below a paragraph. No sample shows such a page; where they stand as on the samples, this finds no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import LEVELS, Finder, PageView, select
from gwc_crawler.extract.fields import is_empty, kind_of, squeeze, value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import ExampleContext, labels_in
from gwc_crawler.learn.wrapper.ranking.candidates import RIGHT_KIND

SEVERAL_BOXES = 2
"""So many of them must stand on some page."""
_RIGHT_BEHIND = re.compile(r"/following-sibling::\*\[1\]\[self::([a-z][a-z0-9]*)\]")
_STEPS = re.compile(r"(?<=[\]\w])((?:/[a-z][a-z0-9]*)+)$")


def items_deeper(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """What finds, anywhere in the box of the best finder's items, some on pages where none of the *chosen* does.

    Nothing else where these find any, none that a sample does not have, and of their kind: the page parts them in
    several boxes.

    Args:
        chosen: best first; each reads a list.
        contexts: the samples.
        pages: further pages.
    """
    best = chosen[0]
    steps = _STEPS.search(best.path)
    if best.family in (Family.STRUCTURED, Family.PATH, Family.TAG) or steps is None:
        return []
    deeper = replace(best, path=f"{best.path[: steps.start()]}/{steps[1]}")
    known = [next((items for one in chosen if (items := one.every(page))), []) for page in pages]
    found = [deeper.every(page) for page in pages]
    new = [theirs for mine, theirs in zip(known, found, strict=True) if theirs and not mine]
    same = all(mine == theirs for mine, theirs in zip(known, found, strict=True) if mine)
    if not new or not same or not all(_has_no_other(deeper, one) for one in contexts):
        return []
    silent = [page for mine, page in zip(known, pages, strict=True) if not mine]
    silent += [one.at.page for one in contexts]
    boxes = [len({one.getparent() for one in select(deeper.path, page)}) for page in silent]
    if max(boxes) < SEVERAL_BOXES:
        return []  # in a single box beside it may be another list
    kind = kind_of([*filter(None, known), *(one.wanted for one in contexts if not one.empty)])
    return [deeper] if sum(kind(value_key(items)) for items in new) >= RIGHT_KIND * len(new) else []


def later_in_its_section(
    finders: Sequence[Finder], read: Callable[[Finder, PageView], Any], pages: Sequence[PageView]
) -> list[Finder]:
    """What the first of the *finders* gives where it does not stand right behind its heading, but before the next one.

    Where none of the finders gives anything; nothing else where the first one does.

    Args:
        read: gives what a finder finds on a page.
        pages: further pages.
    """
    label, right_behind = labels_in(finders[0].path), _RIGHT_BEHIND.search(finders[0].path)
    if len(label) != 1 or right_behind is None:
        return []
    headings = " or ".join(f"self::{tag}" for tag in sorted(LEVELS))
    test = f'[preceding-sibling::*[{headings}][1][normalize-space()="{label[0]}"]]'
    step = f"/following-sibling::{right_behind[1]}[1]{test}"
    later = replace(finders[0], path=_RIGHT_BEHIND.sub(lambda _: step, finders[0].path, count=1))
    pairs = [([one for one in finders if not is_empty(read(one, page))], page) for page in pages]
    new = [page for speaking, page in pairs if not speaking and not is_empty(read(later, page))]
    same = all(read(later, page) == read(finders[0], page) for speaking, page in pairs if finders[0] in speaking)
    return [later] if new and same else []


def _has_no_other(finder: Finder, context: ExampleContext) -> bool:
    wanted = set(map(squeeze, context.wanted or ()))
    return wanted.issuperset(map(squeeze, finder.every(context.at.page)))
