"""Site files on disk: find them, load one. Called by the spider loader and by commands."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from gwc_crawler.errors import SiteFileError
from gwc_crawler.sites.egg import files_in, is_file, read_file
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.toml_text import find_lines
from gwc_crawler.sites.validation import read_site

SUFFIX = ".toml"

KNOWLEDGE_SUFFIX = ".knowledge.json"
"""Of what was learned of a site and is carried beside its site file: `books.toml`, `books.knowledge.json`."""


def load_site(path: Path | str, known_settings: Collection[str] = ()) -> Site:
    """Load and check one site file.

    Args:
        path: the file; its name without ".toml" becomes the site's name.
        known_settings: all setting names there are, if misspelt ones are to be noticed.
    Raises:
        SiteFileError: with every problem of the file, in file order, each with its line.
    """
    path = Path(path)
    try:
        body = read_file(path)
    except FileNotFoundError:
        raise SiteFileError(
            path, [(None, "no such site file; check the path, or list the known ones: scrapy list")]
        ) from None
    except IsADirectoryError:
        raise SiteFileError(path, [(None, "is a directory; name a site file in it")]) from None
    except OSError as error:
        raise SiteFileError(path, [(None, f"can't be read ({error.strerror}); check its permissions")]) from error
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        text = f"byte 0x{body[error.start]:02x} is not UTF-8; save the file as UTF-8 in your editor"
        raise SiteFileError(path, [(line, text)]) from None
    return read_site(text, path, known_settings)


def setting_place(site: Site, name: str) -> str:
    """Return where a setting stands in a site's file, "sites/books.toml:12"; of a family's member, the file alone."""
    try:
        line = find_lines(read_file(site.path).decode("utf-8")).get(("settings", name))
    except (OSError, UnicodeDecodeError):
        line = None
    return f"{site.path}:{line}" if line else f"{site.path}"


def find_site_files(directory: Path | str) -> dict[str, Path]:
    """Return {site name: path} of the site files in *directory*, by name; {} if there is no such directory."""
    found = files_in(Path(directory))
    return {path.stem: path for path in found if path.suffix == SUFFIX and not path.name.startswith(".")}


def carried_knowledge(site: Site) -> Path | None:
    """Return the knowledge file beside the site file; None where there is none."""
    path = site.path.with_name(site.path.stem + KNOWLEDGE_SUFFIX)
    return path if is_file(path) or path.is_dir() else None  # a directory is told as what it is
