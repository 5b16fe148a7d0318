"""`python -m tests.eval.kinds`: how well index and information pages are told apart, on labelled pages of eleven sites.

For each site: the share of the pages of each kind that are found, by the rule of a crawl and by the published one. With
`--write` the table of docs/page-kinds.md is made anew.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

from gwc_crawler.items import PageKind
from gwc_crawler.page.classify import index_or_information, published_kind, says_missing
from gwc_crawler.page.outline import outline
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import paragraphs_outside_links, visible_text
from tests.eval.corpora import page_file, read_rows

SITES = (
    *("booksamillion", "cloudchem", "commonsmath", "gitrknows", "nomura", "quotes"),
    *("ruststd", "scipydoc", "shici", "tipshop", "w3school"),
)
KINDS = {"index": PageKind.INDEX, "info": PageKind.INFORMATION}
LARGEST = 600_000
"""Bytes; larger pages take long and are few."""

PAGE = Path(__file__).resolve().parents[2] / "docs" / "page-kinds.md"


@dataclass(frozen=True)
class Share:
    """Of *judged* pages, how many came out as they are labelled: by our rule, by the published one."""

    judged: int
    ours: int
    published: int

    def __str__(self) -> str:
        return f"{self.ours / self.judged:.2f} | {self.published / self.judged:.2f}"


def shares(site: str, pages: int) -> dict[str, Share]:
    """Judge up to *pages* labelled pages of each kind."""
    rows = read_rows(f"{site}/pages.jsonl")
    return {label: _share(site, [row["url"] for row in rows if row["type"] == label], label, pages) for label in KINDS}


def _share(site: str, urls: list[str], label: str, pages: int) -> Share:
    random.Random(site).shuffle(urls)
    judged = [verdicts for url in urls[:pages] if (verdicts := _verdicts(site, url)) is not None]
    return Share(len(judged), *(sum(one[rule] is KINDS[label] for one in judged) for rule in (0, 1)))


def _verdicts(site: str, path: str) -> tuple[PageKind, PageKind] | None:
    file = page_file(site, path)
    if not file.is_file() or file.stat().st_size > LARGEST:
        return None
    tree, url = parse_html(file.read_bytes()), f"http://a.example{path}"
    found, text, paragraphs = outline(tree), visible_text(tree), paragraphs_outside_links(tree)
    ours = PageKind.MISSING if says_missing(tree, found) else index_or_information(url, found, text, paragraphs)
    return ours, published_kind(url, found.title, text, paragraphs)


def table(pages: int) -> str:
    """Return the figures as a Markdown table."""
    lines = ["| site | index pages | found | as published | information pages | found | as published |"]
    lines.append("|---|---|---|---|---|---|---|")
    for site in SITES:
        found = shares(site, pages)
        lines.append(
            f"| {site} | {found['index'].judged} | {found['index']} | {found['info'].judged} | {found['info']} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into its page."""
    text = table(250)
    if "--write" in sys.argv:
        before, mark, rest = PAGE.read_text("utf-8").partition("<!-- table -->\n")
        after = rest.partition("<!-- end -->")[2]
        PAGE.write_text(f"{before}{mark}{text}\n<!-- end -->{after}", "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
