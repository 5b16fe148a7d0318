"""`python -m tests.eval.kinds`: how well index and information pages are told apart, on labelled pages of eleven sites.

For each site: the share of the pages of each kind that are found, by the rule of a crawl that has learned the site, by
that for a page alone, and by the published one. With `--write` the table of docs/page-kinds.md is made anew.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

from gwc_crawler.items import PageKind
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.best import learn_site_links
from gwc_crawler.learn.targets.precrawl_index import index_precrawl
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.classify import index_or_information, published_kind, says_missing
from gwc_crawler.page.outline import outline
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader
from gwc_crawler.page.text import paragraphs_outside_links, visible_text
from tests.eval.corpora import page_file, read_rows
from tests.eval.offline import OfflineSite, Pages, offline_site, precrawl

SITES = (
    *("booksamillion", "cloudchem", "commonsmath", "gitrknows", "nomura", "quotes"),
    *("ruststd", "scipydoc", "shici", "tipshop", "w3school"),
)
KINDS = {"index": PageKind.INDEX, "info": PageKind.INFORMATION}
LARGEST = 600_000
"""Bytes; larger pages take long and are few."""

PAGE = Path(__file__).resolve().parents[2] / "docs" / "page-kinds.md"


PRECRAWLED = 4000
"""Pages that a site is learned from, the most that a site file asks for by itself."""

CHAPTERS = "/xmldom/dom_"
"""The rule that labels w3school's pages takes all of these for indexes: half of them are chapters to read. Left out."""


@dataclass(frozen=True)
class Share:
    """Of *judged* pages, how many came out as they are labelled: in a crawl, alone, by the published rule."""

    judged: int
    ours: int
    alone: int
    published: int

    def __str__(self) -> str:
        return " | ".join(f"{found / self.judged:.2f}" for found in (self.ours, self.alone, self.published))


def shares(name: str, pages: int, precrawled: int) -> dict[str, Share]:
    """Judge up to *pages* labelled pages of each kind, with what *precrawled* pages say of the site's links."""
    site = offline_site(name)
    reader = _reader(site, precrawled)
    rows = read_rows(f"{name}/pages.jsonl")
    urls = {label: [row["url"] for row in rows if row["type"] == label] for label in KINDS}
    if name == "w3school":
        urls["index"] = [url for url in urls["index"] if not url.startswith(CHAPTERS)]
    return {label: _share(site, reader, some, label, pages) for label, some in urls.items()}


def _reader(site: OfflineSite, precrawled: int) -> PageReader:
    """A crawl's reader that knows the site's links, and no class of targets or directories."""
    samples = [site.origin + row["url"] for row in site.tasks()[0]["samples"][:2]]
    index = index_precrawl(precrawl(Pages(site), samples, precrawled))
    keys, segments = index.ignored_query_keys, index.ignored_segments
    knowledge = Knowledge(
        site.name, LearnMode.BEST, (), (), 0, ignored_query_keys=keys, ignored_segments=segments,
        site_links=learn_site_links(index),
    )  # fmt: skip
    return PageReader(knowledge)


def _share(site: OfflineSite, reader: PageReader, urls: list[str], label: str, pages: int) -> Share:
    random.Random(site.name).shuffle(urls)
    judged = [verdicts for url in urls[:pages] if (verdicts := _verdicts(site, reader, url)) is not None]
    return Share(len(judged), *(sum(one[rule] is KINDS[label] for one in judged) for rule in range(3)))


def _verdicts(site: OfflineSite, reader: PageReader, path: str) -> tuple[PageKind, PageKind, PageKind] | None:
    file = page_file(site.name, path)
    if not file.is_file() or file.stat().st_size > LARGEST:
        return None
    body, url = file.read_bytes(), f"{site.origin}{path}"
    tree = parse_html(body)
    found, text, paragraphs = outline(tree), visible_text(tree), paragraphs_outside_links(tree)
    alone = PageKind.MISSING if says_missing(tree, found) else index_or_information(url, found, text, paragraphs)
    in_crawl = reader.read(url, body, "text/html").kind
    return in_crawl, alone, published_kind(url, found.title, text, paragraphs)


def table(pages: int) -> str:
    """Return the figures as a Markdown table."""
    heads = ("in a crawl", "alone", "as published")
    lines = [f"| {' | '.join(('site', 'index pages', *heads, 'information pages', *heads))} |", f"|{'---|' * 9}"]
    for site in SITES:
        found = shares(site, pages, PRECRAWLED)
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
