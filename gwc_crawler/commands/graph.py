"""`scrapy graph SITE`: the site's link graph in figures, as a picture, or for other programs."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json, tell_part
from gwc_crawler.errors import InputError

if TYPE_CHECKING:
    from gwc_crawler.export.graph.model import GraphStats, SiteGraph
    from gwc_crawler.export.job import ExportFile
    from gwc_crawler.runs.lookup import SiteFiles


class Command(SiteCommand, ScrapyCommand):
    """Show the site's link graph: figures, a picture, or files for other programs."""

    help_text = """
    Prints what the stored links say of the site: pages and links, depth, orphans, hubs, PageRank, how far each class of
    directories reaches, and the site's columns, as a tree with the pages beneath each; and with -o FILE writes the
    graph, also while a crawl runs. The ending of FILE says the form:

    html           a picture to zoom and search, in one file that needs no network
    svg, png       the same picture to print: the site's classification from left to right, circles by their pages,
                   colours by kind; of many pages, groups by class of URLs and column (--groups: how many, default 64)
    graphml, gexf  the whole graph for Gephi, yEd, networkx: every page with kind, class, depth, in-links, PageRank;
                   every link, with whether it is pruned (leaves a content page: no part of the site's own order)
    dot            the same for Graphviz
    csv            the links, and beside them FILE.pages.csv with the pages

    Of a link to a URL that was redirected, the page it led to counts. --known also takes in URLs that were never
    fetched. FILE is replaced if this command wrote it, and -O overwrites any. It needs `pip install
    'gwc-crawler[graph]'`.

    --json keys: site, pages, links, pruned, left_out, kinds, depths {clicks: pages; -1: not reached}, in_links_median,
    in_links_most, orphans, orphans_first [URLs], outside_tree, hubs [[URL, links]], most_linked [[URL, in-links]],
    top_rank [[URL, PageRank]], reach [{name, pages, leads_to, alone}], columns [{url, title, parent (URL), level, index
    and information (pages beneath)}], files [paths], seconds. Keys are added, never
    renamed.

    Exit codes: 0 told and written; 2 no such site or format, not crawled yet, its pages are elsewhere (it says where),
    FILE is another's, a package is missing; 5 the database can't be read or FILE not be written; 7 told, and of a
    shared crawl the rest is on other machines; 130 interrupted.

    Examples:
      scrapy graph books
      scrapy graph books -o books.html
      scrapy graph books -O links.csv --known
    """
    label_width = 11

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("-o", "--output", metavar="FILE", help="write FILE; replaces only what graph wrote there")
        parser.add_argument("-O", "--overwrite-output", metavar="FILE", help="write FILE, whatever is there")
        parser.add_argument("--groups", type=int, default=64, metavar="N", help="circles in a picture (default 64)")
        parser.add_argument("--known", action="store_true", help="also URLs that were never fetched")
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.export.graph.model import column_lines, columns_of, measure
        from gwc_crawler.runs.records import read_graph

        if opts.output and opts.overwrite_output:
            raise UsageError("say -o or -O, not both")
        if opts.groups < 2:
            raise InputError("--groups takes 2 or more")
        name = opts.overwrite_output or opts.output
        kind = kind_of(name)
        began = time.monotonic()
        files = self.site_files(args)
        targets = _targets(files, Path(name), kind, overwrites=bool(opts.overwrite_output)) if name else []
        made = read_graph(files, known=opts.known)
        stats = measure(made)
        _write(files, made, stats, targets, kind, opts.groups)
        written, seconds = [str(one.path) for one in targets], round(time.monotonic() - began, 2)
        columns = columns_of(made)
        told = {"columns": [asdict(column) for column in columns], "files": written, "seconds": seconds}
        self.answer(opts, {"site": files.name, **stats.as_json(), **told}, (*stats.lines(), *column_lines(columns)))
        for path in () if opts.json else written:
            print(f"{path}: {Path(path).stat().st_size:,} bytes, {seconds:.1f} s")
        tell_part(self, files)


def kind_of(name: str | None) -> str:
    """Return the format that a file's name ends with; "" without a file. Raises InputError: it names none."""
    from gwc_crawler.export.graph.drawing import FORMATS

    kind = Path(name).suffix.lower().lstrip(".") if name else ""
    if name and kind not in FORMATS:
        raise InputError(f"{name!r} doesn't end with a format of graphs: {', '.join(FORMATS)}")
    return kind


def _targets(files: SiteFiles, path: Path, kind: str, *, overwrites: bool) -> list[ExportFile]:
    from gwc_crawler.export.job import BOOK, ExportFile

    paths = [path, path.with_suffix(".pages.csv")] if kind == "csv" else [path]
    targets = [ExportFile(one, overwrites=overwrites, book=files.directory / BOOK) for one in paths]
    for target in targets:
        target.check()
    return targets


def _write(
    files: SiteFiles, made: SiteGraph, stats: GraphStats, targets: list[ExportFile], kind: str, room: int
) -> None:
    from gwc_crawler.export.graph.drawing import write_graph, write_pages_csv

    with ExitStack() as opened:
        streams = [opened.enter_context(target.opened())[1] for target in targets]
        if streams:
            write_graph(made, stats, kind, streams[0], site=files.site.name, room=room)
        if len(streams) > 1:
            write_pages_csv(made, stats, streams[1])
