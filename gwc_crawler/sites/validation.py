"""A site file's text → a Site, or every mistake in it with its line. Called by `load_site`.

Each check reads its part of the parsed TOML, notes its faults under the key path and goes on; at the end the notes
are put in file order.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

from gwc_crawler.errors import KeywordError, SiteFileError, did_you_mean, near_miss, nearest
from gwc_crawler.field_types.table import NoSuchType, checked_type, type_of
from gwc_crawler.items import ValueShape
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.knowledge.patterns import ANY_HOST, REGEX_MARK, UrlPattern, read_pattern
from gwc_crawler.modes import BrowserFor, LearnMode, LearnStop
from gwc_crawler.network.dns_cache import read_overrides
from gwc_crawler.sites.access import read_access
from gwc_crawler.sites.family import read_family
from gwc_crawler.sites.keys import check_keys, read_url, take_number, take_table, take_texts
from gwc_crawler.sites.samples import (
    PlacedSample,
    check_against_samples,
    check_enough,
    check_scope,
    read_samples,
    read_selectors,
    shape_of,
    written_fields,
)
from gwc_crawler.sites.schema import CrawlOptions, LearnOptions, Site, scope_of
from gwc_crawler.sites.toml_text import KeyPath, Notes, TomlError, describe, read_toml
from gwc_crawler.urls import host_of

# --- [types] and [paging] of a site file: facts about fields besides their values. Called by `validation` -------------
Shapes: TypeAlias = Mapping[str, tuple[ValueShape, Sequence[str]]]  # field → its shape, and the parts of its records


def read_types(data: Mapping[str, Any], notes: Notes) -> dict[str, str]:
    """Read [types]: field, or "field.part", → type name."""
    types = {}
    for path, name, value in _flattened(take_table(data, "types", notes)):
        if not isinstance(value, str):
            notes.mistake(path, f'the type of field {name!r} is {describe(value)}; write {name} = "text"')
            continue
        try:
            checked_type(value)
            types[name] = value
        except NoSuchType as error:
            notes.mistake(path, f"{error} of field {name!r} ({nearest(error.word, error.known)})")
    return types


def _flattened(table: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str, Any]]:
    """Each type with its key path: `reviews.date = …` is a table in TOML and means what `"reviews.date" = …` says."""
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from ((("types", name, part), f"{name}.{part}", one) for part, one in value.items())
        else:
            yield ("types", name), name, value


def check_types(data: Mapping[str, Any], types: Mapping[str, str], shapes: Shapes, notes: Notes) -> None:
    """Note types of fields and parts that are given nowhere, and names that a type needs for itself."""
    written = written_fields(data)
    for name, kind in types.items():
        path = _path_of(data, name)
        owner, dot, part = name.partition(".")
        if owner not in written:
            hint = did_you_mean(owner, written) or "give its value in a sample, or remove this line"
            notes.mistake(path, f"no sample has the field {owner!r} ({hint})")
        elif owner in shapes:
            _check_part(path, owner, part if dot else None, kind, shapes[owner], notes)
    for name, kind in types.items():
        if "." not in name:
            for taken in type_of(kind).companions(name):
                if any(taken.casefold() == other.casefold() for other in written):
                    what = f"{name!r} of type {kind!r} has {taken!r} beside it"
                    notes.mistake(_path_of(data, name), f"{what}, which is a field's name already; rename that field")


def _check_part(
    path: KeyPath, owner: str, part: str | None, kind: str, given: tuple[ValueShape, Sequence[str]], notes: Notes
) -> None:
    shape, parts = given
    if part is None and shape is ValueShape.RECORDS:
        hint = f'write "{owner}.{next(iter(parts), "part")}" = "{kind}" for a part of it, or remove it'
        notes.mistake(path, f"{owner!r} is a list of records, which can't be of type {kind!r}; {hint}")
    elif part is not None and shape is not ValueShape.RECORDS:
        notes.mistake(path, f'{owner!r} is {shape.words} and has no parts; write {owner} = "{kind}"')
    elif part is not None and part not in parts:
        notes.mistake(path, f"no record of {owner!r} has the part {part!r} ({nearest(part, parts, 'its parts')})")
    elif part is not None:
        for taken in type_of(kind).companions(part):
            if taken in parts:
                told = f"{part!r} of type {kind!r} has {taken!r} beside it, which is a part's name already"
                notes.mistake(path, told)


def read_paging(data: Mapping[str, Any], shapes: Shapes, notes: Notes) -> dict[str, str]:
    """Read [paging]: list field → the regex of its further pages' URLs, "" where that is to be learned."""
    written = written_fields(data)
    paging = {}
    for name, value in take_table(data, "paging", notes).items():
        path = ("paging", name)
        if name not in written:
            hint = did_you_mean(name, written) or "give its value in a sample, or remove this line"
            notes.mistake(path, f"no sample has the field {name!r} ({hint})")
        elif name in shapes and shapes[name][0] is ValueShape.TEXT:
            notes.mistake(path, f"{name!r} is a text; only a list goes on on further pages")
        elif value is True:
            paging[name] = ""
        elif value is not False and (regex := _read_regex(path, name, value, notes)):
            paging[name] = regex
    return paging


def _read_regex(path: KeyPath, name: str, value: Any, notes: Notes) -> str:
    if not isinstance(value, str) or not value:
        hint = "write true, or a regex for the whole URL of the further pages"
        notes.mistake(path, f"{name} in [paging] is {describe(value)}; {hint}")
        return ""
    try:
        re.compile(value)
    except re.error as error:
        notes.mistake(path, f"{name} {value!r} in [paging] is no regular expression ({error})")
        return ""
    return value


def _shapes(samples: Sequence[PlacedSample], selected: Mapping[str, Any]) -> Shapes:
    shapes: dict[str, tuple[ValueShape, list[str]]] = {}
    for name, value in ((name, value) for _, sample in samples for name, value in sample.fields.items()):
        parts = [part for row in value if isinstance(row, dict) for part in row]
        shapes[name] = shape_of(value), list(dict.fromkeys((*shapes.get(name, (None, ()))[1], *parts)))
    return shapes | {name: (ValueShape(rule["shape"]), list(rule.get("parts", ()))) for name, rule in selected.items()}


def _path_of(data: Mapping[str, Any], name: str) -> KeyPath:
    owner, _, part = name.partition(".")
    return ("types", name) if name in data["types"] or not part else ("types", owner, part)


_SITE_NAME = re.compile(r"[^\W_](?:[\w.-]{0,62}\w)?")
SITE_NAME_RULE = "letters, digits, '_', '-' and '.', a letter or digit first, 64 at most"
"""The rule of `is_site_name`, in words."""
_SETTING_NAME = re.compile(r"[A-Z][A-Z0-9_]*")


def read_site(text: str, path: Path, known_settings: Collection[str] = ()) -> Site:
    """Check the *text* of the site file *path* and build the Site.

    Args:
        known_settings: all there are, if [settings] is compared with them; then an unknown `GWC_…` is a mistake, and so
            is any other that is a near miss of a known one. What is far from all may be a plug-in's.
    Raises:
        SiteFileError: with all problems in file order.
    """
    try:
        data, lines = read_toml(text)
    except TomlError as error:
        raise SiteFileError(path, [(error.line, str(error))]) from None
    notes = Notes(lines)
    site = _read_parts(data, path, known_settings, notes, read_selectors(data, text, notes))
    if notes.mistakes:
        raise SiteFileError(path, notes.mistakes)
    return site


def _read_parts(
    data: Mapping[str, Any], path: Path, known_settings: Collection[str], notes: Notes, selected: Mapping[str, Any]
) -> Site:
    if not is_site_name(path.stem):
        notes.mistake((), f"{path.stem!r} can't be a site's name ({SITE_NAME_RULE}); rename the file")
    check_keys((), data, "", notes)
    entry = _read_entry(data, notes)
    hosts = _read_hosts(data, notes)
    keywords = _read_keywords(data, notes)
    types = read_types(data, notes)
    samples = read_samples(data, types, notes)
    family = read_family(data, entry, notes)
    scope = scope_of(entry, hosts, by_host=bool(family))
    if entry:
        check_scope(samples, scope, notes)
    if data.get("samples"):
        check_enough(samples, selected, notes)
    else:
        _check_something_serves(data, notes)
    check_against_samples(selected, samples, notes)
    shapes = _shapes(samples, selected)
    check_types(data, types, shapes, notes)
    if not isinstance(deep := data.get("deep", False), bool):
        notes.mistake(("deep",), f"'deep' is {describe(deep)}; write true or false, without quotes")
    return Site(
        name=path.stem,
        path=path,
        entry=entry,
        keywords=keywords,
        browser=_read_browser(data, notes),
        samples=tuple(sample for _, sample in samples),
        fields=selected,
        hosts=hosts,
        learn=_read_learn(data, samples, re.escape(host_of(entry[0])) if family and entry else ANY_HOST, notes),
        crawl=_read_crawl(data, notes),
        types=types,
        paging=read_paging(data, shapes, notes),
        settings=_read_settings(data, known_settings, notes),
        access=read_access(data, path, entry, scope, notes),
        family=family,
        sitemap=_read_sitemap(data, notes),
        deep=deep is True,
        warnings=tuple(f"{path}:{line}: {text}" if line else f"{path}: {text}" for line, text in notes.warnings),
    )


def is_site_name(name: str) -> bool:
    """Say whether *name* can be a site's, and so a file's, a directory's and a table's."""
    return _SITE_NAME.fullmatch(name) is not None


def _read_entry(data: Mapping[str, Any], notes: Notes) -> tuple[str, ...]:
    if not data.get("entry", True):
        notes.mistake(("entry",), "'entry' is empty; name at least one URL where the crawl starts")
        return ()
    if "entry" not in data:
        notes.mistake((), "missing key 'entry': where the crawl starts, as entry = [\"https://…/\"]")
    urls: list[str] = []
    for path, text in take_texts(data, "entry", notes):
        url = read_url(path, text, "entry", notes)
        if url in urls:
            notes.mistake(path, f"the entry {url} stands here twice; remove one")
        elif url:
            urls.append(url)
    return tuple(urls)


def _read_hosts(data: Mapping[str, Any], notes: Notes) -> tuple[str, ...]:
    hosts = []
    for path, text in take_texts(data, "hosts", notes):
        name = text.strip()
        host = host_of(name if "://" in name else f"http://{name}/") if name else ""
        if host:
            hosts.append(host)
        else:
            hint = "write it like 'example.org'; its subdomains are included"
            notes.mistake(path, f"{text!r} in 'hosts' is no host; {hint}")
    return tuple(dict.fromkeys(hosts))


def _read_sitemap(data: Mapping[str, Any], notes: Notes) -> bool | tuple[str, ...]:
    value = data.get("sitemap", False)
    if isinstance(value, bool):
        return value
    if not isinstance(value, str | list):
        notes.mistake(("sitemap",), f"'sitemap' is {describe(value)}; write true, or a list of URLs: sitemap = [\"…\"]")
        return False
    urls = [read_url(path, text, "sitemap", notes) for path, text in take_texts(data, "sitemap", notes)]
    return tuple(dict.fromkeys(filter(None, urls)))


def _read_browser(data: Mapping[str, Any], notes: Notes) -> BrowserFor | None:
    value = data.get("browser")
    if isinstance(value, bool):
        return BrowserFor.ALL if value else BrowserFor.NONE
    if value is None or value == BrowserFor.TARGETS:
        return value and BrowserFor.TARGETS
    told = repr(value) if isinstance(value, str) else describe(value)
    notes.mistake(("browser",), f"'browser' is {told}; write \"targets\", true (for all pages) or false")
    return None


def _read_keywords(data: Mapping[str, Any], notes: Notes) -> str:
    value = data.get("keywords", "")
    if not isinstance(value, str):
        notes.mistake(("keywords",), f"'keywords' is {describe(value)}; write one text: keywords = \"a && (b || c)\"")
        return ""
    if value.strip():
        try:
            Keywords.parse(value)
        except KeywordError as error:
            notes.mistake(("keywords",), f"keywords: {error}")
    return value.strip()


def _check_something_serves(data: Mapping[str, Any], notes: Notes) -> None:
    """Without samples keywords or a regex say what a target is, or the site is crawled as a whole."""
    learn = data.get("learn")
    has_target = isinstance(learn, dict) and bool(learn.get("target"))
    named = "keywords alone decide" if data.get("keywords") else "[learn] target alone decides" * has_target
    if named and not data.get("fields"):
        notes.warning((), f"no samples: {named} which pages are targets, and no records are made")
    elif data.get("fields") and not named:
        hint = "add [learn] target, keywords, or two [[samples]], each with its url alone"
        notes.mistake(("fields",), f"[fields] says how pages are read, but nothing says which; {hint}")
    elif not named and {"samples", "keywords", "learn"} & data.keys():
        notes.mistake((), "nothing says what to look for; add two [[samples]], or keywords")


def _read_learn(data: Mapping[str, Any], samples: Sequence[PlacedSample], host: str, notes: Notes) -> LearnOptions:
    table = take_table(data, "learn", notes)
    pages = take_number(table, ("learn", "pages"), 1, notes)
    by_hand = {key: _read_patterns(table, key, host, notes) for key in ("target", "listing", "also", "exclude")}
    _check_target(by_hand["target"], samples, notes)
    for path, one in by_hand["exclude"]:
        if url := next((sample.url for _, sample in samples if re.fullmatch(one.regex, sample.url)), ""):
            notes.mistake(path, f"exclude {one.text!r} in [learn] takes the sample {url}; mend one of them")
    return LearnOptions(
        pages,
        LearnMode(_read_word(table, "mode", LearnMode, notes) or LearnOptions().mode),
        stop=LearnStop(stop) if (stop := _read_word(table, "stop", LearnStop, notes)) else None,
        **{key: tuple(one for _, one in patterns) for key, patterns in by_hand.items()},
    )


def _read_word(table: Mapping[str, Any], key: str, known: type[StrEnum], notes: Notes) -> str | None:
    """Return the word that [learn] has for *key*; None if there is none. A word that is not *known* is noted."""
    word = table.get(key)
    if word is None or word in list(known):
        return word
    hint = nearest(str(word), [one.value for one in known])
    notes.mistake(("learn", key), f"unknown {key} {word!r} in [learn] ({hint})")
    return None


_REGEX_SIGN = re.compile(r"[\\\[\](){}+|$]|\.\*")
"""Matches signs of a target that is written as a regex, as all of them once were."""


def _read_patterns(table: Mapping[str, Any], key: str, host: str, notes: Notes) -> list[tuple[KeyPath, UrlPattern]]:
    if table.get(key) in ("", []):
        notes.mistake(("learn", key), f'{key} in [learn] is empty; write a list of globs: {key} = ["/…/*"]')
        return []
    found = []
    for path, text in take_texts(table, key, notes, ("learn", key)):
        is_old = key == "target" and not text.startswith("/") and _REGEX_SIGN.search(text)
        marked = f"{REGEX_MARK}{text}" if is_old and not text.startswith((REGEX_MARK, "^")) else text
        try:
            found.append((path, UrlPattern(text, read_pattern(marked, host).regex)))
        except ValueError as error:
            notes.mistake(path, f"{key} {text!r} in [learn] {error}")
    return found


def _check_target(
    patterns: Sequence[tuple[KeyPath, UrlPattern]], samples: Sequence[PlacedSample], notes: Notes
) -> None:
    taken = [re.compile(one.regex).fullmatch for _, one in patterns]
    strangers = [sample.url for _, sample in samples if not any(take(sample.url) for take in taken)]
    if patterns and strangers:
        # One stranger may carry a session id that learning takes away; if all are, the regex is wrong.
        note = notes.mistake if len(strangers) == len(samples) else notes.warning
        text = f"target in [learn] does not match the sample {strangers[0]} from end to end; mend one of them"
        note(("learn", "target"), text)


def _read_crawl(data: Mapping[str, Any], notes: Notes) -> CrawlOptions:
    table = take_table(data, "crawl", notes)
    learned = table.get("max_weight", "auto") == "auto"
    return CrawlOptions(
        max_weight=None if learned else take_number(table, ("crawl", "max_weight"), 1, notes, ' (or "auto")'),
        max_pages=take_number(table, ("crawl", "max_pages"), 1, notes),
        max_depth=take_number(table, ("crawl", "max_depth"), 0, notes),
    )


def _read_settings(data: Mapping[str, Any], known: Collection[str], notes: Notes) -> dict[str, Any]:
    table = take_table(data, "settings", notes)
    for name, value in table.items():
        path = ("settings", name)
        if not _SETTING_NAME.fullmatch(name):
            capitals = re.sub(r"\W", "_", name.upper())
            notes.mistake(path, f"a setting's name is all capitals, not {name!r} (did you mean {capitals!r}?)")
        elif isinstance(value, datetime.date | datetime.time):
            notes.mistake(path, f"the setting {name} is {describe(value)}, which no setting is; write it in quotes")
        elif known and name not in known and (hint := _known_setting(name, known)):
            notes.mistake(path, f"unknown setting {name!r} ({hint})")
    settings = dict(table)
    if "dns" in data:
        settings["GWC_DNS_HOSTS"] = _read_dns(data, notes)
    return settings


def _known_setting(name: str, known: Collection[str]) -> str:
    """Return a hint at the setting that is meant by an unknown one; "" for one that may be a plug-in's own."""
    if not name.startswith("GWC_"):
        return near_miss(name, known)
    near = did_you_mean(name, [one for one in known if one.startswith("GWC_")])
    return near or "gwc_crawler/settings.py has those there are"


def _read_dns(data: Mapping[str, Any], notes: Notes) -> dict[str, list[str]]:
    """Return the hosts of [dns] with their addresses: the site's own GWC_DNS_HOSTS."""
    hosts = take_table(data, "dns", notes).get("hosts", {})
    if not isinstance(hosts, dict):
        told = f'\'hosts\' in [dns] is {describe(hosts)}; write {{ "x.example" = "10.0.0.1" }}'
        notes.mistake(("dns", "hosts"), told)
        return {}
    read: dict[str, list[str]] = {}
    for host, addresses in hosts.items():
        try:
            read |= {name: list(found) for name, found in read_overrides({host: addresses}).items()}
        except ValueError as error:
            notes.mistake(("dns", "hosts"), f"'hosts' in [dns]: {error}")
    return read
