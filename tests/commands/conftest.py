"""A crawl that is under way while another command looks at it."""

import subprocess

import pytest

from tests.conftest import Project
from tests.site_server import SiteServer


@pytest.fixture
def busy_crawl(project: Project, site: SiteServer) -> subprocess.Popen[str]:
    """The crawl of `graph`: it has asked for /slow, and gets no answer for as long as any test takes."""
    site.links = {"/": ["/slow"], "/slow": []}
    site.delays["/slow"] = 600.0
    project.write_graph_site(site.url)
    project.write_knowledge()
    crawl = project.start("crawl", "graph", settings={"DOWNLOAD_TIMEOUT": 600})
    site.wait_for("/slow")
    return crawl
