"""Learning in a process of its own: `scrapy learn SITE`, with this process's settings; ends when this process does."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
from collections.abc import Callable

from scrapy.settings import SETTINGS_PRIORITIES, Settings

from gwc_crawler.errors import GwcError, InputError, LearnError, SiteError, StoreError
from gwc_crawler.sites import Site

_PR_SET_PDEATHSIG = 1

_BY_CODE: dict[int | None, type[GwcError]] = {
    kind.exit_code: kind for kind in (InputError, SiteError, LearnError, StoreError)
}


async def learn_in_a_process(site: Site, settings: Settings) -> asyncio.subprocess.Process:
    """Start `scrapy learn` for *site*; what went wrong is the last line of its stderr."""
    given = [
        word
        for name in settings
        if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]
        for word in ("-s", f"{name}={settings[name]}")
    ]
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "scrapy.cmdline", "learn", str(site.path), *given),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=_die_with(os.getpid()),
    )


def learning_error(code: int | None, errors: str) -> GwcError:
    """Return the error that a process of `learn_in_a_process` ended with."""
    lines = errors.strip().splitlines()
    return _BY_CODE.get(code, GwcError)(lines[-1] if lines else f"learning ended with code {code}")


def _die_with(parent: int) -> Callable[[], None]:
    """Return what a new process does first: have the kernel end it when *parent* ends, however that comes."""
    libc = ctypes.CDLL(None)

    def ask() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)

    return ask
