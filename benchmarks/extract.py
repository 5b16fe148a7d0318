"""`python -m benchmarks.extract`: records from the pages a crawl has stored, by one process and by several."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, SITE, Ours
from benchmarks.measure import Job, run_measured
from benchmarks.server import CatalogueServer


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl once, extract with each number of processes, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extract", description=__doc__)
    parser.add_argument("--pages", type=int, default=5_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], help="processes")
    options = parser.parse_args(arguments)
    catalogue = Catalogue(options.pages)
    with tempfile.TemporaryDirectory(prefix="bench-extract-") as scratch, CatalogueServer(options.pages) as server:
        ours = Ours(catalogue, server.url, Path(scratch))
        ours.prepare()
        ours.crawl(server)
        print("| processes | CPU ms a record | wall s | peak MB |\n|---|---|---|---|")
        for workers in options.workers:
            command = [sys.executable, "-m", "scrapy", "extract", f"{scratch}/{SITE}.toml",
                       "--workers", str(workers), "-s", f"GWC_DATA_DIR={scratch}/data"]  # fmt: skip
            job = Job(command, Path(scratch) / "ours.log", ROOT)
            done = run_measured(job, max(300.0, options.pages * 0.1))
            ours.check(done, Counter(catalogue.paths()))
            ms = 1000 * done.cpu_seconds / catalogue.products
            print(f"| {workers} | {ms:.2f} | {done.wall_seconds:.1f} | {done.peak_mb:.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
