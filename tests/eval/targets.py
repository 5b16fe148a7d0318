"""Which pages of a site are targets: learned from two samples, scored over all pages of the site, without a network.

    python -m tests.eval.targets ruststd commonsmath/class --pages 1000
    python -m tests.eval.targets --kind all --most 470

Without --pages, as many pages are fetched as a crawl fetches to learn from (`[learn] stop = "stable"`): --most at most.
For each group of records of a corpus three random pairs of sample pages are drawn; with --kind the pairs are those that
`pairs.json` beside the corpora gives: at random, neighbours in one list, or the two fullest pages. A page counts as
taken if its URL passes the target filters and the page passes the page check, as in a crawl.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.record import extract_record
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.page.links import leads_on_to
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import LearnOptions
from gwc_crawler.urls import normalize_url
from tests.eval.corpora import ARCHIVES
from tests.eval.offline import OfflineSite, Pages, enough_pages, offline_site, precrawl
from tests.eval.tasks import decode, parse, squeeze, stands_in

SITES = (
    *("booksamillion", "cloudchem", "commonsmath", "gitrknows", "nomura", "quotes", "ruststd", "scipydoc", "shici"),
    *("tipshop", "w3school"),
)
FURTHER_SITES = (
    *("atsurgical", "christianbook", "cppref", "factbook", "gtk4", "jdk6zh", "qt", "xz59", "yilan", "ysrnry"),
)
KINDS = ("random", "neighbours", "well_filled")
"""The kinds of pairs in `pairs.json`."""
PAIRS = 3
MOST_CHECKED = 100
"""Of the pages that pass the filters, so many targets and so many others are shown to the page check."""
MOST_PAGES = LearnOptions().most_pages
_NO_FIELDS = {"url", "group", "swde_id"}


@dataclass(frozen=True, slots=True)
class TargetScore:
    """One learning: precision and recall of the URL filters alone, and with the page check."""

    group: str
    pair: str
    pages: int
    by_url: tuple[float, float]
    checked: tuple[float, float]
    seconds: float
    wrong: tuple[str, ...] = ()
    regexes: tuple[str, ...] = ()
    message: str = ""

    @property
    def is_good(self) -> bool:
        """Say whether hardly a target is lost and hardly a stranger taken."""
        return min(self.checked) >= 0.97

    @property
    def line(self) -> str:
        """One row of a table."""
        figures = " ".join(f"{p:.3f}/{r:.3f}" for p, r in (self.by_url, self.checked))
        mark = " " if self.is_good else "*"
        return (
            f"{mark} {self.group:24} {self.pair:13} {figures} {self.pages:5} pages {self.seconds:5.1f} s {self.message}"
        )


class Truth:
    """The pages of one site, and which of them are wanted."""

    def __init__(self, site: OfflineSite) -> None:
        self.site = site
        self.pages = Pages(site)
        self.targets: dict[str, dict[str, dict[str, Any]]] = {}
        for row in site.rows("truth"):
            if url := self._address(row["url"]):
                self.targets.setdefault(row["group"], {})[url] = row
        self.urls = {url for row in site.rows("pages") if (url := self._address(row["url"]))}

    def _address(self, path: str) -> str:
        """The final address of a page, as a crawl spells it; "" where there is none."""
        answer = self.site.fetch(self.site.origin + path)
        return "" if answer is None else normalize_url(answer.url) or answer.url

    @property
    def groups(self) -> list[str]:
        """The groups that a task asks for."""
        return [task["group"] for task in self.site.tasks()]

    def samples(self, group: str, pair: int) -> list[tuple[str, dict[str, Any]]]:
        """Two pages with values, drawn at random (pair 0: those of the task)."""
        rows = self.targets[group]
        drawn = sorted(rows)
        random.Random(pair).shuffle(drawn)
        if pair == 0:
            task = next(task for task in self.site.tasks() if task["group"] == group)
            drawn = list(filter(None, (self._address(one["url"]) for one in task["samples"])))
        return self._with_fields(drawn, rows)

    def given_samples(self, group: str, paths: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
        """Two pages with values, those that `pairs.json` names."""
        return self._with_fields(list(filter(None, map(self._address, paths))), self.targets[group])

    def _with_fields(self, urls: Sequence[str], rows: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        found = ((url, self._fields(url, rows[url])) for url in urls)
        return [pair for _, pair in zip(range(2), (one for one in found if one[1]), strict=False)]

    def _fields(self, url: str, row: Mapping[str, Any]) -> dict[str, Any]:
        """What a person would type: the fields whose values stand on the page as they are."""
        answer = self.site.fetch(url)
        assert answer is not None
        tree = parse(decode(answer.body))
        characters = squeeze("".join([tree.text_content(), *tree.xpath("//@content|//@href|//@title|//@alt")]))
        fields = {name: _typed(value) for name, value in row.items() if name not in _NO_FIELDS}
        return {name: value for name, value in fields.items() if value and stands_in(value, characters)}

    def known_urls(self, stored: Sequence[StoredPage], knowledge: Knowledge) -> set[str]:
        """All pages, and what else the links of the pre-crawl lead to, without what is of a session."""
        reader = PageReader(knowledge)
        links = {reader.clean_url(link) for page in stored for link in page.links}
        spelled = {unquote_plus(url) for url in self.urls}
        fetched = (self.site.fetch(link) for link in links if unquote_plus(link) not in spelled)
        return self.urls | {answer.url for answer in fetched if answer is not None}


def _typed(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    if value and isinstance(value[0], dict):
        rows = [{key: part for key, part in row.items() if isinstance(part, str | list) and part} for row in value]
        return [row for row in rows if row]
    return [one for one in value if isinstance(one, str)]


@cache
def truth_of(name: str) -> Truth:
    """The truth of one corpus."""
    return Truth(offline_site(name))


@cache
def given_pairs(name: str, group: str) -> dict[str, list[str]]:
    """Kind and number → the paths of two sample pages, as `pairs.json` has them."""
    known = json.loads((ARCHIVES / "pairs.json").read_text(encoding="utf-8"))[name].get(group, {})
    return {f"{kind} {n}": pair for kind in KINDS for n, pair in enumerate(known.get(kind, ()))}


def score_targets(name: str, group: str, pair: int, count: int | None = None, most: int = MOST_PAGES) -> TargetScore:
    """Pre-crawl *count* pages by weight, or as many as are enough, learn from a pair drawn at random, and score."""
    return score_samples(name, group, str(pair), truth_of(name).samples(group, pair), count, most)


def score_samples(
    name: str, group: str, pair: str, samples: Sequence[tuple[str, dict[str, Any]]], count: int | None, most: int
) -> TargetScore:
    """The same for samples that are given."""
    truth = truth_of(name)
    task = LearnTask(name, (truth.site.entry,), samples=tuple(samples))
    if count is None:
        stored = enough_pages(truth.pages, task, most)
    else:
        stored = precrawl(truth.pages, [url for url, _ in samples], count)
    began = time.process_time()
    try:
        knowledge = learn_site(task, stored)
    except LearnError as error:
        return TargetScore(f"{name}/{group}", pair, len(stored), (0, 0), (0, 0), 0, message=str(error)[:150])
    seconds = time.process_time() - began
    return _score(truth, group, pair, stored, knowledge, seconds)


def _score(
    truth: Truth, group: str, pair: str, stored: Sequence[StoredPage], knowledge: Knowledge, seconds: float
) -> TargetScore:
    wanted = set(truth.targets[group])
    taken = {url for url in truth.known_urls(stored, knowledge) if knowledge.is_target(url)}
    doubtful = _same_pages(truth, wanted, taken)
    good, bad = sorted(taken & wanted), sorted(taken - wanted - doubtful)
    kept, lost = _checked(truth, knowledge, good)
    let_in, _ = _checked(truth, knowledge, bad)
    missed = sorted(wanted - taken)
    wrong = [f"- {url}" for url in (*_few(missed), *_few(lost))] + [f"+ {url}" for url in _few(let_in)]
    right, extra = _scaled(kept, good), _scaled(let_in, bad)
    return TargetScore(
        f"{truth.site.name}/{group}",
        pair,
        len(stored),
        (_share(len(good), len(good) + len(bad)), len(good) / len(wanted)),
        (_share(right, right + extra), right / len(wanted)),
        seconds,
        tuple(wrong),
        tuple(one.regex for one in knowledge.targets),
    )


def _same_pages(truth: Truth, wanted: set[str], taken: set[str]) -> set[str]:
    """Pages without a query whose bytes are those of a target: nobody can say which of them is meant."""
    others = [url for url in taken - wanted if "?" not in url]
    if not others:
        return set()
    bodies = {_body(truth, url) for url in wanted}
    return {url for url in others if _body(truth, url) in bodies}


def _body(truth: Truth, url: str) -> bytes:
    answer = truth.site.fetch(url)
    return b"" if answer is None else answer.body


def _checked(truth: Truth, knowledge: Knowledge, urls: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return those of some of *urls* of which a crawl would keep a record, and the others."""
    kept: list[str] = []
    lost: list[str] = []
    reader = PageReader(knowledge)
    for url in urls if len(urls) <= MOST_CHECKED else random.Random(0).sample(urls, MOST_CHECKED):
        body = _body(truth, url)
        forwards = leads_on_to(url, body, "text/html") is not None
        is_none = forwards or extract_record(reader.read(url, body, "text/html"), knowledge).rejected
        (lost if is_none else kept).append(url)
    return kept, lost


def _scaled(kept: Sequence[str], whole: Sequence[str]) -> float:
    return len(kept) * len(whole) / min(len(whole), MOST_CHECKED) if whole else 0.0


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _few(urls: Sequence[str]) -> Sequence[str]:
    return urls[:: max(1, len(urls) // 4)][:5]


def score_all(
    wanted: Iterable[str], count: int | None, most: int = MOST_PAGES, pairs: int = PAIRS, kind: str = ""
) -> Iterator[TargetScore]:
    """Score the corpora, or groups of them ("ruststd/fn"), that are named.

    Args:
        kind: of the pairs in `pairs.json`, or "all"; "" to draw so many *pairs* at random.
    """
    for one in wanted:
        name, _, group = one.partition("/")
        for each in [group] if group else truth_of(name).groups:
            if not kind:
                yield from (score_targets(name, each, pair, count, most) for pair in range(pairs))
            for pair, paths in given_pairs(name, each).items() if kind else ():
                if kind == "all" or pair.startswith(kind):
                    yield score_samples(name, each, pair, truth_of(name).given_samples(each, paths), count, most)


def main() -> int:
    """Print one line for each learning, and the means."""
    parser = argparse.ArgumentParser(prog="python -m tests.eval.targets", description=__doc__.splitlines()[0])
    parser.add_argument("wanted", nargs="*", help="corpora or corpus/group (all)")
    parser.add_argument("--pages", type=int, help="pages to pre-crawl, by weight (as many as are enough)")
    parser.add_argument("--most", type=int, default=MOST_PAGES, help="pages to pre-crawl at most (%(default)s)")
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--kind", choices=(*KINDS, "all"), default="", help="pairs of pairs.json (drawn at random)")
    parser.add_argument("--wrong", action="store_true", help="show filters, and pages taken or left out wrongly")
    options = parser.parse_args()
    wanted = options.wanted or (*SITES, *(FURTHER_SITES if options.kind else ()))
    scores = []
    for score in score_all(wanted, options.pages, options.most, options.pairs, options.kind):
        scores.append(score)
        print(score.line, flush=True)
        if options.wrong and not score.is_good:
            print(*(f"      {text}" for text in (*score.regexes[:4], *score.wrong)), sep="\n", flush=True)
    for name, pairs in (
        ("URL filters", [one.by_url for one in scores]),
        ("with the page check", [one.checked for one in scores]),
    ):
        precision, recall = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        print(f"{name}: precision {precision:.3f}, recall {recall:.3f}")
    used = sorted(one.pages for one in scores)
    print(f"pages learned from: {used[0]} to {used[-1]}, median {used[len(used) // 2]}")
    print(f"{sum(one.is_good for one in scores)} of {len(scores)} with both at least .97")
    if options.kind:
        whole, every = (
            Counter(one.pair.partition(" ")[0] for one in some) for some in ([s for s in scores if s.is_good], scores)
        )
        print(", ".join(f"{kind} {whole[kind]} of {every[kind]}" for kind in KINDS if every[kind]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
