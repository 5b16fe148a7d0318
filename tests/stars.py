"""A crawl of a star, long enough to do something to it while it runs."""

from __future__ import annotations

import signal

from tests.conftest import Outcome, Project, ended
from tests.graphs import star
from tests.site_server import SiteServer


def begin_star(project: Project, site: SiteServer, pages: int, delay_seconds: float = 0.0) -> None:
    """Have *site* be a home page and so many others, each answered after *delay_seconds*, ready to be crawled as
    `graph`."""
    site.links = star(pages)
    site.delays["*"] = delay_seconds
    project.write_graph_site(site.url)
    project.write_knowledge()


def begin_hanging_star(project: Project, site: SiteServer, pages: int) -> None:
    """The same, but of its pages only the home page is answered before the test is over."""
    begin_star(project, site, pages, 600.0)
    site.delays["/"] = site.delays["/robots.txt"] = 0.0


def interrupted(project: Project, site: SiteServer) -> Outcome:
    """Crawl `graph`, and press Ctrl-C when 20 pages have come."""
    process = project.start("crawl", "graph")
    site.wait_for_pages(20)
    process.send_signal(signal.SIGINT)
    return ended(process)
