"""A site's link graph: who links to whom, what leads down to what, in figures, files and pictures."""

from gwc_crawler.export.graph.columns import Column, column_lines, columns_of
from gwc_crawler.export.graph.drawing import FORMATS, write_graph, write_pages_csv
from gwc_crawler.export.graph.model import GraphPage, GraphStats, SiteGraph, build_graph, measure
