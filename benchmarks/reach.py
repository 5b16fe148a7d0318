"""`python -m benchmarks.reach`: what names, sitemaps, kept files and WARC cost a page, counted in instructions.

The catalogue is crawled under callgrind at an address, as bare as it comes; at a name, with the name looked up, a
sitemap asked for and every file kept; and with every exchange recorded in WARC files. Each is done with few pages and
with more: what the difference of pages takes is free of start-up. Instructions do not depend on what else the machine
does; a run takes a minute or more.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, BenchmarkError, Ours, site_file
from benchmarks.server import CatalogueServer

NAME = "shop.test"
COUNTED = re.compile(r"Collected : (\d+)")


@dataclass(frozen=True)
class Reaching(Ours):
    """Our crawl of the catalogue at a name, with a sitemap and all files."""

    settings: Sequence[str] = ("-s", "GWC_KEEP_FILES=all")

    def site_text(self) -> str:
        address = self.url.rpartition("//")[2].rpartition(":")[0]
        text = site_file(self.catalogue, self.url.replace(address, NAME), self.more_urls)
        return f'sitemap = true\n{text}\n[dns]\nhosts = {{ "{NAME}" = "{address}" }}\n'


@dataclass(frozen=True)
class Recording(Ours):
    """Our crawl of the catalogue with every exchange recorded in WARC files."""

    settings: Sequence[str] = ("-s", "GWC_WARC=warc/")


KINDS: Mapping[type[Ours], str] = {
    Ours: "at an address",
    Reaching: "at a name, with a sitemap, all files kept",
    Recording: "at an address, recorded as WARC",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Count and print; 1 where a crawl did not do all of its work, 2 where nothing can be counted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reach", description=__doc__)
    parser.add_argument("--pages", type=int, nargs=2, default=[100, 300], help="few and more pages (100 or more)")
    options = parser.parse_args(arguments)
    if shutil.which("valgrind") is None:
        print("valgrind is missing: apt-get install valgrind", file=sys.stderr)
        return 2
    try:
        rows = [
            {"name": kind.__name__, "pages": pages, "instructions": _instructions(kind, pages)}
            for kind in KINDS
            for pages in options.pages
        ]
    except BenchmarkError as error:
        print(f"benchmark failed: {error}", file=sys.stderr)
        return 1
    print(table(rows))
    return 0


def _instructions(kind: type[Ours], pages: int) -> int:
    """Crawl so many pages under callgrind.

    Raises:
        BenchmarkError: a page or record is missing, or nothing was counted.
    """
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-reach-")))
        server = stack.enter_context(CatalogueServer(pages))
        ours = kind(Catalogue(pages), server.url, scratch)
        ours.prepare()
        server.take_hits()
        counting = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch / 'counted'}"]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        done = subprocess.run(
            [*counting, *ours.job().command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        counted = COUNTED.search(done.stderr)
        if done.returncode or counted is None:
            raise BenchmarkError(f"the crawl ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")
        return int(counted[1])


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the figures as Markdown."""
    lines = ["| crawl | start-up | a page | against the bare one |", "|---|---|---|---|"]
    bare = _line(rows, Ours.__name__)[1]
    for kind, what in KINDS.items():
        start, page = _line(rows, kind.__name__)
        lines.append(f"| {what} | {start:,.0f} million | {page:.2f} million | {page / bare - 1:+.1%} |")
    return "\n".join(lines)


def _line(rows: Sequence[Mapping[str, Any]], name: str) -> tuple[float, float]:
    """Millions of instructions: those of a crawl without pages, and of a page."""
    few, more = sorted((row["pages"], row["instructions"] / 1e6) for row in rows if row["name"] == name)
    page = (more[1] - few[1]) / (more[0] - few[0])
    return few[1] - page * few[0], page


if __name__ == "__main__":
    sys.exit(main())
