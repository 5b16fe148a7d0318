"""How often a server is asked for its counts while the status is watched."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import pytest
from scrapy.settings import Settings

from gwc_crawler.runs import status
from gwc_crawler.runs.lookup import SiteLocation
from tests.operate.test_screen import shop


def test_a_server_counts_every_ten_seconds_not_at_every_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [replace(shop(), checked_at=at) for at in (1000.0, 1002.0, 1011.0)]
    asked = Mock(return_value=None)
    for name, answer in {
        "places": Mock(return_value=[SiteLocation("shop", Settings({"GWC_DATA_DIR": "nowhere"}))]),
        "look_at": Mock(side_effect=looks),
        "kept_elsewhere": Mock(return_value="the server"),
        "server_reader": asked,
    }.items():
        monkeypatch.setattr(status, name, answer)
    monkeypatch.setattr(status.time, "sleep", Mock(side_effect=[None, None, KeyboardInterrupt]))
    command, servers = Mock(settings=Settings()), Mock(fleet=Mock(return_value=None))
    with pytest.raises(KeyboardInterrupt):
        status.watch(command, "shop", servers, 2.0, as_json=True)
    assert asked.call_count == 2
