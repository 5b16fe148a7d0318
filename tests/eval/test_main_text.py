"""Main text on labelled articles: the floor is pinned, and far above what all visible text scores."""

from __future__ import annotations

import pytest

from benchmarks.main_text import labelled_articles, mean_f1
from gwc_crawler.extract.reading.orders import main_text
from gwc_crawler.page.text import visible_text
from tests.eval.corpora import CorporaAbsent, corpora_root, read_rows

FLOOR = 0.935


@pytest.mark.corpora
def test_main_text_keeps_its_floor_on_labelled_articles() -> None:
    try:
        articles = labelled_articles(corpora_root() / "pages", read_rows("pages/truth-articles.jsonl"))
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    assert len(articles) == 42
    assert mean_f1(articles, lambda one: main_text(one.tree)) >= FLOOR
    assert mean_f1(articles, lambda one: visible_text(one.tree)) < 0.65
