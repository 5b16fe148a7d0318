"""Decide when a pre-crawl has seen enough: the decision stays the same while pages come, and nothing is unseen.

Now and then the decision is drafted from the pages fetched so far: the URL filters alone, without a wrapper. More
pages would hardly change it if drafts take and reach the same URLs over some hundred pages, directories were
followed, and each form of the taken URLs was looked at. URLs that might change it are named, to be fetched next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest

import msgspec

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import overlap
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, MANY, NEXT_TO_NONE, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.traits import KnownTraits
from gwc_crawler.learn.kinds.words import WordKind, words_of
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms
from gwc_crawler.learn.precrawl.versions import unjudged_versions
from gwc_crawler.learn.result import find_sample_pages
from gwc_crawler.learn.targets.directories import LinkGraph, choose_ways
from gwc_crawler.learn.targets.precrawl_index import PrecrawlIndex, index_precrawl
from gwc_crawler.learn.targets.targets import choose_targets
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.regex import pattern_of
from gwc_crawler.learn.urls.url_parts import common_start, row_of
from gwc_crawler.urls import UrlCleaner, normalize_url


@dataclass(frozen=True)
class FilterDraft:
    """The filters after `pages` pages, as regexes of whole URLs, and the parts of a URL that mean nothing."""

    pages: int
    targets: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    ignored_query_keys: tuple[str, ...] = ()
    ignored_segments: Mapping[str, str] = field(default_factory=dict)

    def is_target(self, url: str) -> bool:
        """Say whether a clean URL has the form of a target."""
        return self._target.fullmatch(url) is not None

    def is_directory(self, url: str) -> bool:
        """Say whether a clean URL has the form of a directory."""
        return self._directory.fullmatch(url) is not None

    @cached_property
    def clean(self) -> UrlCleaner:
        """Drops the ignored query keys and segments from a URL."""
        return UrlCleaner(self.ignored_query_keys, self.ignored_segments)

    @cached_property
    def _target(self) -> re.Pattern[str]:
        return pattern_of(self.targets)

    @cached_property
    def _directory(self) -> re.Pattern[str]:
        return pattern_of(self.directories)

    def to_json(self) -> str:
        """Return the draft as text, for `from_json`."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str) -> FilterDraft:
        """Read a draft from the text of `to_json`."""
        return msgspec.json.decode(text, type=cls)


@dataclass(frozen=True, slots=True)
class FoundTargets:
    """Clean URLs of targets: those that any page links to, and those that a crawl by the filters would come to."""

    known: frozenset[str]
    reached: frozenset[str]


class Links:
    """The links between pages, with URLs as the pages write them."""

    def __init__(self, pages: Sequence[StoredPage]) -> None:
        others = {address: page for page in pages for address in page.addresses}
        self.pages = others | {page.url: page for page in pages}
        self.urls = list(dict.fromkeys([*self.pages, *(link for page in pages for link in page.links)]))
        self._starts = [page.url for page in pages if page.depth == 0]

    def spelled(self, draft: FilterDraft, urls: Sequence[str]) -> tuple[str, ...]:
        """Return *urls* as links write them, session included; URLs that no link has are left out."""
        known = set(self.urls)
        missing = {url for url in urls if url not in known}
        spellings = {clean: url for url in self.urls if missing and (clean := draft.clean(url)) in missing}
        return tuple(found for url in urls if (found := url if url in known else spellings.get(url)))

    def seen_by(self, draft: FilterDraft) -> FoundTargets:
        """Find the targets of a draft. Cost: each URL is matched once, each link followed once."""
        clean = {url: draft.clean(url) for url in self.urls}
        targets = {url for url in self.urls if draft.is_target(clean[url])}
        reached = {url for url in targets if url in self._starts}
        waiting, seen = list(self._starts), set(self._starts)
        while waiting:
            page = self.pages[waiting.pop()]
            reached.update(link for link in page.links if link in targets)
            for link in page.links:
                is_admitted = link in targets or draft.is_directory(clean[link])
                if link in self.pages and link not in seen and is_admitted:
                    seen.add(link)
                    waiting.append(link)
        return FoundTargets(frozenset(clean[url] for url in targets), frozenset(clean[url] for url in reached))


# --- When the decision stays the same ---------------------------------------------------------------------------------


FIRST_LOOK = 150
STEP = 50
GROWTH = 0.15
"""The first draft is made at FIRST_LOOK pages, the next one STEP or this share of them later, whichever is more."""
FIRST_SHARE = 2 / 3
LEAST_LOOK = 20
"""Share of the page limit at which the first draft is made, if that is sooner: the URLs it names are still
fetched. LEAST_LOOK is the minimum number of pages for a draft."""

SPAN = 200
SPAN_SHARE = 0.3
"""Pages over which drafts have to agree, and the same as a share of all pages; the larger counts. With 150, and a
first look at 100 pages, 350 pages become 250 in the median, but
`python -m tests.eval.targets qt/class ysrnry --kind random` loses precision and recall."""
SAME_TARGETS = 0.99
SAME_REACHED = 0.97
"""Minimum shares of the known targets, and of the reached ones, that agreeing drafts have in common."""


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
class Judgement:
    """A judgement on `draft.pages` pages.

    `doubt` says why more pages are needed, "" if they are enough; `wanted` names URLs that may settle it. From `since`
    pages on the drafts agree; 0 if they do not, or a page has to be looked at.
    """

    draft: FilterDraft
    doubt: str
    wanted: tuple[str, ...] = ()
    since: int = 0
    knowledge: Knowledge | None = None
    """The result of learning where there is no doubt; None if nothing can be learned."""

    @property
    def next_at(self) -> int:
        """The number of pages at which the next look is due."""
        return next_look(self.draft.pages)


@dataclass(frozen=True, slots=True)
class _Unseen:
    """Known URLs that were not looked at: by form of targets, by part of the targets, by place that the
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
        """Return the reason why the decision does not count yet; "" for none."""
        overlooked, unfollowed = (sum(map(len, some.values())) for some in (self.overlooked, self.unfollowed))
        if overlooked > NEXT_TO_NONE * targets:
            example = next(iter(self.overlooked.values()))[0]
            return f"targets of {len(self.overlooked)} forms were not looked at, such as {example}"
        if self.parts:
            return _too_few(self.parts)
        if self.moved:
            example = next(iter(self.moved.values()))[0]
            return f"in {len(self.moved)} other places hardly a page was looked at, such as {example}"
        if self.versions:
            return f"it is open whether {', '.join(sorted(self.versions))} in URLs means anything"
        if unfollowed > SLIPS * directories:
            example = next(iter(self.unfollowed))
            return f"{len(self.unfollowed)} classes of directories were not followed, such as {example}"
        return ""


@dataclass
class StabilityWatch:
    """Drafts the decision again and again; `drafts` are the earlier ones, also those of an earlier run.

    Cost: parses each page once, and groups all URLs anew each time: about half a second for 400 pages.
    """

    task: LearnTask
    drafts: list[FilterDraft] = field(default_factory=list)
    traits: KnownTraits = field(default_factory=KnownTraits)
    _named: set[str] = field(default_factory=set)
    _judged: set[str] = field(default_factory=set)

    def look(self, pages: Sequence[StoredPage]) -> Judgement:
        """Draft from *pages*, and compare with the drafts before."""
        index = index_precrawl(pages, self.traits)
        try:
            draft, unfollowed = self._draft(index, len(pages))
        except LearnError as error:
            self.drafts.append(FilterDraft(len(pages)))
            return Judgement(self.drafts[-1], str(error))
        earlier = _compared_with(self.drafts, len(pages))
        self.drafts.append(draft)
        links = Links(pages)
        now, before = links.seen_by(draft), [links.seen_by(one) for one in earlier]
        versions = unjudged_versions(links.urls, {*self._judged, *index.ignored_evidence})
        clean = dict.fromkeys(map(draft.clean, links.urls))
        moved = unlooked_places(clean, self._samples(draft), draft, self._seen(links, draft))
        parts = self._parts(links, draft, now)
        unseen = _Unseen(self._overlooked(links, now), parts, moved, versions, unfollowed)
        differing = frozenset[str]().union(*(one.known ^ now.known for one in before))
        pairs = [url for urls in versions.values() for url in urls]
        others = _in_turns([*unseen.urls, sorted(url for url in differing if url not in links.pages)])
        wanted = tuple(dict.fromkeys([*pairs, *others]))[:ENOUGH]
        self._judged.update(versions)
        self._named.update(wanted)
        spelled = links.spelled(draft, wanted)
        if doubt := _disagreement(earlier, before, now):
            return Judgement(draft, doubt, spelled)
        since = earlier[0].pages if earlier else len(pages)
        span = max(SPAN, SPAN_SHARE * len(pages))
        if not any(one.pages <= len(pages) - span for one in earlier):
            return Judgement(draft, f"it has not stood for {span:.0f} pages yet", spelled, since)
        doubt = unseen.doubt(len(now.known), sum(draft.is_directory(url) for url in links.urls))
        return Judgement(draft, doubt, spelled, 0 if doubt else since)

    def unseen_parts(self, pages: Sequence[StoredPage], draft: FilterDraft) -> tuple[str, tuple[str, ...]]:
        """Say of which parts of the targets of *draft* too few pages were looked at, "" for none; name their URLs."""
        links = Links(pages)
        parts = self._parts(links, draft, links.seen_by(draft))
        wanted = tuple(_in_turns(parts.values()))[:ENOUGH]
        self._named.update(wanted)
        return _too_few(parts) if parts else "", links.spelled(draft, wanted)

    def _draft(self, index: PrecrawlIndex, pages: int) -> tuple[FilterDraft, dict[str, list[str]]]:
        samples = find_sample_pages(self.task, index.pages, index.by_url, index.clean)
        targets = choose_targets(self.task, index, [page for page, _ in samples])
        targets.look_for_forwards(index)
        graph = LinkGraph(index, targets.filters, by_keywords=bool(self.task.keywords))
        directories = choose_ways(graph, targets.filters, targets.aliases, self.task.max_weight)[0].groups
        draft = FilterDraft(
            pages,
            tuple(regex for group in targets.filters for regex in group.regexes),
            tuple(regex for group in directories for regex in group.regexes),
            index.ignored_query_keys,
            index.ignored_segments,
        )
        done = self._named.union(index.by_url)
        waiting = {
            group.regexes[0]: [row.url for row in group.rows if row.url not in done]
            for group in directories
            if len(group.pages) < SEVERAL
        }
        return draft, {regex: urls for regex, urls in waiting.items() if urls}

    def _parts(self, links: Links, draft: FilterDraft, now: FoundTargets) -> dict[str, list[str]]:
        clean = {url: draft.clean(url) for url in links.urls}
        return missing_looks(now.known, self._samples(draft), links, clean, self._seen(links, draft))

    def _seen(self, links: Links, draft: FilterDraft) -> set[str]:
        return self._named.union(map(draft.clean, links.pages))

    def _samples(self, draft: FilterDraft) -> list[str]:
        return [draft.clean(normalize_url(url) or url) for url, _ in self.task.samples]

    def _overlooked(self, links: Links, now: FoundTargets) -> dict[Form, list[str]]:
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

    Drafts in between are not compared: one that disagreed then and agrees again has seen nothing new.
    """
    span = max(SPAN, SPAN_SHARE * pages)
    old_enough = ([one for one in drafts if one.pages <= pages - share * span] for share in (1, 0.5, 0))
    return list({some[-1].pages: some[-1] for some in old_enough if some}.values())


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


def _in_turns(queues: Iterable[Sequence[str]]) -> Iterator[str]:
    return (url for turn in zip_longest(*queues) for url in turn if url is not None)


# --- Parts of the known URLs, and whether enough of each was looked at: pages as the site has them --------------------


_LEAST_LINKED = 20
"""Pages looked at of a part that differs by its linking pages: nothing else says that its pages are alike."""
_MOST_READ = 3000
"""Maximum number of taken URLs that are read, evenly spread; all URLs that were looked at are added."""


def missing_looks(
    taken: Collection[str], samples: Iterable[str], links: Links, clean: Mapping[str, str], seen: Collection[str]
) -> dict[str, list[str]]:
    """Return for parts with too few looks, each named by an example, the URLs that make up for it.

    Args:
        taken: clean URLs of all pages that the filters take.
        samples: a word that one of their clean URLs has makes no part.
        clean: URL as a link has it → clean URL.
        seen: clean URLs that were looked at, or asked for.
    """
    drawn = set(spread(sorted(taken), _MOST_READ))
    urls = sorted(drawn.union(url for url in taken if url in seen))
    found: dict[str, list[str]] = {}
    done = set(seen)
    for members, least in _parts(urls, samples, links, clean):
        if len(drawn.intersection(members)) < max(A_HANDFUL, NEXT_TO_NONE * len(drawn)):
            continue
        waiting = [url for url in members if url not in done]
        if (missing := least - (len(members) - len(waiting))) > 0 and waiting:
            named = spread(waiting, missing)
            found[named[0]] = named
            done.update(named)
    return found


def _parts(
    urls: Sequence[str], samples: Iterable[str], links: Links, clean: Mapping[str, str]
) -> Iterator[tuple[list[str], int]]:
    """Yield the parts by words of their URLs, the largest first, then by linking pages; with the looks each needs."""
    usual = frozenset[object]().union(*(words_of(row_of(url)) for url in samples))
    by_word: dict[object, list[str]] = {}
    for url in urls:
        for word in words_of(row_of(url)):
            if word.may_be_refused and word.kind is not WordKind.NUMBER and word not in usual:
                by_word.setdefault(word, []).append(url)
    yield from ((members, A_HANDFUL) for members in sorted(by_word.values(), key=lambda members: -len(members)))
    sources: dict[str, set[bool]] = {url: set() for url in urls}  # whether taken pages link to it, whether others do
    for page in (page for address, page in links.pages.items() if address == page.url):
        own = clean[page.url]
        for url in map(clean.__getitem__, page.links):
            if url in sources and url != own:
                sources[url].add(own in sources)
    by_source: dict[frozenset[bool], list[str]] = {}
    for url in urls:
        by_source.setdefault(frozenset(sources[url]), []).append(url)
    yield from ((members, _LEAST_LINKED) for members in by_source.values())


# --- Places: filters take on a depth or a directory because all pages looked at have it -------------------------------


def unlooked_places(
    urls: Iterable[str], samples: Sequence[str], draft: FilterDraft, seen: Collection[str]
) -> dict[Form, list[str]]:
    """Return of places that were looked at too little the URLs that bring them to enough.

    A place is the directories of a URL, as far as they tell forms apart.

    Args:
        urls: all known URLs, clean as *samples* and *seen*, which were looked at, or asked for.
    Cost: each URL is matched six times at most.
    """
    targets, others = list[str](), list[str]()
    for url in urls:
        (targets if draft.is_target(url) else others).append(url)
    taken = Counter(_directory(url) for url in targets)
    directories = [one for one, _ in taken.most_common(A_HANDFUL)]
    scope = common_start(f"{one}/" for one in (*taken, *map(_directory, samples))) if samples else ""
    inside = (url for url in others if url.startswith(scope[: scope.rfind("/") + 1]))
    moved = [url for url in inside if any(draft.is_target(one + url[len(_directory(url)) :]) for one in directories)]
    forms, places = UrlForms(), dict[Form, list[str]]()
    for url in moved:
        forms.of(url)
    for url in moved:
        places.setdefault(forms.of(url)[1], []).append(url)
    found: dict[Form, list[str]] = {}
    for place, members in sorted(places.items(), key=lambda place: -len(place[1]))[:MANY]:
        waiting = [url for url in members if url not in seen]
        missing = min(SEVERAL - (len(members) - len(waiting)), len(waiting))
        if len(members) >= A_HANDFUL and missing > 0:
            found[place] = [waiting[number * len(waiting) // missing] for number in range(missing)]
    return found


def _directory(url: str) -> str:
    """Return the URL up to the last step of its path, scheme and host at least.

    >>> _directory("http://a.example/b/c/?d=/e"), _directory("http://a.example/b")
    ('http://a.example/b', 'http://a.example')
    """
    path = url.partition("?")[0].rstrip("/")
    directory = path.rpartition("/")[0]
    return path if directory.endswith("/") or not directory else directory
