"""Which targets a crawl would come to with what was learned: the links of a stored site, without a network.

    python -m tests.eval.reach xz59/game w3school --kind random

As a crawl goes: from the entry and the samples over URLs that the filters take, with tunnel weights. `targets` says
which pages would be taken if they were fetched; this one, which are.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.page.reader import PageReader
from tests.eval.offline import enough_pages
from tests.eval.targets import FURTHER_SITES, KINDS, MOST_PAGES, SITES, Truth, given_pairs, truth_of

_FAR = 99


@dataclass(frozen=True, slots=True)
class Reach:
    """One learning: targets that its crawl comes to, of how many; pages fetched; some that are missed."""

    group: str
    pair: str
    found: int
    wanted: int
    fetched: int
    learned_from: int
    missed: tuple[str, ...]

    @property
    def line(self) -> str:
        """One row of a table."""
        share = f"{self.found}/{self.wanted}"
        return f"{self.group:24} {self.pair:13} {share:>11} {self.fetched:6} fetched {self.learned_from:5} learned from"


def reach(name: str, group: str, pair: str) -> Reach:
    """Learn from a pair of `pairs.json`, and follow the links of the whole site."""
    truth = truth_of(name)
    samples = truth.given_samples(group, given_pairs(name, group)[pair])
    task = LearnTask(name, (truth.site.entry,), samples=tuple(samples))
    stored = enough_pages(truth.pages, task, MOST_PAGES)
    fetched = fetched_pages(truth, learn_site(task, stored), [truth.site.entry, *(url for url, _ in samples)])
    truth.pages.keep()
    wanted = set(truth.targets[group])
    missed = tuple(sorted(wanted - fetched))
    return Reach(f"{name}/{group}", pair, len(wanted & fetched), len(wanted), len(fetched), len(stored), missed)


def fetched_pages(truth: Truth, knowledge: Knowledge, starts: Sequence[str]) -> set[str]:
    """The pages that a crawl fetches: a page hands its weight on, and nothing is followed from the threshold on."""
    clean = PageReader(knowledge).clean_url
    weights: dict[str, int] = {}
    waiting = deque((url, 0) for url in starts)
    while waiting:
        url, parent = waiting.popleft()
        if weights.get(url, _FAR) <= parent or (answer := truth.site.fetch(url)) is None:
            continue
        links = list(map(clean, truth.pages.read(answer).links))
        is_relevant = url in starts or any(map(knowledge.is_target, (url, *links)))
        weight = 0 if is_relevant else parent + 1
        if weights.get(url, _FAR) <= weight:
            continue
        weights[url] = weight
        if weight < knowledge.max_weight:
            waiting.extend((link, weight) for link in links if knowledge.verdict(link) is not Verdict.NEITHER)
    return set(weights)


def main() -> int:
    """Print one line for each learning."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.reach", description=__doc__.splitlines()[0])
    parser.add_argument("wanted", nargs="*", help="corpora or corpus/group (all)")
    parser.add_argument("--kind", choices=KINDS, default="random", help="pairs of pairs.json (%(default)s)")
    options = parser.parse_args()
    for one in options.wanted or (*SITES, *FURTHER_SITES):
        name, _, wanted = one.partition("/")
        for group in [wanted] if wanted else sorted(truth_of(name).targets):
            for pair in given_pairs(name, group):
                if pair.startswith(options.kind):
                    print(reach(name, group, pair).line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
