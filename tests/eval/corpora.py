"""Find the development corpora: a directory named by GWC_CORPORA, else the archives beside the checkout.

The archives are unpacked once into a cache directory outside the repository. Where there is neither, `corpora_root`
raises `CorporaAbsent`, which tests turn into a skip.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

ARCHIVES = Path(__file__).resolve().parents[3] / "shared" / "corpora"
SITES = (
    *("booksamillion", "gitrknows", "pages", "quotes", "scipydoc", "w3school"),
    *("cloudchem", "commonsmath", "nomura", "ruststd", "shici", "tipshop"),
)


class CorporaAbsent(RuntimeError):
    """Neither GWC_CORPORA nor the archives are there; says what to set."""


@cache
def corpora_root() -> Path:
    """Return the directory with one sub-directory per corpus, unpacking the archives on first use."""
    if named := os.environ.get("GWC_CORPORA"):
        root = Path(named)
        if not all((root / site).is_dir() for site in SITES):
            raise CorporaAbsent(f"GWC_CORPORA={named}: expected the directories {', '.join(SITES)} in it")
        return root
    if not all((ARCHIVES / f"{site}.tar.zst").is_file() for site in SITES):
        raise CorporaAbsent("the development corpora are absent: set GWC_CORPORA to the directory they are unpacked in")
    root = _cache_directory()
    _unpack_missing(root, SITES)
    return root


def further_root(site: str) -> Path:
    """Return `corpora_root` with one more corpus in it, which not all tests need."""
    root = corpora_root()
    if not (root / site).is_dir():
        if not (ARCHIVES / f"{site}.tar.zst").is_file():
            raise CorporaAbsent(f"the corpus {site} is absent: neither in {root} nor in {ARCHIVES}")
        _unpack_missing(root, (site,))
    return root


def _unpack_missing(root: Path, sites: Iterable[str]) -> None:
    with (root / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes: one unpacks, the others wait
        for site in sites:
            if not (root / site).is_dir():
                _unpack(ARCHIVES / f"{site}.tar.zst", root, site)


def read_rows(relative: str) -> list[dict[str, Any]]:
    """Read one JSON-lines file of the corpora."""
    text = (corpora_root() / relative).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


def page_file(site: str, url_path: str) -> Path:
    """Return the file that holds a site's URL path (a directory stands for its index.html)."""
    path, _, query = url_path.partition("?")
    root = corpora_root() / site / "site"
    name = unquote(path).lstrip("/")
    if query and (exact := root / f"{name}%3F{query}").is_file():
        return exact
    file = root / name
    return file / "index.html" if file.is_dir() else file


def _cache_directory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    root = Path(base) if base else Path(tempfile.gettempdir())
    directory = root / "gwc-crawler-corpora"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def _unpack(archive: Path, root: Path, site: str) -> None:
    """Unpack beside the final place and rename, so that a killed run leaves no half corpus."""
    work = Path(tempfile.mkdtemp(dir=root))
    try:
        with tarfile.open(fileobj=io.BytesIO(_decompress(archive))) as tar:
            tar.extractall(work, filter="data")
        (work / site).rename(root / site)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _decompress(archive: Path) -> bytes:
    try:
        return b"".join(_stream(archive))
    except ImportError:
        pass
    if not (program := shutil.which("zstd")):
        raise CorporaAbsent(f"{archive.name}: to unpack it, install the program `zstd` or the package backports.zstd")
    return subprocess.run([program, "-dc", str(archive)], check=True, capture_output=True).stdout


def _stream(archive: Path) -> Iterator[bytes]:
    from backports import zstd  # type: ignore[import-untyped, import-not-found, unused-ignore]

    with zstd.open(archive, "rb") as file:
        while block := file.read(1 << 20):
            yield block
