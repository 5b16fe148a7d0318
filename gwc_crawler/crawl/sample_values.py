"""Whether the values of the samples stand on their pages: looked at as soon as a pre-crawl has these pages.

In: the sample pages, as they are read. Out: what a person has to mend in the site file, before the pages that would be
fetched for nothing.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gwc_crawler.errors import LearnError, SampleError
from gwc_crawler.items import Page, StoredPage
from gwc_crawler.urls import normalize_url

if TYPE_CHECKING:
    from gwc_crawler.learn.targets import LearnTask


class SampleValues:
    """The sample pages of one pre-crawl, until all of them have come.

    Args:
        task: what is to be learned.
    """

    def __init__(self, task: LearnTask) -> None:
        self._task = task
        self._left = {normalize_url(url) or url for url, _ in task.samples}
        self._pages: list[StoredPage] = []

    def is_sample(self, url: str) -> bool:
        """Say whether *url* is that of a sample that has not come."""
        return url in self._left

    def take(self, asked: str, page: Page) -> bool:
        """Keep the page that was asked for at *asked*, if it is a sample's; True with the last of them."""
        if asked not in self._left:
            return False
        self._left.remove(asked)
        self._pages.append(StoredPage(page.url, asked, page.body, page.content_type, page.charset, 0, 0, True))
        return not self._left

    async def mistake(self) -> SampleError | None:
        """Return what is wrong with the values, in a thread of its own; None where nothing is, or it can't be said."""
        return await asyncio.to_thread(self._mistake)

    def _mistake(self) -> SampleError | None:
        from gwc_crawler.learn import find_sample_pages, make_wrapper  # only a pre-crawl needs the learner

        pages, self._pages = self._pages, []
        by_url = {page.requested: page for page in pages} | {page.url: page for page in pages}
        try:
            make_wrapper(self._task, find_sample_pages(self._task, pages, by_url, lambda url: url), [])
        except SampleError as error:
            return error
        except LearnError:
            return None
        return None
