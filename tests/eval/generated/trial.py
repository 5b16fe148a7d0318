"""One generated site learned from two of its targets, and the decision scored over all its pages.

The decision is what a crawl does: URL filters, then the page check. A second version of a target is none; one whose
address keeps a session counts as lost, for it would come again with every session.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from itertools import pairwise

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.record import extract_record
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.precrawl.judge import Judge
from gwc_crawler.learn.precrawl.watch import next_look
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.regex import url_regex
from gwc_crawler.page.reader import PageReader, ReadOptions
from gwc_crawler.sites.schema import LearnOptions
from tests.eval.generated.grammar import Grammar
from tests.eval.generated.site import HREF, ORIGIN, Site, build_site
from tests.eval.orders.directed import DirectedTurns
from tests.learn.memory_crawl import Answer, Order, WeightOrder, precrawl_memory

ENOUGH = 0.99
KINDS = ("random", "neighbours", "well_filled")
"""How a person may pick the two samples."""
PAGES = 400
"""Pages of a pre-crawl that goes by weight: all of most sites, a part of the largest."""
MOST_PAGES = LearnOptions().most_pages
"""What `[learn] pages` allows unless a site file says otherwise."""
_DRAWS = 20


@dataclass(frozen=True)
class Outcome:
    """How the decision did on one site; wrong and lost pages with their addresses."""

    grammar: Grammar
    recall: float = 0.0
    precision: float = 0.0
    exact: float = 0.0
    """The share of values on target pages that came out as they are."""
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    """The filters that were learned."""
    samples: list[str] = field(default_factory=list)
    certainty: str = ""
    """How sure the learning said it is of the targets."""
    said: str = ""
    """Its last line: how sure, why not more, what one more sample would settle."""
    error: str = ""
    pages: int = 0
    """So many pages were learned from."""

    @property
    def passed(self) -> bool:
        """Whether recall and precision are as demanded."""
        return min(self.recall, self.precision) >= ENOUGH


def try_site(
    grammar: Grammar, pages: int = PAGES, make_order: Callable[[Sequence[str]], Order] = lambda _: WeightOrder()
) -> Outcome:
    """Build a site, learn it from two of its targets, and score.

    Args:
        pages: fetch so many at most.
        make_order: the URLs of the samples → the order of fetching.
    """
    site = build_site(grammar)
    samples = choose_samples(site)
    order = make_order([ORIGIN + path for path in samples])
    return _outcome(site, samples, precrawled(site, samples, pages, order))


def try_as_a_crawl(grammar: Grammar, kind: str = "random") -> Outcome:
    """As `try_site`, with the order of fetching, and the end of it, that a crawl's pre-crawl has.

    Args:
        kind: of the two samples, one of `KINDS`.
    """
    site = build_site(grammar)
    samples = choose_samples(site, kind)
    return _outcome(site, samples, enough_pages(site, samples))


def _outcome(site: Site, samples: list[str], stored: Sequence[StoredPage]) -> Outcome:
    try:
        knowledge = learn_site(learning_task(site, samples), stored)
    except LearnError as error:
        return Outcome(site.grammar, samples=samples, error=str(error), pages=len(stored))
    return _scored(site, samples, knowledge, len(stored))


def choose_samples(site: Site, kind: str = "random") -> list[str]:
    """Draw two targets; of twenty pairs the first on which every field is seen, else the last.

    Args:
        kind: "random", "neighbours" (one stands behind the other on a list), or "well_filled" (the fullest pages).
    """
    if kind == "well_filled":
        return sorted(site.targets, key=lambda path: (-len(site.targets[path]), -len(site.pages[path]), path))[:2]
    rng = random.Random(f"samples {site.grammar.seed}")
    names = {name for record in site.targets.values() for name in record}
    together = list(_together(site)) if kind == "neighbours" else []
    pair: list[str] = []
    for _ in range(_DRAWS):
        pair = list(rng.choice(together)) if together else rng.sample(list(site.targets), 2)
        if names == {name for path in pair for name in site.targets[path]}:
            break
    return pair


def _together(site: Site) -> Iterator[tuple[str, str]]:
    """The pairs of targets of which one stands behind the other on a page with a list."""
    for path in site.others["lists"]:
        links = dict.fromkeys(unescape(link) for link in HREF.findall(site.pages[path]))
        yield from pairwise(link for link in links if link in site.targets)


def learning_task(site: Site, samples: list[str]) -> LearnTask:
    """Return what a site file with these samples asks for."""
    given = tuple((ORIGIN + path, site.targets[path]) for path in samples)
    return LearnTask("generated", (f"{ORIGIN}/",), samples=given)


def precrawled(site: Site, samples: list[str], pages: int, order: Order | None = None) -> list[StoredPage]:
    """Fetch so many pages of the site, as a pre-crawl without keywords does."""
    starts = [f"{ORIGIN}/", *(ORIGIN + path for path in samples)]
    reader = PageReader(None, options=ReadOptions(target=url_regex(starts[1:])))
    return precrawl_memory(lambda url: _answer(site, url), starts, reader, pages=pages, order=order)


def enough_pages(site: Site, samples: list[str]) -> list[StoredPage]:
    """Fetch as many pages as a pre-crawl with `[learn] stop = "stable"` does, in its order."""
    starts = [f"{ORIGIN}/", *(ORIGIN + path for path in samples)]
    reader = PageReader(None, options=ReadOptions(target=url_regex(starts[1:])))
    order, judge = DirectedTurns(starts[1:]), Judge(learning_task(site, samples))
    look_at = next_look(0, MOST_PAGES)

    def is_enough(stored: Sequence[StoredPage]) -> bool:
        nonlocal look_at
        if len(stored) != look_at:
            return False
        verdict = judge.judge(stored)
        look_at = verdict.next_at
        order.want(verdict.wanted)
        return not verdict.doubt

    fetch = partial(_answer, site)
    return precrawl_memory(fetch, starts, reader, pages=MOST_PAGES, order=order, is_enough=is_enough)


def _answer(site: Site, url: str) -> Answer | None:
    page = site.fetch(url)
    return None if page is None else (url, page.encode(), "text/html; charset=utf-8")


def _scored(site: Site, samples: list[str], knowledge: Knowledge, pages: int) -> Outcome:
    reader = PageReader(knowledge)
    taken: dict[str, bool] = {}
    exact = values = 0
    named = {reader.clean_url(site.address(path)) for path in site.targets}
    for path in site.pages:
        url = site.address(path)
        page = reader.read(url, str(site.fetch(url)).encode(), "text/html; charset=utf-8")
        record = extract_record(page, knowledge) if page.kind is PageKind.TARGET else None
        is_one = reader.clean_url(site.address(path, "fedcba987654")) == page.url
        repeats = path not in site.targets and page.url in named  # it comes to the very record of a target
        taken[path] = record is not None and not record.rejected and is_one and not repeats
        if record is not None and path in site.targets:
            truth = site.targets[path]
            exact += sum(record.fields.get(name) == value for name, value in truth.items())
            values += len(truth)
    found = [path for path in site.targets if taken[path]]
    wrong = [path for path in taken if taken[path] and path not in site.targets and path not in site.either]
    return Outcome(
        site.grammar,
        len(found) / len(site.targets),
        len(found) / max(1, len(found) + len(wrong)),
        exact / max(1, values),
        wrong,
        [path for path in site.targets if not taken[path]],
        [one.regex for one in knowledge.targets],
        samples,
        knowledge.evidence["certainty"]["targets"],
        knowledge.evidence["certainty"]["line"],
        pages=pages,
    )
