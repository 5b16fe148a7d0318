"""`python -m benchmarks.where`: where the CPU time of a page goes, by samples of our crawls' stacks.

One crawl has everything on, the other one follows links and stores nothing. Both run in turns, on the same pages.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, Ours
from benchmarks.measure import Cost, run_in_turns
from benchmarks.peers.contenders import Contender, Everything, LinksOnly
from benchmarks.record import Recorder
from benchmarks.server import CatalogueServer

LAUNCH_FRAMES = 12
"""How deep a stack begins with running a module, which looks like importing one."""

STARTING = re.compile(r"<module>|importlib|_find_and_load")
TREE = "gwc_crawler/page/parse.py"
TREE_NAME = "the tree (libxml2)"
OURS = re.compile(r"gwc_crawler/(\w+)")
OTHERS = (("Scrapy", "scrapy/"), ("Twisted", "twisted/"), ("asyncio and selectors", "asyncio/"),
          ("asyncio and selectors", "selectors.py"), ("lxml, parsel, w3lib", "lxml/"),
          ("lxml, parsel, w3lib", "parsel/"), ("lxml, parsel, w3lib", "w3lib/"))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl twice under the sampler, print the table, write results/where.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.where", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    options = parser.parse_args(arguments)
    recorder = Recorder("where")
    try:
        figures = {"pages": options.pages, "crawls": _crawled(Catalogue(options.pages))}
    except BenchmarkError as error:
        print(f"benchmark failed: {error}", file=sys.stderr)
        return 1
    recorder.write(figures)
    print(table(figures))
    return 0


def _crawled(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Let both crawl in turns; give the CPU time of a page of each, and its shares."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-where-")))
        servers = [stack.enter_context(CatalogueServer(catalogue.pages)) for _ in range(2)]
        folders = [scratch / "everything", scratch / "links"]
        contenders: list[Contender] = [
            Everything(Ours(catalogue, servers[0].url, folders[0])),
            LinksOnly(catalogue, servers[1].url, folders[1]),
        ]
        jobs = []
        for contender, server, folder in zip(contenders, servers, folders, strict=True):
            contender.prepare()
            server.take_hits()
            job = contender.job()
            python, *command = job.command
            jobs.append(replace(job, command=[python, "-m", "benchmarks.sampled", str(folder / "samples"), *command]))
        costs = run_in_turns(jobs, max(300.0, catalogue.pages * 0.1))
        for contender, server, cost in zip(contenders, servers, costs, strict=True):
            contender.check(cost, server.take_hits())
        samples = [(folder / "samples").read_text(encoding="utf-8") for folder in folders]
        return [
            _told(contender.name, catalogue.pages, cost, seen)
            for contender, cost, seen in zip(contenders, costs, samples, strict=True)
        ]


def _told(name: str, pages: int, cost: Cost, samples: str) -> dict[str, Any]:
    return {"name": name, "cpu_ms": round(1000 * cost.cpu_seconds / pages, 3), "shares": shares_of(samples)}


def shares_of(samples: str) -> dict[str, float]:
    """Return the share of each package, the largest first; *samples* are lines `frame;frame;… count`."""
    counts: Counter[str] = Counter()
    for line in samples.splitlines():
        stack, _, count = line.rpartition(" ")
        counts[_owner(stack.split(";"))] += int(count)
    every = counts.total() or 1
    return {name: round(count / every, 4) for name, count in counts.most_common()}


def _owner(frames: Sequence[str]) -> str:
    """Whose time a stack is: that of the innermost function that belongs to somebody."""
    if any(STARTING.search(frame) for frame in frames[LAUNCH_FRAMES:]):
        return "start-up: imports"
    for frame in reversed(frames):
        if TREE in frame:
            return TREE_NAME
        if "site-packages" not in frame and (found := OURS.search(frame)):
            return f"gwc_crawler/{found[1]}"
        for name, part in OTHERS:
            if part in frame:
                return name
    return "the rest"


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown: CPU ms of a page, and what takes a hundredth of either crawl or more."""
    crawls = figures["crawls"]
    named = dict.fromkeys(name for crawl in crawls for name, share in crawl["shares"].items() if share >= 0.01)
    lines = [_row(["CPU ms a page", *(crawl["name"] for crawl in crawls)]), _row(["---"] * (len(crawls) + 1))]
    for name in named:
        shares = [crawl["shares"].get(name, 0.0) for crawl in crawls]
        cells = (f"{crawl['cpu_ms'] * share:.2f} ({share:.0%})" for crawl, share in zip(crawls, shares, strict=True))
        lines.append(_row([name, *cells]))
    rest = [1 - sum(crawl["shares"].get(name, 0.0) for name in named) for crawl in crawls]
    left = (f"{crawl['cpu_ms'] * share:.2f} ({share:.0%})" for crawl, share in zip(crawls, rest, strict=True))
    lines.append(_row(["what takes less than 1 % each", *left]))
    lines.append(_row(["in all", *(f"{crawl['cpu_ms']:.2f}" for crawl in crawls)]))
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
