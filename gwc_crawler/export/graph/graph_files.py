"""The whole graph for other programs: GraphML, GEXF, DOT, and CSV (links, and beside it the pages)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from gwc_crawler.export.graph.model import GraphStats, SiteGraph

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_GEXF = "http://gexf.net/1.3"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

FIELDS: dict[str, str] = {
    "url": "string",
    "title": "string",
    "kind": "string",
    "state": "string",
    "class": "string",
    "depth": "int",
    "in_links": "int",
    "out_links": "int",
    "pagerank": "double",
    "outside_tree": "boolean",
}
"""What each page has, with its type in GraphML; GEXF calls them integer and the like."""


def page_values(graph: SiteGraph, stats: GraphStats, place: int) -> dict[str, Any]:
    """Return what is known of a page, in the order of `FIELDS`."""
    page = graph.pages[place]
    return {
        "url": page.url,
        "title": page.title,
        "kind": page.kind,
        "state": page.state,
        "class": page.name,
        "depth": graph.depth[place],
        "in_links": graph.in_links[place],
        "out_links": graph.out_links[place],
        "pagerank": round(stats.rank[place], 9),
        "outside_tree": place in graph.by_pruned,
    }


def write_graphml(graph: SiteGraph, stats: GraphStats, file: IO[bytes]) -> None:
    """GraphML 1.0: pages with all that is known of them, links with `pruned`."""
    keys = [("node", name, kind) for name, kind in FIELDS.items()] + [("edge", "pruned", "boolean")]
    _write_lines(file, [_HEAD, f'<graphml xmlns="{_GRAPHML}">'])
    _write_lines(
        file, (f'<key id="{name}" for="{what}" attr.name="{name}" attr.type="{kind}"/>' for what, name, kind in keys)
    )
    _write_lines(file, ['<graph edgedefault="directed">'])
    for place in range(len(graph.pages)):
        values = page_values(graph, stats, place).items()
        data = "".join(f'<data key="{name}">{escape(_text(value))}</data>' for name, value in values)
        _write_lines(file, [f'<node id="n{place}">{data}</node>'])
    _write_lines(
        file,
        (
            f'<edge source="n{source}" target="n{end}"><data key="pruned">{_text(pruned)}</data></edge>'
            for source, end, pruned in graph.links
        ),
    )
    _write_lines(file, ["</graph></graphml>"])


def write_gexf(graph: SiteGraph, stats: GraphStats, file: IO[bytes]) -> None:
    """GEXF 1.3, as Gephi reads it; a page's label is its title, or its URL."""
    types = {"int": "integer"}
    known = "".join(
        f'<attribute id="{name}" title="{name}" type="{types.get(kind, kind)}"/>' for name, kind in FIELDS.items()
    )
    _write_lines(
        file,
        [
            _HEAD,
            f'<gexf xmlns="{_GEXF}" version="1.3"><graph defaultedgetype="directed">',
            f'<attributes class="node">{known}</attributes>',
            '<attributes class="edge"><attribute id="pruned" title="pruned" type="boolean"/></attributes><nodes>',
        ],
    )
    for place, page in enumerate(graph.pages):
        values = "".join(
            f'<attvalue for="{name}" value={quoteattr(_text(value))}/>'
            for name, value in page_values(graph, stats, place).items()
        )
        label = quoteattr(_text(page.title or page.url))
        _write_lines(file, [f'<node id="{place}" label={label}><attvalues>{values}</attvalues></node>'])
    _write_lines(file, ["</nodes><edges>"])
    _write_lines(
        file,
        (
            f'<edge id="{number}" source="{source}" target="{end}"><attvalues>'
            f'<attvalue for="pruned" value="{_text(pruned)}"/></attvalues></edge>'
            for number, (source, end, pruned) in enumerate(graph.links)
        ),
    )
    _write_lines(file, ["</edges></graph></gexf>"])


def write_dot(graph: SiteGraph, stats: GraphStats, file: IO[bytes]) -> None:
    """DOT, for Graphviz: pruned links are dashed."""
    file.write(b"digraph site {\n  node [shape=box];\n")
    for place, page in enumerate(graph.pages):
        values = page_values(graph, stats, place)
        told = " ".join(f"{name}={_quoted(values[name])}" for name in ("kind", "depth", "in_links", "pagerank"))
        file.write(f"  n{place} [label={_quoted(page.title or page.url)} URL={_quoted(page.url)} {told}];\n".encode())
    for source, end, pruned in graph.links:
        file.write(f"  n{source} -> n{end}{' [style=dashed]' if pruned else ''};\n".encode())
    file.write(b"}\n")


def write_links_csv(graph: SiteGraph, stats: GraphStats, file: IO[bytes]) -> None:
    """A line for each link: source, target, pruned."""
    rows = ((graph.pages[source].url, graph.pages[end].url, int(pruned)) for source, end, pruned in graph.links)
    _write_csv(file, ("source", "target", "pruned"), rows)


def write_pages_csv(graph: SiteGraph, stats: GraphStats, file: IO[bytes]) -> None:
    """A line for each page, with what is known of it."""
    rows = ([_text(value) for value in page_values(graph, stats, place).values()] for place in range(len(graph.pages)))
    _write_csv(file, FIELDS, rows)


def _write_csv(file: IO[bytes], head: Any, rows: Any) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(head)
    for row in rows:
        writer.writerow(row)
        if text.tell() > 1_000_000:
            file.write(text.getvalue().encode("utf-8", "replace"))
            text.seek(0)
            text.truncate()
    file.write(text.getvalue().encode("utf-8", "replace"))


def _write_lines(file: IO[bytes], lines: Iterable[str]) -> None:
    for line in lines:
        file.write(f"{line}\n".encode("utf-8", "replace"))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _NOT_XML.sub("\ufffd", value) if isinstance(value, str) else str(value)


def _quoted(value: Any) -> str:
    return '"' + _text(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ") + '"'


Write = Callable[[SiteGraph, GraphStats, IO[bytes]], None]

WRITERS: dict[str, Write] = {
    "graphml": write_graphml,
    "gexf": write_gexf,
    "dot": write_dot,
    "csv": write_links_csv,
}
"""Format → what writes the whole graph in it."""
