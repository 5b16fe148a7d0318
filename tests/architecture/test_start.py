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

from gwc_crawler.download.middlewares import CookiesOnDemand
from gwc_crawler.ops.extensions import RemoteControlOnDemand

ROOT = Path(__file__).resolve().parents[2]

UNUSED = (
    "aiohttp",
    "dateparser",
    "gwc_crawler.extract.learn",
    "gwc_crawler.extract.paper",
    "gwc_crawler.frontier.fleet_plan",
    "gwc_crawler.frontier.redis",
    "gwc_crawler.learn",
    "gwc_crawler.ops.status",
    "gwc_crawler.ops.why",
    "redis",
    "requests",
    "rich.progress",
    "tldextract",
    "twisted.conch",
)

START = """
import sys
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings
import gwc_crawler.actions.crawl
settings = get_project_settings()
get_spider_loader(settings)
for name in ("EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES"):
    for path in build_component_list(settings.get_component_priority_dict_with_base(name)):
        load_object(path)
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
    ours = {name for name in loaded if name.startswith("gwc_crawler.")} - {"gwc_crawler.errors", "gwc_crawler.settings"}
    assert [name for name in ours if not f"{name}.".startswith("gwc_crawler.commands.")] == []
    assert "rich" not in loaded


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
def test_what_is_asked_for_is_loaded(on_demand: type, setting: str, component: type) -> None:
    with pytest.raises(NotConfigured):
        on_demand.from_crawler(get_crawler(settings_dict={setting: False}))  # type: ignore[attr-defined]
    assert isinstance(on_demand.from_crawler(get_crawler(settings_dict={setting: True})), component)  # type: ignore[attr-defined]
