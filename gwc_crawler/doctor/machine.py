"""The machine by itself, without a network: Python, packages, data directory, file descriptors, locale, browser."""

from __future__ import annotations

import locale
import os
import platform
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from scrapy.settings import BaseSettings

from gwc_crawler.config import data_directory
from gwc_crawler.doctor.findings import Check, Finding, fail, ok, warn

LEAST_PYTHON = (3, 11)
LITTLE_ROOM = 200_000_000
SOME_ROOM = 2_000_000_000
"""Bytes free in the data directory: below the first a crawl would soon end, below the second it may."""

BESIDE_CONNECTIONS = 128
"""File descriptors that a crawl has open besides its connections: databases, libraries, name servers, the log."""

DISTRIBUTION = "gwc-crawler"


def machine_checks(settings: BaseSettings) -> list[Check]:
    """Return the checks of this machine, for a crawl by these settings."""
    data = data_directory(settings)
    return [
        Check("Python", _python),
        Check("packages", _packages, "pip install --upgrade gwc-crawler"),
        Check("data directory", lambda: _data_directory(data), "mend its permissions, or set GWC_DATA_DIR"),
        Check("file descriptors", lambda: _descriptors(settings.getint("CONCURRENT_REQUESTS"))),
        Check("locale", _locale),
    ]


def _python() -> Iterator[Finding]:
    told = f"{platform.python_implementation()} {platform.python_version()}"
    if sys.version_info < LEAST_PYTHON:
        yield fail("Python", told, f"install Python {'.'.join(map(str, LEAST_PYTHON))} or newer")
    else:
        yield ok("Python", told)


def _packages() -> Iterator[Finding]:
    try:
        named = [Requirement(text) for text in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        yield warn("packages", "not installed as a package, so nothing says which versions are needed", "pip install .")
        return
    needed = [one for one in named if one.marker is None or one.marker.evaluate({"extra": ""})]
    wrong = list(_mismatches(needed))
    for name, told in wrong:
        yield fail("packages", told, f"pip install '{name}'")
    if not wrong:
        versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("Scrapy", "Twisted", "lxml"))
        yield ok("packages", f"{len(needed)} as needed: {DISTRIBUTION} {metadata.version(DISTRIBUTION)}, {versions}")


def _mismatches(needed: Iterable[Requirement]) -> Iterator[tuple[str, str]]:
    for one in needed:
        try:
            version = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            yield str(one), f"{one.name} is not installed"
            continue
        if not one.specifier.contains(version, prereleases=True):
            yield str(one), f"{one.name} {version} is installed, needed is {one.specifier}"


def _data_directory(data: Path) -> Iterator[Finding]:
    """Whether files can be made there, and how much room there is; what is not there yet is judged by its parent."""
    name = f"data directory {data}"
    there = next(one for one in (data.absolute(), *data.absolute().parents) if one.exists())
    if not there.is_dir():
        yield fail(name, f"{there} is no directory", "set GWC_DATA_DIR to another place")
        return
    try:
        with tempfile.NamedTemporaryFile(dir=there, prefix=".doctor-") as file:
            file.write(b"doctor")
            file.flush()
    except OSError as error:
        yield fail(name, f"nothing can be written into {there}: {error.strerror}", f"chown or chmod {there}")
        return
    yield from (_foreign(name, there) if there == data.absolute() else ())
    free = shutil.disk_usage(there).free
    told = f"{free / 1e9:,.1f} GB free" + ("" if there == data.absolute() else ", will be made by the first crawl")
    helps = "make room, or set GWC_KEEP_HTML = stripped or none; `scrapy vacuum SITE` gives back what is free in a file"
    if free < LITTLE_ROOM:
        yield fail(name, told, helps)
    elif free < SOME_ROOM:
        yield warn(name, told, helps)
    else:
        yield ok(name, told)


def _foreign(name: str, data: Path) -> Iterator[Finding]:
    """Databases in it that this user can read but not write: a crawl that once ran as root leaves such."""
    for path in sorted(data.glob("*/*.db")):
        if not os.access(path, os.W_OK):
            yield fail(name, f"{path} can't be written by {_user()}", f"chown -R {_user()} {data}")
            return


def _user() -> str:
    return os.environ.get("USER") or str(os.getuid())


def _descriptors(concurrency: int) -> Iterator[Finding]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * concurrency + BESIDE_CONNECTIONS
    shown = "no limit" if soft == resource.RLIM_INFINITY else f"{soft} at most"
    told = f"{shown}; {concurrency} requests at once need about {needed}"
    if soft != resource.RLIM_INFINITY and soft < needed:
        can = "" if hard == resource.RLIM_INFINITY or hard >= needed else " (as root: the hard limit is too low)"
        helps = f"ulimit -n {max(needed, 1024)}{can}, LimitNOFILE= in a systemd unit, or lower CONCURRENT_REQUESTS"
        yield warn("file descriptors", told, helps)
    else:
        yield ok("file descriptors", told)


def _locale() -> Iterator[Finding]:
    encodings = {
        "file names": sys.getfilesystemencoding(),
        "standard output": sys.stdout.encoding or "none",
        "texts": locale.getpreferredencoding(do_setlocale=False),
    }
    odd = [f"{what} are {name}" for what, name in encodings.items() if name.lower().replace("-", "") != "utf8"]
    if odd:
        yield warn("locale", ", ".join(odd), "export LANG=C.UTF-8 (or PYTHONUTF8=1)")
    else:
        yield ok("locale", "UTF-8 everywhere")
