"""Lists and records that stand deeper on some pages, or further down in their section.

`div.senses/ol/li`, and of a word with several readings in a box each; `<code><a>Base</a></code>` where the site has a
page of the base, else `<code>Base</code>`; the table right below its heading, and elsewhere below a paragraph. No
sample shows such a page; where they stand as on the samples, this finds no others.
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
_LINKS = re.compile(r"[^/]/a$")
_RIGHT_BEHIND = re.compile(r"/following-sibling::\*\[1\]\[self::([a-z][a-z0-9]*)\]")
_STEPS = re.compile(r"(?<=[\]\w])((?:/[a-z][a-z0-9]*)+)$")


def items_elsewhere(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """What finds items on pages where none of the *chosen* does: deeper in their box, or where they are no links.

    Nothing else where these find any, none that a sample does not have, and of their kind.

    Args:
        chosen: best first; each reads a list.
        contexts: the samples.
        pages: further pages.
    """
    deeper = _deeper(chosen, contexts, pages)
    return [*deeper, *_unlinked([*chosen, *deeper], contexts, pages)]


def _deeper(chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]) -> list[Finder]:
    """What finds items anywhere in the box of the best finder's: the page parts them in several boxes."""
    best = chosen[0]
    steps = _STEPS.search(best.path)
    if best.family in (Family.STRUCTURED, Family.PATH, Family.TAG) or steps is None:
        return []
    deeper = replace(best, path=f"{best.path[: steps.start()]}/{steps[1]}")
    known = _found_by(chosen, pages)
    same = all(mine == deeper.every(page) for mine, page in zip(known, pages, strict=True) if mine)
    if not same or not _finds_more(deeper, known, contexts, pages):
        return []
    silent = [page for mine, page in zip(known, pages, strict=True) if not mine]
    silent += [one.at.page for one in contexts]
    boxes = [len({one.getparent() for one in select(deeper.path, page)}) for page in silent]
    return [deeper] if max(boxes) >= SEVERAL_BOXES else []  # in a single box beside it may be another list


def _unlinked(chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]) -> list[Finder]:
    """What finds the elements in which the links stand that one of the chosen finds by its label."""
    known = _found_by(chosen, pages)
    for one in chosen:
        if one.family is not Family.LABEL or one.split or not _LINKS.search(one.path):
            continue
        whole = replace(one, path=one.path.removesuffix("/a"))
        same = all(whole.every(page) == items for page in pages if (items := one.every(page)))
        if whole not in chosen and same and _finds_more(whole, known, contexts, pages):
            return [whole]
    return []


def _found_by(chosen: Sequence[Finder], pages: Sequence[PageView]) -> list[list[str]]:
    return [next((items for one in chosen if (items := one.every(page))), []) for page in pages]


def _finds_more(
    finder: Finder, known: Sequence[list[str]], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> bool:
    """Whether items of their kind are found where none are *known*, and none that a sample lacks."""
    new = [items for mine, page in zip(known, pages, strict=True) if not mine and (items := finder.every(page))]
    if not new or not all(_has_no_other(finder, one) for one in contexts):
        return False
    kind = kind_of([*filter(None, known), *(one.wanted for one in contexts if not one.empty)])
    return sum(kind(value_key(items)) for items in new) >= RIGHT_KIND * len(new)


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
