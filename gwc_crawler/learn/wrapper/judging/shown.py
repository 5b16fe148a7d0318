"""What the page shows goes before what its data say, where they say the same in other signs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gwc_crawler.extract import NO_AFFIXES
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.judging.candidates import (
    MOST_COST,
    RIGHT_KIND,
    SURE_PAGES,
    Ranked,
    is_hidden,
    is_named,
    is_part_of_address,
    is_right_behind_label,
    path_of,
)

SHOWN_SAME, SHOWN_LESS = 0.95, 0.1
"""What a page shows is taken instead of its data if it is equal on this share of pages, and there on nearly as many."""
SHOWN_NOW_AND_THEN = 0.5
"""The same of a summary for search engines: where no one wrote one, it is the beginning of the text."""
_SUMMARY = re.compile(r"^(?:meta:|//meta\[@\w+=\")(?:og:|twitter:)?description")
LONG_DATA, CUT_OFF_DATA = 60, 8
"""Letters from which on the data may have the beginning of a text alone; the second where they end in dots."""
LEAST_CUT_OFF, SHORTEST_CUT = 4, 16
"""So many pages whose data end after as many characters tell that they are cut off there, if it is after so many."""
_A_WORD = 3
"""A Chinese character counts as so many letters."""


def what_is_shown(ranked: Sequence[Ranked], in_order: bool) -> Ranked:
    """The best one; or what the page shows, where that is data or an attribute that writes values otherwise.

    "Vape Mat - Small" in the data, "Vape Mat – Small" on the page: the same values, and now and then other signs.

    Args:
        in_order: a sample has several items, in the page's order: of a list the data may have them in another one.
    """
    best = ranked[0]
    if not is_hidden(best.finder):
        return best
    silent = [n for n, value in enumerate(best.values) if value is None]
    shown = [one for one in ranked[1:] if _shows(one, best, in_order=in_order)]
    if not shown and is_part_of_address(best.finder):
        shown = [one for one in ranked[1:] if _is_surer(one, best)][:1]
    return min(
        shown, key=lambda one: (sum(one.values[n] is not None for n in silent), _is_cut(one.finder)), default=best
    )


def _is_surer(one: Ranked, address: Ranked) -> bool:
    """Whether a page shows a value where a name or a label leads to it, and mostly says what an *address* has.

    A file is called as its title on both samples, and `Operating_002dSystem` elsewhere; and where there is no next
    page, another link's address is cut.
    """
    is_led = is_right_behind_label(one) or is_named(one.finder)
    is_plain = not _is_cut(one.finder)
    both = [n for n, value in enumerate(one.values) if value is not None and address.values[n] is not None]
    same = sum(_is_shown(one.values[n], address.values[n], in_order=False) for n in both)
    often = one.coverage >= SHOWN_NOW_AND_THEN * address.coverage and 2 * same >= len(both)
    return is_led and is_plain and often and one.kind >= RIGHT_KIND and not (one.refuted or is_hidden(one.finder))


def _shows(one: Ranked, data: Ranked, share: float = SHOWN_SAME, *, in_order: bool = False) -> bool:
    """Whether a candidate reads from the page's text what another one reads from its data, in other signs at times."""
    finder = one.finder
    in_row = path_of(finder).startswith("./")  # where a cell is told by its place
    is_safe = in_row or (finder.family is not Family.PATH and finder.cost <= MOST_COST)
    if is_hidden(finder) or not is_safe or one.refuted:
        return False
    both = [n for n, value in enumerate(one.values) if value is not None and data.values[n] is not None]
    cut = _cut_off(data, one)
    same = sum(n in cut or _is_shown(one.values[n], data.values[n], in_order) for n in both)
    is_safer = is_named(finder) or (_is_cut_within(data.finder) and not _is_cut_within(finder))
    is_safer = is_safer or (_is_cut(data.finder) and not _is_cut(finder) and is_right_behind_label(one))
    otherwise = any(one.raw[n] != data.raw[n] for n in both) or (is_safer and same == len(both) >= SURE_PAGES)
    is_summary = _SUMMARY.search(path_of(data.finder)) is not None and is_safer and same == len(both) >= SURE_PAGES
    least = SHOWN_NOW_AND_THEN if is_summary else data.coverage - SHOWN_LESS
    return bool(both) and otherwise and same >= share * len(both) and one.coverage >= least


def _cut_off(data: Ranked, one: Ranked) -> frozenset[int]:
    """The pages on which data have the beginning of what is shown, as many characters as they ever have."""
    pairs = enumerate(zip(one.values, data.values, strict=True))
    texts = [(n, text, said) for n, (text, said) in pairs if isinstance(text, str) and isinstance(said, str)]
    most = max((len(said) for _, _, said in texts), default=0)
    cut = [n for n, text, said in texts if len(said) >= most - 1 and text.startswith(said) and text != said]
    return frozenset(cut if len(cut) >= LEAST_CUT_OFF and most >= SHORTEST_CUT else ())


def _is_cut(finder: Any) -> bool:
    return bool(getattr(finder, "cut", NO_AFFIXES) != NO_AFFIXES)


def _is_cut_within(finder: Any) -> bool:
    """Whether a candidate's value ends at words within a text, " by ", which a value may have itself."""
    cut = getattr(finder, "cut", NO_AFFIXES)
    return not cut.whole_after and any(map(str.isalpha, cut.after))


def _is_shown(shown: Any, data: Any, in_order: bool) -> bool:
    """Whether a page shows what its data say, but for signs; of a long text the data may have the beginning alone.

    Of a list that a page has *in_order* the data may have the items in another one.
    """
    text, said = _letters(shown), _letters(data)
    if in_order and isinstance(text, tuple) and isinstance(said, tuple):
        return sorted(map(str, text)) == sorted(map(str, said))
    if not (isinstance(text, str) and isinstance(said, str)):
        return bool(text == said)
    least = CUT_OFF_DATA if str(data).endswith(("...", "…")) else LONG_DATA
    return text == said or (text.startswith(said) and sum(_A_WORD if one >= "⺀" else 1 for one in said) >= least)


def _letters(value: Any) -> Any:
    """A value in the form to compare without its signs."""
    if isinstance(value, tuple):
        return tuple(map(_letters, value))
    return "".join(filter(str.isalnum, value)) if isinstance(value, str) else value
