"""Who finds what a page is about: libraries for main text beside ours, on labelled articles. Prints a Markdown table.

`python -m benchmarks.main_text` needs the development corpora (GWC_CORPORA); contenders that are not installed are left
out: `pip install trafilatura readability-lxml justext boilerpy3`.
"""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any

from gwc_crawler.extract.reading.orders import main_text
from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import fold, visible_text


@dataclass(frozen=True)
class Article:
    """A labelled page, in the forms that contenders take it."""

    truth: str
    text: str
    tree: Any


def labelled_articles(root: Path, rows: list[dict[str, Any]]) -> list[Article]:
    """Read the pages of *root* that have a labelled body."""
    articles = []
    for row in rows:
        if truth := row.get("articleBody"):
            body = (root / row["file"]).read_bytes()
            charset = detect_charset(body)
            articles.append(Article(truth, body.decode(charset, "replace"), parse_html(body, charset)))
    return articles


def token_f1(truth: str, found: str) -> float:
    """Return the harmonic mean of precision and recall over words, with their counts."""
    one, two = (Counter(re.findall(r"\w+", text)) for text in (truth, found))
    both = sum((one & two).values())
    return 2 * both / max(1, sum(one.values()) + sum(two.values()))


def mean_f1(articles: list[Article], find: Callable[[Article], str]) -> float:
    """Return the mean `token_f1` of what *find* gives."""
    return mean(token_f1(one.truth, find(one)) for one in articles)


def _readability(article: Article) -> str:
    summary = import_module("readability").Document(article.text).summary()
    return visible_text(parse_html(summary))


def _justext(article: Article) -> str:
    library = import_module("justext")
    found = library.justext(article.text, library.get_stoplist("English"))
    return fold(" ".join(one.text for one in found if not one.is_boilerplate))


def _trafilatura(article: Article) -> str:
    return import_module("trafilatura").extract(article.text, include_comments=False, fast=True) or ""


def _boilerpy(article: Article) -> str:
    library = import_module("boilerpy3.extractors")
    return str(library.ArticleExtractor(raise_on_failure=False).get_content(article.text))


CONTENDERS: dict[str, Callable[[Article], str]] = {
    "all visible text": lambda article: visible_text(article.tree),
    "Resiliparse, on our tree (used)": lambda article: main_text(article.tree),
    "trafilatura, fast": _trafilatura,
    "readability-lxml": _readability,
    "jusText, English": _justext,
    "boilerpy3, article": _boilerpy,
}


def main() -> None:
    """Print the table."""
    from tests.eval.corpora import corpora_root, read_rows

    logging.disable(logging.CRITICAL)
    articles = labelled_articles(corpora_root() / "pages", read_rows("pages/truth-articles.jsonl"))
    print("| | token F1 | worst page | CPU ms a page |\n|---|---|---|---|")
    for name, find in CONTENDERS.items():
        try:
            find(articles[0])
        except ImportError:
            continue
        began = time.process_time()
        scores = [token_f1(one.truth, find(one)) for one in articles]
        spent = 1000 * (time.process_time() - began) / len(articles)
        print(f"| {name} | {mean(scores):.3f} | {min(scores):.2f} | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
