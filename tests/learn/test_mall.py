"""Learning on the demo mall: look-alike pages under one URL form, session ids, islands, a trap; every truth known."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

import pytest
from rich.console import Console

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import KEYWORDS, choose_samples
from gwc_crawler.extract.record import extract_record
from gwc_crawler.items import PageKind
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.report import render_report
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.page.reader import PageReader
from tests.learn.mall_crawl import ORIGIN, precrawl_mall
from tests.mall_truth import truth_of

MALLS = [(1, 200), (2, 60), pytest.param(3, 120, marks=pytest.mark.slow)]


@cache
def learned(seed: int, size: int, mode: str = "best", keywords: str = KEYWORDS) -> tuple[Mall, Knowledge]:
    mall = Mall(seed, size)
    samples = tuple((ORIGIN + path, given(mall, path)) for path in choose_samples(mall))
    pages = precrawl_mall(mall, keywords, pages=max(150, size * 5 // 4))
    task = LearnTask("mall", (f"{ORIGIN}/",), keywords, samples, mode=mode, max_weight=truth_of(mall).island_weight)
    return mall, learn_site(task, pages)


def given(mall: Mall, path: str) -> Any:
    return {name: value for name, value in mall.records[path].items() if value is not None}


def accepted(mall: Mall, knowledge: Knowledge) -> set[str]:
    """All paths under the product URL form that give a record."""
    reader = PageReader(knowledge)
    truth, taken = truth_of(mall), set[str]()
    for path in {*truth.records, *truth.lookalikes, *truth.soft404}:
        answer = mall.page(path)
        assert answer is not None
        page = reader.read(ORIGIN + path, answer.body, answer.content_type)
        if page.kind is PageKind.TARGET and extract_record(page, knowledge).rejected is None:
            taken.add(path)
    return taken


@pytest.mark.dear
@pytest.mark.parametrize(
    ("seed", "size", "keywords"),
    [
        (1, 200, KEYWORDS),
        (2, 60, KEYWORDS),
        (2, 60, ""),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((1, 200, ""), (3, 120, KEYWORDS), (3, 120, ""))),
    ],
)
def test_look_alike_pages_give_no_record_and_products_do(seed: int, size: int, keywords: str) -> None:
    mall, knowledge = learned(seed, size, keywords=keywords)
    taken, products = accepted(mall, knowledge), set(mall.records)
    assert len(taken & products) >= 0.99 * len(products)
    assert len(taken & products) >= 0.99 * len(taken)


@pytest.mark.dear
@pytest.mark.parametrize(("seed", "size"), MALLS)
def test_everything_in_scope_is_admitted_and_the_trap_is_not(seed: int, size: int) -> None:
    mall, knowledge = learned(seed, size, keywords=KEYWORDS)  # as above: it is learned once
    kept_out = {path for path in truth_of(mall).in_scope if knowledge.verdict(ORIGIN + path) is Verdict.NEITHER}
    assert kept_out == set()
    assert knowledge.verdict(f"{ORIGIN}/calendar/2031/7/") is Verdict.NEITHER


@pytest.mark.parametrize("width", [80, 100])
def test_the_report_fits_a_screen_and_ends_without_a_doubt_about_the_samples(width: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    render_report(learned(1, 200)[1], console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert len(lines) <= (24 if width == 100 else 30)
    assert lines[0].endswith("; sure of the targets")
    assert not any(line.startswith("unsure") for line in lines)
    assert any("/item/*.html" in line and f"{ORIGIN}/item/" in line for line in lines)


def test_the_session_key_is_found() -> None:
    assert learned(1, 200)[1].ignored_query_keys == ("sid",)


def test_the_report_says_that_another_category_shares_the_url_form() -> None:
    others = learned(1, 200)[1].evidence["other_categories"]
    truth = truth_of(learned(1, 200)[0])
    examples = {url.removeprefix(ORIGIN) for other in others for url in other["examples"]}
    assert examples & set(truth.lookalikes)
    assert not examples & set(truth.records)
    assert all(other["reason"] for other in others)


def test_paper_mode_learns_the_mall_without_a_page_check() -> None:
    mall, knowledge = learned(1, 200, "paper")
    assert knowledge.page_check == {}
    assert all(knowledge.verdict(ORIGIN + path) is Verdict.TARGET for path in mall.records)
