"""The damaged pages keep their truth, differ from the originals, and are the same in every run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.eval.corpora import CorporaAbsent
from tests.eval.edits import edit_page, protected
from tests.eval.tasks import EvalPage, Task, edit_tasks, parse, squeeze, stands_in

PAGE = """<html><body><div id="menu"><a href="/">Home</a><a href="/news">News</a></div>
<table><tr><td>Price</td><td class="price">$11.48</td></tr><tr><td>Pages</td><td>192</td></tr>
<tr><td>Empty</td><td></td></tr></table>
<p><b>ISBN:</b> 9780316125581<br><b>Year:</b> 2010</p>
<ul class="tags"><li><a>peace</a></li><li><a>war</a></li><li><a>love</a></li></ul>
<div class="text">A <i>long</i> text.</div><div class="foot">Imprint</div></body></html>"""
TRUTH = {
    "price": "$11.48",
    "isbn": "9780316125581",
    "tags": ["peace", "war", "love"],
    "text": "A long text.",
    "no": None,
}


@pytest.fixture
def page(tmp_path: Path) -> EvalPage:
    file = tmp_path / "page.html"
    file.write_text(PAGE, encoding="utf-8")
    return EvalPage("http://example.com/1", file, TRUTH)


def test_every_truth_text_survives_any_edits(page: EvalPage) -> None:
    for seed in range(40):
        tree = parse(edit_page(page, seed))
        assert tree.xpath("string(//td[normalize-space()='$11.48'])")
        assert tree.xpath("//p/text()[normalize-space()='9780316125581']")
        assert sorted(tree.xpath("//ul//li//a[not(@href)]/text()")) == ["love", "peace", "war"]
        assert tree.xpath("//div[normalize-space()='A long text.']")


def test_edits_change_the_page_and_equal_seeds_change_it_equally(page: EvalPage) -> None:
    pages = {edit_page(page, seed) for seed in range(10)}
    assert len(pages) == 10
    assert edit_page(page, 1) == edit_page(page, 1)


def test_labels_may_go(page: EvalPage) -> None:
    assert any(">ISBN:<" not in edit_page(page, seed) for seed in range(40))


def test_what_holds_a_value_alone_is_frozen_whole() -> None:
    body = parse(PAGE).find("body")
    result = protected(body, TRUTH.values())
    assert body.find("div[@class='text']/i") in result.frozen
    assert body.find("p") in result.mixed
    assert result.is_free(body.find("p/b"))
    assert body.find("p/b") in result.followed
    assert not result.is_free(body.find("ul"))
    assert result.is_free(body.find("div[@id='menu']"))


@pytest.mark.corpora
def test_the_corpora_keep_their_truth_when_damaged() -> None:
    for task in _tasks():
        for page in random.Random(1).sample(task.pages, 3):
            characters = squeeze(parse(edit_page(page, 1)).text_content())
            assert all(stands_in(value, characters) for value in page.truth.values() if value), page.url


def _tasks() -> tuple[Task, ...]:
    try:
        return edit_tasks()
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
