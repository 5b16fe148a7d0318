"""What several parts go by, read from the settings here alone: directories, leases, back-off, progress, the fleet."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from scrapy.settings import BaseSettings

from gwc_crawler.config.choices import setting_choice
from gwc_crawler.modes import ShowProgress


@dataclass(frozen=True)
class LeaseOptions:
    """How long a lease lasts, in seconds; with how many lost ones a URL is given up; how many are taken at once."""

    seconds: float
    max_lost: int
    batch: int


@dataclass(frozen=True)
class BackOff:
    """The first pause after a failure, which doubles with each further one, and the longest; in seconds."""

    base_seconds: float
    max_seconds: float


def data_directory(settings: BaseSettings) -> Path:
    """Return where all crawls keep what they know."""
    return Path(settings["GWC_DATA_DIR"])


def sites_directory(settings: BaseSettings) -> Path:
    """Return where site files stand, and new ones go."""
    return Path(settings["GWC_SITES_DIR"])


def lease_options(settings: BaseSettings) -> LeaseOptions:
    """Return how URLs are leased."""
    return LeaseOptions(
        settings.getfloat("GWC_LEASE_SECONDS"), settings.getint("GWC_MAX_LEASES"), settings.getint("GWC_LEASE_BATCH")
    )


def back_off(settings: BaseSettings) -> BackOff:
    """Return how long is waited after failures."""
    return BackOff(settings.getfloat("GWC_RETRY_BASE_SECONDS"), settings.getfloat("GWC_RETRY_MAX_SECONDS"))


def fleet_name(settings: BaseSettings) -> str:
    """Return what the workers that share sites are called together."""
    return str(settings["GWC_FLEET"])


def keeps_exchanges(settings: BaseSettings) -> bool:
    """Say whether every exchange with servers is recorded in WARC files."""
    return bool(settings["GWC_WARC"])


def progress_mode(settings: BaseSettings) -> ShowProgress:
    """Return whether it is shown how far something is.

    Raises:
        InputError: GWC_PROGRESS is another word.
    """
    return setting_choice(settings, "GWC_PROGRESS", ShowProgress)


def shows_bar(settings: BaseSettings) -> bool:
    """Say whether a command shows a bar on stderr: always, never, or on a terminal."""
    mode = progress_mode(settings)
    return mode is ShowProgress.ON or (mode is ShowProgress.AUTO and sys.stderr.isatty())
