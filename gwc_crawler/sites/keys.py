"""The keys of a site file, and functions that take their values. Called by `validation` and `samples`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from gwc_crawler.errors import nearest
from gwc_crawler.sites.toml_text import KeyPath, Notes, describe, numbered
from gwc_crawler.urls import normalize_url, without_trackers

KEYS: Mapping[str, tuple[str, ...]] = {
    "": (
        *("entry", "keywords", "browser", "hosts", "sitemap", "deep", "samples", "fields", "learn", "crawl", "types"),
        *("paging", "template", "dns", "settings", "headers", "auth", "cookies", "login", "proxies"),
    ),
    "[[samples]]": ("url", "fields"),
    "[fields.NAME]": ("css", "xpath", "jmespath", "regex", "many", "rows", "parts"),
    "[fields.NAME.parts.PART]": ("css", "xpath", "jmespath", "regex", "many"),
    "rows": ("css", "xpath", "jmespath"),
    "[learn]": ("pages", "stop", "mode", "target", "listing", "also", "exclude"),
    "[crawl]": ("max_weight", "max_pages", "max_depth"),
    "[template]": ("hosts",),
    "[dns]": ("hosts",),
    "[auth]": ("user", "password"),
    "[cookies]": ("file",),
    "[login]": ("url", "form", "fields", "success", "attempts"),
    "[login] success": ("css", "text", "url"),
    "[proxies]": ("urls", "file", "concurrency", "delay", "rest"),
}
"""Section → its keys; "" is the top of the file."""

_HOME = {key: section for section, keys in reversed(list(KEYS.items())) for key in keys}  # the first section wins


def check_keys(path: KeyPath, table: Iterable[str], section: str, notes: Notes, shown: str = "") -> None:
    """Note every key of a table that *section*, *shown* so, does not know, with the key that was likely meant."""
    for key in table:
        if key not in KEYS[section]:
            where = f" in {shown or section}" if section else ""
            notes.mistake((*path, key), f"unknown key {key!r}{where} ({_suggest_key(key, section)})")


def _suggest_key(key: str, section: str) -> str:
    if key == "name" and not section:
        return "the file's own name is the site's name"
    home = _HOME.get(key, section)
    if home != section:
        return f"it belongs in {home}" if home else "it belongs above the first [section] of the file"
    return nearest(key, KEYS[section])


def take_table(data: Mapping[str, Any], key: str, notes: Notes) -> Mapping[str, Any]:
    """Return the section *key*, its keys checked; {} if it is not there or no table."""
    table = data.get(key, {})
    if not isinstance(table, dict):
        notes.mistake((key,), f"{key!r} is {describe(table)}; write it as a table, below a line [{key}]")
        return {}
    if (section := f"[{key}]") in KEYS:
        check_keys((key,), table, section, notes)
    return table


def take_texts(data: Mapping[str, Any], key: str, notes: Notes, at: KeyPath = ()) -> list[tuple[KeyPath, str]]:
    """Return the texts of a list (or the one text), each with its path below *at*; other values are noted."""
    value, at = data.get(key, []), at or (key,)
    items = [(at, value)] if isinstance(value, str) else numbered(at, value)
    if items is None:
        notes.mistake(at, f'{key!r} is {describe(value)}; write a list of texts: {key} = ["…"]')
        return []
    for path, item in items:
        if not isinstance(item, str):
            notes.mistake(path, f"{key!r} holds {describe(item)}; write it in quotes")
    return [(path, item) for path, item in items if isinstance(item, str)]


def take_number(table: Mapping[str, Any], path: KeyPath, least: int, notes: Notes, or_else: str = "") -> int | None:
    """Return the whole number at *path*, None if it is left out or mistaken."""
    section, key = path
    value = table.get(str(key))
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
        return value
    hint = f"write a whole number, {least} or more{or_else}, without quotes"
    notes.mistake(path, f"{key} in [{section}] is {describe(value)}; {hint}")
    return None


def read_url(path: KeyPath, text: str, name: str, notes: Notes) -> str | None:
    """Return the normalised URL, or note what is wrong with it."""
    written = text.strip()
    scheme, separator, rest = written.partition("://")
    problem = None
    if not written:
        problem = f"{name} is empty; write a URL that begins with https:// or http://"
    elif not separator:
        problem = f"{name} {text!r} has no scheme; did you mean 'https://{written.lstrip('/')}'?"
    elif scheme.lower() not in ("http", "https"):
        problem = f"{name} {text!r} is neither http nor https; only these are crawled"
    elif "@" in re.split(r"[/?#]", rest)[0]:
        problem = f"{name} holds a user name or password, which do not belong in a site file; remove them"
    elif re.search(r"\s", written) or normalize_url(text) is None:
        what = "white space inside" if re.search(r"\s", written) else "no valid host"
        problem = f"{name} {text!r} has {what}; copy it from the address bar again"
    if problem:
        notes.mistake(path, problem)
        return None
    return without_trackers(normalize_url(text) or "")
