"""Where a section ends on pages that lack the next one: before what other fields have, as the samples show them.

On the samples a heading stands between the text of a section and the box "Note", the line "**Range:** …", the caption
over a list. On a page without that heading these follow at once, and are none of the section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import (
    LEVELS,
    NO_AFFIXES,
    RUN,
    Finder,
    PageView,
    child_elements,
    heading_level,
    select,
    text_of,
)
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.learn.places import SECTION, labels_in
from gwc_crawler.learn.texts import reads_made
from gwc_crawler.learn.wrapper.samples import values_inside

_LONGEST_LABEL = 20
"""What stands before another field's value has so many signs at most."""
_MOST_BETWEEN = 8
"""So many signs stand between its items at most."""
_MOST_STOPS = 12
_PLAIN = re.compile(r"[\w-]+")
_SAYABLE = re.compile(r"[^\s,/]{2,}")
"""What a stop can say: names of stops stand in a row, parted by commas."""
_COLONS = (":", "：", "】", "]")
_APART = frozenset({"aside", "blockquote", "details", "figure"})
"""What is called so ends a section where another field is all of it."""


def before_other_fields(
    name: str,
    chosen: Sequence[Finder],
    samples: Sequence[tuple[PageView, Mapping[str, Any]]],
    pages: Sequence[PageView],
) -> list[Finder]:
    """The finders; those of sections end before what has another field on a sample.

    The first paragraphs under a heading become its section, where that is no more on the samples and further pages than
    these, or less.

    Args:
        name: of the field.
        chosen: best first.
        samples: the pages with their fields.
        pages: further pages.
    """
    chosen = [_up_to_headings(one, [page for page, _ in samples]) for one in chosen]
    if not any(one.read.startswith((SECTION, RUN)) for one in chosen):
        return chosen
    stops = dict.fromkeys(stop for page, fields in samples for stop in _stops(page, name, fields))
    wanted = [[(page, squeeze(one.first(page) or "")) for page, _ in samples] for one in chosen]
    bounded = [_bounded(one, stops, texts, pages) for one, texts in zip(chosen, wanted, strict=True)]
    best = bounded[0]
    heading, found, _ = best.path.partition("/following-sibling::")
    if not found or best.read != RUN or best.cut != NO_AFFIXES or not labels_in(heading):
        return bounded
    section = _bounded(replace(best, path=heading, read=SECTION), stops, wanted[0], pages)
    is_same = all(squeeze(section.first(page) or "") == text for page, text in wanted[0])
    is_told = is_same and section.read != SECTION and all(_is_as_much(section, best, page) for page in pages)
    return [section, *bounded] if is_told else bounded


def _up_to_headings(finder: Finder, samples: Sequence[PageView]) -> Finder:
    """A finder of what follows something up to a box, up to a heading as well, where pages lack the box.

    The lead below a table of facts, up to the contents: a short article has none, and goes on with its first section.
    """
    if not finder.read.startswith("after:") or not LEVELS.isdisjoint(finder.read[6:].split(",")):
        return finder
    nodes = [node for page in samples for node in select(finder.path, page, first=True)]
    if any(isinstance(node, str) or heading_level(node) for node in nodes):
        return finder
    shorter = replace(finder, read=f"{finder.read},{','.join(sorted(LEVELS))}")
    return shorter if all(shorter.first(page) == finder.first(page) for page in samples) else finder


def _is_as_much(section: Finder, run: Finder, page: PageView) -> bool:
    """Whether a section is what a run of paragraphs is on a page, or the beginning of that."""
    whole, part = run.first(page), section.first(page)
    return squeeze(whole or "").startswith(squeeze(part or "")) and bool(whole) == bool(part)


def _bounded(
    finder: Finder, stops: Iterable[str], wanted: Sequence[tuple[PageView, str]], pages: Sequence[PageView]
) -> Finder:
    """A finder of a section with those of the stops that leave all that is wanted on each sample."""
    for stop in stops if finder.read.startswith(SECTION) else ():
        shorter = replace(finder, read=f"{finder.read},{stop}")
        is_kept = all(squeeze(shorter.first(page) or "").startswith(text) for page, text in wanted)
        if is_kept and shorter.read.count(",") <= _MOST_STOPS and not _is_everywhere(stop, finder, shorter, pages):
            finder = shorter
    return finder


def _is_everywhere(stop: str, finder: Finder, shorter: Finder, pages: Sequence[PageView]) -> bool:
    """Whether most pages on which a box would end a section have others of its kind elsewhere: any may have one, amid
    its text.

    `div.variablelist` is all that stands under "Parameters" on the samples, and amid the description elsewhere.
    """
    tag, _, token = stop.partition(".")
    if not token or stop[0] in "=^":
        return False
    sections = [(page, squeeze(text)) for page in pages if (text := finder.first(page)) and text != shorter.first(page)]
    boxes = [([one for one in page.tree.iter(tag) if _has(one, tag, token)], text) for page, text in sections]
    elsewhere = sum(any(squeeze(text_of(one)) not in text for one in some) for some, text in boxes)
    ended = [squeeze(shorter.first(page) or "") for page, _ in sections]
    goes_on = any(_without(some, text) != end for (some, text), end in zip(boxes, ended, strict=True))
    return 2 * elsewhere > len(sections) and goes_on


def _without(boxes: Iterable[Any], text: str) -> str:
    """A text without those of some elements."""
    for one in boxes:
        text = text.replace(squeeze(text_of(one)), "")
    return text


def _stops(page: PageView, name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    """The stops of `text_after` for what stands beside some heading of a page, and has another field or begins so."""
    others = [list(values_inside([value])) for other, value in fields.items() if other != name]
    known = {squeeze(value) for values in others for value in values}
    for parent in dict.fromkeys(one.getparent() for one in page.tree.iter(*LEVELS)):
        beside = list(child_elements(parent)) if parent is not None else []
        said = [text_of(one) for one in beside]
        plain = [squeeze(text) for text in said]
        for values in others:
            first, size = squeeze(values[0]) if values else "", sum(len(squeeze(one)) for one in values)
            least, most = len(first), size + _LONGEST_LABEL + _MOST_BETWEEN * len(values)
            fitting = (n for n, text in enumerate(plain) if 1 < least <= len(text) <= most)
            begun = (n for n in fitting if 0 <= plain[n].find(first) <= _LONGEST_LABEL and beside[n].tag not in LEVELS)
            n = next((n for n in begun if all(squeeze(one) in plain[n] for one in values)), None)
            if n is None:
                continue
            if label := plain[n][: plain[n].find(first)]:
                yield from _by_label(beside[n], label, said[n])
            elif n and beside[n - 1].tag not in LEVELS and 0 < len(plain[n - 1]) <= _LONGEST_LABEL:
                is_sayable = plain[n - 1] not in known and _SAYABLE.fullmatch(said[n - 1])
                yield from [f"={said[n - 1]}"] if is_sayable else _box(beside[n - 1], beside)
            elif beside[n].tag in _APART and [one.tag for one in beside].count(beside[n].tag) == 1:
                yield beside[n].tag
            yield from _box(beside[n], beside)


def _by_label(node: Any, label: str, text: str) -> Iterator[str]:
    """The stop for an element that begins with a label: one with a sign at its end, or in an element of its own."""
    inner = next((one for one in node.iterdescendants("*") if squeeze(text_of(one))), None)
    is_apart = label.endswith(_COLONS) or (inner is not None and squeeze(text_of(inner)) == label)
    begun = next((text[:end] for end in range(len(label), len(text) + 1) if squeeze(text[:end]) == label), "")
    if is_apart and _SAYABLE.fullmatch(begun):
        yield f"^{begun}"


def _box(node: Any, beside: Sequence[Any]) -> Iterator[str]:
    """The stop for an element by the first of its classes that says something, if it is the only one called so."""
    tokens = (one for one in (node.get("class") or "").split() if _PLAIN.fullmatch(one) and not reads_made(one))
    if (token := next(tokens, "")) and sum(_has(one, node.tag, token) for one in beside) == 1:
        yield f"{node.tag}.{token}"


def _has(node: Any, tag: str, token: str) -> bool:
    return bool(node.tag == tag and token in (node.get("class") or "").split())
