"""What our spiders are wired with reaches the crawl: each component of ours is the one that is used."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from gwc_crawler.wiring.components import COMPONENTS, wire


@pytest.mark.parametrize("name", COMPONENTS)
def test_each_component_of_ours_is_in_force(name: str) -> None:
    settings = Settings()
    for _ in range(2):
        wire(settings)
        in_force = settings.get_component_priority_dict_with_base(name)
        assert {key: in_force.get(key) for key in COMPONENTS[name]} == dict(COMPONENTS[name])


def test_a_download_handler_of_a_users_own_is_used() -> None:
    settings = Settings({"DOWNLOAD_HANDLERS": {"http": "mine.Handler"}})
    wire(settings)
    handlers = settings.get_component_priority_dict_with_base("DOWNLOAD_HANDLERS")
    assert handlers["http"] == "mine.Handler"
    assert handlers["https"] == "gwc_crawler.downloader.handler.KeptConnectionsHandler"
