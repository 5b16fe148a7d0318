"""What our spiders are wired with reaches the crawl: each component of ours is the one that is used."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from gwc_crawler.errors import InputError
from gwc_crawler.wiring.components import COMPONENTS, wire
from gwc_crawler.wiring.options import retry_policy
from gwc_crawler.wiring.own_settings import of_any_project


@pytest.mark.parametrize("name", COMPONENTS)
def test_each_component_of_ours_is_in_force(name: str) -> None:
    settings = Settings()
    for _ in range(2):
        wire(settings)
        in_force = settings.get_component_priority_dict_with_base(name)
        assert {key: in_force.get(key) for key in COMPONENTS[name]} == dict(COMPONENTS[name])


@pytest.mark.parametrize("name", [name for name in COMPONENTS if name != "DOWNLOAD_HANDLERS"])
def test_scrapy_knows_each_by_its_path_where_a_user_names_it(name: str) -> None:
    in_force = Settings({name: dict(COMPONENTS[name])}).get_component_priority_dict_with_base(name)
    assert {key: in_force.get(key) for key in COMPONENTS[name]} == dict(COMPONENTS[name])


def test_a_download_handler_of_a_users_own_is_used() -> None:
    settings = Settings({"DOWNLOAD_HANDLERS": {"http": "mine.Handler"}})
    wire(settings)
    handlers = settings.get_component_priority_dict_with_base("DOWNLOAD_HANDLERS")
    assert handlers["http"] == "mine.Handler"
    assert handlers["https"] == "gwc_crawler.downloader.handler.KeptConnectionsHandler"


def test_what_a_project_does_not_set_is_as_in_ours() -> None:
    theirs = Settings({"GWC_RETRY_MAX_SECONDS": 7, "GWC_RETRY_BASE_SECONDS": None})
    theirs.freeze()
    found = retry_policy(theirs)
    assert (found.base_seconds, found.max_seconds) == (1.0, 7.0)
    whole = of_any_project(theirs)
    assert whole.getint("GWC_QUEUES") == 16
    assert of_any_project(whole) is whole


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GWC_RETRY_BASE_SECONDS", "x", "setting GWC_RETRY_BASE_SECONDS is 'x'; it can be a number"),
        ("GWC_QUEUES", 0, "setting GWC_QUEUES is 0; it can be a whole number, 1 or more"),
        ("GWC_QUEUE", 4, "unknown setting GWC_QUEUE in the project's settings .did you mean 'GWC_QUEUES'"),
    ],
)
def test_what_can_not_be_is_refused_there_too(name: str, value: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        of_any_project(Settings({name: value}))
