"""The profile for foreign servers wants them to know whom to turn to."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from gwc_crawler import settings as ours
from gwc_crawler.errors import InputError
from gwc_crawler.wiring.own_settings import check_contact
from tests.conftest import Project
from tests.site_server import SiteServer


def named(agent: str | None, needed: bool = True) -> Settings:
    return Settings({"USER_AGENT": agent, "GWC_CONTACT_NEEDED": needed})


@pytest.mark.parametrize("agent", ["books (+https://example.org/bot)", "books me@example.org", "x http://a.example"])
def test_a_page_or_an_address_will_do(agent: str) -> None:
    check_contact(named(agent))


@pytest.mark.parametrize("agent", [None, "", "books", "Mozilla/5.0", ours.USER_AGENT, "me@", "https://"])
def test_nobody_is_nobody(agent: str | None) -> None:
    with pytest.raises(InputError, match="USER_AGENT"):
        check_contact(named(agent))
    check_contact(named(agent, needed=False))


def test_the_polite_profile_asks_before_the_first_request(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    refused = project.scrapy("crawl", "graph", profile="polite")
    assert (refused.code, site.hits) == (2, {})
    assert "names nobody to turn to" in refused.err
    assert "Traceback" not in refused.err
    own = {"USER_AGENT": "books (+https://example.org/bot)", "DOWNLOAD_DELAY": 0}
    assert project.scrapy("crawl", "graph", profile="polite", settings=own).code == 0
