"""The stored pages and records of a site, for commands that read them; and their place if they are not here.

A place without any would give an empty answer that looks real: it is refused, and the right place is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from scrapy.settings import BaseSettings, Settings

from gwc_crawler.crawl.data_files import CRAWL_DB
from gwc_crawler.errors import InputError, OutageError
from gwc_crawler.export.columns import MergedRecords
from gwc_crawler.export.formats import Format
from gwc_crawler.export.graph.model import Column, GraphPage, SiteGraph, build_graph, columns_of
from gwc_crawler.export.job import Selection
from gwc_crawler.frontier.sqlite.stats import state_counts
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.runs.lookup import Servers, SiteFiles
from gwc_crawler.store.reading import RecordRows, SiteReader
from gwc_crawler.store.server.config import NAMES, OutletConfig
from gwc_crawler.store.server.outlet import read_state, read_states
from gwc_crawler.store.server.reading import ServerReader
from gwc_crawler.store.sink import column_names
from gwc_crawler.store.sqlite.database import CrawlDatabase, has_tables
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.stats import count_complete, stored_urls
from gwc_crawler.wiring.options import OWN_SINK, is_in_redis, sink_names


@contextmanager
def open_reader(files: SiteFiles) -> Iterator[SiteReader]:
    """Open the store that has the pages and records of a site, to be read: the crawl's file, or else a server.

    InputError: the site has not been crawled, or they are in a sink that can't be read. StoreError: it can't be read.
    """
    if (server := server_reader(files.settings, files.site.name)) is not None:
        with closing(server):
            yield server
        return
    with CrawlDatabase(require_pages(files), read_only=True) as database:
        yield SqliteReader(database, files.site.name)


@contextmanager
def open_records(files: SiteFiles) -> Iterator[tuple[SiteReader, RecordRows]]:
    """Open the records, to be read; raises as `open_reader`, and InputError where nothing makes any of the pages."""
    with open_reader(files) as reader:
        rows = reader.records()
        if rows is None:
            raise InputError(f"{reader.place} has no records: the site file has no samples with fields")
        yield reader, rows


@contextmanager
def open_merged(files: SiteFiles, places: Sequence[str]) -> Iterator[MergedRecords]:
    """Open the records of this machine, if any, and those of others, to be read as one table.

    *places* are data directories, a site's directories, or files called crawl.db, copied or mounted here. Raises
    InputError: one has no crawl of the site, or none has records.
    """
    paths = {files.crawl_db.resolve(): files.crawl_db} if has_tables(files.crawl_db) else {}
    for place in map(Path, places):
        found = [path for path in (place / files.site.name / CRAWL_DB, place / CRAWL_DB, place) if path.is_file()]
        if not found:
            raise InputError(f"--merge {place}: there is no {files.site.name}/{CRAWL_DB} in it, and no {CRAWL_DB}")
        paths[found[0].resolve()] = found[0]
    with ExitStack() as stack:
        opened = [stack.enter_context(CrawlDatabase(path, read_only=True)) for path in paths]
        tables = [table for one in opened if (table := SqliteReader(one, files.site.name).records()) is not None]
        if not tables:
            raise InputError(f"none of {', '.join(map(str, paths))} has records of {files.site.name}")
        yield MergedRecords(tables)


def has_server_alone(settings: BaseSettings) -> bool:
    """Say whether a server has pages and records and the crawl's own file has not: all workers' then."""
    names = sink_names(settings)
    return OWN_SINK not in names and any(name in NAMES for name in names)


def server_reader(settings: BaseSettings, site: str) -> ServerReader | None:
    """Open the server that keeps the pages instead of the own file; None: none does. InputError: no address."""
    if not has_server_alone(settings):
        return None
    engine = next(name for name in sink_names(settings) if name in NAMES)
    return ServerReader(OutletConfig.from_settings(settings, engine).server, site)


def selection_for(files: SiteFiles, kind: Format) -> Selection:
    """Return the default selection of records and columns: those of the site file's fields."""
    site = files.site
    fields: tuple[str, ...] = ()
    if (knowledge := files.learned()) is not None:
        fields = tuple(knowledge.record_shape(site.field_names).columns)
    columns = dict(zip(fields, column_names(fields), strict=True))
    texts = frozenset(columns[name] for name in site.text_columns if name in columns)
    return Selection(kind, known=tuple(columns.values()), texts=texts)


@dataclass(frozen=True, slots=True)
class Part:
    """This machine's part of a crawl: pages here, and in all; the place of the others."""

    here: int
    all: int
    where: str

    @property
    def told(self) -> str:
        """The part in a sentence."""
        return f"this machine has {self.here:,} of {self.all:,} pages of the crawl; the others are {self.where}"


def kept_elsewhere(settings: Settings, directory: Path) -> str:
    """Return where a site's pages and records are outside its own database; "" if they are in it, or nowhere.

    Raises StoreError: the database in *directory*, the site's, can't be read.
    """
    names = sink_names(settings)
    if OWN_SINK not in names:
        return " and ".join(_place(name, settings, directory) for name in names) + " (GWC_SINK)"
    path = directory / CRAWL_DB
    if not has_tables(path):
        return ""
    with CrawlDatabase(path, read_only=True) as database:
        if next(stored_urls(database), None) is not None:
            return ""
        state = read_state(directory)
        if not (state_counts(database)["C"] if state else count_complete(database)[0]):
            return ""  # nobody has any yet, or those who share the crawl have them
    place = f"on the {state.name} at {state.server}, as" if state else "where"
    return f"{place} its crawl was told to keep them (GWC_SINK)"


def require_pages(files: SiteFiles) -> Path:
    """Return the crawl's database with the pages. InputError: not crawled, or they are elsewhere; names the place."""
    here = has_tables(files.crawl_db)
    where = kept_elsewhere(files.settings, files.directory) if here or is_in_redis(files.settings) else ""
    if where:
        others = [name for name in sink_names(files.settings) if name != OWN_SINK]
        both = ",".join((OWN_SINK, *(others or ["mssql"])))
        raise InputError(
            f"the pages and records of {files.site.name} are not in {files.crawl_db}, but {where}: read them there "
            "(`scrapy export`, `view`, `graph`, `why`, `status` and the dashboard do, where GWC_SINK names it); "
            f"crawls with GWC_SINK = {both} keep them here, too"
        )
    if not here and (part := part_here(files.site.name, files.settings, files.directory)) is not None:
        raise InputError(f"{files.crawl_db}: not crawled here; {part.told}")
    return files.require_crawl()


def part_here(name: str, settings: Settings, directory: Path) -> Part | None:
    """Return the part of a crawl that is here; None if it is all here.

    The rest may be with the workers that share it, or in the store of an earlier run. Redis is asked for the results of
    other workers; while it is away, its answer from the end of this worker's run counts.
    """
    if has_server_alone(settings):
        return None
    pages, redirects, lacking, complete, path = 0, 0, 0, 0, directory / CRAWL_DB
    if has_tables(path):
        with CrawlDatabase(path, read_only=True) as database:
            pages, redirects, lacking = count_complete(database)
            complete = state_counts(database)["C"] - 2 * redirects  # few know the URLs that each passes on its way
    if is_in_redis(settings):
        from gwc_crawler.crawl.redis_parts import open_look  # Redis only if it is used

        with ExitStack() as stack, suppress(OutageError):
            look = open_look(name, settings, Servers(stack).of(settings))
            if look.exists():
                complete = min(look.pages(), look.states()["C"] - redirects)
    if complete > pages:
        sinks = [sink for sink in sink_names(settings) if sink != OWN_SINK]
        places = "".join(f", and all are {_place(sink, settings, directory)}" for sink in sinks)
        return Part(pages, complete, f"in {CRAWL_DB} of the other machines that crawled it{places}")
    state = read_state(directory) if lacking else None
    if state is None:
        return None
    return Part(pages - lacking, pages, f"on the {state.name} at {state.server}, where GWC_SINK had them kept")


def _place(name: str, settings: Settings, directory: Path) -> str:
    if name not in NAMES:
        return f"with {name}"
    with suppress(InputError):
        return f"on the {NAMES[name]} at {OutletConfig.from_settings(settings, name).server.place}"
    state = next((one for one in read_states(directory) if one.engine == name), None)
    return f"on the {NAMES[name]}{f' at {state.server}' if state else ''}"


# --- The stored link graph of a site, for commands; also while a crawl runs -------------------------------------------


def read_graph(files: SiteFiles, *, known: bool = False) -> SiteGraph:
    """Read pages and links; *known*: also URLs that were never fetched. Raises as `open_reader`."""
    knowledge, entries = files.learned(), files.site.entry  # not the samples, though a crawl fetches these, too
    with open_reader(files) as reader:
        rows, redirects = reader.graph_pages(known=known), reader.redirects()
        pages = [
            GraphPage(row.url, row.kind, row.title, row.state, row.url in entries, _class_of(row.url, knowledge))
            for row in rows
        ]
        return build_graph(pages, [row.number for row in rows], reader.graph_links(), redirects)


MOST_LINKS = 1_000_000
"""Links that are read within seconds, into some hundred MB."""


def read_columns(files: SiteFiles) -> list[Column]:
    """Return the site's columns; none where there are too many links. Raises StoreError: the database can't be read."""
    with open_reader(files) as reader:
        return [] if reader.has_more_links(MOST_LINKS) else columns_of(read_graph(files))


def _class_of(url: str, knowledge: Knowledge | None) -> str:
    if knowledge is None:
        return ""
    found = (knowledge.class_of(url, verdict) for verdict in (Verdict.TARGET, Verdict.DIRECTORY))
    return next(filter(None, found), "")
