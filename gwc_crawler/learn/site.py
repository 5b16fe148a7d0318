"""Pre-crawled pages → knowledge: the whole of learning in one call.

`learn_site` is called by `scrapy learn` and before a first crawl; it touches neither network nor disk.
"""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Iterable, Mapping, Sequence

from gwc_crawler.errors import LearnError
from gwc_crawler.extract import Sample, Wrapper, learn_wrapper
from gwc_crawler.items import FieldValue, StoredPage
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.learn import paper
from gwc_crawler.learn.choice import Choice, weight_threshold
from gwc_crawler.learn.fields import judge_fields
from gwc_crawler.learn.task import LearnTask
from gwc_crawler.urls import normalize_url

logger = logging.getLogger(__name__)

_MORE_PAGES = 30
"""Further target pages on which the wrapper's candidates are ranked."""
_UNSEEN_PAGES = 40
"""Target pages kept out of the learning, on which the fields are judged."""


def learn_site(task: LearnTask, pages: Iterable[StoredPage]) -> Knowledge:
    """Learn which URLs are targets and directories, how far to tunnel, and where each value stands.

    Args:
        pages: the pre-crawl, in the order in which it fetched them.
    Raises:
        LearnError: no pages, no target class, a sample page that is not among the pages, or a sample value that
            stands nowhere on its page.
    """
    stored = list(pages)
    if not stored:
        raise LearnError(f"{task.site}: no page was pre-crawled, nothing can be learned; check the entry links")
    samples = _sample_pages(task, stored)
    choice = _choose(task, stored, [page for page, _ in samples])
    max_weight, weights = weight_threshold(stored)
    more, unseen = _further_pages(choice, stored, [page for page, _ in samples])
    wrapper = _learn_wrapper(task, samples, more)
    warnings = [*choice.warnings, *wrapper.warnings]
    if not wrapper.fields:
        warnings.append("no sample has field values: target pages are found and kept, their records hold no fields")
    evidence = {
        "pages": len(stored),
        "relevant_pages": sum(page.relevant for page in stored),
        **choice.evidence,
        "weights": weights,
        "fields": judge_fields(wrapper, unseen),
        "warnings": warnings,
    }
    logger.info("learned site=%s pages=%d targets=%d", task.site, len(stored), len(choice.targets))
    return Knowledge(
        site=task.site,
        mode="paper" if task.mode == "paper" else "tree",
        targets=choice.targets,
        directories=choice.directories,
        max_weight=max_weight if task.max_weight is None else task.max_weight,
        keywords=task.keywords,
        wrapper=wrapper.to_json(),
        types=task.types,
        ignored_query_keys=choice.ignored_query_keys,
        page_check=choice.page_check,
        evidence=evidence,
    )


def page_html(page: StoredPage) -> str:
    """The page's text; bytes its charset can't say become U+FFFD."""
    return page.html.decode(page.charset or "utf-8", errors="replace")


def _sample_pages(task: LearnTask, pages: Sequence[StoredPage]) -> list[tuple[StoredPage, Mapping[str, FieldValue]]]:
    """The pre-crawled page of each sample, by final or requested URL."""
    by_url = {page.requested: page for page in pages} | {page.url: page for page in pages}
    found, missing = [], []
    for url, fields in task.samples:
        page = by_url.get(normalize_url(url) or url)
        if page:
            found.append((page, fields))
        else:
            missing.append(url)
    if missing:
        raise LearnError(
            f"{task.site}: sample page {missing[0]} is not among the {len(pages)} pre-crawled pages; "
            "check its address, or raise [learn] pages"
        )
    return found


def _choose(task: LearnTask, pages: Sequence[StoredPage], samples: Sequence[StoredPage]) -> Choice:
    return paper.choose_classes(task, pages, samples)


def _further_pages(
    choice: Choice, pages: Sequence[StoredPage], samples: Sequence[StoredPage]
) -> tuple[list[StoredPage], list[StoredPage]]:
    """Draw target pages for ranking, and others that stay unseen by the learning.

    The draw is random with a fixed seed: the first pages of a crawl are neighbours and too much alike.
    """
    pattern = re.compile("|".join(f"(?:{one.regex})" for one in choice.targets))
    known = {page.url for page in samples}
    rest = [page for page in pages if page.url not in known and pattern.fullmatch(page.url)]
    random.Random(0).shuffle(rest)
    unseen = rest[: min(_UNSEEN_PAGES, (len(rest) + 1) // 2)]
    return rest[len(unseen) : len(unseen) + _MORE_PAGES], unseen


def _learn_wrapper(
    task: LearnTask, samples: Sequence[tuple[StoredPage, Mapping[str, FieldValue]]], more: Sequence[StoredPage]
) -> Wrapper:
    """The wrapper of the samples that have values; one without fields where none has."""
    mode = "paper" if task.mode == "paper" else "best"
    labelled = [Sample(page.url, page_html(page), dict(fields)) for page, fields in samples if fields]
    if not labelled:
        return Wrapper(mode, {})
    return learn_wrapper(labelled, [(page.url, page_html(page)) for page in more], mode=mode)
