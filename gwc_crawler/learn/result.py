"""The result that both modes return to `learn_site`, and the steps they share: sample pages, the wrapper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import FieldValue, StoredPage
from gwc_crawler.learn.degrees import ENOUGH
from gwc_crawler.learn.lots import stable_shuffle
from gwc_crawler.learn.selected import with_selected
from gwc_crawler.learn.targets.decisions import Choice
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample, SamplePages
from gwc_crawler.urls import normalize_url

SamplePage: TypeAlias = tuple[StoredPage, Mapping[str, FieldValue]]

MORE_PAGES = 30
"""Further target pages on which the wrapper's candidates are ranked."""


@dataclass(frozen=True, slots=True)
class LearningResult:
    """All results of learning a site; `unseen` are target pages that the wrapper has not seen."""

    choice: Choice
    wrapper: Wrapper
    unseen: Sequence[StoredPage]
    weights: Mapping[str, Any]
    site_links: Mapping[str, Any] = field(default_factory=dict)
    samples: Sequence[StoredPage] = ()


def page_html(page: StoredPage) -> str:
    """Return the page's text; bytes its charset can't say become U+FFFD."""
    return page.html.decode(page.charset or "utf-8", errors="replace")


def find_sample_pages(
    task: LearnTask, pages: Sequence[StoredPage], by_url: Mapping[str, StoredPage], clean: Callable[[str], str]
) -> list[SamplePage]:
    """Return the pre-crawled page of each sample.

    Args:
        by_url: pages by final and by requested URL.
        clean: drops what does not belong to a page's address.
    Raises:
        LearnError: one is not among the pages.
    """
    found = []
    for url, fields in task.samples:
        page = by_url.get(clean(normalize_url(url) or url))
        if page is None:
            raise LearnError(
                f"{task.site}: sample page {url} is not among the {len(pages)} fetched pages; "
                "check its address, or raise [learn] pages"
            )
        found.append((page, fields))
    return found


def draw_pages(pages: Sequence[StoredPage]) -> tuple[list[StoredPage], list[StoredPage]]:
    """Draw target pages for ranking, and others that stay unseen by the learning.

    They are drawn by lots: the first pages of a crawl are neighbours and too much alike.
    """
    rest = stable_shuffle(pages)
    unseen = rest[: min(ENOUGH, (len(rest) + 1) // 2)]
    return rest[len(unseen) : len(unseen) + MORE_PAGES], unseen


def make_wrapper(
    task: LearnTask, samples: Sequence[SamplePage], more: Sequence[StoredPage], pages: SamplePages | None = None
) -> Wrapper:
    """Make the wrapper of the samples that have values, and of the fields that are read by hand.

    Args:
        pages: the sample pages that other calls with the same samples have read.
    """
    given = [Sample(page.url, page_html(page), dict(fields)) for page, fields in samples]
    labelled = [sample for sample in given if sample.fields]
    wrapper = Wrapper(task.mode, {})
    if any(name not in task.fields for sample in labelled for name in sample.fields):
        bodies = [(page.url, page_html(page)) for page in more]
        wrapper = learn_wrapper(labelled, bodies, mode=task.mode, pages=pages, by_hand=task.fields)
    return with_selected(wrapper, task.fields, (pages or SamplePages()).views(given)) if task.fields else wrapper
