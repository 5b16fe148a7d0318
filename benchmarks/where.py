"""`python -m benchmarks.where`: which packages our crawl's CPU time goes to, by samples of its stack."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import BenchmarkError, Ours
from benchmarks.measure import run_in_turns
from benchmarks.record import Recorder
from benchmarks.server import CatalogueServer

LAUNCH_FRAMES = 12
"""How deep a stack begins with running a module, which looks like importing one."""

STARTING = re.compile(r"<module>|importlib|_find_and_load")
OURS = re.compile(r"gwc_crawler/(\w+)")
OTHERS = (("Scrapy", "scrapy/"), ("Twisted", "twisted/"), ("asyncio and selectors", "asyncio/"),
          ("asyncio and selectors", "selectors.py"), ("lxml, parsel, w3lib", "lxml/"),
          ("lxml, parsel, w3lib", "parsel/"), ("lxml, parsel, w3lib", "w3lib/"))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl under py-spy, print the table, write results/where.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.where", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    options = parser.parse_args(arguments)
    recorder = Recorder("where")
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-where-")))
        server = stack.enter_context(CatalogueServer(options.pages))
        samples = scratch / "samples"
        interpreter = [sys.executable, "-m", "benchmarks.sampled", str(samples)]
        ours = Ours(Catalogue(options.pages), server.url, scratch, interpreter)
        try:
            ours.prepare()
            server.take_hits()
            (cost,) = run_in_turns([ours.job()], max(300.0, options.pages * 0.1))
            ours.check(cost, server.take_hits())
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
        shares = shares_of(samples.read_text(encoding="utf-8"))
    figures = {"pages": options.pages, "shares": shares}
    recorder.write(figures)
    print(table(figures))
    return 0


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
        if "site-packages" not in frame and (found := OURS.search(frame)):
            return f"gwc_crawler/{found[1]}"
        for name, part in OTHERS:
            if part in frame:
                return name
    return "the rest"


def table(figures: Mapping[str, Any]) -> str:
    """Return the figures as Markdown: what takes a hundredth or more."""
    lines = ["| package | share of the time |", "|---|---|"]
    lines += [f"| {name} | {share:.1%} |" for name, share in figures["shares"].items() if share >= 0.01]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
