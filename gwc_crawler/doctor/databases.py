"""What sites have stored: each database is opened as a crawl would open it, and read in search of damage."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from gwc_crawler.assembly import CRAWL_DB, SAMPLES_DB, site_directory
from gwc_crawler.doctor.findings import Check, Finding, ok
from gwc_crawler.doctor.site_files import SitePlan
from gwc_crawler.store import CrawlDatabase, has_tables

LEAST_SECONDS = 0.1
"""So long a database is read though time is up: it is opened at least."""


def database_checks(plans: Sequence[SitePlan], seconds: float) -> list[Check]:
    """Return the checks of all databases that there are; they read for *seconds* in all, side by side."""
    until = time.monotonic() + seconds
    checks = []
    for plan in plans:
        for file in (CRAWL_DB, SAMPLES_DB):
            path = site_directory(plan.settings, plan.site.name) / file
            if has_tables(path):
                name = f"database {plan.site.name}/{file}"
                checks.append(Check(name, partial(_look, name, path, until)))
    return checks


def _look(name: str, path: Path, until: float) -> Iterator[Finding]:
    with CrawlDatabase(path, read_only=True) as database:
        is_all = database.look_for_damage(max(LEAST_SECONDS, until - time.monotonic()))
    read = "no damage found" if is_all else "no damage found as far as there was time to read it"
    yield ok(name, f"{path}: {path.stat().st_size / 1e6:,.1f} MB, {read}")
