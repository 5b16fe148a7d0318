"""Judge whether the pages fetched so far are enough: the drafts agree, and the learning is sure enough.

In: the pages of a pre-crawl, now and then. Out: a `Judgement`; the last one has what was learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, Sureness
from gwc_crawler.learn.precrawl.watch import FilterDraft, Judgement, StabilityWatch, next_look
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask


class Judge:
    """Judges one pre-crawl again and again; *drafts* are those of earlier judgements, also of an earlier run."""

    def __init__(self, task: LearnTask, drafts: Sequence[FilterDraft] = ()) -> None:
        self._task = task
        self._watch = StabilityWatch(task, list(drafts))
        self._refusals = 0

    def judge(self, pages: Sequence[StoredPage]) -> Judgement:
        """Judge whether *pages* are enough. Cost: that of `StabilityWatch.look`, and at the end that of learning."""
        if not self._watch.drafts:
            self._make_up_for(pages)
        look = self._watch.look(pages)
        if look.doubt:
            return look
        knowledge, doubt, wanted = self._learned(pages)
        since = 0 if doubt else look.since
        return replace(look, doubt=doubt, wanted=(*wanted, *look.wanted), since=since, knowledge=knowledge)

    def learn(self, pages: Sequence[StoredPage]) -> Knowledge:
        """Learn from *pages* however few they are; it counts as no look. Raises as `learn_site`."""
        return learn_site(self._task, pages, self._watch.traits)

    def forget(self) -> None:
        """Count no earlier draft: the pages are fetched anew."""
        self._watch = StabilityWatch(self._task)

    def _make_up_for(self, pages: Sequence[StoredPage]) -> None:
        in_order = sorted(pages, key=lambda page: page.fetched_at or 0.0)
        at = next_look(0)
        while at < len(pages):
            self._watch.look(in_order[:at])
            at = next_look(at)

    def _learned(self, pages: Sequence[StoredPage]) -> tuple[Knowledge | None, str, Sequence[str]]:
        """Learn from *pages*; also say why more pages may be needed all the same, and name their URLs."""
        try:
            knowledge = self.learn(pages)
        except LearnError:  # raised again when the pre-crawl is over, where a person sees it
            return None, "", ()
        if self._refusals == 2:  # then more pages do not help
            return knowledge, "", ()
        certainty = knowledge.evidence["certainty"]
        # with a wrapper the filters may take URLs that no draft took
        targets, directories = (tuple(one.regex for one in some) for some in (knowledge.targets, knowledge.directories))
        ignored = knowledge.ignored_query_keys, knowledge.ignored_segments
        filters = FilterDraft(len(pages), targets, directories, *ignored)
        unsure = certainty["because"] if certainty["targets"] == Sureness.UNSURE and certainty["settles"] else ""
        doubt, wanted = self._watch.unseen_parts(pages, filters)
        if not unsure and not doubt:
            return knowledge, "", ()
        self._refusals += 1
        return None, unsure or doubt, wanted
