"""An address → a draft with all that can be proposed for it; a draft → how it does on further pages."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from scrapy.settings import BaseSettings

from gwc_crawler import runs
from gwc_crawler.dashboard.new_site.drafts import MOST_PAGES, Field, SiteDraft, new_id
from gwc_crawler.errors import LearnError
from gwc_crawler.learn.wrapper import learn_wrapper
from gwc_crawler.propose import Proposal, links_of, propose_site, samples_of, shape_of
from gwc_crawler.propose.guessing import FieldProposal, ReadPage
from gwc_crawler.sites import suggest_site_name

MOST_CLASSES = 12
FURTHER = 5


def begin(settings: BaseSettings, url: str, second: str) -> SiteDraft:
    """Fetch what is needed and propose.

    Raises:
        InputError: *url* is no address.
        SiteError: it can't be had.
        LearnError: no two pages built alike are found.
    """
    name = suggest_site_name(url)

    async def search() -> Proposal:
        fetcher = runs.page_fetcher(settings, [url, second] if second else [url])
        try:
            return await propose_site(url, fetcher, second)
        finally:
            await fetcher.close()

    proposal = asyncio.run(search())
    pages = proposal.pages[:MOST_PAGES]
    fields = [Field(one.name, list(one.values), one.why, one.problem) for one in (*proposal.fields, *proposal.left_out)]
    classes = classes_of(pages)
    return SiteDraft(new_id(), name, proposal.entry, "", pages, fields, classes, proposal.keywords)


def classes_of(pages: Sequence[ReadPage]) -> list[tuple[str, int]]:
    """The shapes of the addresses that pages link to, with their numbers, most first."""
    urls = {url for page in pages for url, _, _ in links_of(page)} | {page.url for page in pages}
    return Counter(map(shape_of, urls)).most_common(MOST_CLASSES)


def tried(draft: SiteDraft) -> tuple[list[tuple[ReadPage, dict[str, object]]], list[str]]:
    """Learn from the samples as a crawl would, and read the further pages: their records, and what went wrong."""
    wanted = [FieldProposal(one.name, one.values, one.why) for one in draft.fields if any(one.values)]
    if not wanted:
        return [], ["this draft has no field"]
    more = [(page.url, page.html) for page in draft.pages[2:]]
    try:
        wrapper = learn_wrapper(samples_of(wanted, draft.pages[:2]), more)
    except LearnError as error:
        return [], str(error).splitlines()
    pages = draft.pages[2 : 2 + FURTHER] or draft.pages[:2]
    return [(page, dict(wrapper.extract(page.html, page.url))) for page in pages], list(wrapper.warnings)
