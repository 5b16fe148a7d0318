"""A site's link graph: who links to whom, what leads down to what, in figures, files and pictures."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.graph.drawing import FORMATS, write_graph
    from gwc_crawler.graph.graph_files import write_pages_csv
    from gwc_crawler.graph.model import GraphPage, SiteGraph, build_graph
    from gwc_crawler.graph.stats import GraphStats, measure
else:
    __getattr__ = face(__name__)

__all__ = [
    "FORMATS",
    "GraphPage",
    "GraphStats",
    "SiteGraph",
    "build_graph",
    "measure",
    "write_graph",
    "write_pages_csv",
]
