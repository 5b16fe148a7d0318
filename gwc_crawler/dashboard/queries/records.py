"""Read records for a page: the last ones, one with its page, coverage of each field, missing values. Reads only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from gwc_crawler.crawl.data_files import KNOWLEDGE_FILE
from gwc_crawler.errors import KnowledgeError
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.operate.drift import LEAST_PAGES, expected_coverage
from gwc_crawler.runs.lookup import SiteFiles, SiteLocation, opened
from gwc_crawler.runs.record_view import RecordView, view_record
from gwc_crawler.runs.records import has_server_alone, kept_elsewhere, open_records, part_here, server_reader
from gwc_crawler.store.reading import Coverage as Step
from gwc_crawler.store.reading import ExceptionStats, SiteReader
from gwc_crawler.store.server.outlet import read_state
from gwc_crawler.store.sink import as_extracted
from gwc_crawler.store.sqlite.reading import SqliteReader

OWN = ("url", "fetched_at")


@dataclass(frozen=True, slots=True)
class Table:
    """Some records as columns and rows; `next`: where to go on."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    next: str | None
    looked: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """How full a field was: over the last records in steps, oldest first; as it was learned (None: not known)."""

    field: str
    steps: tuple[float, ...]
    now: float
    expected: float | None
    pages: int = LEAST_PAGES
    """Records over which `now` is measured."""

    @property
    def has_fallen(self) -> bool:
        """Whether the last steps are far below the learned coverage, and are enough to tell."""
        if self.expected is None or self.pages < LEAST_PAGES:
            return False
        return self.now < self.expected - max(0.15, 0.3 * self.expected)


def knowledge_of(place: SiteLocation) -> Knowledge | None:
    """Return the knowledge; None if there is none, or it can't be read."""
    path = place.directory / KNOWLEDGE_FILE
    try:
        return Knowledge.load(path) if path.exists() else None
    except KnowledgeError:
        return None


@contextmanager
def reading(place: SiteLocation) -> Iterator[SiteReader | None]:
    """Open the store of pages and records for reading: the crawl's own file, or else a server; None without either."""
    if (server := server_reader(place.settings, place.name)) is not None:
        with closing(server):
            yield server
        return
    with opened(place.crawl_db) as database:
        yield SqliteReader(database, place.name) if database else None


def record_counts(place: SiteLocation) -> tuple[int, int] | None:
    """Count the records, and the incomplete ones; None if there are none yet."""
    with reading(place) as reader:
        table = reader and reader.records()
        return (table.count(), reader.incomplete_records()) if reader and table else None


def last_records(place: SiteLocation, *, before: str, search: str, limit: int = 50) -> Table | None:
    """Return the last records, or those with a text; None if there are none yet."""
    with reading(place) as reader:
        table = reader and reader.records()
        if not table:
            return None
        columns = table.columns
        found = table.recent(columns, before=before, limit=limit, search=search)
    shown = tuple(name for name in columns if name not in OWN)
    rows = [dict(zip(columns, row, strict=True)) for row in found.rows]
    rows = [row | {name: as_extracted(row[name]) for name in shown} for row in rows]
    return Table(shown, tuple(rows), found.next, found.looked)


def whereabouts(place: SiteLocation) -> str:
    """Say where records are that are not here: in another sink, on other machines; "" where all can be shown."""
    if has_server_alone(place.settings):
        return ""
    if where := kept_elsewhere(place.settings, place.directory):
        return f"pages and records are {where}"
    if not place.shared and read_state(place.directory) is None:
        return ""  # nobody else ever had a part of it
    part = part_here(place.name, place.settings, place.directory)
    return part.told if part is not None else ""


def coverage_of(place: SiteLocation) -> list[Coverage]:
    """Return how full each field was lately, those that fell away first."""
    knowledge = knowledge_of(place)
    expected = expected_coverage(knowledge) if knowledge else {}
    with reading(place) as reader:
        table = reader and reader.records()
        if not table:
            return []
        columns = [name for name in table.columns if name not in OWN and not name.endswith("_raw")]
        steps = table.coverage(columns) if columns else []
    found = []
    last = _latest(steps)
    pages = sum(count for _, count, _ in last)
    for name in columns if steps else ():
        shares = tuple(shares[name] or 0.0 for _, _, shares in steps)
        now = sum((shares[name] or 0.0) * count for _, count, shares in last) / pages
        found.append(Coverage(name, shares, now, expected.get(name), pages))
    return sorted(found, key=lambda one: not one.has_fallen)


def _latest(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the last three steps, or as many as have records enough to tell."""
    taken, pages = 0, 0
    while taken < len(steps) and (taken < 3 or pages < LEAST_PAGES):
        taken += 1
        pages += steps[-taken][1]
    return steps[-taken:]


def exceptions_in(place: SiteLocation) -> tuple[dict[str, ExceptionStats], bool]:
    """Return missing values by field, with examples; and whether some records were not looked at."""
    with reading(place) as reader:
        return reader.exception_stats() if reader else ({}, False)


def record_view(files: SiteFiles, url: str) -> RecordView | None:
    """Return one record with where each of its values is read."""
    with open_records(files) as (reader, table):
        return view_record(reader, table, url, files.site, files.learned())


def page_of_record(place: SiteLocation, url: str) -> tuple[bytes, dict[str, Any]] | None:
    """Return the stored HTML of a record's page, and the record's values; None if it was not kept."""
    with reading(place) as reader:
        kept = reader and reader.stored_page(url)
        if not reader or not kept:
            return None
        table = reader.records()
        record = (table.one(url) if table else None) or {}
    return kept.html, {name: as_extracted(value) for name, value in record.items() if name not in OWN}
