"""What learning costs as a class grows: wall and CPU seconds by stage, for 500, 2,000 and 5,000 real pages.

    python -m benchmarks.learn                            the three classes below
    python -m benchmarks.learn w3school/jsmethod --pages 5000 --limit 20

The pages are those of the development corpora (GWC_CORPORA). Where a corpus has fewer pages of the class, further ones
are copies at addresses of the same form, whose long texts differ, so that they don't count as second versions. With
--limit it fails if learning takes more wall seconds.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any
from unittest.mock import patch

from benchmarks.measure import own_cpu_seconds
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask

CLASSES = ("booksamillion/product", "ruststd/struct", "w3school/jsmethod")
SIZES = (500, 2_000, 5_000)
STAGES = {
    "URL groups": "gwc_crawler.learn.best.index_precrawl",
    "targets": "gwc_crawler.learn.best.choose_targets",
    "wrapper": "gwc_crawler.learn.best.make_wrapper",
    "links": "gwc_crawler.learn.best.LinkGraph",
    "directories": "gwc_crawler.learn.best.choose_ways",
    "review": "gwc_crawler.learn.site.reviewed",
}
"""Stage → the function that does it; the rest is probing pages and writing down the evidence."""
_MOST_REAL = 2_000
"""Pages that are fetched; the rest of a larger pre-crawl are copies."""
_LONG_TEXT = re.compile(rb"(?<=>)[^<>]{40,}(?=<)")
_VOWELS = b"aeiou"
_ORDERS = list(permutations(_VOWELS))
"""The first changes nothing, the others each make other texts of the same one."""


@dataclass
class Times:
    """Wall and CPU seconds by stage."""

    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add what passes inside to a stage."""
        began = time.monotonic(), own_cpu_seconds()
        yield
        self.wall[name] = self.wall.get(name, 0.0) + time.monotonic() - began[0]
        self.cpu[name] = self.cpu.get(name, 0.0) + own_cpu_seconds() - began[1]

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return *function*, whose calls count for a stage."""

        def call(*given: Any, **named: Any) -> Any:
            with self.stage(name):
                return function(*given, **named)

        return call


def class_of(name: str, size: int) -> tuple[LearnTask, list[StoredPage]]:
    """Return the learning task of a class of a corpus, and a pre-crawl of *size* pages, most of them of that class."""
    from tests.eval.offline import precrawl
    from tests.eval.targets import truth_of

    corpus, _, group = name.partition("/")
    truth = truth_of(corpus)
    samples = truth.samples(group, 0)
    stored = precrawl(truth.pages, [url for url, _ in samples], min(size, _MOST_REAL))
    of_class = [page for page in stored if page.url in truth.targets[group]]
    copies = (_copy(page, number) for number in range(1, size) for page in of_class)
    more = [copy for _, copy in zip(range(size - len(stored)), copies, strict=False)]
    return LearnTask(corpus, (truth.site.entry,), samples=tuple(samples)), [*stored, *more]


def _copy(page: StoredPage, number: int) -> StoredPage:
    """Return the page at another address of its form, with other vowels in its long texts."""
    stem, dot, extension = page.url.rpartition(".")
    url = f"{stem}{number}.{extension}" if dot and "/" not in extension else f"{page.url.rstrip('/')}{number}"
    table = bytes.maketrans(_VOWELS, bytes(_ORDERS[number % len(_ORDERS)]))
    return replace(page, url=url, requested=url, html=_LONG_TEXT.sub(lambda one: one[0].translate(table), page.html))


def measure(task: LearnTask, pages: Sequence[StoredPage]) -> Times:
    """Learn once, with a clock at each stage."""
    times = Times()
    with ExitStack() as stack:
        for stage, path in STAGES.items():
            module, _, name = path.rpartition(".")
            stack.enter_context(patch(path, times.timed(stage, getattr(sys.modules[module], name))))
        with times.stage("all"):
            learn_site(task, pages)
    return times


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a learning took longer than --limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learn", description=__doc__)
    parser.add_argument("classes", nargs="*", default=CLASSES, help="corpus/group")
    parser.add_argument("--pages", type=int, nargs="*", default=SIZES, help="sizes of the class")
    parser.add_argument("--limit", type=float, help="most wall seconds that a learning may take")
    options = parser.parse_args(arguments)
    from tests.eval.corpora import CorporaAbsent, corpora_root

    try:
        corpora_root()
    except CorporaAbsent as absent:
        parser.error(str(absent))
    logging.disable(logging.CRITICAL)
    print(f"| class | pages | KB a page | wall s | CPU s | {' | '.join(STAGES)} |\n{'|---' * (5 + len(STAGES))}|")
    slowest = 0.0
    for name in options.classes:
        for size in options.pages:
            task, pages = class_of(name, size)
            times = measure(task, pages)
            slowest = max(slowest, times.wall["all"])
            mean_kb = sum(len(page.html) for page in pages) / len(pages) / 1000
            stages = " | ".join(f"{times.cpu.get(stage, 0):.1f}" for stage in STAGES)
            row = (
                f"{name} | {len(pages):,} | {mean_kb:.0f} | {times.wall['all']:.1f} | {times.cpu['all']:.1f} | {stages}"
            )
            print(f"| {row} |", flush=True)
    return int(options.limit is not None and slowest > options.limit)


if __name__ == "__main__":
    sys.exit(main())
