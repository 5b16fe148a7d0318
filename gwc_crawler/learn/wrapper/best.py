"""Learning in the best mode: for each field candidates that fit every sample, ranked on further pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.fields import same_value, squeeze
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.nodes import UNREAD, UNSEEN
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.records_rule import RecordsRule
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.learn.degrees import A_HANDFUL, FEW, HALF, HARDLY_ANY, MANY, MOST
from gwc_crawler.learn.places.places import stands_on
from gwc_crawler.learn.places.steps import labels_in
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.wrapper.locators.affixes import mended
from gwc_crawler.learn.wrapper.locators.extent import going_on
from gwc_crawler.learn.wrapper.locators.lists import list_locators, near_list_locators
from gwc_crawler.learn.wrapper.locators.scalars import scalar_locators
from gwc_crawler.learn.wrapper.ranking.candidates import ChosenLocators, weight
from gwc_crawler.learn.wrapper.ranking.finer import as_it_should_be, beginning_first, is_named
from gwc_crawler.learn.wrapper.ranking.named import calls, letters, under_its_name
from gwc_crawler.learn.wrapper.ranking.rank import choose, names_in_urls
from gwc_crawler.learn.wrapper.records.rule import learn_records_rule
from gwc_crawler.learn.wrapper.samples import SamplePages, SampleView, most_telling_first, shape_of, values_inside
from gwc_crawler.learn.wrapper.sections import in_their_section
from gwc_crawler.learn.wrapper.surroundings import Surroundings
from gwc_crawler.page.text import text_weight

LONG = 80
"""Letters of a text that a person may leave out of a sample."""
BETTER, MUCH_BETTER = 1.25, 2.0
"""Factor by which the evidence of locators that find it there must be higher than that of those silent on the sample:
if these find it hardly anywhere, and on more pages."""
ENDING = 12
"""Last letters of a value that tell it from others; a shorter value counts as a whole: "no" stands in "Notice"."""


class BestLearner:
    """Holds the parsed samples and further pages while the fields are learned one after the other.

    Args:
        pages: the samples' pages, as they were read.
        left_out: elements whose text is ignored.
    """

    def __init__(
        self,
        samples: Sequence[SampleView],
        more: Sequence[PageView],
        pages: SamplePages,
        left_out: frozenset[str] = UNSEEN,
    ) -> None:
        self._left_out, self.field = left_out, ""
        self._behind = cache(lambda: BestLearner(samples, more, pages, UNREAD))
        self.samples = [(pages.indexed(sample.page, left_out), sample.fields) for sample in samples]
        telling = most_telling_first(more, [sample.page for sample in samples], A_HANDFUL)
        self.more = [LearnPage.of(page, left_out) for page in telling[:A_HANDFUL]]
        self.more += [LearnPage(page, None) for page in telling[A_HANDFUL:]]  # type: ignore[arg-type]
        values = [value for _, fields in self.samples for value in fields.values()]
        single = {value for value in values if isinstance(value, str)}
        listed = {*values_inside([value for value in values if isinstance(value, list)])} - single
        indexes = [page.index for page in (*(page for page, _ in self.samples), *self.more[:A_HANDFUL])]
        further = [page.page.tree for page in self.more[A_HANDFUL:]]
        self._of_all = self.shared = Shared(indexes, values_inside(values), listed, further)

    def learn(self, name: str) -> tuple[Any, dict[str, Any]] | None:
        """Return the rule of one field with its evidence; None where no candidate fits the samples."""
        if self._left_out == UNSEEN and self._unseen_share(name) > FEW:
            return self._behind().learn(name)  # the values are in text that only readers without scripts are shown
        self.field, contexts = name, [ExampleContext(page, fields.get(name)) for page, fields in self.samples]
        values = list(values_inside([one.wanted for one in contexts]))
        self.shared = self._of_all.with_values(values, partial(calls, name))
        shape = shape_of(contexts)
        if shape is ValueShape.RECORDS:
            return self._records(name, contexts)
        samples, more = [page.page for page, _ in self.samples], [page.page for page in self.more]
        choices: list[ChosenLocators] = []
        if locators := self._locators(shape, contexts):
            choice = self._choose(shape, locators, contexts)
            if shape is ValueShape.TEXT:
                choice.locators = beginning_first(name, choice.locators, locators, samples, more)
            choices.append(choice)
        choices = self._left_out_by_hand(shape, contexts, choices) or choices
        required = not any(one.empty for one in contexts)
        choices = choices or self._near_choices(shape, contexts, right_once=True)
        if not choices or (required and choices[0].evidence["coverage"] < HALF):
            choices += self._partial_choices(shape, contexts, named=bool(choices))
        # A tag stands in a paragraph, too, and the other sample's tags are given in another order than the page's.
        is_chance = not locators and choices and (choices[0].refuted or (more and not choices[0].evidence["coverage"]))
        if not choices or is_chance:
            choices = self._near_choices(shape, contexts) or choices
        if not choices:
            return None
        chosen = list(dict.fromkeys(one for choice in choices for one in choice.locators))
        chosen += under_its_name(name, chosen, samples, more)
        return BestRule(shape, tuple(chosen)), choices[0].evidence | {"of": len(contexts)}

    def _left_out_by_hand(
        self, shape: ValueShape, contexts: Sequence[ExampleContext], choices: Sequence[ChosenLocators]
    ) -> list[ChosenLocators]:
        """Return locators that find a text on most pages, and on samples without it: people skip long texts.

        [] if locators silent on these samples are as good, or, for a shorter text, find it on some further pages: then
        the samples may well lack it.
        """
        present = [one for one in contexts if not one.empty]
        found = max((choice.evidence["coverage"] for choice in choices), default=0.0)
        if shape is not ValueShape.TEXT or len(present) == len(contexts) or len(self.more) < MANY:
            return []
        is_long = min(text_weight(one.wanted) for one in present) >= LONG
        if found > (MOST if is_long else HARDLY_ANY) or not (locators := self._locators(shape, present)):
            return []
        choice = self._choose(shape, locators, present)
        best = choice.locators[0]
        is_everywhere = all(best.first(one.at.page) for one in contexts)
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
        if locator.family in (Family.ID, Family.CLASS) and is_named(locator):
            read = [(text, locator.first(page.page)) for page in self.more if (text := other.first(page.page))]
            if read and all(text == mine for text, mine in read):
                return True
        return weight(locator) > times * weight(other)

    def _records(self, name: str, contexts: Sequence[ExampleContext]) -> tuple[Any, dict[str, Any]] | None:
        found = learn_records_rule(contexts, self.shared, self.more, self._doubt(contexts))
        if found is None:
            return None
        rule, evidence = found
        pages = [page.page for page in self.more]
        given = [one.at.page for one in contexts if not one.empty]
        return RecordsRule(tuple(in_their_section(name, rule.ways, given, pages))), evidence

    def _unseen_share(self, name: str) -> float:
        """Return the share of a field's texts that stand in nothing a browser shows, nor in structured data."""
        texts = [(page, text) for page, fields in self.samples for text in values_inside(fields.get(name))]
        unseen = [(page, text) for page, text in texts if squeeze(text) not in page.index.text]
        if len(unseen) <= FEW * len(texts):
            return 0.0
        return sum(not stands_on(text, page) for page, text in unseen) / len(texts)

    def _partial_choices(
        self, shape: ValueShape, contexts: Sequence[ExampleContext], *, named: bool
    ) -> list[ChosenLocators]:
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
                locators = self._locators(shape, [one, *rest])
                if named:
                    locators = [one for one in locators if one.family is Family.STRUCTURED and one.cut == NO_AFFIXES]
                if locators:
                    choice = self._choose(shape, locators, [one], rest)
                    choices.append(replace(choice, locators=choice.locators[:2], refuted=not others_silent))
                else:
                    left.append(one)
            if choices:
                choices.sort(key=lambda one: -one.evidence["coverage"] - one.evidence["agreement"])
                if others_silent and left and not named and (locators := self._locators(shape, left)):
                    choices.append(self._choose(shape, locators, left))
                return choices if others_silent else choices[:1]
        return []

    def _near_choices(
        self, shape: ValueShape, contexts: Sequence[ExampleContext], *, right_once: bool = False
    ) -> list[ChosenLocators]:
        """Return the address nearest to a list that none gives exactly: one item was left out, or moved.

        With *right_once* one that gives a sample's list exactly: else the samples may be of several layouts.
        """
        near = near_list_locators(contexts, self.shared) if shape is ValueShape.LIST else []
        if right_once:
            given = [(one.at.page, one.wanted) for one in contexts]
            near = [pair for pair in near if any(same_value(pair[1].every(page), wanted) for page, wanted in given)]
        if not near:
            return []
        choice = self._choose(shape, [locator for likeness, locator in near if likeness >= near[0][0] - 0.02], contexts)
        return [ChosenLocators(choice.locators[:1], choice.evidence | {"exact": round(near[0][0], 3)})]

    def _choose(
        self,
        shape: ValueShape,
        locators: Sequence[Locator],
        contexts: Sequence[ExampleContext],
        silent: Sequence[ExampleContext] = (),
    ) -> ChosenLocators:
        """Return the best locators as they should read; on *silent* samples, of other layouts, they find nothing."""
        pages, is_text = [page.page for page in self.more], shape is ValueShape.TEXT

        def read(locator: Locator, number: int) -> Any:
            return locator.first(pages[number]) if is_text else locator.every(pages[number])

        wanted, called = [one.wanted for one in contexts], names_in_urls(self.field, contexts, self.more)
        choice = choose(locators, read, len(pages), wanted, self._doubt(contexts), called, self.field)
        choice.evidence["samples"] = len(contexts)
        if is_text:
            further = [(page, None) for page in pages]
            choice.locators = [going_on(one, contexts, further) for one in choice.locators]
            choice.locators = mended(choice.locators, [*contexts, *silent], further)
        elif shape is ValueShape.LIST:
            choice.locators = as_it_should_be(choice.locators, locators, pages)
        return choice

    def _doubt(self, contexts: Sequence[ExampleContext]) -> Callable[[Any, int], bool]:
        count = len(self.more) if shape_of(contexts) is ValueShape.TEXT else A_HANDFUL
        surroundings = Surroundings(contexts, self.shared, [page.page for page in self.more[:count]])
        return lambda candidate, number: surroundings.are_strange(candidate, self.more[number])

    def _locators(self, shape: ValueShape, contexts: Sequence[ExampleContext]) -> list[Locator]:
        if shape is ValueShape.TEXT:
            return scalar_locators(contexts, self.shared)
        return [one for one in list_locators(contexts, self.shared) if not one.without or self._are_no_items(one)]

    def _are_no_items(self, locator: Locator) -> bool:
        """Say whether the texts that a list leaves out stand in most further lists: else a person left an item out."""
        everything = replace(locator, without=())
        lists = [values for page in self.more if (values := everything.every(page.page))]
        left_out = [locator.cut.apply(text) or text for text in locator.without]
        return all(sum(text in values for values in lists) >= len(lists) / 2 for text in left_out)
