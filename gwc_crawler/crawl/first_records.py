"""Stored pages + knowledge of a site → records like its samples': shown to a person, kept nowhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeAlias

from gwc_crawler.extract.record import extract_target
from gwc_crawler.items import Extracted, StoredPage, is_empty
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.summary import FIRST_RECORDS, beginning
from gwc_crawler.page.reader import PageReader
from gwc_crawler.store.sqlite.stats import KeptPage

Values: TypeAlias = Mapping[str, Extracted]


class TextReader:
    """Reads records of stored pages as a crawl would, but no types: each value as a sample has it."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._reader = PageReader(knowledge)
        self._knowledge = replace(knowledge, types={})

    def read(self, kept: StoredPage | KeptPage) -> Values | None:
        """Return the values on a page; None if it has no record of its own."""
        page = self._reader.read(kept.url, kept.html, kept.content_type)
        record = extract_target(page, self._knowledge)
        return None if record is None or record.rejected or record.parent else record.fields  # type: ignore[return-value]  # no types: none is typed


@dataclass(frozen=True, slots=True)
class FirstRecords:
    """The records on the first `pages` pages of a site, by address, the latest last; or why none can be learned."""

    pages: int
    records: dict[str, Values] = field(default_factory=dict)
    refused: str = ""

    @classmethod
    def of(cls, pages: Sequence[StoredPage], knowledge: Knowledge, but: Collection[str] = ()) -> FirstRecords:
        """Read the records of some pages, *but* for those at some addresses: a person knows the samples'."""
        reader = TextReader(knowledge)
        read = ((page.url, reader.read(page)) for page in pages if page.url not in but)
        return cls(len(pages), {url: record for url, record in read if record is not None})

    def told(self) -> dict[str, Any]:
        """Return the latest of them, ready for JSON."""
        latest = [{"url": url, **record} for url, record in islice(reversed(self.records.items()), FIRST_RECORDS)]
        return {"pages": self.pages, "count": len(self.records), "refused": self.refused, "latest": latest}

    def lines(self) -> Iterator[str]:
        """Yield the address and the beginnings of the values of each record, the latest first."""
        for url, record in reversed(self.records.items()):
            told = (f"{name}={beginning(value)!r}" for name, value in record.items() if not is_empty(value))
            yield " ".join([url, *told])
