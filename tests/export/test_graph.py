"""The link graph: what its figures say of graphs one can count by hand, and its files read by others."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import networkx
import pytest
from lxml import etree

from gwc_crawler.export.graph.drawing import COLUMN, FORMATS, group_pages, lay_out, write_graph, write_pages_csv
from gwc_crawler.export.graph.model import (
    SHOWN_LEVELS,
    GraphPage,
    SiteGraph,
    build_graph,
    column_lines,
    columns_of,
    measure,
)

HOME = "http://a.example"
TREE = {
    "/": ("index", ["/tea/", "/toys/"]),
    "/tea/": ("directory", ["/", "/tea/1", "/tea/2"]),
    "/toys/": ("directory", ["/", "/toys/1", "/tea/2"]),
    "/tea/1": ("target", ["/", "/far"]),
    "/tea/2": ("target", ["/"]),
    "/toys/1": ("target", ["/"]),
    "/far": ("information", ["/"]),
    "/alone": ("information", ["/"]),
}


def graph_of(tree: dict[str, tuple[str, list[str]]], titles: str = "") -> SiteGraph:
    urls = list(tree)
    pages = [
        GraphPage(
            HOME + url, kind, f"{titles}{url}", "C", url == "/", "" if url == "/" else f"{url.split('/')[1]}-{kind}"
        )
        for url, (kind, _) in tree.items()
    ]
    content = {"target", "information"}
    links = [
        (urls.index(url), urls.index(end), int(kind in content)) for url, (kind, ends) in tree.items() for end in ends
    ]
    return build_graph(pages, range(len(urls)), links)


def large(pages: int) -> SiteGraph:
    """A shop: twenty columns, each with lists that lead to products."""
    tree: dict[str, tuple[str, list[str]]] = {"/": ("index", [f"/c{n}/" for n in range(20)])}
    for column in range(20):
        items = [f"/c{column}/{number}.html" for number in range(pages // 20)]
        tree[f"/c{column}/"] = ("directory", items)
        tree |= {item: ("target", ["/", f"/c{column}/"]) for item in items}
    return graph_of(tree)


def written(graph: SiteGraph, kind: str) -> bytes:
    file = io.BytesIO()
    write_graph(graph, measure(graph), kind, file, site="a <site>")
    return file.getvalue()


def test_figures_of_a_graph_counted_by_hand() -> None:
    graph = graph_of(TREE)
    figures = measure(graph)
    names = list(TREE)
    assert dict(zip(names, graph.in_links, strict=True)) == {
        "/": 7,
        "/tea/": 1,
        "/toys/": 1,
        "/tea/1": 1,
        "/tea/2": 2,
        "/toys/1": 1,
        "/far": 1,
        "/alone": 0,
    }
    assert dict(zip(names, graph.depth, strict=True)) == {
        "/": 0,
        "/tea/": 1,
        "/toys/": 1,
        "/tea/1": 2,
        "/tea/2": 2,
        "/toys/1": 2,
        "/far": 3,
        "/alone": -1,
    }
    assert (figures.links, figures.pruned, figures.orphans, figures.outside_tree) == (14, 6, 1, 1)
    assert figures.orphans_first == (f"{HOME}/alone",)
    reach = {one.name: (one.leads_to, one.alone) for one in figures.reach}
    assert reach == {"tea-directory": (2, 1), "toys-directory": (2, 1)}
    assert names[max(range(len(names)), key=figures.rank.__getitem__)] == "/"
    assert sum(figures.rank) == pytest.approx(1.0)
    other = networkx.DiGraph((source, end) for source, end, _ in graph.links)
    assert sorted(other.nodes) == sorted(range(len(names)))


def test_a_link_to_a_redirected_url_counts_for_its_page_and_what_is_unknown_is_counted_apart() -> None:
    pages = [GraphPage(f"{HOME}/{name}", "index", is_start=name == "a") for name in "ab"]
    graph = build_graph(pages, [10, 20], [(10, 30, 0), (10, 20, 1), (20, 20, 0), (10, 99, 0)], {30: 20})
    assert list(graph.links) == [(0, 1, False)], "one link, and not pruned: one of the two is not"
    assert (graph.in_links, graph.left_out) == ([0, 1], 1)


def test_the_files_are_read_by_other_libraries(tmp_path: Path) -> None:
    graph = graph_of(TREE, titles='漢字 "<&>\0 ')
    for kind, read in (("graphml", networkx.read_graphml), ("gexf", networkx.read_gexf)):
        path = tmp_path / f"a.{kind}"
        path.write_bytes(written(graph, kind))
        found = read(path)
        assert (found.number_of_nodes(), found.number_of_edges()) == (len(TREE), 14)
        values = {data["url"]: data for _, data in found.nodes(data=True)}
        assert values[f"{HOME}/tea/2"]["in_links"] == 2
        assert values[f"{HOME}/tea/2"]["title"].startswith('漢字 "<&>')
        assert sum(data["pruned"] for *_, data in found.edges(data=True)) == 6
    rows = list(csv.DictReader(io.StringIO(written(graph, "csv").decode(), newline="")))
    assert {(row["source"], row["target"]) for row in rows} == {
        (HOME + url, HOME + end) for url, (_, ends) in TREE.items() for end in ends
    }
    pages = io.BytesIO()
    write_pages_csv(graph, measure(graph), pages)
    found = list(csv.DictReader(io.StringIO(pages.getvalue().decode(), newline="")))
    assert [int(row["in_links"]) for row in found] == graph.in_links
    assert written(graph, "dot").decode().count(" -> ") == 14


@pytest.mark.dear
@pytest.mark.parametrize("pages", [1, 40, 5000])
def test_no_two_circles_or_names_of_a_picture_overlap(pages: int) -> None:
    graph = large(pages) if pages > 1 else graph_of({"/": ("index", [])})
    plan = group_pages(graph)
    assert sorted(place for group in plan.groups for place in group.places) == list(range(len(graph.pages)))
    assert len(plan.groups) <= 66
    columns: dict[float, list[tuple[float, float]]] = {}
    for dot in lay_out(plan).groups:
        half = max(dot.radius, 9.0)
        columns.setdefault(dot.x, []).append((dot.y - half, dot.y + half))
    for spans in columns.values():
        spans.sort()
        assert all(above[1] <= below[0] for above, below in pairwise(spans))


@pytest.mark.dear
def test_few_pages_stand_for_themselves_and_many_for_their_columns() -> None:
    few = group_pages(large(20))
    assert {len(group.places) for group in few.groups} == {1}
    many = group_pages(large(5000))
    names = {group.name for group in many.groups if group.kind == "target"}
    assert names == {f"/c{column}/*.html" for column in range(20)}
    assert many.groups[0].name == "/"


def test_a_long_chain_of_pages_leaves_the_picture_readable() -> None:
    """A diary of days that only lead to the day before, and a pager: one group, and no column for each click."""
    tree = {"/": ("index", ["/2000/d0.html", "/page/2"])}
    tree |= {f"/2000/d{day}.html": ("target", [f"/2000/d{day + 1}.html"]) for day in range(40)}
    tree["/2000/d40.html"] = "target", []
    few = group_pages(graph_of(tree | {"/page/2": ("directory", [])}))
    assert len(few.groups) == len(tree) + 1
    assert lay_out(few).width < 12 * COLUMN
    tree |= {f"/page/{number}": ("directory", [f"/page/{number + 1}"]) for number in range(2, 60)}
    many = group_pages(graph_of(tree | {"/page/60": ("directory", [])}))
    assert {group.name: len(group.places) for group in many.groups if "page" in group.name} == {"/page/*": 59}


def test_a_calendar_that_never_ends_is_told_as_far_as_a_person_reads() -> None:
    months: dict[str, tuple[str, list[str]]] = {f"/{n}/": ("index", [f"/{n + 1}/"]) for n in range(40)}
    columns = columns_of(graph_of({"/": ("index", ["/0/"])} | months | {"/40/": ("information", [])}))
    lines = list(column_lines(columns))
    assert [column.level for column in columns] == list(range(41))
    assert len(lines) == SHOWN_LEVELS + 1
    assert "/4/: 35 index, 1 information pages beneath" in lines[-2][1]
    assert lines[-1][1] == "and 35 smaller or deeper ones (--json has all)"


def test_the_picture_is_well_formed_whatever_stands_in_titles() -> None:
    graph = graph_of(TREE, titles="</script><script>alert(1)</script>]]>")
    assert etree.fromstring(written(graph, "svg")).tag.endswith("svg")
    html = written(graph, "html").decode()
    assert "alert(1)</script>" not in html
    assert html.count("<script") == 2
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", html), "nothing is asked for elsewhere"
    assert "default-src 'none'" in html
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    assert len(json.loads(data[1])["pages"]) == len(TREE)
    HTMLParser().feed(html)


def test_a_png_is_one() -> None:
    assert written(graph_of(TREE), "png").startswith(b"\x89PNG")


def test_every_format_takes_an_empty_graph() -> None:
    for kind in FORMATS:
        assert written(build_graph([], [], []), kind)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_a_browser_shows_and_searches_it_without_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_bytes(written(large(200), "html"))
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    done = subprocess.run(
        ["chromium", *options, "--virtual-time-budget=1000", "--dump-dom", f"{path.as_uri()}#q=/c7/"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "<h1>11 pages</h1>" in done.stdout
    assert "Uncaught" not in done.stderr
