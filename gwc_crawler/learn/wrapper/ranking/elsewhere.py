"""Where values stand on pages on which the chosen finders find none: deeper, or further down.

`div.senses/ol/li`, and of a word with several readings in a box each; `<code><a>Base</a></code>` where the site has a
page of the base, else `<code>Base</code>`; the table right below its heading, and elsewhere below a paragraph. No
sample shows such a page; where values stand as on the samples, this finds no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from gwc_crawler.extract import (
    BREAKS,
    LEVELS,
    Finder,
    PageView,
    is_empty,
    kind_of,
    select,
    squeeze,
    text_of,
    value_key,
)
from gwc_crawler.items import Family
from gwc_crawler.learn.places import labels_in
from gwc_crawler.learn.texts import LONGEST_LABEL, ExampleContext
from gwc_crawler.learn.wrapper.judging import RIGHT_KIND

_GO_ON = 0.8
"""On so many of the pages on which more boxes stand below a heading they have to follow one another."""
SEVERAL_BOXES = 2
"""So many of them must stand on some page."""
_LINKS, _ITEMS = re.compile(r"[^/]/a$"), re.compile(r"[^/]/li$")
_WITH_TEXT = "/following-sibling::*[normalize-space()][1]"
_RIGHT_BEHIND = re.compile(r"/following-sibling::\*\[1\]\[self::([a-z][a-z0-9]*)\]")
_STEPS = re.compile(r"(?<=[\]\w])((?:/[a-z][a-z0-9]*)+)$")
_LISTS = ("ol", "ul")
_OF_A_GROUP = re.compile(r"^for (?:the )?\w|料[:：]?$", re.IGNORECASE)
"""What a caption says: "For the sauce", "调料". Any other has to have a class: else it is a label of other things."""
_LEAST_PAGES = 2
"""So many pages must have several groups."""
_LEAST_CAPTIONS = 3
"""So many captions must be known: a single one is the label of something else."""


def items_elsewhere(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The *chosen* finders, and what finds items where none of them does: deeper in their box, or without its mark-up.

    Nothing else where these find any, none that a sample does not have, and of their kind. Before them what goes on
    where the box right behind a heading does: `<em>a, b</em>, <em>c</em>`, or lists in groups with captions.

    Args:
        chosen: best first; each reads a list.
        contexts: the samples.
        pages: further pages.
    """
    found = [*_going_on(chosen[0], contexts, pages), *chosen]
    found += _deeper(found, contexts, pages)
    found += _unlinked(found, contexts, pages)
    return found + _unlisted(found, contexts, pages)


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


def _unlisted(chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]) -> list[Finder]:
    """What reads a list without items behind a label as its only item: `<ul><a>one</a></ul>`."""
    for one in chosen if not chosen[0].split else ():
        if one.family is Family.LABEL and _ITEMS.search(one.path):
            whole = replace(one, path=f"{one.path.removesuffix('/li')}[not(.//li)]")
            if _finds_more(whole, _found_by(chosen, pages), contexts, pages):
                return [whole]
    return []


def _going_on(best: Finder, contexts: Sequence[ExampleContext], pages: Sequence[PageView]) -> list[Finder]:
    """What reads, besides the items in a box of the line right behind a heading, those in its likes that follow it."""
    box = _RIGHT_BEHIND.search(best.path)
    if box is None or not (step := _step_in_section(best)):
        return []
    way = best.path[: box.start()] + step
    if box[1] in BREAKS:
        return _in_their_groups(best, way, best.path[box.end() :], contexts, pages)
    longer = replace(best, path=way + best.path[box.end() :])
    more = [page for page in pages if best.every(page) and longer.every(page) != best.every(page)]
    same = all(longer.every(one.at.page) == best.every(one.at.page) for one in contexts)
    go_on = [all(map(_follow, boxes, boxes[1:])) for page in more if (boxes := select(way, page))]
    return [longer] if same and sum(go_on) > _GO_ON * len(go_on) else []


def _follow(one: Any, other: Any) -> bool:
    """Whether an element follows another one behind no more than a sign."""
    return one.getnext() is other and not any(map(str.isalnum, one.tail or ""))


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
    """What the first of the *finders* gives where it does not stand right behind its heading, but before the next one,
    or behind an empty paragraph.

    Where none of the finders gives anything; nothing else where the first one does.

    Args:
        read: gives what a finder finds on a page.
        pages: further pages.
    """
    pairs = [([one for one in finders if not is_empty(read(one, page))], page) for page in pages]
    path, in_section = finders[0].path, _step_in_section(finders[0], "[1]")
    paths = [_RIGHT_BEHIND.sub(rf"{_WITH_TEXT}[self::\1]", path, count=1)]
    paths += [_RIGHT_BEHIND.sub(lambda _: in_section, path, count=1)] if in_section else []
    for later in (replace(finders[0], path=one) for one in paths if one != path):
        new = [page for speaking, page in pairs if not speaking and not is_empty(read(later, page))]
        same = all(read(later, page) == read(finders[0], page) for speaking, page in pairs if finders[0] in speaking)
        if new and same:
            return [later]
    return []


def _step_in_section(finder: Finder, place: str = "") -> str:
    """The step to all boxes below a heading, of the name of that right behind it; "" for a way without such a one."""
    label, right_behind = labels_in(finder.path), _RIGHT_BEHIND.search(finder.path)
    if len(label) != 1 or right_behind is None:
        return ""
    headings = " or ".join(f"self::{tag}" for tag in sorted(LEVELS))
    test = f'[preceding-sibling::*[{headings}][1][normalize-space()="{label[0]}"]]'
    return f"/following-sibling::{right_behind[1]}{place}{test}"


def _has_no_other(finder: Finder, context: ExampleContext) -> bool:
    wanted = set(map(squeeze, context.wanted or ()))
    return wanted.issuperset(map(squeeze, finder.every(context.at.page)))


def _in_their_groups(
    best: Finder, way: str, rest: str, contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """What reads the items of all lists below a heading, if further ones are captioned groups; [] where they are not.

    Args:
        best: reads the items of the list right behind its heading.
        way: the path of all lists of its name up to the next heading.
        rest: the steps from there to the items.
        contexts: the samples, on which it gives the same.
        pages: further pages.
    """
    whole = replace(best, path=way + rest)
    more = [page for page in pages if len(select(way, page)) > 1]
    same = all(whole.every(one.at.page) == best.every(one.at.page) for one in contexts)
    captions = {text for page in more for text in _captions(select(way, page))}
    are_groups = len(more) >= _LEAST_PAGES and len(captions) >= _LEAST_CAPTIONS and "" not in captions
    return [whole] if same and are_groups else []


def _captions(lists: Sequence[Any]) -> Iterator[str]:
    """What stands right before each list but the first, if it is a short line behind a list of its kind; else ""."""
    for one, other in pairwise(lists):
        caption = other.getprevious()
        is_alike = one.tag in _LISTS and (one.tag, one.get("class")) == (other.tag, other.get("class"))
        is_between = caption is not None and caption.getprevious() is one and caption.tag not in LEVELS
        text = text_of(caption) if is_alike and is_between else ""
        is_told = bool(caption is not None and caption.get("class")) or _OF_A_GROUP.search(text) is not None
        yield text if is_told and len(text) <= LONGEST_LABEL else ""
