"""Values in the line of their label: a link on the samples, `By: <a>Joey</a>`, plain words elsewhere, `By: Ann`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import DASHES, Affixes, Finder, PageView, select
from gwc_crawler.extract.fields import value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import NEXT_TEXT, is_rest_of_line, left_out_of, quote, room_of
from gwc_crawler.learn.wrapper.judging import RIGHT_KIND, is_notice

_ENDS = (":", "：")
_LONGER_TIMES, _LONGER_MORE = 2, 10
"""What is so much longer than all samples is no value, but a sentence that begins like a label."""
_MOST_SEVERAL = 0.2
"""On so few pages the label may stand again, further down: related records have theirs, too."""
_COST = 1.6


def in_its_labels_line(
    chosen: Sequence[Finder],
    label: str,
    wanted: Sequence[str],
    samples: Sequence[PageView],
    pages: Sequence[PageView],
    kind: Callable[[Any], float],
) -> list[Finder]:
    """The finders; before them what stands behind the words of the label in one text with it, if pages have that.

    On the samples the label is all of its text; what the finders read where it is not belongs to something else.

    Args:
        chosen: best first.
        label: behind which all samples have the value; "" for none.
        wanted: the values of the samples.
        kind: how far a value is of the samples' kind, 0 to 1.
    """
    if not label.endswith(_ENDS) or (quoted := quote(label)) is None or chosen[0].family is Family.STRUCTURED:
        return list(chosen)
    path = f"//text()[starts-with(normalize-space(),{quoted})]"
    several = [len(select(path, page)) > 1 for page in (*samples, *pages)]
    if any(several[: len(samples)]) or sum(several) > _MOST_SEVERAL * len(several):
        return list(chosen)
    words = Finder(Family.LABEL, path, cut=Affixes(before=label), cost=_COST)
    absent = {value for page in pages if (value := words.first(page)) and is_notice(value)}
    words = replace(words, cut=replace(words.cut, nothing=tuple(sorted(absent | DASHES))))
    found = [value for page in pages if (value := words.first(page))]
    longest = _LONGER_TIMES * max(map(len, wanted)) + _LONGER_MORE
    alike = sum(map(kind, map(value_key, found))) >= RIGHT_KIND * len(found)
    is_new = bool(found) and alike and not any(words.first(page) for page in samples)
    return [words, *chosen] if is_new and max(map(len, found)) <= longest else list(chosen)


def in_another_layout(
    chosen: Sequence[Finder],
    after_labels: Sequence[Finder],
    kind: Callable[[Any], float],
    pages: Sequence[PageView],
) -> list[Finder]:
    """What stands next to the label wherever that is, if it is found on further pages where the chosen are silent.

    On the pages where they speak it must give the same; of another kind it may be where it is all that stands in
    the label's line: `<b>Stock:</b> 18 pieces` on the samples, `<b>Stock:</b> <i>sold out</i>` elsewhere. Where the
    label is looked for within an element, it is so here: outside it may stand before another thing's value.
    """
    room, outside = room_of(chosen[0].path), left_out_of(chosen[0].path)
    paths = (one.path.replace(NEXT_TEXT, f"{outside}{NEXT_TEXT}") for one in after_labels)
    after_labels = [replace(one, path=f"{room}{path}") for one, path in zip(after_labels, paths, strict=True)]
    values = [next((value for one in chosen if (value := one.first(page))), None) for page in pages]
    for one in after_labels:
        others = [one.first(page) for page in pages]
        pairs = list(zip(values, others, strict=True))
        same = all(mine is None or other == mine for mine, other in pairs)
        new = [n for n, (mine, other) in enumerate(pairs) if mine is None and other is not None]
        alike = sum(kind(value_key(others[n])) for n in new) >= RIGHT_KIND * len(new)
        if same and new and (alike or all(is_rest_of_line(one.path, pages[n]) for n in new)):
            return [one]
    return []
