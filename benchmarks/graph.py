"""`python -m benchmarks.graph`: the link graph of a real site of 11,000 pages and 400,000 links, from store to picture.

The pages of the corpus `w3school` (GWC_CORPORA) are read and stored as a crawl without filters stores them, without a
network; then the graph is built, measured, and written in each form. The counts stand beside those of
`graph_stats.json`, which another program's walk over the same files made, and the in-links of every page beside a
count by lxml alone, over the same pages. PageRank by rustworkx stands beside networkx, where that is installed. `--site
DIR` takes another corpus.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin

from lxml import etree, html

from benchmarks.measure import machine
from gwc_crawler.export.graph.drawing import FORMATS, write_graph
from gwc_crawler.export.graph.model import GraphPage, SiteGraph, build_graph, measure
from gwc_crawler.items import Lease, Visit
from gwc_crawler.knowledge import Knowledge, UrlClass
from gwc_crawler.modes import KeepHtml, LearnMode
from gwc_crawler.page import PageReader
from gwc_crawler.store import CrawlDatabase, SqliteSink
from gwc_crawler.store.sqlite.outlet import read_graph_links, read_graph_pages
from gwc_crawler.urls import normalize_url, site_of

HOME = "http://www.w3school.com.cn"


def main() -> int:
    """Measure, and print a table; 2 where the site is not there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    corpora = Path(os.environ.get("GWC_CORPORA", "../shared/corpora"))
    parser.add_argument("--site", type=Path, default=corpora / "w3school", help="a corpus: site/ and graph_stats.json")
    parser.add_argument("--keep", type=Path, help="leave the files in this directory")
    options = parser.parse_args()
    if not (options.site / "graph_stats.json").exists():
        print(f"{options.site} is not there; say by GWC_CORPORA where the corpora are", file=sys.stderr)
        return 2
    print(f"{machine()}\n")
    stats = json.loads((options.site / "graph_stats.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as directory:
        path = options.keep / "crawl.db" if options.keep else Path(directory) / "crawl.db"
        if not path.exists():
            store_site(options.site / "site", stats["entry"], path)
        report(path, stats, options.site / "site", options.keep)
    return 0


def store_site(root: Path, entry: str, path: Path) -> None:
    """Store every page that links lead to from the entry."""
    everything = Knowledge("corpus", LearnMode.PAPER, (), (UrlClass(".*"),), 99)
    reader = PageReader(everything, frozenset({site_of(HOME)}))
    with CrawlDatabase(path) as database:
        sink = SqliteSink(database, site="corpus", keep_html=KeepHtml.NONE)
        batch: list[Visit] = []
        for visit in walk(root, reader, HOME + entry):
            batch.append(visit)
            if len(batch) == 500:
                sink.write(batch)
                batch = []
        sink.write(batch)


def walk(root: Path, reader: PageReader, start: str) -> Iterator[Visit]:
    """Read the pages breadth first."""
    known, waiting = {start}, [(start, 0)]
    for url, depth in waiting:
        body = file_of(root, url)
        if body is None:
            continue
        page = reader.read(url, body, "text/html", 200)
        page.tree = None
        yield Visit(Lease(url, 1, 0, depth, 1, "bench", 1, 0.0), page, None, 0, 1.0, "", "")
        for link in page.links:
            if link not in known:
                known.add(link)
                waiting.append((link, depth + 1))


def file_of(root: Path, url: str) -> bytes | None:
    """The file that a URL of the corpus stands for; None where there is none."""
    path = url.removeprefix(HOME).lstrip("/")
    names = [path.replace("?", quote("?")), path.partition("?")[0]]
    for name in names:
        place = root / name
        place = place / "index.html" if place.is_dir() else place
        with suppress(OSError):
            return place.read_bytes()
    return None


def report(path: Path, stats: dict[str, int], site: Path, keep: Path | None) -> None:
    """Build, measure and write the graph; print what came and how long it took."""
    began = time.perf_counter()
    with CrawlDatabase(path, read_only=True) as database:
        rows = read_graph_pages(database, known=True)
        links = zip(*read_graph_links(database), strict=True)
        home = rows[0].url
        pages = [GraphPage(row.url, row.kind, row.title, row.state, row.url == home) for row in rows]
        graph = build_graph(pages, [row.number for row in rows], links)
    built = time.perf_counter()
    figures = measure(graph)
    print(f"{'read and build':<18}{built - began:8.2f} s")
    print(f"{'figures':<18}{time.perf_counter() - built:8.2f} s")
    compare_page_rank(graph)
    print(f"URLs {len(pages):,} ({stats['urls_found']:,} in graph_stats.json)")
    print(f"links {len(graph.links):,} ({stats['edges']:,}), in-links add up to {sum(graph.in_links):,}")
    print(f"depth {max(graph.depth)} ({stats['max_depth']})")
    compare_in_links(graph, site)
    for kind in FORMATS:
        began = time.perf_counter()
        file = BytesIO()
        write_graph(graph, figures, kind, file, site="w3school")
        print(f"{kind:<18}{time.perf_counter() - began:8.2f} s  {len(file.getvalue()):>12,} bytes")
        if keep:
            (keep / f"graph.{kind}").write_bytes(file.getvalue())
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def compare_in_links(graph: SiteGraph, root: Path) -> None:
    """Count the in-links of every page again: distinct pairs of pages, by what `href` and `src` say to lxml."""
    counted: Counter[str] = Counter()
    for page in graph.pages:
        if page.kind and (body := file_of(root, page.url)):
            counted.update(ends_of(page.url, body))
    both = [(graph.in_links[place], counted[page.url]) for place, page in enumerate(graph.pages)]
    equal = sum(ours == theirs for ours, theirs in both)
    print(
        f"in-links as lxml counts them: of {equal:,} of {len(both):,} URLs; off by {sum(abs(a - b) for a, b in both):,}"
    )


def ends_of(url: str, body: bytes) -> set[str]:
    """Where a page's links lead on the site, itself left out."""
    found: set[str] = set()
    try:
        text = body.decode("gb18030", "replace")  # libxml2 by itself ends a page at its first broken byte
        tree = html.fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # an empty page
        return found
    for element in tree.iter("a", "area", "frame", "iframe"):
        with suppress(ValueError):
            link = urldefrag(urljoin(url, (element.get("href") or element.get("src") or "").strip()))[0]
            found.add(normalize_url(link) or "")
    return {link for link in found if link.startswith(f"{HOME}/") and link != url}


def compare_page_rank(graph: SiteGraph) -> None:
    """PageRank by rustworkx, and by networkx where that can."""
    import rustworkx

    began = time.perf_counter()
    made = rustworkx.PyDiGraph(multigraph=False)
    made.add_nodes_from(range(len(graph.pages)))
    made.add_edges_from_no_data([(source, end) for source, end, _ in graph.links])
    rustworkx.pagerank(made)
    print(f"{'PageRank rustworkx':<18}{time.perf_counter() - began:8.2f} s")
    with suppress(ImportError):
        import networkx

        began = time.perf_counter()
        other = networkx.DiGraph()
        other.add_nodes_from(range(len(graph.pages)))
        other.add_edges_from((source, end) for source, end, _ in graph.links)
        from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

        _pagerank_python(other)
        print(f"{'PageRank networkx':<18}{time.perf_counter() - began:8.2f} s")


if __name__ == "__main__":
    raise SystemExit(main())
