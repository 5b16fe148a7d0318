"""How few pages suffice to learn from, and in which order: `python -m tests.eval.orders commonsmath --pages 150 600`.

For each task two pre-crawls in memory, the present order and the directed one; a decision is learned from the first
pages of each. Printed: precision and recall of its URL filters over all URLs that the longest of them know, the
share of its targets that the decision from the most pages shares, filters for directories, weight threshold, seconds.
`--sites N` does the same on N generated sites (with the page check), and prints the share that passes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.gwc.stored_site import StoredSite
from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import overlap
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.regex import url_regex
from gwc_crawler.page.reader import PageReader, ReadOptions
from tests.eval.corpora import corpora_root
from tests.eval.crawls import crawl_tasks, entry_of, sample_pages
from tests.eval.generated.grammar import draw_grammar
from tests.eval.generated.trial import try_site
from tests.eval.orders.directed import DirectedTurns
from tests.learn.memory_crawl import Answer, Order, WeightOrder, precrawl_memory

ORDERS: dict[str, Callable[[Sequence[str]], Order]] = {"weight": lambda _: WeightOrder(), "directed": DirectedTurns}


@dataclass(frozen=True)
class Decision:
    """What was learned from the first pages of a pre-crawl: the URLs taken, of those that are known."""

    pages: int
    knowledge: Knowledge
    taken: frozenset[str]
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each task, order and number of pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.orders", description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", help="corpus/group, or how its name begins")
    parser.add_argument("--pages", type=int, nargs="+", default=[150, 300, 600], help="pages learned from")
    parser.add_argument("--sites", type=int, default=0, help="generated sites to try")
    options = parser.parse_args(arguments)
    for name in [name for name in crawl_tasks() if name.startswith(tuple(options.tasks))] if options.tasks else ():
        for order in ORDERS:
            print("\n".join(task_lines(name, order, sorted(options.pages))), flush=True)
    if options.sites:
        for order in ORDERS:
            for pages in sorted(options.pages):
                print(_generated_line(order, pages, options.sites), flush=True)
    return 0


def task_lines(name: str, order: str, sizes: Sequence[int]) -> Iterator[str]:
    """Give the line of each size for one task in one order."""
    corpus = name.partition("/")[0]
    site = StoredSite(corpus, corpora_root() / corpus, entry_of(corpus))
    task = crawl_tasks()[name]
    given = tuple((_there(site, page.url), page.sample_fields()) for page in sample_pages(task, None))
    pages = _precrawled(site, [url for url, _ in given], ORDERS[order]([url for url, _ in given]), max(sizes))
    known = {page.url for page in pages} | {link for page in pages for link in page.links}
    told = {_there(site, page.url) for page in task.pages}
    truth = told | {url.removesuffix("/") for url in told}  # without its slash a directory is redirected
    asked = LearnTask(corpus, (site.entry,), samples=given)
    found = [_decided(asked, pages[:size], known) for size in sizes if size <= len(pages) or size == min(sizes)]
    for decision in found:
        wanted = {PageReader(decision.knowledge).clean_url(url) for url in truth & known}
        right = len(decision.taken & wanted)
        same = overlap(decision.taken, found[-1].taken)
        yield (
            f"{name} {order:8} {decision.pages:5} pages: precision {right / max(1, len(decision.taken)):.3f} "
            f"recall {right / max(1, len(wanted)):.3f} same {same:.3f} known {len(told & known)}/{len(told)} "
            f"directories {len(decision.knowledge.directories)} weight {decision.knowledge.max_weight} "
            f"{decision.seconds:.1f} s"
        )


def _there(site: StoredSite, url: str) -> str:
    return site.origin + "/" + url.split("/", 3)[3]


def _precrawled(site: StoredSite, samples: Sequence[str], order: Order, most: int) -> list[StoredPage]:
    def fetch(url: str) -> Answer | None:
        answer = site.answer(url)
        return None if answer is None else (answer.url, answer.file.read_bytes(), "text/html")

    reader = PageReader(None, options=ReadOptions(target=url_regex(samples)))
    return precrawl_memory(fetch, [site.entry, *samples], reader, pages=most, order=order)


def _decided(task: LearnTask, pages: Sequence[StoredPage], known: set[str]) -> Decision:
    began = time.process_time()
    try:
        knowledge = learn_site(task, pages)
    except LearnError as error:
        print(f"{task.site} {len(pages)} pages: {error}", file=sys.stderr)
        knowledge = Knowledge(task.site, "best", (), (), 0)
    seconds = time.process_time() - began
    clean = PageReader(knowledge).clean_url
    return Decision(
        len(pages), knowledge, frozenset(url for url in map(clean, known) if knowledge.is_target(url)), seconds
    )


def _generated_line(order: str, pages: int, sites: int) -> str:
    outcomes = [try_site(draw_grammar(seed), pages, ORDERS[order]) for seed in range(sites)]
    passed = sum(outcome.passed for outcome in outcomes)
    return f"generated {order:8} {pages:5} pages: {passed} of {sites} sites passed"


if __name__ == "__main__":
    sys.exit(main())
