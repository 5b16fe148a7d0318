"""Secrets of settings and of the environment are masked wherever something is told."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from gwc_crawler.network.masking import masked
from gwc_crawler.wiring.access import SECRETS, hide_secrets

GIVEN = {
    **{name: f"{name}-once 1" for name in SECRETS},
    "REDIS_URL": "redis://ann:redis%40once2@127.0.0.1/0",
    "FILES_STORE": "ftp://ann:files-once3@127.0.0.1/kept",
    "REDIS_PARAMS": {"password": "params-once4"},
    "FEEDS": {"ftp://ann:feeds-once5@127.0.0.1/x.csv": {"format": "csv"}},
    "GWC_ALERTS": ["http://127.0.0.1/hooks/alerts-once6"],
}
WORDS = [f"{name}-once 1" for name in SECRETS] + [
    *("redis%40once2", "redis@once2", "files-once3", "params-once4", "feeds-once5", "alerts-once6", "proxy-once7"),
]


def test_those_of_tables_given_as_json_are_masked_and_no_table_is_no_error() -> None:
    hide_secrets(Settings({"FEEDS": '{"ftp://ann:feeds-once8@127.0.0.1/x.csv": {}}', "REDIS_PARAMS": "[1"}))
    assert masked("said feeds-once8") == "said ********"


def test_they_are_shown_until_told_and_masked_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://ann:proxy-once7@127.0.0.1:1")
    assert [word for word in WORDS if masked(word) != word] == []
    hide_secrets(Settings(GIVEN))
    assert [word for word in WORDS if "once" in masked(f"it said {word!r}")] == []
    assert masked("ann at 127.0.0.1") == "ann at 127.0.0.1", "what is no secret stays"
