"""`python -m benchmarks.gwc`: the published method (`mode = "paper"`) and its experiments, on sites stored on disk.

Each site is pre-crawled, learned and crawled page by page without a network: what is measured are choices, not servers.
Printed are three Markdown tables: (1) the threshold of the URL similarity, h(m) = m(m+1)/2 − c·m, swept over c, with
precision / recall of the class that each two samples give; (2) mean tunnel weight and learned weight threshold of each
site, with completeness and pages fetched under this and other thresholds; (3) completeness and CPU time, beside the
paper's figures.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from benchmarks.gwc.crawls import SiteResult, measure
from benchmarks.gwc.stored_site import SitesAbsent, StoredSite, stored_sites
from benchmarks.gwc.tables import completeness_table, similarity_table, tunnel_table
from benchmarks.measure import machine

LOSSES = (0.10, 0.20, 0.30, 0.35, 0.40, 0.45, 0.50)
PAGES, QUICK_PAGES = 4000, 300


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the tables; 2 where there are no stored sites."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gwc", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sites", nargs="*", help="names of sites (all)")
    parser.add_argument("--corpora", type=Path, metavar="DIR", help="where the sites are (the variable GWC_CORPORA)")
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N", help=f"pages to learn from ({PAGES:,})")
    quick = f"learn from {QUICK_PAGES} pages of each site"
    parser.add_argument("--quick", action="store_const", const=QUICK_PAGES, dest="pages", help=quick)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="sites at a time (all cores)")
    options = parser.parse_args(arguments)
    try:
        sites = stored_sites(options.corpora)
    except SitesAbsent as absent:
        print(absent, file=sys.stderr)
        return 2
    names = [site.name for site in sites]
    if unknown := set(options.sites) - set(names):
        print(f"no such site: {', '.join(sorted(unknown))}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    wanted = [site for site in sites if site.name in options.sites or not options.sites]
    results = list(_measured(wanted, options.pages, options.jobs))
    print(f"{machine()}; up to {options.pages:,} pages to learn from\n")
    for title, table in (
        ("URL similarity: precision / recall of the target class", similarity_table),
        ("Weight threshold: completeness, of how many pages fetched", tunnel_table),
        ("Completeness and time", completeness_table),
    ):
        print(f"{title}\n\n{table(results)}\n")
    return 0


def _measured(sites: Sequence[StoredSite], most: int, jobs: int) -> Iterator[SiteResult]:
    """Measure *jobs* sites at a time; their results in order, with a line on stderr for each."""
    with ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(jobs, get_context("spawn"))) if jobs > 1 else None
        for result in (pool.map if pool else map)(partial(measure, most=most, losses=LOSSES), sites):
            print(f"{result.site}: {sum(result.seconds.values()):.0f} s CPU", file=sys.stderr, flush=True)
            yield result


if __name__ == "__main__":
    sys.exit(main())
