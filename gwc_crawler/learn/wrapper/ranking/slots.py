"""Facts in a row without labels, some of which pages lack: "Changsha | 3 years | B.A. | 3 wanted | 06-12".

On the samples the third is the degree; where no experience is asked for, it is the second. Pages that have all facts
show what each can say. Where these are few words ("B.A.", "M.A.", "… years"), a fact is told by them, wherever it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, Finder, PageView, select, text_of
from gwc_crawler.extract.fields import fold
from gwc_crawler.items import Family
from gwc_crawler.learn.places import quote
from gwc_crawler.learn.texts import ExampleContext

_LEAST_FACTS, _LEAST_FULL, _LEAST_MOVED = 3, 5, 2
"""A row has so many facts, so many pages have all, and on so many another fact stands in the place of this one."""
_MOST_FORMS, _LONGEST_FORM = 16, 24
_TIMES = 1.5
"""So often each form stands on pages that have all facts, on average: then these are most of its forms."""
_COUNTED = re.compile(r"(.+)/(text\(\)\[normalize-space\(\)\]|[a-z][a-z0-9]*)\[(\d+)\]")
_DIGITS, _BLANKS = "0123456789", " \u00a0\u3000"
"""A form is a text without blanks, each digit written as 0."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The way to the facts of a row, and which of them is meant."""

    around: str
    step: str
    place: int

    def facts(self, page: PageView) -> list[str]:
        """What the first row of a page says, fact by fact."""
        found: Any = next(iter(select(self.around, page, first=True)), None)
        if found is None or isinstance(found, str):
            return []
        facts = select(f"./{self.step}", page, found)
        return [fold(one) if isinstance(one, str) else text_of(one) for one in facts]


def told_by_what_they_say(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; where the best one counts the facts of a row, first one that goes by what this fact says.

    Behind it the same place, unless what is there is known to be another fact.

    Args:
        chosen: best first.
        contexts: the samples.
        pages: further pages.
    """
    best = chosen[0]
    is_plain = best.cut == NO_AFFIXES and best.read in ("text", "apart") and best.family is not Family.LABEL
    found = _COUNTED.fullmatch(best.path) if is_plain else None
    if found is None or "]/self::" in best.path:
        return list(chosen)
    row = _Row(found[1], found[2], int(found[3]))
    given = [row.facts(one.at.page) for one in contexts if not one.empty]
    own, others = _forms_of(row.place, [*(facts for page in pages if (facts := row.facts(page))), *given])
    if not own or any(quote(form) is None for form in (*own, *others)):
        return list(chosen)
    by_form = replace(best, path=f"{row.around}/{row.step}[{_says(own)}]")
    counted = replace(best, path=f"{best.path}[not({_says(others)})]") if others else best
    is_right = all(by_form.first(one.at.page) == (best.first(one.at.page) if one.wanted else None) for one in contexts)
    rest = [one for one in chosen if not _COUNTED.fullmatch(one.path)]
    return [by_form, counted, *rest] if is_right else list(chosen)


def _says(forms: Sequence[str]) -> str:
    """The test for a text of one of some forms."""
    return " or ".join(f'translate(normalize-space(),"{_DIGITS}{_BLANKS}","0000000000")={quote(one)}' for one in forms)


def _forms_of(place: int, rows: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """The forms of a fact, and those of others that have few: if these tell it from all others, and if another one
    stands in its place here and there; else none."""
    most = max(map(len, rows), default=0)
    told = [list(map(_form, facts)) for facts in rows]
    full, short = ([facts for facts in told if (len(facts) == most) is whole] for whole in (True, False))
    if most < _LEAST_FACTS or place > most or len(full) < _LEAST_FULL:
        return [], []
    forms = [{facts[n] for facts in full} for n in range(most)]
    for facts in short:
        for n, form in _between(facts, forms):
            forms[n].add(form)
    own, others = forms[place - 1], set().union(*forms[: place - 1], *forms[place:])
    moved = [facts for facts in short if own.isdisjoint(facts[place - 1 : place]) and _is_known(facts, own | others)]
    is_closed = len(own) <= _MOST_FORMS and len(full) >= _TIMES * len(own) and all(map(_is_short, own))
    if not is_closed or not own.isdisjoint(others) or len(moved) < _LEAST_MOVED:
        return [], []
    few = (some for n, some in enumerate(forms) if n != place - 1 and len(some) <= _MOST_FORMS)
    return sorted(own), sorted(form for form in set().union(*few) if form)


def _between(facts: Sequence[str], forms: Sequence[set[str]]) -> Iterator[tuple[int, str]]:
    """The facts that stand between known ones with just as many places between them, with the numbers of these."""
    places = [[n for n, some in enumerate(forms) if fact in some] for fact in facts]
    known = [(-1, -1), *((at, some[0]) for at, some in enumerate(places) if len(some) == 1), (len(facts), len(forms))]
    for (at, place), (next_at, next_place) in pairwise(known):
        if 1 < next_at - at == next_place - place:
            yield from ((place + n, facts[at + n]) for n in range(1, next_at - at))


def _is_known(facts: Sequence[str], forms: set[str]) -> bool:
    """Whether a row is one of the same kind: most of what it says is said elsewhere."""
    return 2 * sum(fact in forms for fact in facts) >= len(facts)


def _is_short(form: str) -> bool:
    return 0 < len(form) <= _LONGEST_FORM and any(map(str.isalnum, form))


def _form(text: str) -> str:
    return "".join("0" if sign in _DIGITS else sign for sign in fold(text) if sign not in _BLANKS)
