"""From sample pages with values to a wrapper: the entry point of wrapper learning in either mode."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.fields import is_blank, same_value, squeeze
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.records_rule import RecordsRule
from gwc_crawler.extract.wrapper import Rule, Wrapper
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.learn.degrees import A_HANDFUL, FEW, HALF, HARDLY_ANY, MANY, MOST
from gwc_crawler.learn.places.places import stands_on
from gwc_crawler.learn.places.steps import labels_in
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage, shape_in
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.wrapper.complaints import complain
from gwc_crawler.learn.wrapper.locators.affixes import mended
from gwc_crawler.learn.wrapper.locators.extent import going_on
from gwc_crawler.learn.wrapper.locators.lists import list_locators, near_list_locators
from gwc_crawler.learn.wrapper.locators.scalars import scalar_locators
from gwc_crawler.learn.wrapper.paper import learn_paper_rule
from gwc_crawler.learn.wrapper.ranking.candidates import ChosenLocators, weight
from gwc_crawler.learn.wrapper.ranking.corrections import as_it_should_be, beginning_first, goes_by_name
from gwc_crawler.learn.wrapper.ranking.named import calls, letters, under_its_name
from gwc_crawler.learn.wrapper.ranking.rank import choose, names_in_urls
from gwc_crawler.learn.wrapper.records.row_fields import told
from gwc_crawler.learn.wrapper.records.rule import RecordsLearner
from gwc_crawler.learn.wrapper.samples import (
    Sample,
    SamplePages,
    SampleView,
    field_names,
    most_telling_first,
    values_inside,
    view_pages,
)
from gwc_crawler.learn.wrapper.sections import in_their_section
from gwc_crawler.learn.wrapper.surroundings import Surroundings
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.text import text_weight

MOST_PAGES = 20
"""Further pages that candidates are ranked on."""


def learn_wrapper(
    samples: Sequence[Sample],
    more_pages: Iterable[Any] = (),
    *,
    mode: LearnMode | str = LearnMode.BEST,
    pages: SamplePages | None = None,
    by_hand: Collection[str] = (),
) -> Wrapper:
    """Learn how to read every field of the samples.

    Args:
        samples: one page or more (usually two) with the values a person sees there. A field that is missing or empty on
            some of them is optional.
        more_pages: further pages of the same kind, to rank candidates that fit the samples equally well: bodies,
            (url, body) pairs, or objects with `url` and `html`.
        mode: "best", or "paper" for the paper's algorithms 2 and 3 as they are (two samples, no further pages).
        pages: the sample pages that other calls with the same samples have read.
        by_hand: fields that are read by other means; their values only serve to rule them out for other fields.

    Raises:
        LearnError: no samples, values that are not on their page (a line for each with value, page and closest text),
            or no field that can be learned. If only some fields can't be, each is a warning.
    """
    views = (pages or SamplePages()).views(samples)
    asked = [name for name in field_names(views) if name not in by_hand]
    names = [name for name in asked if any(not is_blank(view.fields.get(name)) for view in views)]
    if not names:
        raise LearnError("no sample has a field; give each sample page the values you see on it")
    learned: dict[str, tuple[Rule | None, dict[str, Any]]]
    if mode == LearnMode.PAPER:
        learned = {name: (learn_paper_rule(name, views), {}) for name in names}
    else:
        learner = BestLearner(views, view_pages(more_pages, MOST_PAGES))
        learned = {name: learner.learn(name) or (None, {}) for name in names}
    rules: dict[str, Rule] = {name: rule for name, (rule, _) in learned.items() if rule is not None}
    found = complain(names, rules, views, mode)
    if found.errors or not rules:
        raise LearnError("\n".join(found.errors or found.unled))
    warnings = ["learned from one sample page: give a second one to be sure"] if len(views) == 1 else []
    warnings += [f"{text}; it stays empty" for text in found.unled]
    warnings += found.warnings
    report = {name: dict(evidence) for name, (_, evidence) in learned.items()}
    for name in found.unmet:
        report[name]["unmet"] = True
    optional = frozenset(name for name in asked if any(is_blank(view.fields.get(name)) for view in views))
    return Wrapper(LearnMode(mode), rules, optional, tuple(warnings), report)


LONG = 80
"""Letters of a text that a person may leave out of a sample."""
BETTER, MUCH_BETTER = 1.25, 2.0
"""Factor by which the evidence of locators that find it there must be higher than that of those silent on the sample:
if these find it hardly anywhere, and on more pages."""
ENDING = 12
"""Last letters of a value that tell it from others; a shorter value counts as a whole: "no" stands in "Notice"."""


class BestLearner:
    """Learns the fields one after the other; *unseen*: also the text counts that only readers without scripts see."""

    def __init__(self, samples: Sequence[SampleView], more: Sequence[LearnPage], *, unseen: bool = False) -> None:
        self._unseen, self.field, self.shape = unseen, "", ValueShape.TEXT
        self._with_unseen = cache(lambda: BestLearner(samples, more, unseen=True))
        telling = most_telling_first(more, [sample.page for sample in samples], A_HANDFUL)
        self.samples = [(one.page.with_unseen if unseen else one.page, one.fields) for one in samples]
        self.more = [page.with_unseen for page in telling] if unseen else telling
        values = [value for _, fields in self.samples for value in fields.values()]
        single = {value for value in values if isinstance(value, str)}
        listed = {*values_inside([value for value in values if isinstance(value, list)])} - single
        indexes = [page.index for page in (*(page for page, _ in self.samples), *self.more[:A_HANDFUL])]
        further = [page.tree for page in self.more[A_HANDFUL:]]
        self._of_all = self.shared = Shared(indexes, values_inside(values), listed, further)

    def learn(self, name: str) -> tuple[Any, dict[str, Any]] | None:
        """Return the rule of one field with its evidence; None where no candidate fits the samples."""
        if not self._unseen and self._unseen_share(name) > FEW:
            return self._with_unseen().learn(name)
        self.field, contexts = name, [ExampleContext(page, fields.get(name)) for page, fields in self.samples]
        values = list(values_inside([one.wanted for one in contexts]))
        self.shared = self._of_all.with_values(values, partial(calls, name))
        self.shape = shape_in(contexts)
        if self.shape is ValueShape.RECORDS:
            return self._records(name, contexts)
        samples, more = [page for page, _ in self.samples], self.more
        choices: list[ChosenLocators] = []
        if locators := self._locators(contexts):
            choice = self._choose(locators, contexts)
            if self.shape is ValueShape.TEXT:
                choice.locators = beginning_first(name, choice.locators, locators, samples, more)
            choices.append(choice)
        choices = self._left_out_by_hand(contexts, choices) or choices
        required = not any(one.empty for one in contexts)
        choices = choices or self._near_choices(contexts, right_once=True)
        if not choices or (required and choices[0].evidence["coverage"] < HALF):
            choices += self._partial_choices(contexts, named=bool(choices))
        # A tag stands in a paragraph, too, and the other sample's tags are given in another order than the page's.
        is_chance = not locators and choices and (choices[0].refuted or (more and not choices[0].evidence["coverage"]))
        if not choices or is_chance:
            choices = self._near_choices(contexts) or choices
        if not choices:
            return None
        chosen = list(dict.fromkeys(one for choice in choices for one in choice.locators))
        chosen += under_its_name(name, chosen, samples, more)
        return BestRule(self.shape, tuple(chosen)), choices[0].evidence | {"of": len(contexts)}

    def _left_out_by_hand(
        self, contexts: Sequence[ExampleContext], choices: Sequence[ChosenLocators]
    ) -> list[ChosenLocators]:
        """Return locators that find a text on most pages, and on samples without it: people skip long texts.

        [] if locators silent on these samples are as good, or, for a shorter text, find it on some further pages: then
        the samples may well lack it.
        """
        present = [one for one in contexts if not one.empty]
        found = max((choice.evidence["coverage"] for choice in choices), default=0.0)
        if self.shape is not ValueShape.TEXT or len(present) == len(contexts) or len(self.more) < MANY:
            return []
        is_long = min(text_weight(one.wanted) for one in present) >= LONG
        if found > (MOST if is_long else HARDLY_ANY) or not (locators := self._locators(present)):
            return []
        choice = self._choose(locators, present)
        best = choice.locators[0]
        is_everywhere = all(best.first(one.at) for one in contexts)
        times = BETTER if found <= HARDLY_ANY else MUCH_BETTER
        is_better = all(self._says_more(best, other.locators[0], times) for other in choices)
        return [choice] if is_everywhere and is_better and choice.evidence["coverage"] >= MOST else []

    def _says_more(self, locator: Locator, other: Locator, times: float) -> bool:
        """Tell whether a locator has *times* the evidence of another, or reads by a class all that the other reads.

        A locator that depends on the end of another field's value on a sample has no evidence: it finds that one value.
        """
        ends = {letters(text)[-ENDING:] for text in values_inside([[*one.values()] for _, one in self.samples])} - {""}
        told_by = [letters(text) for text in (*labels_in(other.path), other.cut.before)]
        if any(end in text and len(end) in (ENDING, len(text)) for end in ends for text in told_by):
            return True
        if locator.family in (Family.ID, Family.CLASS) and goes_by_name(locator):
            read = [(text, locator.first(page)) for page in self.more if (text := other.first(page))]
            if read and all(text == mine for text, mine in read):
                return True
        return weight(locator) > times * weight(other)

    def _records(self, name: str, contexts: Sequence[ExampleContext]) -> tuple[Any, dict[str, Any]] | None:
        found = RecordsLearner(told(contexts), self.shared, self.more, self._doubt(contexts)).learn()
        if found is None:
            return None
        rule, evidence = found
        given = [one.at for one in contexts if not one.empty]
        return RecordsRule(tuple(in_their_section(name, rule.ways, given, self.more))), evidence

    def _unseen_share(self, name: str) -> float:
        """Return the share of a field's texts that stand in nothing a browser shows, nor in structured data."""
        texts = [(page, text) for page, fields in self.samples for text in values_inside(fields.get(name))]
        unseen = [(page, text) for page, text in texts if squeeze(text) not in page.index.text]
        if len(unseen) <= FEW * len(texts):
            return 0.0
        return sum(not stands_on(text, page) for page, text in unseen) / len(texts)

    def _partial_choices(self, contexts: Sequence[ExampleContext], *, named: bool) -> list[ChosenLocators]:
        """Return candidates that are right on one sample and find nothing on the others: the site has several layouts.
        Candidates that are right on all samples not read so follow: on the others those before them speak.

        If *named*, only whole values of structured data, which names its values: the field may as well be a rare one.
        """
        present = [one for one in contexts if not one.empty]
        for others_silent in (True, False):
            choices, left = list[ChosenLocators](), []
            for one in present:
                others = contexts if others_silent else ()
                rest = [ExampleContext(other.at, None) for other in others if other is not one]
                locators = self._locators([one, *rest])
                if named:
                    locators = [one for one in locators if one.family is Family.STRUCTURED and one.cut == NO_AFFIXES]
                if locators:
                    choice = self._choose(locators, [one], rest)
                    choices.append(replace(choice, locators=choice.locators[:2], refuted=not others_silent))
                else:
                    left.append(one)
            if choices:
                choices.sort(key=lambda one: -one.evidence["coverage"] - one.evidence["agreement"])
                if others_silent and left and not named and (locators := self._locators(left)):
                    choices.append(self._choose(locators, left))
                return choices if others_silent else choices[:1]
        return []

    def _near_choices(self, contexts: Sequence[ExampleContext], *, right_once: bool = False) -> list[ChosenLocators]:
        """Return the address nearest to a list that none gives exactly: one item was left out, or moved.

        With *right_once* one that gives a sample's list exactly: else the samples may be of several layouts.
        """
        near = near_list_locators(contexts, self.shared) if self.shape is ValueShape.LIST else []
        if right_once:
            given = [(one.at, one.wanted) for one in contexts]
            near = [pair for pair in near if any(same_value(pair[1].every(page), wanted) for page, wanted in given)]
        if not near:
            return []
        choice = self._choose([locator for likeness, locator in near if likeness >= near[0][0] - 0.02], contexts)
        return [ChosenLocators(choice.locators[:1], choice.evidence | {"exact": round(near[0][0], 3)})]

    def _choose(
        self, locators: Sequence[Locator], contexts: Sequence[ExampleContext], silent: Sequence[ExampleContext] = ()
    ) -> ChosenLocators:
        """Return the best locators as they should read; on *silent* samples, of other layouts, they find nothing."""
        pages, shape, wanted = self.more, self.shape, [one.wanted for one in contexts]
        called, doubt = names_in_urls(self.field, contexts, pages), self._doubt(contexts)
        choice = choose(
            locators, lambda one, n: one.value(shape, pages[n]), len(pages), wanted, doubt, called, self.field
        )
        choice.evidence["samples"] = len(contexts)
        if shape is ValueShape.TEXT:
            further = [(page, None) for page in pages]
            choice.locators = [going_on(one, contexts, further) for one in choice.locators]
            choice.locators = mended(choice.locators, [*contexts, *silent], further)
        elif shape is ValueShape.LIST:
            choice.locators = as_it_should_be(choice.locators, locators, pages)
        return choice

    def _doubt(self, contexts: Sequence[ExampleContext]) -> Callable[[Any, int], bool]:
        count = len(self.more) if self.shape is ValueShape.TEXT else A_HANDFUL
        surroundings = Surroundings(contexts, self.shared, self.more[:count])
        return lambda candidate, number: surroundings.are_strange(candidate, self.more[number])

    def _locators(self, contexts: Sequence[ExampleContext]) -> list[Locator]:
        if self.shape is ValueShape.TEXT:
            return scalar_locators(contexts, self.shared)
        return [one for one in list_locators(contexts, self.shared) if not one.without or self._are_no_items(one)]

    def _are_no_items(self, locator: Locator) -> bool:
        """Say whether the texts that a list leaves out stand in most further lists: else a person left an item out."""
        everything = replace(locator, without=())
        lists = [values for page in self.more if (values := everything.every(page))]
        left_out = [locator.cut.apply(text) or text for text in locator.without]
        return all(sum(text in values for values in lists) >= len(lists) / 2 for text in left_out)
