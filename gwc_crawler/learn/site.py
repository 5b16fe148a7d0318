"""Pre-crawled pages → knowledge: the whole of learning in one call.

`learn_site` is called by `scrapy learn` and before a first crawl; it touches neither network nor disk,
and has processes of its own help where there is much to read.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.learn import paper
from gwc_crawler.learn.best import learn_best
from gwc_crawler.learn.degrees import VERY_MANY
from gwc_crawler.learn.field_check import decide_notations, is_undecided, judge_fields, language_of, read_unseen
from gwc_crawler.learn.kinds.traits import KnownTraits
from gwc_crawler.learn.lots import stable_shuffle
from gwc_crawler.learn.paging import Paging, learn_paging
from gwc_crawler.learn.result import LearningResult, draw_pages, find_sample_pages, make_wrapper
from gwc_crawler.learn.review.review import reviewed
from gwc_crawler.learn.selected import judge_selectors
from gwc_crawler.learn.targets.by_hand import check_by_hand, classes_by_hand, with_also
from gwc_crawler.learn.targets.decisions import weight_threshold
from gwc_crawler.learn.targets.task import EXCLUDE, LISTING, LearnTask
from gwc_crawler.learn.urls.regex import pattern_of
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.json_page import is_json

logger = logging.getLogger(__name__)

_COLLECT_AFTER = 20_000
"""Objects made between two runs of Python's cycle collector."""


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Have Python's cycle collector come less often, unless it does already, as in a crawl (`GWC_GC_THRESHOLD`).

    Learning makes millions of objects that stay, and next to no cycles: to walk over them all, again and again, costs
    more than it frees.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < _COLLECT_AFTER:
        yield
        return
    gc.set_threshold(_COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_seldom_collected()
def learn_site(task: LearnTask, pages: Iterable[StoredPage], traits: KnownTraits | None = None) -> Knowledge:
    """Learn which URLs are targets and directories, how far to tunnel, and the place of each value.

    Args:
        pages: the pre-crawl, in the order in which it fetched them.
        traits: known traits of its pages; further ones are added.
    Raises:
        LearnError: no pages, no target class, a sample page that is not among the pages, or a sample value that is not
            on its page.
    """
    stored = _without_strange_json(task, list(pages))
    if not stored:
        raise LearnError(f"{task.site}: no page was fetched, nothing can be learned; check the entry links")
    traits = traits or KnownTraits()
    try:
        return _learned(task, stored, traits)
    finally:
        traits.views.clear()


def _without_strange_json(task: LearnTask, pages: list[StoredPage]) -> list[StoredPage]:
    """Drop answers in JSON from the pages, unless the samples (without any, the entry) are JSON: it is an API."""
    asked = {url for url, _ in task.samples}
    begun = [page for page in pages if not asked.isdisjoint((page.url, page.requested))] if asked else pages[:1]
    if any(is_json(page.content_type) for page in begun):
        return pages
    return [page for page in pages if not is_json(page.content_type)]


def _learned(task: LearnTask, stored: Sequence[StoredPage], traits: KnownTraits) -> Knowledge:
    urls = [page.url for page in stored]
    check_by_hand(task, urls)
    result = _learn_paper(task, stored) if task.mode == LearnMode.PAPER else learn_best(task, stored, traits)
    choice, wrapper = result.choice, result.wrapper
    warnings = [*choice.warnings, *wrapper.warnings]
    if not wrapper.fields:
        warnings.append("no sample has field values: target pages are found and kept, their records hold no fields")
    paging = Paging()
    if task.paging:
        paging = learn_paging(task.paging, stored, choice.targets, wrapper)
        warnings += paging.warnings
    found = read_unseen(wrapper, result.unseen, task.types)
    records = [*(fields for _, fields in task.samples), *found]
    types, notations = decide_notations(task.types, records)
    if is_undecided(notations):
        further = _further_targets(stored, choice.targets, result.unseen)
        records += read_unseen(wrapper, further, task.types)
        types, notations = decide_notations(task.types, records, language_of([*further, *result.unseen]))
    seen = {page.url: page for page in (*result.samples, *result.unseen)}.values()
    evidence = {
        "pages": len(stored),
        "relevant_pages": sum(page.relevant for page in stored),
        **choice.evidence,
        "weights": result.weights,
        "fields": judge_fields(wrapper, result.unseen, found, types),
        **({"selectors": judge_selectors(wrapper, task.fields, [*map(traits.views.of, seen)])} if task.fields else {}),
        **({"notations": notations} if notations else {}),
        **({"paging": paging.evidence} if task.paging else {}),
        "warnings": warnings,
    }
    logger.debug("learned site=%s pages=%d targets=%d", task.site, len(stored), len(choice.targets))
    knowledge = Knowledge(
        site=task.site,
        mode=task.mode,
        targets=with_also(task, choice.targets, urls),
        directories=(*choice.directories, *classes_by_hand(task, LISTING, urls)),
        max_weight=result.weights["chosen"] if task.max_weight is None else task.max_weight,
        keywords=task.keywords,
        wrapper=wrapper.to_json(),
        types=types,
        ignored_query_keys=choice.ignored_query_keys,
        ignored_segments=choice.ignored_segments,
        page_check=choice.page_check,
        paging=paging.rules,
        site_links=result.site_links,
        excluded=classes_by_hand(task, EXCLUDE, urls),
        evidence=evidence,
        is_json=any(is_json(page.content_type) for page in stored),
    )
    return reviewed(task, stored, knowledge, wrapper, traits)


def _further_targets(
    stored: Sequence[StoredPage], targets: Sequence[UrlClass], unseen: Sequence[StoredPage]
) -> list[StoredPage]:
    pattern, known = pattern_of(one.regex for one in targets), {page.url for page in unseen}
    return stable_shuffle(page for page in stored if page.url not in known and pattern.fullmatch(page.url))[:VERY_MANY]


def _learn_paper(task: LearnTask, pages: Sequence[StoredPage]) -> LearningResult:
    by_url = {page.requested: page for page in pages} | {page.url: page for page in pages}
    samples = find_sample_pages(task, pages, by_url, lambda url: url)
    choice = paper.choose_classes(task, pages, [page for page, _ in samples])
    pattern, known = pattern_of(one.regex for one in choice.targets), {page.url for page, _ in samples}
    more, unseen = draw_pages([page for page in pages if page.url not in known and pattern.fullmatch(page.url)])
    wrapper = make_wrapper(task, samples, more)
    weights = weight_threshold(pages)
    return LearningResult(choice, wrapper, unseen, weights, samples=[page for page, _ in samples])
