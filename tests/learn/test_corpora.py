"""Learning on real sites: the target class must be right from two sample URLs, whatever the site looks like.

Tuned by looking at quotes, booksamillion and w3school; gitrknows and scipydoc are only scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import pytest

from benchmarks.gwc.stored_site import StoredSite
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.urls import drop_query_keys
from tests.learn.offline_crawl import open_corpus, precrawled, tasks_of

pytestmark = pytest.mark.corpora

PAGES = 1500
LOOKED_AT = [("quotes", "author"), ("booksamillion", "product"), ("w3school", "cssref"), ("w3school", "phpfunc")]
LOOKED_AT += [("w3school", "tagattr"), ("w3school", "jsmethod")]
ONLY_SCORED = [("gitrknows", "post"), ("scipydoc", "function")]

KEYWORDS_SUFFICE = [("quotes", "author"), ("w3school", "cssref"), ("gitrknows", "post")]
ONE_DIRECTORY_HOLDS_THE_TARGETS = [("quotes", "author"), ("scipydoc", "function")]
RIGHT = sorted(
    [
        *((*task, "samples") for task in LOOKED_AT + ONLY_SCORED),
        *((*task, "keywords") for task in KEYWORDS_SUFFICE),
        *((*task, "paper") for task in ONE_DIRECTORY_HOLDS_THE_TARGETS),
    ]
)
"""(site, task, learned from what), one site after the other: the pages of few are in memory at a time."""

DEAR = {
    *(("gitrknows", "post", how) for how in ("keywords", "samples")),
    *(("scipydoc", "function", how) for how in ("paper", "samples")),
    ("booksamillion", "product", "samples"),
    *(("w3school", group, "samples") for group in ("cssref", "jsmethod", "tagattr")),
}
"""What takes longest; other sites and tasks are learned from the same. `make test-slow` looks at these."""


@dataclass(frozen=True)
class Outcome:
    """What was learned, and how the target filter does on all pages that the pre-crawl saw a link to."""

    knowledge: Knowledge
    precision: float
    recall: float


@lru_cache(maxsize=2)
def crawled(name: str) -> tuple[StoredSite, list[StoredPage]]:
    """A pre-crawl with the sample pages of all the site's tasks; keywords of the first."""
    corpus = open_corpus(name)
    tasks = tasks_of(corpus)
    samples = tuple(corpus.origin + sample["url"] for task in tasks for sample in task["samples"])
    return corpus, precrawled(corpus, tasks[0]["keywords"], pages=PAGES, first=samples)


@cache
def learned(name: str, group: str, how: str) -> Outcome:
    corpus, pages = crawled(name)
    task = next(task for task in tasks_of(corpus) if task["group"] == group)
    urls = tuple((corpus.origin + sample["url"], {}) for sample in task["samples"]) if how != "keywords" else ()
    mode = "paper" if how == "paper" else "best"
    knowledge = learn_site(LearnTask(name, (corpus.entry,), task["keywords"], urls, mode=mode), pages)
    links = {drop_query_keys(link, knowledge.ignored_query_keys) for page in pages for link in (page.url, *page.links)}
    found = {url: answer.url.removeprefix(corpus.origin) for url in links if (answer := corpus.answer(url))}
    is_target = re.compile(task["target_regex"]).match
    truth = {url for url, path in found.items() if is_target(path)}
    taken = {url for url in found if knowledge.verdict(url) is Verdict.TARGET}
    right = len(taken & truth)
    return Outcome(knowledge, right / len(taken), right / len(truth))


def params(cases: Iterable[tuple[str, str, str]]) -> list[Any]:
    """The cases as parameters, what is dear marked as slow."""
    return [pytest.param(*case, marks=pytest.mark.slow if case in DEAR else ()) for case in cases]


@pytest.mark.parametrize(("name", "group", "how"), params(RIGHT))
def test_the_target_class_is_right(name: str, group: str, how: str) -> None:
    outcome = learned(name, group, how)
    assert outcome.precision >= 0.98
    assert outcome.recall >= 0.95


@pytest.mark.parametrize(("name", "group", "how"), params((*one, "samples") for one in LOOKED_AT + ONLY_SCORED))
def test_the_directories_lead_to_every_known_target(name: str, group: str, how: str) -> None:
    reached = learned(name, group, how).knowledge.evidence["targets_reached"]
    assert reached["reached"] >= 0.99 * reached["known"] > 0


@pytest.mark.slow
def test_session_ids_are_recognised_by_content() -> None:
    assert learned("booksamillion", "product", "samples").knowledge.ignored_query_keys == ("id",)


@pytest.mark.slow
def test_second_addresses_of_target_pages_are_not_targets() -> None:
    knowledge = learned("gitrknows", "post", "samples").knowledge
    post = "http://gitrknows.example/2008/01/30/keyed-for-karazhan/"
    assert knowledge.verdict(post) is Verdict.TARGET
    assert knowledge.verdict(f"{post}comment-page-1/") is not Verdict.TARGET
