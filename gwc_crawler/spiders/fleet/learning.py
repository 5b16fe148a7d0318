"""Learning in a process of its own: `scrapy learn SITE`, with this process's settings; ends when this process does."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings

from gwc_crawler.errors import GwcError, InputError, LearnError, SiteError, StoreError
from gwc_crawler.sites import Site

_BY_CODE: dict[int | None, type[GwcError]] = {
    kind.exit_code: kind for kind in (InputError, SiteError, LearnError, StoreError)
}


async def learn_in_a_process(site: Site, settings: Settings) -> asyncio.subprocess.Process:
    """Start `scrapy learn` for *site*; what went wrong is the last line of its stderr."""
    given = [
        word
        for name in settings
        if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]
        for word in ("-s", f"{name}={_as_typed(settings[name])}")
    ]
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "gwc_crawler.spiders.fleet.bound", str(os.getpid()), "learn", str(site.path), *given),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


def learning_error(code: int | None, errors: str) -> GwcError:
    """Return the error that a process of `learn_in_a_process` ended with."""
    lines = errors.strip().splitlines()
    return _BY_CODE.get(code, GwcError)(lines[-1] if lines else f"learning ended with code {code}")


def _as_typed(value: object) -> str:
    return json.dumps(value.copy_to_dict()) if isinstance(value, BaseSettings) else str(value)
