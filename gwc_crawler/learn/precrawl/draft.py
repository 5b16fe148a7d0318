"""What a site looked like after so many pages: the URL filters of the moment, small enough to be kept and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

from gwc_crawler.urls import UrlCleaner


@dataclass(frozen=True)
class FilterDraft:
    """The filters after `pages` pages, as regexes of whole URLs, and what in a URL means nothing."""

    pages: int
    targets: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    ignored_query_keys: tuple[str, ...] = ()
    ignored_segments: Mapping[str, str] = field(default_factory=dict)

    def is_target(self, url: str) -> bool:
        """Whether a clean URL has the form of a target."""
        return self._target.fullmatch(url) is not None

    def is_admitted(self, url: str) -> bool:
        """Whether a crawl would follow a link to a clean URL."""
        return self.is_target(url) or self.is_directory(url)

    def is_directory(self, url: str) -> bool:
        """Whether a clean URL has the form of a directory."""
        return self._directory.fullmatch(url) is not None

    @cached_property
    def clean(self) -> UrlCleaner:
        """Takes what says nothing of a page out of its URL."""
        return UrlCleaner(self.ignored_query_keys, self.ignored_segments)

    @cached_property
    def _target(self) -> re.Pattern[str]:
        return _any_of(self.targets)

    @cached_property
    def _directory(self) -> re.Pattern[str]:
        return _any_of(self.directories)

    def to_json(self) -> str:
        """As text, for `from_json`."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> FilterDraft:
        """Read what `to_json` has written."""
        said = json.loads(text)
        for name in ("targets", "directories", "ignored_query_keys"):
            said[name] = tuple(said[name])
        return cls(**said)


def _any_of(regexes: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{regex})" for regex in regexes) or r"(?!)")
