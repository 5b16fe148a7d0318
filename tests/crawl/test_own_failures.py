"""What a user's own code fails at is told as its fault: the error's type, the component, the setting that names it."""

from __future__ import annotations

import pytest

from tests.conftest import Project
from tests.graphs import star
from tests.processes import free_port
from tests.site_server import SiteServer

OWN = "tests.crawl.own_failures"


def crawl(project: Project, url: str, setting: str, name: str) -> str:
    """Crawl with a component that fails; returns the last line of what is said."""
    project.write_graph_site(url, more=f'[settings]\n{setting} = {{ "{OWN}.{name}" = 950 }}\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", settings={"GWC_RETRY_BASE_SECONDS": 0.01})
    assert outcome.code == 3, outcome.err
    return outcome.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("setting", "name", "error"),
    [
        ("DOWNLOADER_MIDDLEWARES", "AtRequests", "NoKeyError: the vault is shut"),
        ("DOWNLOADER_MIDDLEWARES", "AtPages", "KeyError: 'token'"),
        (
            "DOWNLOADER_MIDDLEWARES",
            "Forgetful",
            "TypeError: Forgetful.process_response must return Response or Request, got NoneType",
        ),
        ("SPIDER_MIDDLEWARES", "AtResponses", "ValueError: no such shelf"),
    ],
)
def test_a_middleware_that_fails_is_named(
    project: Project, site: SiteServer, setting: str, name: str, error: str
) -> None:
    site.links = star(3)
    told = crawl(project, site.url, setting, name)
    assert f"{error}, raised by your {OWN}.{name} (setting {setting} in the site file)" in told
    assert told.endswith("; mend that code, or take it out")


def test_what_it_only_passes_on_is_not_its_fault(project: Project) -> None:
    told = crawl(project, f"http://127.0.0.1:{free_port()}", "DOWNLOADER_MIDDLEWARES", "PassingOn")
    assert "its host refuses the connection" in told
    assert "raised by your" not in told


def test_a_request_that_a_middleware_makes_anew_stands_for_its_url(project: Project, site: SiteServer) -> None:
    site.links = star(3)
    project.write_graph_site(site.url, more=f'[settings]\nDOWNLOADER_MIDDLEWARES = {{ "{OWN}.MadeAnew" = 950 }}\n')
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph")
    assert outcome.code == 0, outcome.err
    assert "Traceback" not in outcome.err
    assert set(project.states().values()) == {"C"}
