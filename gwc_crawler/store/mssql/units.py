"""Visits and items → units: what one page, or one item, leaves on the server, in the plain values of JSON.

A unit is what is written or refused as a whole. Here it is only made, quickly, in the crawl's process; `batches` packs
its long contents, keys and columns are the writer's work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from gwc_crawler.items import PageKind, Record, Typed, Visit
from gwc_crawler.modes import KeepHtml
from gwc_crawler.store.column_values import stored_record
from gwc_crawler.store.joining import parts_of
from gwc_crawler.store.sqlite import PRUNED_KINDS, is_kept
from gwc_crawler.urls import host_of, site_of


def page_unit(visit: Visit, keep_html: KeepHtml, paged: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return what one page leaves; *paged*: the lists that go over several pages."""
    page, lease, record = visit.page, visit.lease, stored_record(visit)
    keeps = is_kept(keep_html, page.kind) and not (page.kind is PageKind.BINARY and visit.file is not None)
    return {
        "url": page.url,
        "requested": lease.url if lease.url != page.url else None,
        "title": page.title,
        "kind": page.kind.value,
        "relevant": int(page.relevant),
        "weight": visit.weight,
        "depth": lease.depth,
        "attempts": lease.attempt,
        "status": page.status,
        "content_type": page.content_type,
        "charset": page.charset,
        "fetched_at": iso_time(visit.fetched_at),
        "abstract": visit.abstract,
        "body": page.text,
        "stripped_html": visit.stripped_html,
        "html": page.body if keeps else None,
        "pruned": int(page.kind in PRUNED_KINDS),
        "links": page.links,
        "outside": _outside(page.outside),
        "record": None if record is None else dict(record.fields),
        "exceptions": _exceptions(visit),
        "file": _file(visit),
        "of": _record_of(visit.record),
        "parts": _parts(visit.record, paged),
    }


def _record_of(record: Record | None) -> str | None:
    """Return the URL of the record that a page's values belong to."""
    return None if record is None else record.parent or record.url


def _parts(record: Record | None, paged: Mapping[str, Sequence[str]] | None) -> list[Any] | None:
    """Return the place of a page among those of its record, and what it shows of each list."""
    return None if record is None or record.rejected or not paged else [record.number, parts_of(record, paged)]


def _outside(urls: Sequence[str]) -> list[list[Any]]:
    """Return of each other site: its name, how many links lead there, the first one's host and URL."""
    hosts = [host_of(url) for url in urls]
    sites = [site_of(host) for host in hosts]
    first = {
        site: (host, url) for site, host, url in zip(reversed(sites), reversed(hosts), reversed(urls), strict=True)
    }
    return [[site, count, *first[site]] for site, count in Counter(sites).items()]


def _exceptions(visit: Visit) -> list[list[str]]:
    """Return field, reason and what comes closest, as SQLite's table has them."""
    record, flaws = visit.record, visit.page.flaws
    if record is not None and record.rejected is not None:  # of another category: its fields are not missing
        flaws, record = (record.rejected, *flaws), None
    rows = [["", "; ".join(flaws), ""]] if flaws else []
    if record is not None:
        rows += [[one.field, one.reason, one.closest] for one in record.problems]
    return rows


def _file(visit: Visit) -> list[Any] | None:
    file = visit.file
    return None if file is None else [file.path, file.kind, file.size, file.sha256, file.name]


def item_unit(key: str, fields: Mapping[str, Any], moment: float) -> dict[str, Any]:
    """Return what one item of a foreign spider leaves, under a key of its own; values are as `plain` makes them."""
    record = {str(name): plain(value) for name, value in fields.items()}
    return {"url": key, "fetched_at": iso_time(moment), "record": record}


def plain(value: Any) -> Typed | bool:
    """Return a value as JSON has it: what is no number, text, list or dict becomes its text; bytes are UTF-8."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return [{str(key): plain(part) for key, part in value.items()}]
    if isinstance(value, Iterable):
        return [_part(part) for part in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _part(value: Any) -> Any:
    return {str(key): plain(part) for key, part in value.items()} if isinstance(value, Mapping) else plain(value)


def iso_time(seconds: float) -> str:
    """Return a moment as DATETIME2 reads it, in UTC.

    >>> iso_time(1.5)
    '1970-01-01T00:00:01.500000'
    """
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
