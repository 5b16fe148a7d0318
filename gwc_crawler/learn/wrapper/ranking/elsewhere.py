"""Where values stand on pages on which the chosen finders find none: deeper, or further down.

`div.senses/ol/li`, and of a word with several readings in a box each; `<code><a>Base</a></code>` where the site has a
page of the base, else `<code>Base</code>`; the table right below its heading, and elsewhere below a paragraph. No
sample shows such a page; where values stand as on the samples, this finds no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import (
    BREAKS,
    LEVELS,
    NO_AFFIXES,
    Affixes,
    Finder,
    PageView,
    select,
    text_of,
)
from gwc_crawler.extract.fields import is_empty, kind_of, squeeze, value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import labels_in, room_of
from gwc_crawler.learn.texts import ExampleContext, LearnPage
from gwc_crawler.learn.wrapper.judging import OFTEN_FOUND, RIGHT_KIND, has_name, is_right_behind
from gwc_crawler.learn.wrapper.ranking.groups import in_their_groups

_BOXES, _IN_COMPANY, _DIFFER = ("table", "dl", "ul", "ol"), 3, 0.3
"""So many other fields make a table that of the record; on so many pages both must say different things."""
_MOST_COST = 4.0
"""What a part of a text behind a label costs at most."""
_AS_OFTEN = 0.6
"""So often as on pages without the field in its room others have it outside where the room has it, too."""
_COLONS = ":："
_GO_ON = 0.8
"""On so many of the pages on which more boxes stand below a heading they have to follow one another."""
SEVERAL_BOXES = 2
"""So many of them must stand on some page."""
_LINKS, _ITEMS = re.compile(r"[^/]/a$"), re.compile(r"[^/]/li$")
_WITH_TEXT = "/following-sibling::*[normalize-space()][1]"
_RIGHT_BEHIND = re.compile(r"/following-sibling::\*\[1\]\[self::([a-z][a-z0-9]*)\]")
_STEPS = re.compile(r"(?<=[\]\w])((?:/[a-z][a-z0-9]*)+)$")


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


def among_the_others(
    name: str,
    best: Finder,
    finders: Sequence[Finder],
    samples: Sequence[tuple[LearnPage, Mapping[str, Any]]],
    pages: Sequence[PageView],
    twins: Sequence[str] = (),
) -> list[Finder]:
    """Those of the *finders* right behind a label in the table or list that has several other fields, where the *best*
    one goes by a label that stands with none of them and says something else on further pages.

    Who wrote the first message is on both samples whom the issue is assigned to: the form with status and priority says
    which is meant. Of fields with the same values on all samples, its *twins*, each has a label of its own, in the
    order in which they are given. A label that stands in other boxes as well is looked for where the other fields are.
    """
    near = [one for one in finders if is_right_behind(one) and _is_uncut(one) and one.read == "text"]
    parts = [one for one in finders if one.family is Family.LABEL and one.read == "text" and one.cost <= _MOST_COST]
    for some in (near, parts) if twins and not has_name(name, best.path) else ():
        if own := _in_their_order(name, some, samples[0], twins):
            return sorted(own, key=lambda one: one.cost)
    is_led = best.family is Family.LABEL
    if is_led and (rooms := _in_their_room(name, best, finders, samples, pages)):
        return rooms
    if not is_led or _company(name, best, samples):
        return []
    beside = sorted((one for one in near if _company(name, one, samples) >= _IN_COMPANY), key=lambda one: one.cost)
    if not beside:
        return []
    said = [(best.first(page), beside[0].first(page)) for page in pages]
    both = [(mine, theirs) for mine, theirs in said if mine is not None and theirs is not None]
    differ = sum(mine != theirs for mine, theirs in both)
    return beside if len(both) >= OFTEN_FOUND * len(pages) and differ >= _DIFFER * len(both) > 0 else []


def _is_uncut(finder: Finder) -> bool:
    """Whether nothing but a colon is cut off."""
    return finder.cut in (NO_AFFIXES, *(Affixes(before=sign) for sign in _COLONS))


def _in_their_room(
    name: str,
    best: Finder,
    finders: Sequence[Finder],
    samples: Sequence[tuple[LearnPage, Mapping[str, Any]]],
    pages: Sequence[PageView],
) -> list[Finder]:
    """The same finder within the smallest element that holds most of what any holds of other fields' values, or several
    and hardly anything else, and of which each page has one; [] if there is none, or if that reads the same on all.

    The entry of the page, where a related one below it has the same label: of this page without such a row it says
    nothing.
    """
    room = room_of(best.path)
    behind = best.path.removeprefix(room)
    alike = {one: inner for one in finders if (inner := room_of(one.path)) and one.path == inner + behind}
    held = {inner: _held(name, inner, samples) for inner in {*alike.values(), room}}
    fullest = max(held.values())

    def is_full(inner: str) -> bool:
        count, size = held[inner]
        return count >= _IN_COMPANY and (2 * count >= fullest[0] or count * fullest[1] >= fullest[0] * size)

    full = sorted((held[inner][1], inner) for inner in held if inner and is_full(inner))
    smallest = next((inner for _, inner in full if all(len(select(inner, page)) == 1 for page in pages)), room)
    if room and smallest == room and (2 * held[room][0] >= fullest[0] or is_full(room)):
        return []
    inside = [one for one, inner in alike.items() if inner == smallest] if smallest != room else []
    if room and not inside:
        return [one for one in finders if one.path == behind]  # the best one's is another thing's
    differ = any(inside[0].first(page) != best.first(page) for page in pages if inside)
    return inside if differ and _is_also_outside(behind, inside[0].path, pages) else []


def _is_also_outside(path: str, inside: str, pages: Sequence[PageView]) -> bool:
    """Whether what a path finds outside of a room is there whether or not the room has it: then it is another's.

    What has moved out of the room on other pages is not in both.
    """
    found = [(len(select(inside, page)), len(select(path, page))) for page in pages]
    outside = {has: [every > own for own, every in found if bool(own) is has] for has in (True, False)}
    shares = {has: sum(some) / len(some) if some else 0.0 for has, some in outside.items()}
    return shares[True] >= _AS_OFTEN * shares[False]


def _held(name: str, path: str, samples: Sequence[tuple[LearnPage, Mapping[str, Any]]]) -> tuple[int, int]:
    """How many values of other fields the first element on a path has, on the samples that have this one; and how much
    text it has there. With "" the whole page."""
    count, size = 0, 0
    for page, fields in samples:
        if fields.get(name):
            found: Any = next(iter(select(path or "/*", page.page, first=True)), None)
            text = squeeze(text_of(found)) if found is not None else ""
            count += sum(n != name and isinstance(v, str) and squeeze(v) in text for n, v in fields.items())
            size += len(text)
    return count, size


def _in_their_order(
    name: str, near: Sequence[Finder], sample: tuple[LearnPage, Mapping[str, Any]], twins: Sequence[str]
) -> list[Finder]:
    """The finders of a field's own place, where there are as many places as fields with its values; else []."""
    page, fields = sample
    places = {one: _element(one, page) for one in near}
    spans = {element: page.index.spans[element] for element in places.values() if element in page.index.spans}
    outer = [one for one in spans if not any(one is not other and one in other.iterdescendants() for other in spans)]
    order = [one for one in fields if one == name or one in twins]
    if len(outer) != len(order) or len(order) != len(twins) + 1:
        return []
    own = sorted(outer, key=lambda element: spans[element])[order.index(name)]
    return [one for one, element in places.items() if element is own]


def _element(finder: Finder, page: LearnPage) -> Any:
    """The element in which a finder reads on a page, None for none."""
    node: Any = next(iter(select(finder.path, page.page, first=True)), None)
    is_text = isinstance(node, str)
    return node.getparent() if is_text else node


def _company(name: str, finder: Finder, samples: Sequence[tuple[LearnPage, Mapping[str, Any]]]) -> int:
    """How many other fields have their value in the table or list in which a finder reads, on each of the samples."""
    least = len(samples[0][1])
    for page, fields in samples:
        element = _element(finder, page)
        box = next(element.iterancestors(*_BOXES), None) if element is not None else None
        said = {squeeze(text).lstrip(_COLONS) for text in box.itertext()} if box is not None else set()
        least = min(least, sum(n != name and isinstance(v, str) and squeeze(v) in said for n, v in fields.items()))
    return least


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
        return in_their_groups(best, way, best.path[box.end() :], contexts, pages)
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
