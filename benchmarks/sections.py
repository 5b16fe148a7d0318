"""The sections of `make bench`: what each measures, and its arguments in full and in QUICK."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """One `python -m benchmarks.<module>`.

    Attributes:
        title: its heading in docs/benchmarks.md.
        about: what the reader has to know of its columns.
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
        "Each crawls the same generated site (40 KB a page, 50 links) from nginx, in its own environment, in turns of "
        "seconds. CPU time is the crawler's with its children. Each fetched every page; ours has every record exact. "
        "*Everything on*: five fields extracted, tags stripped, HTML, links, states and records stored. *Links only*: "
        "no fields, and a sink that keeps nothing; URL states still survive a kill -9. *Fetching alone* knows all "
        "addresses beforehand and looks at no page. Shares of ours (py-spy, `make profile`): store 21 %, fetching 18, "
        "charset, links and text 18, spider 12, fields 9, tree 9, Scrapy 8, stripping 5.",
        quick=("--pages", "300"),
    ),
    Section(
        "latency",
        "Slow servers, and many",
        "What a crawl with everything on reaches of the pages a second that a server's delay and the number of "
        "connections allow. *Of one core* near 100 %: the processor is the limit.",
        quick=("--delays", "50", "--connections", "16", "--pages", "300"),
    ),
    Section(
        "instructions",
        "Instructions and allocations",
        "Hot functions on fixed pages, as callgrind counts them, beside `benchmarks/instructions.json`. Fails where "
        "one is dearer by more than the tolerance.",
    ),
    Section(
        "workers",
        "Several processes",
        "One crawl in one process, in two, and by workers that share it through Redis; nginx runs on the same cores. "
        "*Times*: pages a second beside one process. *Allowed*: what *times* would be if no core ever idled.",
        full=("--pages", "20000"),
        quick=("--pages", "300", "--rounds", "1"),
    ),
    Section(
        "growth",
        "As a crawl grows",
        "CPU a page with a million known URLs against ten thousand; a lease with ten thousand hosts against one.",
        full=("--pages", "1500"),
        quick=("--hosts-only",),
    ),
    Section(
        "store",
        "The store",
        "Ways to pack stored HTML, and CPU ms of what the store does as it grows.",
        quick=("--most", "20000"),
    ),
    Section(
        "sinks",
        "Sinks",
        "A crawl into a server beside one into its own file; a responder stands for the SQL Server.",
        quick=("--pages", "300", "--rounds", "1"),
    ),
    Section("learn", "Learning", "By the number of pages in a class.", quick=("--pages", "100")),
    Section(
        "extract",
        "Extraction from stored pages",
        "`scrapy extract` on what a crawl has stored.",
        quick=("--pages", "300"),
    ),
    Section(
        "strip",
        "Stripping",
        "[TagStrip](papers/tagstrip.md)'s designs: A opens a connection for each operation, B keeps it, C reads and "
        "writes in batches; 2D has two strippers.",
        quick=("--pages", "100"),
    ),
    Section(
        "queues",
        "Queues",
        "Queues by host against queues by hash ([BKDR-queue](papers/bkdr-queue.md)), shared by all workers or owned.",
        quick=("--pages", "200", "--latency", ".1", "--seconds", "2"),
    ),
    Section(
        "dns",
        "Names",
        "Looking hosts up with the DNS cache and without ([MD5-tree](papers/md5-tree.md)).",
        quick=("--lookups", "2000"),
    ),
    Section(
        "chaos",
        "Chaos",
        "Workers and Redis are killed, the store is locked and its disk is full. No page may be lost or stored twice.",
        quick=("--pages", "150", "--kills", "2"),
    ),
)
