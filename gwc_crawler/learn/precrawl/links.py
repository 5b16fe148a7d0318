"""The links of the pages fetched so far, as a draft sees them: what a crawl by its filters would find.

In: pages and a draft. Out: the targets known, and those that are reached. Drafts are compared by both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.precrawl.draft import FilterDraft


@dataclass(frozen=True, slots=True)
class FoundTargets:
    """Clean URLs of targets: those that any page links to, and those that a crawl by the filters would come to."""

    known: frozenset[str]
    reached: frozenset[str]


class Links:
    """Who links to whom, in URLs as they stand in the pages."""

    def __init__(self, pages: Sequence[StoredPage]) -> None:
        others = {address: page for page in pages for address in page.addresses}
        self.pages = others | {page.url: page for page in pages}
        self.urls = list(dict.fromkeys([*self.pages, *(link for page in pages for link in page.links)]))
        self._starts = [page.url for page in pages if page.depth == 0]

    def spelled(self, draft: FilterDraft, urls: Sequence[str]) -> tuple[str, ...]:
        """Return *urls*, those without a session as a link has them; what no link says is left out."""
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
                if link in self.pages and link not in seen and draft.is_admitted(clean[link]):
                    seen.add(link)
                    waiting.append(link)
        return FoundTargets(frozenset(clean[url] for url in targets), frozenset(clean[url] for url in reached))
