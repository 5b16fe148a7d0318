"""Which bodies that are no pages are kept (GWC_KEEP_FILES), which links to such are followed, and what fields name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from gwc_crawler.files.kinds import kind_by_name


class KeepFiles(StrEnum):
    """The words that GWC_KEEP_FILES can be, beside types."""

    NONE = "none"
    TARGETS = "targets"
    """Bodies of target URLs."""
    ALL = "all"
    """Every body that is no page; links to files are followed."""


_TYPE = re.compile(r"[a-z*]+/[a-z0-9.+*_-]+")


@dataclass(frozen=True, slots=True)
class FileChoice:
    """What is kept. `types` are patterns of media types (`image/*`); `of_fields`: the site has fields of type file."""

    targets: bool = False
    types: tuple[str, ...] = ()
    of_fields: bool = False

    @property
    def keeps_any(self) -> bool:
        """Whether anything can be kept at all."""
        return self.targets or bool(self.types) or self.of_fields

    def keeps(self, kind: str, *, is_target: bool) -> bool:
        """Say whether a body of a media type is kept.

        Where fields name files, every file is: nothing but filters and fields leads a crawl to one.
        """
        return self.of_fields or (self.targets and is_target) or self._is_of_type(kind)

    def follows(self, url: str) -> bool:
        """Say whether a link to what seems to be a file by its URL is followed, though no filter takes it."""
        return bool(self.types) and self._is_of_type(kind_by_name(url.partition("?")[0]))

    def _is_of_type(self, kind: str) -> bool:
        return any(fnmatchcase(kind, pattern) for pattern in self.types)


def file_choice(text: str, *, of_fields: bool = False) -> FileChoice:
    """Read GWC_KEEP_FILES: a word of `KeepFiles`, or media types with spaces or commas between.

    Raises:
        ValueError: it is neither.

    >>> file_choice("application/pdf, image/*").types
    ('application/pdf', 'image/*')
    """
    parts = re.split(r"[\s,]+", text.strip().lower())
    if parts == [KeepFiles.NONE]:
        return FileChoice(of_fields=of_fields)
    if parts == [KeepFiles.TARGETS]:
        return FileChoice(targets=True, of_fields=of_fields)
    if parts == [KeepFiles.ALL]:
        return FileChoice(targets=True, types=("*",), of_fields=of_fields)
    if not all(_TYPE.fullmatch(part) for part in parts):
        raise ValueError(text)
    return FileChoice(types=tuple(dict.fromkeys(parts)), of_fields=of_fields)


def file_urls(fields: Mapping[str, Any], named: Collection[str]) -> list[str]:
    """Return the URLs that a record's fields of type file hold; *named*: "field", or "field.part" of records in it.

    >>> file_urls({"cover": "http://x/1", "more": [{"photo": "http://x/2"}, {"photo": None}]}, ["cover", "more.photo"])
    ['http://x/1', 'http://x/2']
    """
    return list(dict.fromkeys(url for name in named for url in _urls_of(fields, name)))


def _urls_of(fields: Mapping[str, Any], name: str) -> Iterator[str]:
    owner, _, part = name.partition(".")
    value = fields.get(owner)
    for one in value if isinstance(value, list) else [value]:
        found = one.get(part) if part and isinstance(one, dict) else one
        yield from (url for url in (found if isinstance(found, list) else [found]) if isinstance(url, str))
