"""How much of a text its field's name asks for: of a "summary" or a "lead" the first paragraph.

Where each sample has one paragraph, this and the whole text are the same there; on other pages only the name tells them
apart. A name that asks for neither ("text", "description") leaves the reading as the pages suggest it.

Source:
    None; the names that people give to fields are a source of their own (see `named`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract import NO_AFFIXES, RUN, Finder, PageView, select
from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking.candidates import is_hidden, weight

_WORDS = frozenset({"abstract", "brief", "excerpt", "lead", "lede", "summary", "tagline", "teaser"})
_SIGNS = ("摘要", "导语", "導語", "导读", "導讀", "概要")
_WORD = re.compile(r"[a-z]+")
_BLOCKS = frozenset({"article", "blockquote", "dd", "div", "dt", "li", "p", "section", "td"})
_READ_WHOLE = ("text", "apart", RUN)
_SELDOM = 0.2
"""The beginning may be missing on so many of the pages that have a text: there it is written otherwise."""


def asks_for_beginning(name: str) -> bool:
    """Whether a field's name says that of a longer text the beginning is meant.

    >>> [asks_for_beginning(name) for name in ("summary", "post_lead", "文章摘要", "leader", "description")]
    [True, True, True, False, False]
    """
    folded = name.casefold()
    return not _WORDS.isdisjoint(_WORD.findall(folded)) or any(sign in folded for sign in _SIGNS)


def beginning_first(
    name: str, chosen: list[Finder], finders: Sequence[Finder], pages: Sequence[PageView]
) -> list[Finder]:
    """The chosen finders; where the name asks for it, first one of a block with which begins what they read.

    Rather one inside what they read: where they are silent, it is, too. Of these, what reads no more stays.

    Args:
        name: of the field.
        chosen: best first.
        finders: those that fit the samples.
        pages: further pages; on some it must be less than the whole, unless that is what no reader sees, which other
            pages may write otherwise.
    """
    if not asks_for_beginning(name):
        return chosen
    whole = [squeeze(chosen[0].first(page) or "") for page in pages]
    blocks = [
        one
        for one in [replace(one, read="text") if one.read == RUN else one for one in (*chosen, *finders)]
        if one.family is not Family.STRUCTURED and one.read in _READ_WHOLE and one.cut == NO_AFFIXES and not one.split
    ]
    path, cut_off = chosen[0].path, is_hidden(chosen[0])
    for one in sorted(dict.fromkeys(blocks), key=lambda one: (not one.path.startswith(path), -weight(one))):
        begun = [squeeze(one.first(page) or "") for page in pages]
        pairs = [(first, text) for first, text in zip(begun, whole, strict=True) if first != text]
        missing = sum(not first for first, _ in pairs)
        is_less = len(pairs) > missing or cut_off
        if not is_less or missing > _SELDOM * len(pages) or not _are_blocks(one, pages):
            continue
        if all(text.startswith(first) or (cut_off and text and first.startswith(text)) for first, text in pairs):
            return [one, *(other for other in chosen if [squeeze(other.first(page) or "") for page in pages] == begun)]
    return chosen


def _are_blocks(finder: Finder, pages: Sequence[PageView]) -> bool:
    nodes = (node for page in pages for node in select(finder.path, page, None, first=True))
    return all(getattr(node, "tag", "") in _BLOCKS for node in nodes)
