"""In-links on real sites: those of our graph are what a second walk by lxml alone counts.

The second walk counts as another program did that wrote `graph_stats.json` beside each site, and has to come to its
number of links exactly; so it is known to see what that one saw. What our graph declares of it (docs/graph.md) is then
taken from the same links: pairs of different pages of the site, however often one names the other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from lxml import etree, html

from gwc_crawler.export.graph.model import GraphPage, SiteGraph, build_graph
from gwc_crawler.items import Lease, Visit
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.modes import KeepHtml, LearnMode
from gwc_crawler.page.reader import PageReader
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.reading import SqliteReader
from gwc_crawler.store.sqlite.sink import SqliteSink
from gwc_crawler.urls import normalize_url, site_of
from tests.eval.corpora import CorporaAbsent, corpora_root, page_file

pytestmark = pytest.mark.corpora

HOME = "http://corpus.example"
ENDS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
NO_PAGE = ("mailto:", "javascript:", "tel:", "data:")


@dataclass
class Counted:
    """What the second walk found: links as often as they stand there, and who names whom."""

    pages: set[str] = field(default_factory=set)
    occurrences: int = 0
    pairs: set[tuple[str, str]] = field(default_factory=set)


@pytest.mark.parametrize(
    "site", ["quotes", *(pytest.param(one, marks=pytest.mark.slow) for one in ("gitrknows", "commonsmath"))]
)
def test_in_links_are_those_of_a_second_count(site: str, tmp_path: Path) -> None:
    try:
        stats = json.loads((corpora_root() / site / "graph_stats.json").read_text(encoding="utf-8"))
    except CorporaAbsent as absent:
        pytest.skip(str(absent))
    counted = count_links(site, HOME + stats["entry"])
    assert counted.occurrences == stats["edges"]
    assert len(counted.pages) == stats["pages_parsed"]

    graph = stored_graph(site, HOME + stats["entry"], tmp_path / "crawl.db")
    assert {page.url for page in graph.pages} == counted.pages
    in_links = Counter(end for _, end in counted.pairs)
    ours = {page.url: graph.in_links[place] for place, page in enumerate(graph.pages)}
    assert ours == {url: in_links[url] for url in counted.pages}
    assert max(graph.depth) == stats["max_depth"]


def answer(site: str, url: str) -> tuple[str, bytes] | None:
    """The URL that a server of the site answers with after redirects, and the page; None where there is none."""
    place = urlsplit(url)
    with suppress(OSError):
        if (folder := page_file(site, place.path)).name == "index.html" and not place.path.endswith(("/", ".html")):
            return answer(site, place._replace(path=f"{place.path}/").geturl())
        file = page_file(site, place.path + (f"?{place.query}" if place.query else ""))
        file = file if file.is_file() else folder
        return (url, file.read_bytes()) if file.suffix in {".html", ".htm"} else None
    return None


def count_links(site: str, entry: str) -> Counted:
    """Walk the site breadth first, with nothing but lxml and urllib."""
    counted = Counted()
    ends: dict[str, str | None] = {}
    waiting = [entry]
    links: list[tuple[str, str]] = []
    for url in waiting:
        found = answer(site, url)
        ends[url] = found and found[0]
        if found is None or found[0] in counted.pages:
            continue
        counted.pages.add(found[0])
        for link in links_of(*found):
            counted.occurrences += 1
            if link.startswith(f"{HOME}/"):
                links.append((found[0], link))
                if link not in ends:
                    ends[link] = None
                    waiting.append(link)
    counted.pairs = {(page, end) for page, link in links if (end := ends[link]) and end != page}
    return counted


def links_of(url: str, body: bytes) -> Iterator[str]:
    """Yield where a page's links lead, each as often as it stands there; not what leads only down the page itself."""
    try:
        tree = html.fromstring(body.decode("utf-8", "replace").encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:
        return
    for element in tree.iter(*ENDS):
        written = (element.get(ENDS[element.tag]) or "").strip()
        if written and not written.startswith("#") and not written.lower().startswith(NO_PAGE):
            link = urldefrag(urljoin(url, written))[0]
            yield normalize_url(link) or link if link.startswith(f"{HOME}/") else link


def stored_graph(site: str, entry: str, path: Path) -> SiteGraph:
    """Store every page that links lead to, as a crawl without filters does, and build the graph of what is stored."""
    everything = Knowledge("corpus", LearnMode.PAPER, (), (UrlClass(".*"),), 99)
    reader = PageReader(everything, frozenset({site_of(HOME)}))
    with CrawlDatabase(path) as database:
        SqliteSink(database, site="corpus", keep_html=KeepHtml.NONE).write(list(visits(site, entry, reader)))
        reader = SqliteReader(database, "")
        rows, links = reader.graph_pages(), reader.graph_links()
        pages = [GraphPage(row.url, row.kind, row.title, row.state, row.url == entry) for row in rows]
        return build_graph(pages, [row.number for row in rows], links, reader.redirects())


def visits(site: str, entry: str, reader: PageReader) -> Iterator[Visit]:
    known, waiting, brought = {entry}, [(entry, 0)], set()
    for url, depth in waiting:
        found = answer(site, url)
        if found is None or found[0] in brought:
            continue
        brought.add(found[0])
        page = reader.read(found[0], found[1], "text/html", 200)
        page.tree = None
        yield Visit(Lease(url, 1, 0, depth, 1, "test", 1, 0.0), page, None, 0, 1.0)
        for link in page.links:
            if link not in known:
                known.add(link)
                waiting.append((link, depth + 1))
