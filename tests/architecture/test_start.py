"""What a crawl that has learned does not load, and what `scrapy` itself doesn't: every start would pay for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.extensions.remote_control import RemoteControl
from scrapy.utils.test import get_crawler

from gwc_crawler.wiring.on_demand import CookiesOnDemand, OnDemand, RemoteControlOnDemand
from tests.architecture.source import packages

ROOT = Path(__file__).resolve().parents[2]

UNUSED = (
    "aiohttp",
    "dateparser",
    "gwc_crawler.learn.wrapper.learning",
    "gwc_crawler.extract.paper",
    "gwc_crawler.operate.fleet.plan",
    "gwc_crawler.frontier.redis.frontier",
    "gwc_crawler.learn",
    "gwc_crawler.operate.status",
    "gwc_crawler.operate.why",
    "redis",
    "requests",
    "rich.progress",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.pipelines.files",
    "tldextract",
    "twisted.conch",
)

START = """
import sys
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings
from scrapy.utils.reactor import install_reactor
import gwc_crawler.commands.crawl, gwc_crawler.runs.lookup, gwc_crawler.runs.site_run
from gwc_crawler.wiring.components import wire
settings = get_project_settings()
get_spider_loader(settings)
wire(settings)
for name in ("EXTENSIONS", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES"):
    for path in build_component_list(settings.get_component_priority_dict_with_base(name)):
        load_object(path)
settings.set("ADDONS", {}, "cmdline")  # they judge the settings of a site
install_reactor(settings["TWISTED_REACTOR"])
crawler = Crawler(Spider, settings)
crawler._apply_settings()
load_object(settings["DOWNLOADER"])(crawler)  # its middlewares are made, and load what they need for that
print(*sys.modules)
"""


DISCOVERY = """
import contextlib, sys
from scrapy.cmdline import execute
with contextlib.suppress(SystemExit):
    execute(["scrapy"])
print(*sys.modules)
"""


def test_the_discovery_of_commands_loads_only_words() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", DISCOVERY], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "Crawl a site" in shown
    loaded = shown.splitlines()[-1].split()
    ours = {name.removeprefix("gwc_crawler.") for name in loaded if name.startswith("gwc_crawler.")}
    beside = {name for name in ours if not name.startswith(("commands.", "profiles."))}
    assert beside - packages() == {"wiring.own_settings", "errors", "modes", "settings"}
    assert "rich" not in loaded


def test_a_command_can_be_interrupted_from_its_first_moment() -> None:
    """What takes long to load is loaded where a Ctrl-C is answered: in `main`."""
    code = "import sys, gwc_crawler.__main__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not {"scrapy", "twisted", "gwc_crawler.commands.console"} & set(loaded.split())


def test_a_crawl_loads_nothing_that_it_does_not_use() -> None:
    loaded = subprocess.run([sys.executable, "-c", START], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not set(UNUSED) & set(loaded.split())


@pytest.mark.parametrize(
    ("on_demand", "setting", "component"),
    [
        (CookiesOnDemand, "COOKIES_ENABLED", CookiesMiddleware),
        (RemoteControlOnDemand, "REMOTE_CONTROL_ENABLED", RemoteControl),
    ],
)
def test_what_is_asked_for_is_loaded(on_demand: OnDemand, setting: str, component: type) -> None:
    with pytest.raises(NotConfigured):
        on_demand.from_crawler(get_crawler(settings_dict={setting: False}))
    assert isinstance(on_demand.from_crawler(get_crawler(settings_dict={setting: True})), component)
