"""How soon a person sees a right record: pages and minutes (at one page a second, the usual politeness), on each site.

    python -m tests.eval.first_record                      all groups, one random and one neighbour pair of samples
    python -m tests.eval.first_record quotes ruststd/fn

The site is learned from the first 25, 50 and 100 pages, as a crawl does that shows its first records then, and read on
these pages. A record is right whose fields are all exactly the truth's. The samples' own count for nothing. *Before* is
a crawl that shows nothing until it has decided what to learn.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from gwc_crawler.crawl.first_records import FirstRecords
from gwc_crawler.crawl.precrawl import GLIMPSES
from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.sites.schema import LearnOptions
from tests.eval.offline import enough_pages
from tests.eval.pairs import Pair, load_pairs, task_of
from tests.eval.scoring import score_value
from tests.eval.targets import truth_of
from tests.eval.tasks import EvalPage, Task

KINDS = ("random 0", "neighbours 0")


@dataclass(frozen=True, slots=True)
class Shown:
    """Records that are shown after so many pages: right ones, with a wrong value, of pages that are no targets."""

    pages: int
    right: int = 0
    wrong: int = 0
    others: int = 0


@dataclass
class FirstScore:
    """One pair: what is shown early."""

    name: str
    shown: list[Shown] = field(default_factory=list)
    """Early, then at the decision."""

    @property
    def before(self) -> float:
        """After how many pages a right record comes where none is shown early."""
        return _first_right(self.shown[-1:])

    @property
    def now(self) -> float:
        """After how many pages a right record is shown."""
        return _first_right(self.shown)

    @property
    def line(self) -> str:
        """One row of the table."""
        told = " | ".join(f"{one.right} / {one.wrong} / {one.others}" for one in self.shown[:-1])
        return f"| {self.name} | {told} | {told_of(self.before)} | {told_of(self.now)} |"


def _first_right(shown: Sequence[Shown]) -> float:
    return next((one.pages for one in shown if one.right), float("inf"))


def told_of(pages: float) -> str:
    """Return a number of pages, and the minutes that they take at one page a second."""
    return "never" if pages == float("inf") else f"{pages:.0f} pages, {pages / 60:.1f} min"


def score_pair(pair: Pair) -> FirstScore:
    """Fetch the pages of a pair's pre-crawl, and read the first records from its beginnings."""
    site, _, group = pair.group.partition("/")
    truth = truth_of(site)
    task = LearnTask(site, (truth.site.entry,), samples=tuple(truth.given_samples(group, pair.urls)))
    stored = enough_pages(truth.pages, task, LearnOptions().most_pages)
    wanted, known = set(truth.targets[group]), task_of(pair.group)
    counts = (*GLIMPSES, len(stored))
    return FirstScore(pair.name, [_shown(task, stored[:count], wanted, known) for count in counts])


def _shown(task: LearnTask, pages: Sequence[StoredPage], wanted: set[str], known: Task) -> Shown:
    samples = dict(task.samples)
    names = {name for fields in samples.values() for name in fields}
    true = {_path(page.url): page for page in known.pages}
    try:
        first = FirstRecords.of(pages, learn_site(task, pages), but=samples)
    except LearnError:
        return Shown(len(pages))
    of_targets = [(true[_path(url)], record) for url, record in first.records.items() if _path(url) in true]
    right = sum(all(_is_right(known, page, name, record.get(name)) for name in names) for page, record in of_targets)
    others = sum(url not in wanted for url in first.records)
    return Shown(len(pages), right, len(of_targets) - right, others)


def _is_right(task: Task, page: EvalPage, name: str, value: object) -> bool:
    if name not in page.truth:
        return True
    return bool(score_value(page.truth[name], value, folding=task.folding, unique=task.unique).pages_exact)


def _path(url: str) -> str:
    return url.partition("//")[2].partition("/")[2]


def main(wanted: Sequence[str]) -> int:
    """Print the table, a line as soon as it is known, and the median."""
    heads = " | ".join(f"after {count}: right / wrong / no target" for count in GLIMPSES)
    print(f"| pair | {heads} | first right record before | now |\n|{' --- |' * (len(GLIMPSES) + 3)}")
    scores = []
    for pair in load_pairs(wanted, KINDS):
        scores.append(score_pair(pair))
        print(scores[-1].line, flush=True)
    if scores:
        before, now = (statistics.median(getattr(one, name) for one in scores) for name in ("before", "now"))
        print(f"\nmedians of {len(scores)} pairs: {told_of(before)}; now {told_of(now)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
