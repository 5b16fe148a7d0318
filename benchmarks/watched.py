"""`python -m benchmarks.watched`: what a crawl loses while somebody looks at it in the dashboard.

The same catalogue is crawled with everything on, in turns alone and beside a dashboard whose page of that site is
open, as a browser keeps it: its figures every 2 s, the queue every 10 s. A run that left out a page or a record fails.
Pages a second are those of the wall clock: the server, the crawl and the dashboard share the machine's cores.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from statistics import median

from benchmarks.catalogue import Catalogue
from benchmarks.contenders import ROOT, SITE, BenchmarkError, Ours
from benchmarks.measure import Cost, cpu_seconds, machine, run_measured
from benchmarks.server import CatalogueServer

FIGURES_SECONDS = 2.0
"""How often a browser asks for the figures of a site that it shows."""
QUEUE_EVERY = 5
"""Each so many of these the queue is looked at, too."""
LIMIT_SECONDS = 1800.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds and print the table; 1 where the crawl lost more than it may, or left something out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watched", description=__doc__)
    parser.add_argument("--pages", type=int, default=6_000, help="size of the catalogue (100 or more)")
    parser.add_argument("--rounds", type=int, default=12, help="how often each crawl runs; the medians are compared")
    parser.add_argument("--most", type=float, default=0.02, help="share of the pace that may be lost (default .02)")
    options = parser.parse_args(arguments)
    alone: list[Cost] = []
    watched: list[Cost] = []
    shares: list[float] = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-watched-")))
        server = stack.enter_context(CatalogueServer(options.pages))
        ours = Ours(Catalogue(options.pages), server.url, scratch)
        try:
            ours.prepare()
            for turn in range(options.rounds):
                for with_dashboard in (
                    turn % 2 == 0,
                    turn % 2 == 1,
                ):  # who is first changes: neither has the better turn
                    if with_dashboard:
                        with dashboard(scratch, shares):
                            watched.append(_crawl(ours, server))
                    else:
                        alone.append(_crawl(ours, server))
        except BenchmarkError as error:
            print(f"benchmark failed: {error}", file=sys.stderr)
            return 1
    print(f"{options.pages:,} pages of 40 KB\n{machine()}\n")
    print("| crawl | pages/s | CPU ms a page |\n|---|---|---|")
    for name, costs in (("alone", alone), ("watched", watched)):
        pace = options.pages / median(one.wall_seconds for one in costs)
        print(f"| {name} | {pace:.0f} | {1000 * median(one.cpu_seconds for one in costs) / options.pages:.2f} |")
    paces = [one.wall_seconds / two.wall_seconds for one, two in zip(alone, watched, strict=True)]
    lost = 1 - median(paces)
    print(f"\nwatched, it crawls {100 * lost:.1f} % fewer pages a second (median of {options.rounds} pairs)")
    print("pairs, watched against alone: " + ", ".join(f"{pace:.2f}" for pace in sorted(paces)))
    print(f"the dashboard itself takes {100 * median(shares):.1f} % of a core")
    return int(lost > options.most)


def _crawl(ours: Ours, server: CatalogueServer) -> Cost:
    server.take_hits()
    job = ours.job()
    cost = run_measured(job.command, job.log, cwd=job.cwd, limit_seconds=LIMIT_SECONDS)
    ours.check(cost, server.take_hits())
    return cost


@contextmanager
def dashboard(project: Path, shares: list[float]) -> Iterator[None]:
    """A dashboard of what is crawled in *project*, and somebody who looks at it; which share of a core it took
    meanwhile is added to *shares*.

    Raises:
        BenchmarkError: it did not answer.
    """
    places = ["-s", f"GWC_SITES_DIR={project}", "-s", f"GWC_DATA_DIR={project / 'data'}"]
    command = [sys.executable, "-m", "scrapy", "dashboard", "--port", "0", *places]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    assert process.stdout is not None
    found = re.search(r"http\S+", process.stdout.readline())
    if found is None:
        raise BenchmarkError("the dashboard did not start")
    ended = threading.Event()
    answers: list[int] = []
    looking = threading.Thread(target=_look, args=(found[0], ended, answers))
    looking.start()
    started, spent = time.monotonic(), cpu_seconds(process.pid)
    try:
        yield
        shares.append((cpu_seconds(process.pid) - spent) / (time.monotonic() - started))
    finally:
        ended.set()
        looking.join()
        process.terminate()
        process.wait()
        process.stdout.close()
    if not answers or set(answers) != {200}:
        raise BenchmarkError(f"the dashboard answered {answers or 'nothing'}")


def _look(address: str, ended: threading.Event, answers: list[int]) -> None:
    """Keep a site's page open until *ended*, and note each answer's status."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opener.open(address).read()
    origin = address.partition("/?")[0]
    looks = 0
    while True:
        view = "queue" if looks % QUEUE_EVERY == QUEUE_EVERY - 1 else "live"
        with opener.open(f"{origin}/sites/{SITE}/{view}") as answer:
            answer.read()
            answers.append(answer.status)
        looks += 1
        if ended.wait(FIGURES_SECONDS):
            return


if __name__ == "__main__":
    sys.exit(main())
