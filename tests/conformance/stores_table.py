"""What each reading command answers in each store and mode."""

from __future__ import annotations

from enum import StrEnum

from tests.conformance.table import Case


class Mode(StrEnum):
    """Where a crawl keeps its state, pages and records."""

    SQLITE = "SQLite"
    SERVER = "SQL Server alone"
    SAID = "SQL Server alone, of which only the crawl was told (`-s GWC_SINK=mssql`)"
    MIXED = "SQL Server alone at first, then SQLite"
    BOTH = "SQLite and SQL Server"
    SHARED = "Redis, one machine"
    HALVES = "Redis, one of two machines"
    ABSENT = "Redis, a machine that took no part"
    FLEET = "Redis and SQL Server alone"
    FOREIGN = "a foreign Scrapy project with `SqlServerPipeline`"


class Command(StrEnum):
    """What is run."""

    LIST = "list"
    STATUS = "status {site} --json"
    WHY = "why {site} {url}"
    VIEW = "view {site} --json"
    VIEW_ONE = "view {site} --json --url {url}"
    EXPORT = "export {site} -o -"
    WHERE = "export {site} -o - --where price<10"
    PAGE = "dashboard /sites/{site}/records"
    LINKS = "dashboard /sites/{site}/links"
    GRAPH = "graph {site} --json"
    CHANGES = "changes {site}"
    EXTRACT = "extract {site} --workers 1 --json"
    QUEUE = "queue {site} list"
    STRIP = "strip --from sqlite:data/{site}/crawl.db --to dir:stripped --workers 1 --json"
    DOCTOR = "doctor {site} --offline --json"


SERVER = "on the SQL Server at SERVER, database crawls0"
AT, AS_SAID = f"{SERVER} (GWC_SINK)", f"{SERVER}, as its crawl was told to keep them (GWC_SINK)"
NOT_HERE = (
    "the pages and records of SITE are not in FILE, but {place}: read them there (`scrapy export`, `view`, `graph`, "
    "`why`, `status` and the dashboard do, where GWC_SINK names it); crawls with GWC_SINK = sqlite,mssql keep them "
    "here, too"
)
NONE = "this machine has 0 of 13 pages of the crawl; the others are in crawl.db of the other machines that "
NONE += "crawled it"
PART = NONE.replace("0 of", "n of")
TEXTS = (
    "no record can pass --where 'price<10': price holds texts, such as '$…', which are neither less nor more than "
    """'10'; with its type in the site file ([types] price = "price", "number" or "date") and `scrapy extract`, they """
    "become numbers and dates"
)
MIXED = f"this machine has n of 13 pages of the crawl; the others are {SERVER}, where GWC_SINK had them kept"
AWAY = "page not on this machine: a worker elsewhere has fetched it"
NO_HISTORY = (
    "no history is kept where its records are; crawls with GWC_SINK = sqlite,… and GWC_HISTORY = true keep one from "
    "then on"
)
NOTHING_WAITS = (
    "2: --from sqlite:FILE: no page waits there (of a crawl, only HTML that GWC_KEEP_HTML kept; what it keeps on a SQL "
    "Server: --from mssql:)"
)


def row(
    command: Command,
    here: str,
    server: str = "",
    said: str = f"2: {NOT_HERE.format(place=AS_SAID)}",
    part: str = "",
    absent: str = f"2: FILE: not crawled here; {NONE}",
    foreign: str = "",
    mixed: str = "",
) -> list[Case]:
    """Return the cases of one command: *here*, where the file has all; the others where it has not."""
    unlike = {
        Mode.SERVER: server or here, Mode.FLEET: server or here, Mode.SAID: said,
        Mode.HALVES: part or f"7: n {here[6:]}; {PART}",
        Mode.MIXED: mixed or (part or f"7: n {here[6:]}; {PART}").replace(PART, MIXED),
        Mode.ABSENT: absent, Mode.FOREIGN: foreign or f"2: Unknown command: {command.split()[0]}",
    }  # fmt: skip
    shown = command.format(site="SITE", url="URL")
    return [Case(f"`{shown}`: {mode}", unlike.get(mode, here), (mode, command)) for mode in Mode]


TABLE = [
    *row(Command.LIST, *["0: SITE"] * 6),
    *row(Command.STATUS, "0: 12 records", "0: 12 records", f"0: {AS_SAID}", "0: n records of this machine",
         "0: 0 records of this machine", mixed="0: n records"),
    *row(Command.WHY, "0: page '/item/3', HTTP 200, utf-8, HTML kept", "",
         f"0: page it and its record are {AS_SAID}", *[f"0: {AWAY}"] * 2,
         mixed="0: page not stored here, but where GWC_SINK had it kept when it came"),
    *row(Command.VIEW, "0: 12 records", foreign="2: Scrapy's own"),
    *row(Command.VIEW_ONE, "0: the record, Book number 3", part=f"1: {PART}", foreign="2: Scrapy's own"),
    *row(Command.EXPORT, "0: 12 rows"),
    *row(Command.WHERE, f"2: {TEXTS}", part=f"2: {TEXTS}"),
    *row(Command.PAGE, "200: 12 records", "200: 12 records", f"200: pages and records are {AS_SAID}",
         f"200: n records; {PART}", f"200: {NONE}"),
    *row(Command.LINKS, "200: 13 pages", "200: 13 pages", f"200: pages and records are {AS_SAID}",
         f"200: n pages; {PART}", f"200: {NONE}"),
    *row(Command.GRAPH, "0: 13 pages"),
    *row(Command.CHANGES, "0: 12 changes", f"2: of SITE {NO_HISTORY}"),
    *row(Command.EXTRACT, "0: 12 records", f"2: {NOT_HERE.format(place=AT)}", part="0: n records"),
    *row(Command.QUEUE, *["0: 15 URLs"] * 5),
    *row(Command.STRIP, "0: 12 pages", NOTHING_WAITS, NOTHING_WAITS, "0: n pages",
         "2: FILE: there is no such database"),
    *row(Command.DOCTOR, *["0: all is well"] * 5),
]  # fmt: skip
