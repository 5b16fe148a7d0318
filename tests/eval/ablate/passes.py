"""The passes of the learner that can be left out, each with what it gives where it finds nothing.

A pass is a function of the learner that adds to, or corrects, what stands before it. Left out, it gives its *neutral*
value: the best candidate as it was ranked, nothing more, the rule as it was.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import gwc_crawler.learn
from gwc_crawler.learn.lookalikes.probes import Split

ROOT = "gwc_crawler.learn."


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: where it is ("module:function" or "module:Class.method", beneath `gwc_crawler.learn`)."""

    place: str
    neutral: Callable[..., Any]
    """The pass's arguments → what it gives where it finds nothing."""
    of_targets: bool = False
    """It decides which pages are targets; others decide where values stand."""

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.place.rpartition(":")[2].rpartition(".")[2]

    @property
    def module(self) -> str:
        """The module it is in."""
        return ROOT + self.place.partition(":")[0]


def _nothing(*_: Any, **__: Any) -> list[Any]:
    return []


def _none(*_: Any, **__: Any) -> None:
    return None


def _best(ranked: Any, *_: Any, **__: Any) -> Any:
    return ranked[0]


def _first(first: Any, *_: Any, **__: Any) -> Any:
    return first


def _as_it_was(split: Any, *_: Any, **__: Any) -> tuple[Any, list[str]]:
    return split, []


VALUES = (
    Pass("wrapper.ranking.corrections:what_varies", _best),
    Pass("wrapper.ranking.corrections:what_is_shown", _best),
    Pass("wrapper.ranking.corrections:what_ranges", _best),
    Pass("wrapper.ranking.corrections:what_parts", _best),
    Pass("wrapper.ranking.corrections:_contradicting", _none),
    Pass("wrapper.ranking.rank:fallbacks", _nothing),
    Pass("wrapper.ranking.rank:names_in_urls", _nothing),
    Pass("wrapper.learning:BestLearner._doubt", lambda *_: lambda candidate, number: False),
    Pass("wrapper.surroundings:Surroundings._is_another_by_id", lambda *_: False),
    Pass("wrapper.ranking.named:under_its_name", _nothing),
    Pass("wrapper.learning:BestLearner._partial_choices", _nothing),
    Pass("wrapper.learning:BestLearner._left_out_by_hand", _nothing),
    Pass("wrapper.learning:BestLearner._are_no_items", lambda *_: True),
    Pass("wrapper.locators.affixes:mended", lambda locators, *_, **__: list(locators)),
    Pass("wrapper.ranking.rank:_never_refuted_first", _first),
    Pass("wrapper.ranking.corrections:as_it_should_be", lambda chosen, *_: list(chosen)),
    Pass("wrapper.ranking.corrections:beginning_first", lambda name, chosen, *_: chosen),
    Pass("wrapper.locators.extent:going_on", _first),
    Pass("wrapper.locators.extent:_set_apart", _first),
    Pass("wrapper.sections:in_their_section", lambda name, ways, *_: ways),
    Pass("wrapper.records.rule:_with_rows_inside", lambda chosen, *_: list(chosen)),
    Pass("wrapper.records.rule:RecordsLearner._parted_further", lambda _, found: found),
    Pass("wrapper.records.rule:_often_there", lambda required, *_: [required[:1], required]),
    Pass("wrapper.records.rule:RecordsLearner._ways_of_parting", _nothing),
    Pass("wrapper.records.rule:RecordsLearner._with_headings", lambda _, found: found),
    Pass("wrapper.records.row_fields:heading_rule", _none),
    Pass("wrapper.records.row_fields:_left_out", lambda *_: set()),
    Pass("wrapper.records.row_fields:_without_slips", _first),
    Pass("places.rows:_holder", _none),
)
TARGETS = (
    Pass("kinds.cuts:of_satellites", _none, of_targets=True),
    Pass("kinds.feature_matrix:FeatureMatrix.is_of_slugs", lambda *_: False, of_targets=True),
    Pass("kinds.splits:_split", _none, of_targets=True),
    Pass("kinds.splits:_sibling", _none, of_targets=True),
    Pass("kinds.splits:_unlabelled", _none, of_targets=True),
    Pass("kinds.splits:narrow", lambda matrix, rule, *_: rule, of_targets=True),
    Pass("kinds.cuts:structure", _none, of_targets=True),
    Pass("kinds.cuts:_is_of_one_kind", lambda *_: False, of_targets=True),
    Pass("kinds.cuts:leaves_targets", lambda *_: False, of_targets=True),
    Pass("kinds.near_duplicates:find_near_duplicates", lambda *_: {}, of_targets=True),
    Pass("lookalikes.probes:split_probes", lambda probes, *_: Split(list(probes), [], []), of_targets=True),
    Pass("lookalikes.probes:_groups_beside", _nothing, of_targets=True),
    Pass("lookalikes.apart:set_bare_apart", _first, of_targets=True),
    Pass("lookalikes.apart:set_quoting_apart", _first, of_targets=True),
    Pass("lookalikes.apart:set_listed_apart", _as_it_was, of_targets=True),
    Pass("lookalikes.apart:set_other_kind_apart", _as_it_was, of_targets=True),
    Pass("targets.targets:adopt_list_groups", lambda *_: False, of_targets=True),
)
PASSES = (*VALUES, *TARGETS)


def named(names: Collection[str]) -> list[Pass]:
    """Return the passes of these names.

    Raises:
        KeyError: there is none of a name.
    """
    by_name = {one.name: one for one in PASSES}
    return [by_name[name] for name in names]


@contextmanager
def without(left_out: Collection[Pass]) -> Iterator[Counter[str]]:
    """Leave passes out, and count how often each other one gave something else than its neutral value."""
    acted: Counter[str] = Counter()
    _import_all()
    undo = [step for one in PASSES for step in _replace(one, acted, off=one in left_out)]
    try:
        yield acted
    finally:
        for owner, name, original in undo:
            setattr(owner, name, original)


def _import_all() -> None:
    for found in pkgutil.walk_packages(gwc_crawler.learn.__path__, ROOT):
        importlib.import_module(found.name)


def _replace(one: Pass, acted: Counter[str], *, off: bool) -> list[tuple[Any, str, Any]]:
    """Put a switch in the place of a pass wherever its name is bound; return what undoes it."""
    owner: Any = importlib.import_module(one.module)
    *classes, name = one.place.partition(":")[2].split(".")
    for each in classes:
        owner = getattr(owner, each)
    original = getattr(owner, name)

    def switch(*args: Any, **kwargs: Any) -> Any:
        if off:
            return one.neutral(*args, **kwargs)
        found = original(*args, **kwargs)
        if _differs(found, one.neutral(*args, **kwargs)):
            acted[one.name] += 1
        return found

    owners = [owner] if classes else [module for module in _modules() if vars(module).get(name) is original]
    for each in owners:
        setattr(each, name, switch)
    return [(each, name, original) for each in owners]


def _modules() -> list[Any]:
    return [module for name, module in list(sys.modules.items()) if name.startswith("gwc_crawler") and module]


def _differs(found: Any, neutral: Any) -> bool:
    """Whether a pass did something; one that gives a function is taken to."""
    if callable(found) and callable(neutral):
        return True
    if isinstance(found, list | tuple) and isinstance(neutral, list | tuple):
        return len(found) != len(neutral) or any(a is not b and a != b for a, b in zip(found, neutral, strict=True))
    return found is not neutral and bool(found != neutral)
