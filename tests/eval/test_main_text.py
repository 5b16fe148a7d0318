"""Main text on labelled articles: the floor is pinned, and far above what all visible text scores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from gwc_crawler.extract.condenser import main_text
from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import visible_text
from tests.eval.corpora import CorporaAbsent, corpora_root, read_rows

FLOOR = 0.935


@dataclass(frozen=True)
class Article:
    """A labelled page."""

    truth: str
    tree: Any


def labelled_articles(root: Path, rows: list[dict[str, Any]]) -> list[Article]:
    """Read the pages of *root* that have a labelled body."""
    articles = []
    for row in rows:
        if truth := row.get("articleBody"):
            body = (root / row["file"]).read_bytes()
            charset = detect_charset(body)
            articles.append(Article(truth, parse_html(body, charset)))
    return articles


def token_f1(truth: str, found: str) -> float:
    """Return the harmonic mean of precision and recall over words, with their counts."""
    one, two = (Counter(re.findall(r"\w+", text)) for text in (truth, found))
    both = sum((one & two).values())
    return 2 * both / max(1, sum(one.values()) + sum(two.values()))


def mean_f1(articles: list[Article], find: Callable[[Article], str]) -> float:
    """Return the mean `token_f1` of what *find* gives."""
    return mean(token_f1(one.truth, find(one)) for one in articles)


@pytest.mark.corpora
def test_main_text_keeps_its_floor_on_labelled_articles() -> None:
    try:
        articles = labelled_articles(corpora_root() / "pages", read_rows("pages/truth-articles.jsonl"))
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    assert len(articles) == 42
    assert mean_f1(articles, lambda one: main_text(one.tree)) >= FLOOR
    assert mean_f1(articles, lambda one: visible_text(one.tree)) < 0.65
