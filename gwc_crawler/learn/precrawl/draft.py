"""Drafts of a decision during a pre-crawl: the URL filters after some pages, small enough to be kept and compared.

Drafts are compared by the targets known from the links so far, and by those that a crawl by the filters would reach.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.urls.regex import pattern_of
from gwc_crawler.urls import UrlCleaner


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

    def is_admitted(self, url: str) -> bool:
        """Say whether a crawl would follow a link to a clean URL."""
        return self.is_target(url) or self.is_directory(url)

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
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> FilterDraft:
        """Read a draft from the text of `to_json`."""
        said = json.loads(text)
        for name in ("targets", "directories", "ignored_query_keys"):
            said[name] = tuple(said[name])
        return cls(**said)


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
                if link in self.pages and link not in seen and draft.is_admitted(clean[link]):
                    seen.add(link)
                    waiting.append(link)
        return FoundTargets(frozenset(clean[url] for url in targets), frozenset(clean[url] for url in reached))
