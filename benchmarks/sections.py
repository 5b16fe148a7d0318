"""The sections of `make bench`: what each is about, how it is run in full and in QUICK, and what draws its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One `python -m benchmarks.<module>`.

    Attributes:
        title: its heading in docs/benchmarks.md.
        about: one or two sentences below it.
        full: arguments of the full form.
        quick: arguments of a run of seconds, too small for figures that mean something.
    """

    module: str
    title: str
    about: str
    full: Sequence[str] = ()
    quick: Sequence[str] = ()


SECTIONS = (
    Section(
        "peers",
        "Beside other crawlers",
        "The same generated site of 40 KB pages with 50 links each, served by nginx, crawled whole by each in "
        "turns of seconds, only one at a time. CPU time is the crawler's own, its children included, without "
        "nginx and Redis; each was checked to have fetched every page, ours also to have every record exact. "
        "*Everything on*: five fields extracted, tags stripped, HTML, links, states and records stored. "
        "*Links only*: no fields, a sink that keeps nothing; the states of URLs are kept still. What keeps it from "
        "what is wanted: *Scrapy, fetching alone* knows all addresses beforehand and looks at no page, and takes "
        "more than ours takes for everything; seven times CrawlSpider's pages would leave two thirds of that. "
        "Ours has an HTTP client of its own, and few middlewares; what is left of Scrapy and its event loop is a "
        "fifth of the time, libxml2's tree another one (the next section). More would take leaving Scrapy's engine, "
        "or reading links from the bytes as wget2 does: kinds, weights, fields and text need a tree, and making "
        "that tree alone takes about what wget2 takes in all. *Links only* makes it, too, and its frontier survives "
        "a kill -9. Each Python crawler has an environment of its own with nothing else in it, ours too: Scrapy "
        "loads the commands of all installed packages, and those of tools for tests take 13 MB.",
        quick=("--pages", "300"),
    ),
    Section(
        "where",
        "Where the CPU of a page goes",
        "Samples of the stacks of our crawls of the same site, one each 5 ms of CPU time: each counts for the package "
        "of the innermost Python function, C code that it calls included. Start-up counts for the pages, too: at "
        "20,000 it is a quarter of what it is at 5,000. *Scrapy*, *Twisted* and *asyncio* are what a page pays for its "
        "way through the engine and its sockets.",
        quick=("--pages", "300"),
    ),
    Section(
        "latency",
        "Slow servers, and many",
        "What a crawl with everything on reaches of the pages a second that a server's delay and the number "
        "of connections allow, measured at the server. Where *of one core* nears 100 %, the processor is what "
        "bounds it. *Waited* is the share of the time in which other work of the machine had the processor.",
        quick=("--delays", "50", "--connections", "16", "--pages", "300"),
    ),
    Section(
        "tls",
        "https",
        "The same pages by http and by https, in turns.",
        quick=("--pages", "200", "--rounds", "1"),
    ),
    Section(
        "startup",
        "Start-up",
        "Until `scrapy list` has listed 200 site files, and until the first request of `scrapy crawl` arrives "
        "at its server.",
        quick=("--rounds", "1", "--sites", "50"),
    ),
    Section(
        "instructions",
        "Instructions and allocations",
        "Hot functions on fixed pages: instructions as callgrind counts them, and blocks of memory that "
        "Python asks for, beside what is recorded in `benchmarks/instructions.json`. More than the tolerance "
        "above it fails.",
    ),
    Section(
        "workers",
        "Several processes",
        "One crawl in one process, in two, and by two workers that share it through Redis; the pages come from nginx "
        "on the same cores. *Times* is pages a second beside one process. *Busy* is how many cores worked meanwhile, "
        "on whatever; *allowed* is what *times* would be if none ever idled: cores, times the wall time of one "
        "process, over the CPU time of crawl, nginx and Redis.",
        full=("--pages", "20000"),
        quick=("--pages", "300", "--rounds", "1"),
    ),
    Section(
        "growth",
        "As a crawl grows",
        "CPU a page with a million known URLs against ten thousand, and a lease with ten thousand hosts against one.",
        full=("--pages", "1500"),
        quick=("--hosts-only",),
    ),
    Section(
        "learn",
        "Learning",
        "What learning costs as a class of pages grows.",
        quick=("--pages", "100"),
    ),
    Section(
        "extract",
        "Extraction from stored pages",
        "`scrapy extract` on what a crawl has stored, in one process and in two.",
        quick=("--pages", "300"),
    ),
    Section(
        "strip",
        "Stripping",
        "The paper's two designs (A, B) and the batched engine (C), on pages of 40 KB; then killed ten times.",
        full=("--server",),
        quick=("--pages", "100", "--kills", "1"),
    ),
    Section(
        "dedup",
        "Known URLs",
        "Bytes and time of structures that know which URLs were seen.",
        quick=("--quick",),
    ),
    Section(
        "queues",
        "Queues",
        "Queues by host against queues by BKDR hash.",
        quick=("--pages", "60", "--latency", ".1"),
    ),
    Section(
        "dns",
        "Names",
        "Looking hosts up with the DNS cache and without.",
        quick=("--lookups", "2000", "--sizes", "100", "1000"),
    ),
    Section(
        "store",
        "The store",
        "CPU time of what the store does as it grows.",
        quick=("--most", "20000"),
    ),
    Section(
        "export",
        "Exports",
        "Records written in each format.",
        full=("--records", "100000"),
        quick=("--records", "5000"),
    ),
    Section(
        "graph",
        "The link graph of a real site",
        "`scrapy graph` on 11,000 pages with 400,000 links of a real site, from the store to each form of file; beside "
        "its counts stand those that another program's walk over the same files made.",
    ),
    Section(
        "dashboard",
        "The dashboard over a large store",
        "How long each view takes over a million pages and ten million URLs.",
        full=("--pages", "1000000", "--urls", "10000000"),
        quick=("--pages", "5000", "--urls", "50000"),
    ),
    Section(
        "watched",
        "A crawl that somebody watches",
        "What a crawl loses while the dashboard's page of its site is open in a browser.",
        quick=("--pages", "300", "--rounds", "1"),
    ),
    Section(
        "mssql",
        "SQL Server",
        "What it costs to bring pages to a SQL Server: by how much the event loop is late, and CPU time of the crawl's "
        "processes together. The server is that of the tests, whose own time does not count.",
        quick=("--pages", "100", "--rounds", "1"),
    ),
    Section(
        "simulate",
        "Fleets, simulated",
        "64 to 1,000 workers on a virtual clock, with the real frontier, politeness and fleet over a real Redis; "
        "what the columns mean, where it saturates and what a billion URLs take is told in [scale](scale.md).",
        full=(
            *("--hosts", "100000", "--urls", "2000000", "--sites", "256", "--seconds", "12"),
            *("--workers", "64", "256", "1000", "--masters", "1", "16"),
        ),
        quick=("--hosts", "300", "--urls", "3000", "--sites", "4", "--workers", "4", "--seconds", "6"),
    ),
    Section(
        "chaos",
        "Chaos",
        "Workers and Redis are killed, the store is locked and its disk is full; the balance sheet has to be even.",
        quick=("--pages", "150", "--kills", "2"),
    ),
)
