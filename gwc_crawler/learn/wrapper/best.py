"""Learning in the best mode: for each field candidates that fit every sample, ranked on further pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import chain
from typing import Any

from gwc_crawler.extract import NO_AFFIXES, UNREAD, UNSEEN, BestRule, Finder, PageView, RecordsRule
from gwc_crawler.extract.fields import kind_of, squeeze, value_key
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.learn.places import (
    NEXT_TEXT,
    as_shown,
    fitting_reading,
    stands_on,
)
from gwc_crawler.learn.texts import ExampleContext, LearnPage, Shared
from gwc_crawler.learn.wrapper.extent import (
    above_the_closing,
    as_much_as_asked,
    in_their_section,
    longer_first,
    outside_of_parts,
    value_in_its_section,
    with_their_rest,
)
from gwc_crawler.learn.wrapper.finders import by_their_items, list_finders, mended, near_list_finders, scalar_finders
from gwc_crawler.learn.wrapper.judging import (
    RIGHT_KIND,
    ChosenFinders,
    at_its_label,
    by_its_name,
    calls,
    is_hidden,
    may_be_left_out,
    met_once,
    rarely_told,
    under_its_class,
    under_its_heading,
    under_its_name,
)
from gwc_crawler.learn.wrapper.other_fields import before_other_fields
from gwc_crawler.learn.wrapper.ranking import (
    all_of_its_box,
    among_the_others,
    as_another_heading,
    as_it_should_be,
    by_other_spellings,
    choose_in_turn,
    in_another_element,
    in_another_layout,
    in_its_labels_line,
    items_elsewhere,
    kept_to_their_field,
    later_in_its_section,
    names_in_urls,
    nearest_to_the_page,
    told_by_what_they_say,
    with_its_label_inside,
)
from gwc_crawler.learn.wrapper.records import learn_records_rule
from gwc_crawler.learn.wrapper.samples import SamplePages, SampleView, most_telling_first, shape_of, values_inside
from gwc_crawler.learn.wrapper.surroundings import Surroundings

SELDOM = 0.4
"""A field that every sample has and that is found on a smaller share of further pages has several layouts."""
LEFT_OUT_COVERAGE, LEFT_OUT_KIND, LEFT_OUT_PAGES = 0.9, 0.7, 10
"""They do where something else finds it on so many pages, so far of its kind, with so many pages to look at."""
UNREAD_PAGES, UNREAD_COVERAGE = 3, 0.7
"""Where what was chosen is silent on a sample and on so many further pages, what reads these has to find so many."""
MOST_UNSEEN = 0.3
"""A field of which a greater share of values stands only in what a browser does not show is looked for there, too."""
SHARED_PAGES = 6
"""Further pages that count, with the samples, for what pages have in common."""


class BestLearner:
    """Holds the parsed samples and further pages while the fields are learned one after the other.

    Args:
        pages: the samples' pages, as they were read.
        left_out: elements whose text is not looked at.
    """

    def __init__(
        self,
        samples: Sequence[SampleView],
        more: Sequence[PageView],
        pages: SamplePages,
        left_out: frozenset[str] = UNSEEN,
    ) -> None:
        self._given, self.field = (samples, more, pages, left_out), ""
        self.samples = [(pages.indexed(sample.page, left_out), sample.fields) for sample in samples]
        telling = most_telling_first(more, [sample.page for sample in samples], SHARED_PAGES)
        self.more = [LearnPage(page, None) for page in telling]  # type: ignore[arg-type]
        for page in self.more[:SHARED_PAGES]:
            page.index = LearnPage.of(page.page, left_out).index
        values = [value for _, fields in self.samples for value in fields.values()]
        single = {value for value in values if isinstance(value, str)}
        listed = {*values_inside([value for value in values if isinstance(value, list)])} - single
        indexes = [page.index for page in (*(page for page, _ in self.samples), *self.more[:SHARED_PAGES])]
        further = [page.page.tree for page in self.more[SHARED_PAGES:]]
        self._of_all = self.shared = Shared(indexes, values_inside(values), listed, further)

    @cached_property
    def _behind(self) -> BestLearner:
        """The same learner, for values in what only readers without scripts are shown."""
        samples, more, pages, _ = self._given
        return BestLearner(samples, more, pages, UNREAD)

    def learn(self, name: str) -> tuple[Any, dict[str, Any]] | None:
        """The rule of one field with its evidence; None where no candidate fits the samples."""
        if self._given[3] == UNSEEN and self._unseen_share(name) > MOST_UNSEEN:
            return self._behind.learn(name)
        self.field, contexts = name, [ExampleContext(page, fields.get(name)) for page, fields in self.samples]
        values = values_inside([one.wanted for one in contexts])
        self.shared = self._of_all.with_values(values, partial(calls, name))
        is_text = (shape := shape_of(contexts)) is ValueShape.TEXT
        if shape is ValueShape.RECORDS:
            return self._records(name, contexts)
        required = not any(one.empty for one in contexts)
        having, more = [one.at.page for one in contexts if not one.empty], [page.page for page in self.more]
        choices: list[tuple[ChosenFinders, int]] = []
        if finders := self._finders(shape, contexts):
            choice = self._choose(shape, finders, contexts)
            if not required:
                named = under_its_heading(name, choice.finders[0], [*finders, *self._anywhere(shape, contexts)], more)
            else:
                named = at_its_label(name, choice.finders[0], finders, more, self._twins(name)) if is_text else []
            if is_text and not named:
                named = among_the_others(name, choice.finders[0], finders, self.samples, more, self._twins(name))
            choice = self._choose(shape, named, contexts) if named else choice
            if is_text:
                choice.finders = as_much_as_asked(name, choice.finders, finders, contexts, more)
            choices.append((choice, len(contexts)))
        if is_text and not required and may_be_left_out(choices[0][0] if choices else None):
            known = rarely_told(choices[0][0], more) if choices else []
            choices = [(one, len(having)) for one in self._found_everywhere(contexts, known)] or choices
        seldom = bool(choices) and choices[0][0].evidence["coverage"] < SELDOM
        if not choices or (seldom and required):
            choices += self._partial_choices(shape, contexts, named=bool(choices))
        if finders and required and all(one.family is Family.STRUCTURED for one in finders):
            choices += self._layout_choices(shape, contexts)
        if not choices or (not finders and shape is ValueShape.LIST and self._is_chance(*choices[0])):
            choices = self._near_choices(shape, contexts) or choices
        if not choices:
            return None
        evidence = choices[0][0].evidence | {"samples": abs(choices[0][1]), "of": len(contexts)}
        chosen = list(dict.fromkeys(one for choice, _ in choices for one in choice.finders))
        read, kind = Finder.first if is_text else Finder.every, lambda value: 1.0
        samples = [page.page for page, _ in self.samples]
        if is_text:
            around, best, wanted = (
                self._surroundings(contexts),
                chosen[0],
                [one.wanted for one in contexts if not one.empty],
            )
            kind = kind_of(wanted)
            own_label = around.own_label(best)
            chosen = kept_to_their_field(chosen, wanted, own_label, lambda: around.labels_beside(best))
            chosen = in_its_labels_line(chosen, own_label, wanted, having, more, kind)
            given = [(page.page, fields) for page, fields in self.samples]
            chosen = told_by_what_they_say(before_other_fields(name, chosen, given, more), contexts, more)
            chosen = nearest_to_the_page(name, chosen, contexts, more)
            chosen += in_another_element(chosen[0], [(page, None) for page in [*samples, *more]], kind)
            chosen += all_of_its_box(chosen[0], [*samples, *more], kind)
            chosen = as_another_heading(name, chosen, having, more) if required else chosen
        else:
            chosen = items_elsewhere(chosen, contexts, more)
            chosen += later_in_its_section(chosen, read, more)
        chosen = with_their_rest(chosen, contexts, [(page, None) for page in more])
        chosen = value_in_its_section(name, chosen, having, more)
        lists = [] if is_text else [one for one in finders if isinstance(one, Finder)]
        chosen += with_its_label_inside(chosen[0], read, more, kind) + by_other_spellings(chosen, read, more, lists)
        chosen += under_its_name(name, chosen, read, samples, more)
        chosen += under_its_class(name, chosen, finders, read, more)
        chosen = outside_of_parts(chosen, contexts, more) if is_text else chosen
        return BestRule(shape, tuple(chosen)), evidence

    def _records(self, name: str, contexts: Sequence[ExampleContext]) -> tuple[Any, dict[str, Any]] | None:
        found = learn_records_rule(contexts, self.shared, self.more, self._doubt(contexts))
        if found is None:
            return None
        rule, evidence = found
        pages = [page.page for page in self.more]
        ways = by_its_name(name, rule.ways, pages)
        given = [one.at.page for one in contexts if not one.empty]
        best, *others = in_their_section(name, ways, given, pages)
        rows = [way.rows for way in (best, *others)]

        def read(one: Finder, page: PageView) -> Any:
            return best.with_rows(one).read(page)

        also = [*later_in_its_section(rows, read, pages), *by_other_spellings(rows, read, pages)]
        return RecordsRule((best, *others, *map(best.with_rows, also))), evidence

    def _unseen_share(self, name: str) -> float:
        """The share of a field's texts that stand in nothing a browser shows, nor in structured data."""
        texts = [(page, text) for page, fields in self.samples for text in values_inside(fields.get(name))]
        unseen = [(page, text) for page, text in texts if squeeze(text) not in page.index.text]
        if len(unseen) <= MOST_UNSEEN * len(texts):
            return 0.0
        return sum(not stands_on(text, page) for page, text in unseen) / len(texts)

    def _found_everywhere(
        self, contexts: Sequence[ExampleContext], told: Sequence[tuple[PageView, str]]
    ) -> list[ChosenFinders]:
        """What nearly all pages show of a field, the samples without it included: there a person just left it out.

        Asked where what keeps silent on these is hardly ever found. [] if it gives another field's value there, or says
        something else than what is *told* on a few pages.
        """
        given = [one for one in contexts if not one.empty]
        finders = self._finders(ValueShape.TEXT, given) if len(self.more) >= LEFT_OUT_PAGES else []
        if not finders:
            return []
        choice = self._choose(ValueShape.TEXT, finders, given)
        best = choice.finders[0]
        unsaid = [best.first(one.at.page) for one in contexts if one.empty]
        found = [value for page in self.more if (value := best.first(page.page)) is not None]
        known = {squeeze(text) for _, fields in self.samples for text in values_inside(list(fields.values()))}
        if is_hidden(best) or None in unsaid or any(squeeze(value) in known for value in unsaid if value):
            return []
        kind = kind_of([one.wanted for one in given])
        alike = sum(map(kind, map(value_key, found))) >= LEFT_OUT_KIND * len(found)
        often = len(found) >= LEFT_OUT_COVERAGE * len(self.more) and len(set(found)) > 1
        return [choice] if alike and often and all(best.first(page) == value for page, value in told) else []

    def _partial_choices(
        self, shape: ValueShape, contexts: Sequence[ExampleContext], *, named: bool
    ) -> list[tuple[ChosenFinders, int]]:
        """Candidates that are right on one sample and find nothing on the others: the site has several layouts.

        Args:
            named: take structured data only, which names what it gives: the field may as well be a rare one. Not a
                part of what it gives: with one sample to fit, the first word of a text is a country by chance.
        """
        present = [one for one in contexts if not one.empty]
        for others_silent in (True, False):
            choices = []
            for one in present:
                rest = (
                    [ExampleContext(other.at, None) for other in contexts if other is not one] if others_silent else []
                )
                finders = self._finders(shape, [one, *rest])
                if finders := [finder for finder in finders if not named or _is_named_whole(finder)]:
                    choice = self._choose(shape, finders, [one], rest)
                    choices.append((ChosenFinders(choice.finders[:2], choice.evidence), 1))
            if choices:
                choices.sort(key=lambda pair: -pair[0].evidence["coverage"] - pair[0].evidence["agreement"])
                unread = [] if named or len(present) < len(contexts) else self._unread_choices(shape, choices, present)
                return [*choices, *unread] if others_silent else [(choices[0][0], -1)]
        return []

    def _unread_choices(
        self, shape: ValueShape, choices: Sequence[tuple[ChosenFinders, int]], contexts: Sequence[ExampleContext]
    ) -> list[tuple[ChosenFinders, int]]:
        """What is right on a sample that none of the *choices* reads, and finds such values where they find none.

        Where they speak it may give something else: the first paragraph of a box, where "Bases:" stands at times. Whole
        texts alone: a part of one may be mistyped.
        """
        reads, read = self._reader(shape), Finder.first if shape is ValueShape.TEXT else Finder.every
        finders = [finder for choice, _ in choices for finder in choice.finders]
        found, is_part = list[tuple[ChosenFinders, int]](), any(one.cut != NO_AFFIXES for one in finders)
        silent = [n for n in range(len(self.more)) if all(not reads(finder, n) for finder in finders)]
        for one in contexts:
            if is_part or any(read(finder, one.at.page) for finder in finders) or len(silent) < UNREAD_PAGES:
                continue
            there = copy(self)
            there.more = [self.more[n] for n in silent]
            reading = NO_AFFIXES, finders[0].read
            more = [other for other in there._finders(shape, [one]) if (other.cut, other.read) == reading]
            if more:
                ranked_on = there._reader(shape), len(there.more), [one.wanted], there._doubt([one])
                choice = choose_in_turn(more, [], *ranked_on)
                values = [value for page in there.more if (value := read(choice.finders[0], page.page))]
                kind = kind_of([other.wanted for other in contexts])
                alike = sum(map(kind, map(value_key, values))) >= RIGHT_KIND * len(values)
                if alike and len(values) >= UNREAD_COVERAGE * len(there.more):
                    found.append((ChosenFinders(choice.finders[:1], choice.evidence), 1))
        return found

    def _layout_choices(self, shape: ValueShape, contexts: Sequence[ExampleContext]) -> list[tuple[ChosenFinders, int]]:
        """What layouts give where only data fit all samples: near on all, or right on one and silent on the rest."""
        choices = self._near_choices(shape, contexts)
        for one in contexts:
            rest = [ExampleContext(other.at, None) for other in contexts if other is not one]
            if finders := [
                finder for finder in self._finders(shape, [one, *rest]) if finder.family is not Family.STRUCTURED
            ]:
                choice = self._choose(shape, finders, [one])
                choices.append((ChosenFinders(choice.finders[:1], choice.evidence), 1))
        return choices

    def _is_chance(self, choice: ChosenFinders, samples: int) -> bool:
        """Whether what fits a single sample gives something else on the others, or nothing on any further page.

        A tag stands in a paragraph, too, and the other sample's tags are given in another order than the page's.
        """
        return samples < 0 or (bool(self.more) and choice.evidence["coverage"] == 0)

    def _near_choices(self, shape: ValueShape, contexts: Sequence[ExampleContext]) -> list[tuple[ChosenFinders, int]]:
        """The address that comes nearest to a list that none gives exactly."""
        near = near_list_finders(contexts, self.shared) if shape is ValueShape.LIST else []
        if not near:
            return []
        choice = self._choose(shape, [finder for likeness, finder in near if likeness >= near[0][0] - 0.02], contexts)
        return [(ChosenFinders(choice.finders[:1], choice.evidence | {"exact": round(near[0][0], 3)}), len(contexts))]

    def _choose(
        self,
        shape: ValueShape,
        finders: Sequence[Finder],
        contexts: Sequence[ExampleContext],
        silent: Sequence[ExampleContext] = (),
    ) -> ChosenFinders:
        """The best finders as they should read; on the *silent* samples, of other layouts, they find nothing."""
        after_labels = [one for one in finders if getattr(one, "path", "").endswith(NEXT_TEXT)]
        wanted, called = [one.wanted for one in contexts], names_in_urls(self.field, contexts, self.more)
        ranked_on = self._reader(shape), len(self.more), wanted, self._doubt(contexts), called, self.field
        choice = choose_in_turn(finders, after_labels, *ranked_on)
        finders = [one for one in finders if one not in after_labels] or finders
        pages = [page.page for page in self.more]
        if shape is ValueShape.TEXT:
            further = [(page, None) for page in pages]
            choice.finders = met_once(choice.finders, finders, [one.at.page for one in contexts], pages, self.field)
            choice.finders = longer_first(choice.finders, finders, contexts, pages)
            choice.finders = [fitting_reading(one, contexts, further) for one in choice.finders]
            having = [one.at.page for one in contexts if not one.empty]
            choice.finders = [above_the_closing(one, having, pages) for one in choice.finders]
            choice.finders = as_shown(choice.finders, contexts, further)
            choice.finders = mended(choice.finders, [*contexts, *silent], further, self.field)
            choice.finders += in_another_layout(choice.finders, after_labels, kind_of(wanted), pages)
        elif shape is ValueShape.LIST and self.more:
            given = [items or () for items in wanted]
            choice.finders = as_it_should_be(choice.finders, finders, pages, self._doubt(contexts), given=given)
            choice.finders = by_their_items(choice.finders, contexts, pages)
        return choice

    def _twins(self, name: str) -> list[str]:
        """The other fields that have a field's values on all samples, as a thing and its source may be called alike."""
        fields = [given for _, given in self.samples]
        return [
            other
            for other in dict.fromkeys(chain.from_iterable(fields))
            if other != name and all(value_key(one.get(other)) == value_key(one.get(name)) for one in fields)
        ]

    def _doubt(self, contexts: Sequence[ExampleContext]) -> Callable[[Any, int], bool]:
        surroundings = self._surroundings(contexts)
        return lambda candidate, number: surroundings.are_strange(candidate, self.more[number])

    def _surroundings(self, contexts: Sequence[ExampleContext]) -> Surroundings:
        count = len(self.more) if shape_of(contexts) is ValueShape.TEXT else SHARED_PAGES
        return Surroundings(contexts, self.shared, [page.page for page in self.more[:count]])

    def _finders(self, shape: ValueShape, contexts: Sequence[ExampleContext]) -> list[Finder]:
        find = scalar_finders if shape is ValueShape.TEXT else list_finders
        return find(contexts, self.shared)

    def _anywhere(self, shape: ValueShape, contexts: Sequence[ExampleContext]) -> list[Finder]:
        """The cheapest finders of a list with a single item: a page may name that often."""
        if shape is not ValueShape.LIST or any(len(one.wanted) > 1 for one in contexts if not one.empty):
            return []
        return list_finders(contexts, self.shared, cheapest=True)

    def _reader(self, shape: ValueShape) -> Any:
        def read(finder: Finder, number: int) -> Any:
            page = self.more[number].page
            return finder.first(page) if shape is ValueShape.TEXT else finder.every(page)

        return read


def _is_named_whole(finder: Finder) -> bool:
    """Whether structured data have the value as it stands."""
    return finder.family is Family.STRUCTURED and finder.cut == NO_AFFIXES
