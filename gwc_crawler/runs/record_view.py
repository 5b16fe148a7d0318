"""Stored records for a person: a table of some, or one record with the source of each value.

Called by `scrapy view`. Data first, what a terminal shows beside it; nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from gwc_crawler.errors import escape, visible
from gwc_crawler.export.columns import ColumnKind, ColumnPlan
from gwc_crawler.export.filters import moment_text
from gwc_crawler.extract.record import extract_target, field_sources
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import Site
from gwc_crawler.store.reading import RecordRows, SiteReader
from gwc_crawler.store.sink import as_extracted

if TYPE_CHECKING:
    from rich.table import Table

LONGEST = 60

LEAST_WIDTH = 12
"""Characters of a column in a table that has not room for all."""


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record with the sources of its values.

    Attributes:
        read_by: field → how it is read.
        reads_now: field → what that gives today, where it differs from what is stored.
        note: why the sources are unknown, "" if they are known.
    """

    url: str
    fetched_at: float
    title: str
    record: Mapping[str, Any]
    read_by: Mapping[str, str] = field(default_factory=dict)
    reads_now: Mapping[str, Any] = field(default_factory=dict)
    exceptions: tuple[Mapping[str, str], ...] = ()
    note: str = ""
    html_kept: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the stable form of `scrapy view SITE --url URL --json`."""
        told = asdict(self) | {"fetched_at": moment_text(self.fetched_at)}
        del told["html_kept"]
        return told

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (label, text) lines for a terminal."""
        yield "URL", self.url
        yield "page", f"{self.title!r}, fetched {moment_text(self.fetched_at)}"
        for name, value in self.record.items():
            yield name, _whole(value)
            if name in self.read_by:
                yield "read by", self.read_by[name]
            if name in self.reads_now:
                yield "reads now", _whole(self.reads_now[name])
        for problem in self.exceptions:
            closest = f"; closest: {problem['closest']}" if problem["closest"] else ""
            yield "exception", f"{problem['field'] or 'page'}: {problem['reason']}{closest}"
        if self.note:
            yield "note", self.note


def view_record(
    reader: SiteReader, table: RecordRows, url: str, site: Site, knowledge: Knowledge | None
) -> RecordView | None:
    """Return the record at *url* with where each value is found on its page; None where there is no such record."""
    stored = table.one(url)
    if stored is None:
        return None
    facts = reader.page_facts(url) or {}
    values = {name: as_extracted(value) for name, value in stored.items() if name not in ("url", "fetched_at")}
    rules, now, note = _sources(reader, url, site, knowledge, stored["fetched_at"])
    return RecordView(
        url=url,
        fetched_at=stored["fetched_at"],
        title=facts.get("title") or "",
        record=values,
        read_by={name: rules[name] for name in values if rules.get(name)},
        reads_now={name: now[name] for name, value in values.items() if name in now and now[name] != value},
        exceptions=tuple(reader.exceptions_of(url)),
        note=note,
        html_kept=bool(facts.get("html_kept")),
    )


def _sources(
    reader: SiteReader, url: str, site: Site, knowledge: Knowledge | None, fetched_at: float
) -> tuple[Mapping[str, str], Mapping[str, Any], str]:
    """Return rule and present reading of each field, and the reason if there are none."""
    if knowledge is None:
        return {}, {}, "nothing is learned: how the values were read is not known"
    kept = reader.stored_page(url)
    if kept is None:
        return {}, {}, "the page's HTML was not kept (GWC_KEEP_HTML): where the values stand on it can't be shown"
    page = PageReader(knowledge, site.sites).read(url, kept.html, kept.content_type, 200)
    record = extract_target(page, knowledge, fetched_at, reader.took_its_place)
    if record is None or record.rejected:
        return {}, {}, "by what is learned now, the page is no target; `scrapy extract` would drop its record"
    paged = set(knowledge.paging)
    return field_sources(page, knowledge), {k: v for k, v in record.fields.items() if k not in paged}, ""


def records_table_of(plan: ColumnPlan, rows: Sequence[tuple[Any, ...]], *, width: int, more: bool) -> Table:
    """Return some records as a table that fits its terminal, Chinese signs counted as two columns wide.

    Columns for which there is no room are named below it; URLs of one host stand without it.
    """
    from rich.table import Table

    shown = plan.columns[: max(1, width // (LEAST_WIDTH + 3))]
    urls = (row[place] for place, one in enumerate(shown) if one.name == "url" for row in rows)
    hosts = {"/".join(url.split("/", 3)[:3]) for url in urls}
    host = hosts.pop() if len(hosts) == 1 else ""
    table = Table(caption="\n".join(_captions(plan, len(shown), host, more=more)) or None, caption_justify="left")
    cells = [
        [_short(one.kind, value).removeprefix(host) or "/" for one, value in zip(shown, row, strict=False)]
        for row in rows
    ]
    for column, room in zip(shown, _widths([[one.name for one in shown], *cells], width), strict=True):
        justify: Literal["left", "right"] = (
            "right" if column.kind in (ColumnKind.INTEGER, ColumnKind.NUMBER) else "left"
        )
        table.add_column(escape(column.name), justify=justify, no_wrap=True, overflow="ellipsis", width=room)
    for row in cells:
        table.add_row(*map(escape, row))
    return table


def _widths(lines: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return how wide each column may be: the widest give room to the others."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    room = width - 3 * len(widths) - 1
    while sum(widths) > room and max(widths) > 1:
        widest = max(widths)
        widths[widths.index(widest)] = widest - 1
    return widths


def _captions(plan: ColumnPlan, shown: int, host: str, *, more: bool) -> Iterator[str]:
    if host:
        yield f"URLs begin with {host}"
    if len(plan.columns) > shown:
        yield f"no room for {', '.join(one.name for one in plan.columns[shown:])} (--fields chooses)"
    if more:
        yield "there are more records (--limit)"


def _short(kind: ColumnKind, value: Any) -> str:
    if value is None:
        return "–"
    if kind is ColumnKind.MOMENT:
        return moment_text(value)[:19].replace("T", " ")
    shown = as_extracted(value) if kind in (ColumnKind.LIST, ColumnKind.MIXED) else value
    text = visible(" ".join((_listed(shown) if isinstance(shown, list) else str(shown)).split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _listed(items: Sequence[Any]) -> str:
    if items and isinstance(items[0], dict):
        return f"{len(items)} × {{{', '.join(items[0])}}}"
    return ", ".join(map(str, items))


def _whole(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, list):
        return "".join(f"\n{'':>14}· {_item(item)}" for item in value) or "(an empty list)"
    return str(value)


def _item(item: Any) -> str:
    return "; ".join(f"{key}: {part}" for key, part in item.items()) if isinstance(item, dict) else str(item)
