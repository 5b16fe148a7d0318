"""Site files on disk: find them, load one. Called by the spider loader and by commands."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from errno import EFBIG, ENODEV
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from urllib.parse import urlsplit
from zipfile import ZipFile

from gwc_crawler.errors import InputError, SiteFileError, advice
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.toml_text import find_lines
from gwc_crawler.sites.validation import read_site
from gwc_crawler.urls import host_of, normalize_url

# --- Files that may be in an egg: a path leads into that zip file as if it were a directory ---------------------------
LARGEST_BYTES = 64 * 1024 * 1024  # maximum size of a site file or knowledge; a larger file is something else


def read_file(path: Path) -> bytes:
    """Return the content of a file; OSError also for a pipe or a device, which may never end, and a file too large."""
    egg = _egg_of(path)
    if egg is None:
        mode = path.stat().st_mode
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise OSError(ENODEV, "Not a regular file", str(path))
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise OSError(EFBIG, f"Larger than {LARGEST_BYTES} bytes", str(path))
        return content
    with ZipFile(egg) as archive:
        try:
            return archive.read(path.relative_to(egg).as_posix())
        except KeyError:
            raise FileNotFoundError(f"{path}: not in the egg") from None


def is_file(path: Path) -> bool:
    """Return whether there is a file at *path*."""
    return path.is_file() or path in files_in(path.parent)


def files_in(directory: Path) -> list[Path]:
    """Return the files in *directory*, by name; none if there is no such directory."""
    egg = _egg_of(directory)
    if egg is None:
        return sorted(path for path in directory.glob("*") if path.is_file())
    with ZipFile(egg) as archive:
        paths = [egg / name for name in archive.namelist() if not name.endswith("/")]
    return sorted(path for path in paths if path.parent == directory)


def _egg_of(path: Path) -> Path | None:
    return next((parent for parent in path.parents if parent.suffix == ".egg" and parent.is_file()), None)


SUFFIX = ".toml"

KNOWLEDGE_SUFFIX = ".knowledge.json"
"""Suffix of a knowledge file that is carried beside its site file: `books.toml`, `books.knowledge.json`."""


def load_site(path: Path | str, known_settings: Collection[str] = ()) -> Site:
    """Load and check one site file, as `read_site`; SiteFileError also where it can't be read."""
    path, line = Path(path), None
    try:
        body = read_file(path)
        return read_site(body.decode("utf-8"), path, known_settings)
    except FileNotFoundError:
        problem = "no such site file; check the path, or list the known ones: scrapy list"
    except IsADirectoryError:
        problem = "is a directory; name a site file in it"
    except OSError as error:
        problem = f"can't be read ({error.strerror}); check its permissions"
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{body[error.start]:02x} is not UTF-8; save the file as UTF-8 in your editor"
    raise SiteFileError(path, [(line, problem)])


def key_place(site: Site, *key: str) -> str:
    """Return where a key stands in a site's file, "sites/books.toml:12"; of a family's member, the file alone."""
    try:
        line = find_lines(read_file(site.path).decode("utf-8")).get(key)
    except (OSError, UnicodeDecodeError):
        line = None
    return f"{site.path}:{line}" if line else f"{site.path}"


def find_site_files(directory: Path | str) -> dict[str, Path]:
    """Return {site name: path} of the site files in *directory*, by name; {} if there is no such directory."""
    found = files_in(Path(directory))
    return {path.stem: path for path in found if path.suffix == SUFFIX and not path.name.startswith(".")}


def carried_knowledge(site: Site) -> Path | None:
    """Return the knowledge file beside the site file; None if there is none."""
    path = site.path.with_name(site.path.stem + KNOWLEDGE_SUFFIX)
    return path if is_file(path) or path.is_dir() else None  # a directory is reported as one


# --- The starter site file: an address in, a commented TOML text to fill in out. Called by `scrapy new URL` -----------
_TEMPLATE = """\
# {host}: fill in what is empty, then see what is learned with: scrapy learn {name}

# Where the crawl starts.
entry = [{entry}]

# Words that the pages you want say outside their links; joined by && || ! ( ), phrases in "quotes". Optional.
# keywords = "ISBN && (Paperback || Hardcover)"

# Two pages whose records you want, as different from each other as they come. Copy each value as it stands on the page,
# in quotes. A field that one page lacks is left out there. Name the fields as you like.
[[samples]]
url = {sample}
[samples.fields]
title = ""
# price = "$11.48"
# authors = ["Billy Tan", "Ryan Stegman"]                               # several values
# reviews = [{{ author = "Ann", text = "Read it in one night." }}]        # records inside the page

[[samples]]
url = ""
[samples.fields]
title = ""

# [types]                 # text, number, price, date, url, file, list or html; text if nothing is said
# price = "price"

# [paging]
# reviews = true          # a list that goes on on further pages; all of it comes into the one record

# [crawl]
# max_pages = 1000        # a limit for a first try

# [settings]              # any setting, for this site only
# DOWNLOAD_DELAY = 0.5
"""


def site_template(url: str, name: str = "") -> str:
    """Return the text of a starter site file for the site of *url*, to be called *name* (else as suggested).

    The crawl is to start at the site's front page; an address below it is taken for the first sample. Raises
    InputError: *url* is no http(s) address.
    """
    address = _normalized(url)
    front = f"{urlsplit(address).scheme}://{host_of(address)}/"
    sample = "" if address == front else address
    return advice(_TEMPLATE).format(
        host=host_of(address), name=name or suggest_site_name(url), entry=json.dumps(front), sample=json.dumps(sample)
    )


def suggest_site_name(url: str) -> str:
    """Return a name for the site of *url* that can be a site file's.

    >>> suggest_site_name("https://www.books.example.com:8080/p/1")
    'books.example.com-8080'
    """
    host = host_of(_normalized(url)).removeprefix("www.")
    return re.sub(r"[^\w.-]+", "-", host).strip("-")[:64].rstrip(".-")


def _normalized(url: str) -> str:
    address = normalize_url(url)
    if address is None:
        raise InputError(f"{url!r} is no http or https address; copy it from the address bar: https://…/")
    return address
