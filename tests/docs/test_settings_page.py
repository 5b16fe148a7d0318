"""docs/settings.md says of every setting of Scrapy's what becomes of it in a site's crawl, and the crawl does so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings, default_settings

from gwc_crawler.errors import InputError
from gwc_crawler.sites.schema import Site
from gwc_crawler.wiring.check import REFUSED, TOO_EARLY, settings_of
from tests.docs.settings_page import DIFFERS, PAGE, WORKS, names, own_settings, own_tables, page

SITE = Site(name="books", path=Path("books.toml"), entry=("https://books.example.com/",))
TABLES = (WORKS, DIFFERS, TOO_EARLY, REFUSED)
OTHER = {
    bool: lambda value: not value,
    int: lambda value: value + 7,
    list: lambda value: [*value, "x"],
    dict: lambda _: {"x": 1},
}


def given(name: str, value: Any, where: str) -> Settings:
    """The settings of a crawl in which somebody has given that."""
    settings = Settings()
    settings.setmodule("settings_profiles.local", "project")
    site = replace(SITE, settings={name: value}) if where == "site file" else SITE
    if where != "site file":
        settings.set(name, value, where)
    return settings_of(site, settings)


def other_than(value: Any) -> Any:
    """A value that says something else."""
    return OTHER.get(type(value), lambda _: "something.Else")(value)


def test_the_page_is_the_one_of_today() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.docs.settings_page --write`"


def test_every_setting_of_scrapys_is_in_one_table() -> None:
    found = sorted(name for table in TABLES for name in table)
    assert found == names()


def test_every_setting_of_ours_is_on_the_page() -> None:
    from gwc_crawler import settings

    ours = [name for name in vars(settings) if name.startswith("GWC_")]
    assert [name for name, _, _ in own_settings()] == ours
    assert [row.split("`")[1] for table in own_tables() for row in table.splitlines() if row.startswith("| `")] == ours


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_by_its_name(name: str) -> None:
    refusal = REFUSED[name]
    for where, place in (("site file", "in the site file"), ("cmdline", "on the command line")):
        with pytest.raises(InputError, match=f"setting {name} is .* {place}, and can't hold"):
            given(name, other_than(refusal.holds), where)
        if refusal.holds is not None:
            assert given(name, refusal.holds, where)
    if refusal.always:
        with pytest.raises(InputError, match=f"setting {name} is .* in the project's settings"):
            given(name, other_than(refusal.holds), "project")


@pytest.mark.parametrize("name", [name for name in REFUSED if not REFUSED[name].always])
def test_what_may_be_meant_for_spiders_of_their_own_is_warned_of(name: str, caplog: pytest.LogCaptureFixture) -> None:
    given(name, other_than(REFUSED[name].holds), "project")
    assert [record.message for record in caplog.records if f"setting {name} is" in record.message]


@pytest.mark.parametrize("name", TOO_EARLY)
def test_what_is_read_before_a_site_file_is_refused_there(name: str) -> None:
    value = getattr(default_settings, name)
    with pytest.raises(InputError, match=f"setting {name} is .* in a site file"):
        given(name, value, "site file")
    assert given(name, value, "cmdline")


@pytest.mark.parametrize("name", sorted((WORKS | set(DIFFERS)) - {"HTTPAUTH_USER", "HTTPAUTH_PASS"}))
def test_what_works_is_taken_and_outranks_our_default(name: str) -> None:
    value = getattr(default_settings, name)
    if name in ("SCHEDULER", "SCHEDULER_PRIORITY_QUEUE", "DOWNLOADER"):
        with pytest.raises(InputError, match=f"setting {name} is .*; the crawl of a site needs"):
            given(name, value, "site file")
        return
    for where in ("site file", "cmdline", "project"):
        settings = given(name, value, where)
        assert (settings.getpriority(name) or 0) >= 20
        if not isinstance(value, dict):
            assert settings[name] == value
