"""How a machine begins a crawl of this project later: the directory, the command, the variables that matter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scrapy.settings import SETTINGS_PRIORITIES, Settings
from scrapy.utils.conf import closest_scrapy_cfg

from gwc_crawler.program import GWC
from gwc_crawler.schedules import Launch

VARIABLES = ("SCRAPY_PROJECT", "SCRAPY_SETTINGS_MODULE")


def launch_of(settings: Settings) -> Launch:
    """Return the beginning of `crawl` as this command was begun; secrets are left to the machine's own variables."""
    module = "gwc_crawler" if Path(sys.argv[0]).stem == GWC else "scrapy"
    found = closest_scrapy_cfg()
    directory = Path(found).resolve().parent if found else Path.cwd()
    given = [f"{name}={settings[name]}" for name in ("GWC_DATA_DIR", "GWC_SITES_DIR") if _is_given(settings, name)]
    options = [word for one in given for word in ("-s", one)]
    return Launch(
        directory,
        [sys.executable, "-m", module],
        options,
        {name: os.environ[name] for name in VARIABLES if name in os.environ},
    )


def _is_given(settings: Settings, name: str) -> bool:
    return settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]
