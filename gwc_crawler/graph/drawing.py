"""A graph → a file in any of its formats: for programs the whole of it, for people a picture."""

from __future__ import annotations

from typing import IO

from gwc_crawler.errors import InputError
from gwc_crawler.graph.groups import ROOM, group_pages
from gwc_crawler.graph.model import SiteGraph
from gwc_crawler.graph.stats import GraphStats

PICTURES = ("svg", "png", "html")
FORMATS = ("graphml", "gexf", "dot", "csv", *PICTURES)


def write_graph(
    graph: SiteGraph, stats: GraphStats, kind: str, file: IO[bytes], *, site: str, room: int = ROOM
) -> None:
    """Write a graph.

    Args:
        kind: one of `FORMATS`.
        room: how many groups a picture may show.
    Raises:
        InputError: a package is missing.
    """
    if kind in PICTURES:
        file.write(_drawn(graph, stats, kind, site, room))
        return
    from gwc_crawler.graph.graph_files import WRITERS

    WRITERS[kind](graph, stats, file)


def _drawn(graph: SiteGraph, stats: GraphStats, kind: str, site: str, room: int) -> bytes:
    from gwc_crawler.graph.picture import lay_out
    from gwc_crawler.graph.svg import draw_png, draw_svg

    plan = group_pages(graph, room)
    picture = lay_out(plan)
    if kind == "html":
        from gwc_crawler.graph.html import draw_html

        return draw_html(graph, plan, picture, site, stats).encode("utf-8", "replace")
    svg = draw_svg(picture, site, stats)
    if kind == "svg":
        return svg.encode("utf-8", "replace")
    try:
        return draw_png(svg)
    except ImportError as error:
        raise InputError(
            "PNG needs resvg_py, which is not installed here: `pip install 'gwc-crawler[graph]'` brings it"
        ) from error
