"""The "best" mode: URL groups by the pattern tree, targets by page shape, directories by where they lead.

In: a task and its pre-crawled pages. Out: a `LearningResult`. It reads in the order of the decisions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from gwc_crawler.extract.page_check import fields_check, page_agrees
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, ALL_BUT_SLIPS, ENOUGH, FEW, HARDLY_ANY, VERY_MANY
from gwc_crawler.learn.kinds.field_witness import FieldWitness
from gwc_crawler.learn.kinds.near_duplicates import same_record, tells_canonicals
from gwc_crawler.learn.kinds.sample_values import places_of, signs_of
from gwc_crawler.learn.kinds.traits import KnownTraits
from gwc_crawler.learn.lookalikes.apart import (
    set_bare_apart,
    set_listed_apart,
    set_other_kind_apart,
    set_quoting_apart,
)
from gwc_crawler.learn.lookalikes.check import page_check
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probes import Split, mean_keywords, split_probes
from gwc_crawler.learn.lots import stable_shuffle
from gwc_crawler.learn.result import MORE_PAGES, LearningResult, SamplePage, draw_pages, find_sample_pages, make_wrapper
from gwc_crawler.learn.targets.by_hand import is_excluded, take_also
from gwc_crawler.learn.targets.classes import describe_groups
from gwc_crawler.learn.targets.decisions import Choice, weight_threshold
from gwc_crawler.learn.targets.directories import (
    Directories,
    LinkGraph,
    choose_ways,
    gather_list_pages,
    gather_same_names,
)
from gwc_crawler.learn.targets.precrawl_index import PrecrawlIndex, index_precrawl
from gwc_crawler.learn.targets.targets import Targets, adopt_list_groups, choose_targets
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.sessions import versions_of
from gwc_crawler.learn.wrapper.samples import SamplePages
from gwc_crawler.page.classify import directories_above
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import text_outside_links

_PROBES = 100


def learn_best(task: LearnTask, pages: Sequence[StoredPage], traits: KnownTraits) -> LearningResult:
    """Learn everything about a site from the pages of its pre-crawl; *traits* holds those that are known already."""
    index, read = index_precrawl(pages, traits), SamplePages()
    index.is_excluded = is_excluded(task)
    samples = find_sample_pages(task, index.pages, index.by_url, index.clean)
    targets, judged = _decide(task, index, samples, read)
    if (again := _told_by_records(task, index, pages, targets, samples, read)) is not None:
        again.is_excluded, index = index.is_excluded, again
        samples = find_sample_pages(task, index.pages, index.by_url, index.clean)
        targets, judged = _decide(task, index, samples, read)
    if adopt_list_groups(index, targets, judged.wrapper, [fields for _, fields in samples]):
        check = fields_check(judged.wrapper.fields, 1.0)  # under different heads, the rows have to be there
        judged = replace(_judge_pages(task, index, targets, samples, read), check=check)
    targets.look_for_forwards(index)
    make_graph = partial(LinkGraph, index, by_keywords=bool(task.keywords))
    graph = make_graph(targets.filters)
    for gather in (gather_same_names, gather_list_pages):
        if gather(index, graph, [*targets.groups, *targets.aliases]):
            graph = make_graph(targets.filters)
    directories, needed = choose_ways(graph, targets.filters, targets.aliases, task.max_weight)
    weights = weight_threshold(index.pages)
    inside = [page for group in targets.groups for page in group.pages]
    if tells_canonicals(inside, [page for page, _ in samples], index.clean):
        judged.check["canonical"] = True
    choice = _choice(index, graph, targets, directories, judged)
    weights |= {"needed": needed, "chosen": max(weights["chosen"], needed)}
    sampled, links = [page for page, _ in samples], learn_site_links(index)
    return LearningResult(choice, judged.wrapper, judged.unseen, weights, links, sampled)


def _told_by_records(
    task: LearnTask,
    index: PrecrawlIndex,
    pages: Sequence[StoredPage],
    targets: Targets,
    samples: Sequence[SamplePage],
    read: SamplePages,
) -> PrecrawlIndex | None:
    """Return the index made anew if records and texts disagree on which parts of URLs mean nothing; else None.

    The wrapper is learned on pages that have a version with another query, and on these versions: it has to read both.
    """
    inside = _pages_of(targets)
    versions = versions_of(pages, lambda url: index.clean(url) in inside)
    if not versions or not any(fields for _, fields in samples):
        return None
    wrapper = make_wrapper(task, samples, stable_shuffle(versions)[:MORE_PAGES], read)
    findings = FieldWitness(wrapper, [page for page, _ in samples], index.views)
    again = index_precrawl(pages, index.traits, partial(same_record, findings))
    same = (index.ignored_query_keys, index.ignored_segments) == (again.ignored_query_keys, again.ignored_segments)
    return None if same else again


def _decide(
    task: LearnTask, index: PrecrawlIndex, samples: Sequence[SamplePage], read: SamplePages
) -> tuple[Targets, _Judged]:
    """Choose the targets, learn the wrapper on them, and choose again with what the wrapper finds.

    Fewer targets are preferred if the others turn out to be strangers.
    """
    sampled = [page for page, _ in samples]
    signs = signs_of(samples)
    targets = choose_targets(task, index, sampled, signs=signs)
    take_also(task, index, targets)
    judged = _judge_pages(task, index, targets, samples, read)
    if not sampled or task.target is not None:
        return targets, judged
    before = targets, judged
    findings = FieldWitness(judged.wrapper, sampled, index.views)
    targets = choose_targets(task, index, sampled, findings, signs)
    take_also(task, index, targets)
    if [group.regexes for group in targets.groups] == [group.regexes for group in before[0].groups]:
        return targets, judged

    judged = _judge_pages(task, index, targets, samples, read)
    own = _pages_of(before[0])
    are_enough = len(own) < len(_pages_of(targets)) and own.issuperset(_urls([judged.split.good]))
    return before if are_enough else (targets, judged)


def _pages_of(targets: Targets) -> set[str]:
    return {page.url for group in targets.groups for page in group.pages}


@dataclass(frozen=True, slots=True)
class _Judged:
    """The wrapper, the page check and the split of the target groups' pages, as judged on those pages."""

    wrapper: Wrapper
    unseen: list[StoredPage]
    check: dict[str, Any]
    split: Split
    warnings: list[str]


def _judge_pages(
    task: LearnTask, index: PrecrawlIndex, targets: Targets, samples: Sequence[SamplePage], read: SamplePages
) -> _Judged:
    """Learn the wrapper, and part the target groups' pages into target pages and pages of other categories.

    The parting needs the wrapper, and the wrapper pages without strangers; so pages are parted by their marks first,
    and the wrapper is learned again if the second parting finds more strangers among the pages it was ranked on, or
    clears pages of the suspicion.
    """
    sampled, views = [page for page, _ in samples], index.views
    begun = [page for page in index.pages if page.depth == 0 and page not in sampled]
    pool = stable_shuffle(page for group in targets.groups for page in group.pages if page not in sampled)
    odd = _least_like(index, sampled, pool[_PROBES:])
    probed = [*sampled, *pool[:_PROBES], *odd]
    keywords = _usable_keywords(task, sampled)
    places = places_of(samples)
    split = marked = split_probes([_probe(index, page, sampled, keywords, None) for page in probed])
    more, unseen = draw_pages(_without(pool, split))
    wrapper = make_wrapper(task, samples, more, read)
    told, least, fields_tell = list[str](), 1, False
    if sampled and wrapper.fields:
        findings = FieldWitness(wrapper, sampled, views)
        linking = index.linking([page.url for page in probed])
        leading = _leading(index, probed)
        probes = [
            replace(
                _probe(index, page, sampled, keywords, findings),
                linked_from=linking[page.url],
                leads_to=leading[page.url],
            )
            for page in probed
        ]
        taken_apart = set(_urls(split.foreign))
        split = split_probes(probes, places, index.lists_on)
        parted = _without_quoting(index, targets, split, wrapper)
        split, told = set_listed_apart(parted, index.lists_on, len(pool) / len(index.pages))
        if not told:
            split, told = set_other_kind_apart(parted)
        shown_first = (_probe(index, page, sampled, None, findings).shown for page in begun)
        marked = set_bare_apart(parted, frozenset[str]().union(*shown_first))
        split = split if told else marked
        good, others = split.good, split.foreign[-1] if told else []
        least = _least_of(told, good)
        strangers = set(_urls(split.foreign))
        if taken_apart - strangers or strangers.intersection(page.url for page in more):
            rest = _without(pool, split)
            if told:  # a page without these fields is a stranger, too, though it was not probed
                shown = {page.url: _probe(index, page, sampled, None, findings).shown for page in rest[:VERY_MANY]}
                rest = [page for page in rest if len(shown.get(page.url, frozenset()).intersection(told)) >= least]
            more, unseen = draw_pages(rest)
            wrapper = make_wrapper(task, samples, more, read)
            if told:  # learned on target pages alone, it may find some of these fields elsewhere
                findings = FieldWitness(wrapper, sampled, views)
                good, others = (
                    [_probe(index, index.by_url[one.url], sampled, None, findings) for one in some]
                    for some in (good, others)
                )
                least = _least_of(told, good)
        if told and sum(_has(told, one) >= least for one in others) <= HARDLY_ANY * len(others):
            marked, fields_tell = parted, True
    start = frozenset[str]().union(*map(index.features, begun))  # the frame: these pages are no records
    check: dict[str, Any] = {}
    if sampled and (marked.foreign or not fields_tell):  # else sparse pages need no marks besides
        check = page_check(marked, index.commonness, task.keywords if keywords else "", places, start)
    check |= fields_check(told, least / len(told)) if told else {}
    looks = ((page, views.of(page)) for page in unseen)
    agreeing = [
        page for page, view in looks if page_agrees(view.tree, None, wrapper.extract_view(view)[0], check) is None
    ]
    return _Judged(wrapper, agreeing, check, split, _keyword_doubts(task, split, keywords))


def _least_of(told: Sequence[str], good: Sequence[Probe]) -> int:
    """Return how many of the fields that tell the kind each of its pages has, at least one."""
    return max(1, min((_has(told, probe) for probe in good), default=1))


def _has(told: Sequence[str], probe: Probe) -> int:
    """Return how many of the fields *told* a page has."""
    return len(probe.shown.intersection(told))


def _least_like(index: PrecrawlIndex, samples: Sequence[StoredPage], pages: Sequence[StoredPage]) -> list[StoredPage]:
    """Return the pages that lack most of the features of all samples, among the pages that are compared anyway."""
    if not samples:
        return []
    shared = frozenset.intersection(*map(index.features, samples))
    compared = {page.url for page in index.compared}
    among = (page for page in pages if page.url in compared)
    return sorted(among, key=lambda page: len(shared & index.features(page)))[:A_DOZEN]


def _leading(index: PrecrawlIndex, pages: Sequence[StoredPage]) -> dict[str, frozenset[str]]:
    """Map each page to its links, less the menu: links that more than half of these pages have."""
    links = {page.url: frozenset(map(index.clean, page.links)) - {page.url} for page in pages}
    counts = Counter(link for some in links.values() for link in some)
    menu = {link for link, count in counts.items() if 2 * count > len(pages)}
    return {url: some - menu for url, some in links.items()}


def _without_quoting(index: PrecrawlIndex, targets: Targets, split: Split, wrapper: Wrapper) -> Split:
    known = _pages_of(targets)

    def links(url: str) -> list[str]:
        return [link for link in dict.fromkeys(map(index.clean, index.by_url[url].links)) if link in known]

    def values(url: str) -> dict[str, Any]:
        return wrapper.extract_view(index.views.of(index.by_url[url], url))[0]

    return set_quoting_apart(split, links, cache(values), lambda url: index.features(index.by_url[url]))


def _probe(
    index: PrecrawlIndex,
    page: StoredPage,
    sampled: Sequence[StoredPage],
    keywords: Keywords | None,
    findings: FieldWitness | None,
) -> Probe:
    probe = Probe(page.url, index.features(page), page in sampled)
    if keywords is not None:
        tree = index.views.of(page).tree
        probe = replace(probe, keywords=keywords.matches(text_outside_links(tree)))
    if findings is None or not findings.wanted:
        return probe
    return replace(probe, found=findings.of(page), fields=findings.found(page), several=findings.several(page))


def _without(pages: Sequence[StoredPage], split: Split) -> list[StoredPage]:
    strangers = set(_urls(split.foreign))
    return [page for page in pages if page.url not in strangers]


def _urls(groups: Sequence[Sequence[Probe]]) -> list[str]:
    return [probe.url for group in groups for probe in group]


def _usable_keywords(task: LearnTask, samples: Sequence[StoredPage]) -> Keywords | None:
    keywords = Keywords.parse(task.keywords) if task.keywords else None
    trees = (parse_html(page.html, page.charset or None) for page in samples)
    return keywords if keywords and all(keywords.matches(text_outside_links(tree)) for tree in trees) else None


def _keyword_doubts(task: LearnTask, split: Split, keywords: Keywords | None) -> list[str]:
    if task.keywords and keywords is None:
        return [f"the keywords {task.keywords!r} do not hold on every sample (links apart): they decide nothing here"]
    if not (failing := _failing_keywords(split)):
        return []
    told = (
        f"the keywords hold on {failing['hold']:.0%} of the pages that look like the samples; all are taken as "
        "targets, since nothing else tells them apart; if only those with the keywords are wanted, say which URLs they "
        "have by [learn] target, or give a field that they alone have"
    )
    return [told]


def _failing_keywords(split: Split) -> dict[str, Any]:
    """Return the share of target pages on which the keywords hold, and a URL where they fail; {} if few fail."""
    hold = mean_keywords(split.good)
    if hold is None or hold > ALL_BUT_SLIPS:
        return {}
    return {"hold": hold, "fail_on": next(probe.url for probe in split.good if probe.keywords is False)}


def _choice(
    index: PrecrawlIndex, graph: LinkGraph, targets: Targets, directories: Directories, judged: _Judged
) -> Choice:
    target_classes, directory_classes, rows = describe_groups(index, graph, targets, directories)
    evidence = {
        "distinct_pages": len(index.pages),
        "query_keys": index.ignored_evidence,
        "second_versions": targets.duplicates,
        "targets_reached": {"reached": directories.reached, "known": directories.reachable},
        "clusters": rows,
        "other_categories": [
            {"pages": len(group), "reason": reason, "examples": [probe.url for probe in group[:3]]}
            for group, reason in zip(judged.split.foreign, judged.split.reasons, strict=True)
        ],
        "failing_keywords": _failing_keywords(judged.split),
        "judged_pages": len(judged.split.good) + len(_urls(judged.split.foreign)),
    }
    warnings = (*targets.warnings, *judged.warnings)
    return Choice(
        target_classes,
        directory_classes,
        index.ignored_query_keys,
        index.ignored_segments,
        judged.check,
        evidence,
        warnings,
    )


# --- The links of a site, from its pre-crawl: those on every page, and the sizes of the classes ----------------


def learn_site_links(index: PrecrawlIndex) -> dict[str, Any]:
    """Return the form that `page.SiteLinks.of` takes."""
    sizes = [(len({row.url for row in group.rows}), group.regexes) for group in index.groups]
    largest = sorted((one for one in sizes if one[0] >= A_HANDFUL), key=lambda one: -one[0])[:VERY_MANY]
    return {
        "common": _common_links(index.pages, {page.url: set(map(index.clean, page.links)) for page in index.pages}),
        "classes": [
            {"regex": "|".join(f"(?:{one})" for one in regexes) if regexes[1:] else regexes[0], "size": size}
            for size, regexes in largest
        ],
    }


def _common_links(pages: Sequence[StoredPage], links: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Directory → the links its pages share, without those that are common above it."""
    inside: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for directory in directories_above(page.url):
            inside[directory].append(page.url)
    common: dict[str, list[str]] = {}
    large = sorted((one for one in inside if len(inside[one]) >= A_HANDFUL), key=lambda one: -len(inside[one]))
    for directory in sorted(large[:ENOUGH], key=len):
        above = {url for one in directories_above(directory)[:-1] for url in common.get(one, ())}
        counts = Counter(link for url in inside[directory] for link in links[url])
        least = max(2.0, FEW * len(inside[directory]))
        ranked = sorted((-count, link) for link, count in counts.items() if count > least and link not in above)
        if ranked:
            common[directory] = [link for _, link in ranked[:VERY_MANY]]
    return common
