"""The rest of texts that a page cuts off, from an attribute beside them: `<a title="Quiet Signal Market">Quiet …</a>`.

The samples' texts are short enough; of longer ones the page shows the beginning alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, Finder, PageView, select
from gwc_crawler.extract.fields import same_text, squeeze
from gwc_crawler.items import Family
from gwc_crawler.learn.texts import ExampleContext

_DOTS = ("...", "…")
_MOST_INSIDE = 4
"""So many elements inside the one that is read may have the attribute."""


def with_their_rest(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], spots: Sequence[tuple[PageView, Any]]
) -> list[Finder]:
    """The finders; before them one of an attribute, where that has the rest of texts that the best one reads.

    Of every sample and of each other text it has to say the same.

    Args:
        chosen: best first.
        contexts: the samples.
        spots: further pages, or records.
    """
    best = chosen[0]
    is_plain = best.read in ("text", "apart") and best.cut == NO_AFFIXES and not best.split and not best.without
    if best.family is Family.STRUCTURED or not is_plain:
        return list(chosen)
    for path, name in dict.fromkeys(chain.from_iterable(_attributes(best, *spot) for spot in spots)):
        whole = replace(best, path=path, read=f"@{name}", drop=())
        given = [(one.at.page, one.scope) for one in contexts if not one.empty]
        if all(_has_all(best, whole, *spot) for spot in (*given, *spots)):
            return [whole, *chosen]
    return list(chosen)


def _attributes(finder: Finder, page: PageView, scope: Any) -> Iterator[tuple[str, str]]:
    """The attributes that have the rest of a text: of its element, of those in it, or of that around it."""
    for node in select(finder.path, page, scope):
        text = "" if isinstance(node, str) else "".join(node.itertext()).strip()
        if not text.endswith(_DOTS):
            continue
        inside = ((f"{finder.path}/{one.tag}", one) for one in islice(node.iterchildren("*"), _MOST_INSIDE))
        around = [(f"{finder.path}/..", node.getparent())] if node.getparent() is not None else []
        for path, element in ((finder.path, node), *inside, *around):
            named = ((name, said) for name, said in element.attrib.items() if ":" not in name)
            yield from ((path, name) for name, said in named if _is_cut_off(text, said))


def _has_all(finder: Finder, whole: Finder, page: PageView, scope: Any) -> bool:
    texts, said = finder.texts(page, scope), whole.texts(page, scope)
    pairs = zip(texts, said, strict=False)
    return len(texts) == len(said) and all(same_text(one, other) or _is_cut_off(one, other) for one, other in pairs)


def _is_cut_off(text: str, whole: str) -> bool:
    """Whether a text is the beginning of another one, with dots for the rest."""
    begun = squeeze(text.rstrip("".join(_DOTS)))
    return text.endswith(_DOTS) and bool(begun) and not whole.endswith(_DOTS) and squeeze(whole).startswith(begun)
