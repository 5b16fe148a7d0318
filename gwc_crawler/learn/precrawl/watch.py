"""When has a pre-crawl seen enough? When the decision stays as it is while pages come, and nothing is left to look at.

Now and then the decision is drafted from what has been fetched: the URL filters alone, without a wrapper. Drafts that
take and reach the same URLs over some hundred pages, directories followed, each form of the URLs that are taken looked
at: more pages would hardly change it. What might is named, so that it is fetched next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import overlap
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.precrawl.draft import FilterDraft, FoundTargets, Links
from gwc_crawler.learn.precrawl.parts import missing_looks, unlooked_places
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms
from gwc_crawler.learn.precrawl.versions import unjudged_versions
from gwc_crawler.learn.result import find_sample_pages
from gwc_crawler.learn.targets.directories import choose_ways
from gwc_crawler.learn.targets.link_graph import LinkGraph
from gwc_crawler.learn.targets.survey import Survey, survey_pages
from gwc_crawler.learn.targets.targets import choose_targets
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.traits.known import KnownTraits
from gwc_crawler.urls import normalize_url

FIRST_LOOK = 150
STEP = 50
GROWTH = 0.15
"""The first draft is made from so many pages, the next one STEP or this share of the pages later."""
FIRST_SHARE = 2 / 3
LEAST_LOOK = 20
"""Where few pages are fetched at most, the first draft is made from this share of them: what it names is still fetched.
From fewer than LEAST_LOOK none is made."""

SPAN = 200
SPAN_SHARE = 0.3
"""Drafts have to agree over so many pages, or over this share of them. With 150, and a first look at 100 pages, 350
pages become 250 in the median, but `python -m tests.eval.targets qt/class ysrnry --kind random` loses precision and
recall."""
SAME_TARGETS = 0.99
SAME_REACHED = 0.97
"""Drafts agree which share so much of the targets they know, and of those they reach."""
FOLLOWED = 3
"""A directory class is followed when so many of its pages were fetched, or none waits."""
UNFOLLOWED = 0.05
"""So many of the directories' URLs may be of classes that are not followed."""
OVERLOOKED = 0.01
"""So many of the URLs that are taken may have a form of which no page was looked at."""
WANTED = 40
"""So many URLs are named at most to be looked at."""


def next_look(pages: int, most: int | None = None) -> int:
    """Return how many pages there are at the first draft from more than *pages*, where *most* are fetched at most.

    >>> next_look(0), next_look(150), next_look(999), next_look(0, most=150)
    (150, 200, 1068, 100)
    """
    look = FIRST_LOOK if most is None else min(FIRST_LOOK, max(LEAST_LOOK, round(most * FIRST_SHARE)))
    while look <= pages:
        look += max(STEP, round(look * GROWTH))
    return look


@dataclass(frozen=True, slots=True)
class Look:
    """What a draft showed.

    `doubt` says why more pages are needed, "" where the decision is stable; `wanted` names some that may settle it;
    `since` is from how many pages on the drafts agree; 0 where they do not, or something has to be looked at.
    """

    draft: FilterDraft
    doubt: str
    wanted: tuple[str, ...] = ()
    since: int = 0


@dataclass(frozen=True, slots=True)
class _Unseen:
    """What is known and was not looked at: URLs by form of targets, by part of them (see `parts`), by place that the
    filters refuse (see `moved`), by key that may be a session's, by directory."""

    overlooked: Mapping[Form, Sequence[str]]
    parts: Mapping[str, Sequence[str]]
    moved: Mapping[Form, Sequence[str]]
    versions: Mapping[str, Sequence[str]]
    unfollowed: Mapping[str, Sequence[str]]

    @property
    def urls(self) -> list[Sequence[str]]:
        """Those that should be looked at, in groups, but for the pairs of versions."""
        first_ones = [urls[0] for urls in self.overlooked.values()]
        return [*self.parts.values(), *self.moved.values(), *self.unfollowed.values(), first_ones]

    def doubt(self, targets: int, directories: int) -> str:
        """Say what has to be looked at before the decision counts; "" where nothing has."""
        if _count(self.overlooked) > OVERLOOKED * targets:
            example = next(iter(self.overlooked.values()))[0]
            return f"targets of {len(self.overlooked)} forms were not looked at, such as {example}"
        if self.parts:
            return _too_few(self.parts)
        if self.moved:
            example = next(iter(self.moved.values()))[0]
            return f"in {len(self.moved)} other places hardly a page was looked at, such as {example}"
        if self.versions:
            return f"it is open whether {', '.join(sorted(self.versions))} in URLs means anything"
        if _count(self.unfollowed) > UNFOLLOWED * directories:
            example = next(iter(self.unfollowed))
            return f"{len(self.unfollowed)} classes of directories were not followed, such as {example}"
        return ""


@dataclass
class StabilityWatch:
    """Drafts the decision again and again; `drafts` are the earlier ones, those of an earlier run, too.

    Cost: parses each page once, and groups all URLs anew each time: about half a second for 400 pages.
    """

    task: LearnTask
    drafts: list[FilterDraft] = field(default_factory=list)
    traits: KnownTraits = field(default_factory=KnownTraits)
    _named: set[str] = field(default_factory=set)
    _judged: set[str] = field(default_factory=set)

    def look(self, pages: Sequence[StoredPage]) -> Look:
        """Draft from *pages*, and compare with the drafts before."""
        survey = survey_pages(pages, self.traits)
        try:
            draft, unfollowed = self._draft(survey, len(pages))
        except LearnError as error:
            self.drafts.append(FilterDraft(len(pages)))
            return Look(self.drafts[-1], str(error))
        earlier = _compared_with(self.drafts, len(pages))
        self.drafts.append(draft)
        links = Links(pages)
        now, before = links.seen_by(draft), [links.seen_by(one) for one in earlier]
        versions = unjudged_versions(links.urls, {*self._judged, *survey.ignored_evidence})
        parts, moved = self._parts(links, draft, now), self._moved(links, draft)
        unseen = _Unseen(self._overlooked(links, now), parts, moved, versions, unfollowed)
        differing = frozenset[str]().union(*(one.known ^ now.known for one in before))
        pairs = [url for urls in versions.values() for url in urls]
        others = _in_turns([*unseen.urls, sorted(url for url in differing if url not in links.pages)])
        wanted = tuple(dict.fromkeys([*pairs, *others]))[:WANTED]
        self._judged.update(versions)
        self._named.update(wanted)
        spelled = links.spelled(draft, wanted)
        if doubt := _disagreement(earlier, before, now):
            return Look(draft, doubt, spelled)
        since = earlier[0].pages if earlier else len(pages)
        if not any(one.pages <= len(pages) - _span(len(pages)) for one in earlier):
            return Look(draft, f"it has not stood for {_span(len(pages)):.0f} pages yet", spelled, since)
        doubt = unseen.doubt(len(now.known), sum(draft.is_directory(url) for url in links.urls))
        return Look(draft, doubt, spelled, 0 if doubt else since)

    def unseen_parts(self, pages: Sequence[StoredPage], draft: FilterDraft) -> tuple[str, tuple[str, ...]]:
        """Say of which parts of the targets of *draft* too few were looked at, "" for none; and which are to be."""
        links = Links(pages)
        parts = self._parts(links, draft, links.seen_by(draft))
        wanted = tuple(_in_turns(parts.values()))[:WANTED]
        self._named.update(wanted)
        return _too_few(parts) if parts else "", links.spelled(draft, wanted)

    def _draft(self, survey: Survey, pages: int) -> tuple[FilterDraft, dict[str, list[str]]]:
        """Return the draft, and of directory classes that were not followed the URLs that wait.

        Raises:
            LearnError: no class can be the target.
        """
        samples = find_sample_pages(self.task, survey.pages, survey.by_url, survey.clean)
        targets = choose_targets(self.task, survey, [page for page, _ in samples])
        targets.look_for_forwards(survey)
        graph = LinkGraph(survey, targets.filters, by_keywords=bool(self.task.keywords))
        directories = choose_ways(graph, targets.filters, targets.aliases, self.task.max_weight)[0].groups
        draft = FilterDraft(
            pages,
            tuple(regex for group in targets.filters for regex in group.regexes),
            tuple(regex for group in directories for regex in group.regexes),
            survey.ignored_query_keys,
            survey.ignored_segments,
        )
        done = self._named.union(survey.by_url)
        waiting = {
            group.regexes[0]: [row.url for row in group.rows if row.url not in done]
            for group in directories
            if len(group.pages) < FOLLOWED
        }
        return draft, {regex: urls for regex, urls in waiting.items() if urls}

    def _parts(self, links: Links, draft: FilterDraft, now: FoundTargets) -> dict[str, list[str]]:
        """Return of parts of the targets too few of which were looked at the URLs that are to be."""
        clean = {url: draft.clean(url) for url in links.urls}
        return missing_looks(now.known, self._samples(draft), links, clean, self._seen(links, draft))

    def _moved(self, links: Links, draft: FilterDraft) -> dict[Form, list[str]]:
        """Return of places where URLs would be targets but for their directories those that are to be looked at."""
        known = dict.fromkeys(map(draft.clean, links.urls))
        return unlooked_places(known, self._samples(draft), draft, self._seen(links, draft))

    def _seen(self, links: Links, draft: FilterDraft) -> set[str]:
        """The clean URLs that were looked at, or asked for."""
        return self._named.union(map(draft.clean, links.pages))

    def _samples(self, draft: FilterDraft) -> list[str]:
        return [draft.clean(normalize_url(url) or url) for url, _ in self.task.samples]

    def _overlooked(self, links: Links, now: FoundTargets) -> dict[Form, list[str]]:
        """Return the forms among the targets of which nothing was looked at, and their URLs."""
        forms = UrlForms()
        for url in (*now.known, *links.pages):
            forms.of(url)
        seen = {forms.of(url)[1] for url in (*links.pages, *self._named)}
        missing: dict[Form, list[str]] = {}
        for url in sorted(now.known):
            if (form := forms.of(url)[1]) not in seen:
                missing.setdefault(form, []).append(url)
        return missing


def _too_few(parts: Mapping[str, Sequence[str]]) -> str:
    return f"of some parts of the targets too few were looked at, such as {next(iter(parts))}"


def _compared_with(drafts: Sequence[FilterDraft], pages: int) -> list[FilterDraft]:
    """Return the last of the earlier drafts, and those half the span and the whole span ago; fewer if it is too early.

    What lies between is not compared: who disagreed then, and agrees again, has seen nothing new.
    """
    old_enough = ([one for one in drafts if one.pages <= pages - share * _span(pages)] for share in (1, 0.5, 0))
    return list({some[-1].pages: some[-1] for some in old_enough if some}.values())


def _span(pages: int) -> float:
    return max(SPAN, SPAN_SHARE * pages)


def _disagreement(earlier: Sequence[FilterDraft], before: Sequence[FoundTargets], now: FoundTargets) -> str:
    """Say which of the drafts before sees it otherwise; "" where they agree."""
    for one, found in zip(reversed(earlier), reversed(before), strict=True):
        known = overlap(found.known, now.known, of_nothing=1.0)
        reached = overlap(found.reached, now.reached, of_nothing=1.0)
        if known < SAME_TARGETS:
            return f"{one.pages} pages showed other targets ({known:.0%} the same)"
        if reached < SAME_REACHED:
            return f"{one.pages} pages showed other ways to the targets ({reached:.0%} reached as well)"
    return ""


def _count(groups: Mapping[Any, Sequence[str]]) -> int:
    return sum(map(len, groups.values()))


def _in_turns(queues: Iterable[Sequence[str]]) -> Iterator[str]:
    """One of each queue in turns."""
    return (url for turn in zip_longest(*queues) for url in turn if url is not None)
