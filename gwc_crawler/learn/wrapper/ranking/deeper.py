"""Lists whose items stand deeper on some pages: `div.senses/ol/li`, and of a word with several readings in a box each.

No sample shows such a page; where the items stand right under their box, looking deeper in that finds no others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.extract import Finder, PageView
from gwc_crawler.extract.fields import kind_of, squeeze, value_key
from gwc_crawler.items import Family
from gwc_crawler.learn.places import ExampleContext
from gwc_crawler.learn.wrapper.ranking.candidates import RIGHT_KIND

_STEPS = re.compile(r"(?<=[\]\w])((?:/[a-z][a-z0-9]*)+)$")


def items_deeper(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """What finds, anywhere in the box of the best finder's items, some on pages where none of the *chosen* does.

    Nothing else where these find any, none that a sample does not have, and of their kind.

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
    kind = kind_of([*filter(None, known), *(one.wanted for one in contexts if not one.empty)])
    return [deeper] if sum(kind(value_key(items)) for items in new) >= RIGHT_KIND * len(new) else []


def _has_no_other(finder: Finder, context: ExampleContext) -> bool:
    wanted = set(map(squeeze, context.wanted or ()))
    return wanted.issuperset(map(squeeze, finder.every(context.at.page)))
