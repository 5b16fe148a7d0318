"""A site file's text → a Site, or every mistake in it with its line. Called by `load_site`.

Each check reads its part of the parsed TOML, notes what is wrong under the key path and goes on; at the end the notes
are put in file order. What the parts mean is said in `schema`.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias

from gwc_crawler.errors import KeywordError, SiteFileError
from gwc_crawler.items import FieldValue
from gwc_crawler.keywords import Keywords
from gwc_crawler.sites.schema import FIELD_TYPES, LEARN_MODES, CrawlOptions, LearnOptions, SampleSpec, Site
from gwc_crawler.sites.toml_lines import Path as KeyPath
from gwc_crawler.sites.toml_lines import find_lines
from gwc_crawler.urls import host_of, normalize_url, site_of

Shape: TypeAlias = Literal["a text", "a list of texts", "a list of records"]

_KEYS: dict[str, tuple[str, ...]] = {
    "": ("entry", "keywords", "hosts", "samples", "learn", "crawl", "types", "settings"),
    "[[samples]]": ("url", "fields"),
    "[learn]": ("pages", "mode", "target"),
    "[crawl]": ("max_weight", "max_pages", "max_depth"),
}
_HOME = {key: table for table, keys in _KEYS.items() for key in keys}
_SITE_NAME = re.compile(r"[^\W_](?:[\w.-]{0,62}\w)?")
_FIELD_NAME = re.compile(r"\w(?:[\w .-]{0,62}[\w-])?")
_SETTING_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_STORED_ANYWAY = ("url", "fetched_at")


def read_site(text: str, path: Path, known_settings: Collection[str] = ()) -> Site:
    """Check the *text* of the site file *path* and build the Site.

    Args:
        known_settings: names to compare those in [settings] with; an unknown `GWC_…` is then a mistake, another unknown
            name that resembles a known one a warning.
    Raises:
        SiteFileError: with all problems in file order.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        data = tomllib.loads(text)
        lines = find_lines(text)
    except tomllib.TOMLDecodeError as error:
        raise SiteFileError(path, [_describe_syntax_error(error, text)]) from None
    except RecursionError:
        raise SiteFileError(path, [(None, "brackets are nested too deeply; a site file needs three levels")]) from None
    return _Reader(data, lines, path, known_settings).read()


class _Reader:
    """Holds what the checks share: the data, the lines, and the notes they make."""

    def __init__(
        self, data: dict[str, Any], lines: Mapping[KeyPath, int], path: Path, known_settings: Collection[str]
    ) -> None:
        self._data = data
        self._lines = lines
        self._path = path
        self._known_settings = known_settings
        self._problems: list[tuple[int | None, str]] = []
        self._warnings: list[tuple[int | None, str]] = []

    def read(self) -> Site:
        self._check_name()
        self._check_keys((), self._data, "")
        entry = self._read_entry()
        hosts = self._read_hosts()
        keywords = self._read_keywords()
        types = self._read_types()
        samples = self._read_samples(types)
        self._check_scope(entry, hosts, samples)
        self._check_enough(keywords, samples)
        self._check_typed_fields(types, samples)
        learn = self._read_learn(samples)
        crawl = self._read_crawl()
        settings = self._read_settings()
        if self._problems:
            raise SiteFileError(self._path, sorted(self._problems, key=lambda problem: problem[0] or 0))
        warnings = SiteFileError(self._path, sorted(self._warnings, key=lambda warning: warning[0] or 0))
        return Site(
            name=self._path.stem,
            path=self._path,
            entry=entry,
            keywords=keywords,
            samples=tuple(samples),
            hosts=hosts,
            learn=learn,
            crawl=crawl,
            types=types,
            settings=settings,
            warnings=tuple(str(warnings).splitlines()),
        )

    # --- notes

    def _line(self, path: KeyPath) -> int | None:
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path)

    def _problem(self, path: KeyPath, text: str) -> None:
        self._problems.append((self._line(path), text))

    def _warn(self, path: KeyPath, text: str) -> None:
        self._warnings.append((self._line(path), text))

    def _check_keys(self, path: KeyPath, table: Mapping[str, Any], name: str) -> None:
        """Note every key of *table* that the section *name* ("" is the top) does not know."""
        for key in table:
            if key not in _KEYS[name]:
                where = f" in {name}" if name else ""
                self._problem((*path, key), f"unknown key {key!r}{where} ({_suggest_key(key, name)})")

    def _take_table(self, key: str) -> Mapping[str, Any]:
        table = self._data.get(key, {})
        if isinstance(table, dict):
            return table
        self._problem((key,), f"{key!r} is {_describe(table)}; write it as a table, below a line [{key}]")
        return {}

    def _take_texts(self, key: str) -> list[tuple[KeyPath, str]]:
        """Read a list of texts (or one text), each with its path; items that aren't texts are noted and left out."""
        value = self._data.get(key, [])
        items = [((key,), value)] if isinstance(value, str) else _numbered((key,), value)
        if items is None:
            self._problem((key,), f'{key!r} is {_describe(value)}; write a list of texts: {key} = ["…"]')
            return []
        texts = [(path, item) for path, item in items if isinstance(item, str)]
        for path, item in items:
            if not isinstance(item, str):
                self._problem(path, f"{key!r} holds {_describe(item)}; write it in quotes")
        return texts

    # --- the parts, in file order

    def _check_name(self) -> None:
        if not _SITE_NAME.fullmatch(self._path.stem):
            what = "a site's name has letters, digits, '_', '-' and '.', begins with a letter or digit, 64 at most"
            self._problem((), f"{self._path.stem!r} can't be a site's name ({what}); rename the file")

    def _read_entry(self) -> tuple[str, ...]:
        urls = [url for path, text in self._take_texts("entry") if (url := self._read_url(path, text, "entry"))]
        if "entry" not in self._data:
            self._problem((), "missing key 'entry': where the crawl starts, as entry = [\"https://…/\"]")
        elif self._data["entry"] == []:
            self._problem(("entry",), "'entry' is empty; name at least one URL where the crawl starts")
        for index in (i for i, url in enumerate(urls) if url in urls[:i]):
            self._problem(("entry", index), f"entry {urls[index]} stands here twice; remove one")
        return tuple(urls)

    def _read_url(self, path: KeyPath, text: str, name: str) -> str | None:
        """Return the normalised URL, or note what is wrong with it."""
        scheme, separator, _ = text.strip().partition("://")
        if not text.strip():
            self._problem(path, f"{name} is empty; write a URL that begins with https:// or http://")
        elif not separator:
            self._problem(path, f"{name} {text!r} has no scheme; did you mean 'https://{text.strip().lstrip('/')}'?")
        elif scheme.lower() not in ("http", "https"):
            self._problem(path, f"{name} {text!r} is neither http nor https; only these are crawled")
        elif re.search(r"\s", text.strip()):
            self._problem(path, f"{name} {text!r} has white space inside; copy it from the address bar again")
        elif "@" in text.split("/")[2]:
            hint = "put them in [settings] as HTTPAUTH_USER and HTTPAUTH_PASS, or better in a profile of your own"
            self._problem(path, f"{name} holds a user name or password; {hint}")
        elif (url := normalize_url(text)) is None:
            self._problem(path, f"{name} {text!r} has no valid host; copy it from the address bar again")
        else:
            return url
        return None

    def _read_hosts(self) -> tuple[str, ...]:
        hosts = []
        for path, text in self._take_texts("hosts"):
            name = text.strip()
            host = host_of(name if "://" in name else f"http://{name.rstrip('/')}/")
            if host and "*" not in name:
                hosts.append(host)
            else:
                self._problem(
                    path, f"{text!r} in 'hosts' is no host; write it like 'example.org', its subdomains included"
                )
        return tuple(dict.fromkeys(hosts))

    def _read_keywords(self) -> str:
        value = self._data.get("keywords", "")
        if not isinstance(value, str):
            self._problem(
                ("keywords",), f"'keywords' is {_describe(value)}; write one text: keywords = \"a && (b || c)\""
            )
            return ""
        if not value.strip():
            return ""
        try:
            Keywords.parse(value)
        except KeywordError as error:
            self._problem(("keywords",), f"keywords: {error}")
        return value

    def _read_types(self) -> dict[str, str]:
        types = {}
        for name, value in self._take_table("types").items():
            if value in FIELD_TYPES:
                types[name] = value
            else:
                meant = _suggest(str(value), FIELD_TYPES) or f"one of: {', '.join(FIELD_TYPES)}"
                what = "is unknown" if isinstance(value, str) else "is no text"
                self._problem(("types", name), f"the type {value!r} of field {name!r} {what} ({meant})")
        return types

    def _read_samples(self, types: Mapping[str, str]) -> list[SampleSpec]:
        value = self._data.get("samples", [])
        items = _numbered(("samples",), value)
        if items is None or not all(isinstance(item, dict) for _, item in items):
            self._problem(("samples",), "'samples' is no list of tables; begin each sample with a line [[samples]]")
            return []
        samples = []
        for path, item in items:
            self._check_keys(path, item, "[[samples]]")
            url = self._read_sample_url(path, item, samples)
            fields = self._read_fields((*path, "fields"), item.get("fields", {}), types)
            if url:
                samples.append(SampleSpec(url, fields, self._line(path)))
        self._check_shapes(samples)
        return samples

    def _read_sample_url(self, path: KeyPath, item: Mapping[str, Any], before: Iterable[SampleSpec]) -> str | None:
        if "url" not in item:
            self._problem(path, "missing key 'url' in [[samples]]: the address of the sample page")
            return None
        if not isinstance(item["url"], str):
            self._problem((*path, "url"), f"'url' is {_describe(item['url'])}; write it in quotes")
            return None
        url = self._read_url((*path, "url"), item["url"], "url")
        for other in before:
            if other.url == url:
                self._problem(
                    (*path, "url"), f"the sample {url} is the same page as in line {other.line}; take another page"
                )
        return url

    def _read_fields(self, path: KeyPath, table: Any, types: Mapping[str, str]) -> dict[str, FieldValue]:
        if not isinstance(table, dict):
            hint = 'write fields = { title = "…" } or lines below [samples.fields]'
            self._problem(path, f"'fields' is {_describe(table)}; {hint}")
            return {}
        fields: dict[str, FieldValue] = {}
        for name, value in table.items():
            self._check_field_name((*path, name), name, fields)
            if (read := self._read_value((*path, name), name, value)) is not None:
                fields[name] = [read] if isinstance(read, str) and types.get(name) == "list" else read
        return fields

    def _check_field_name(self, path: KeyPath, name: str, before: Iterable[str]) -> None:
        if not _FIELD_NAME.fullmatch(name):
            what = "letters, digits, '_', '-', '.' and spaces inside, 64 at most"
            self._problem(path, f"{name!r} can't be a field's name ({what})")
        elif name.casefold() in _STORED_ANYWAY:
            self._problem(
                path, f"the field name {name!r} is taken: every record gets {name!r} of itself; choose another"
            )
        for other in before:
            if other.casefold() == name.casefold() and other != name:
                self._problem(path, f"fields {other!r} and {name!r} differ in case only; a database takes them for one")

    def _read_value(self, path: KeyPath, name: str, value: Any) -> FieldValue | None:
        """Return a field's value if it has one of the three shapes and no empty parts; note what is wrong otherwise."""
        if isinstance(value, str):
            return self._read_text(path, f"field {name!r}", value)
        if isinstance(value, dict):
            self._problem(path, f"field {name!r} is a table; records inside a page are a list: {name} = [{{ … }}, …]")
            return None
        items = _numbered(path, value)
        if items is None:
            self._problem(path, f"field {name!r} is {_describe(value)}; {_quote_advice(value)}")
            return None
        if not items:
            self._problem(path, f"field {name!r} is an empty list; leave it out where the page does not have it")
            return None
        kinds = {type(item) for _, item in items}
        if kinds == {dict}:
            return self._read_records(items, name)
        if dict in kinds and str in kinds:
            self._problem(
                path, f"field {name!r} mixes texts and records; make every item a record or every item a text"
            )
            return None
        texts = [self._read_text(item_path, f"an item of field {name!r}", item) for item_path, item in items]
        return None if None in texts else [text for text in texts if text is not None]

    def _read_records(self, items: Iterable[tuple[KeyPath, dict[str, Any]]], name: str) -> list[dict[str, str]] | None:
        records = []
        complete = True
        for path, item in items:
            if not item:
                self._problem(path, f"a record of field {name!r} is empty; fill it in or remove it")
            for key in (key for key in item if not _FIELD_NAME.fullmatch(key)):
                self._problem((*path, key), f"{key!r} can't be a name in a record of field {name!r}")
            record = {
                key: self._read_text((*path, key), f"{key!r} of field {name!r}", part) for key, part in item.items()
            }
            complete = complete and bool(record) and None not in record.values()
            records.append({key: text for key, text in record.items() if text is not None})
        return records if complete else None

    def _read_text(self, path: KeyPath, what: str, value: Any) -> str | None:
        if not isinstance(value, str):
            self._problem(path, f"{what} is {_describe(value)}; {_quote_advice(value)}")
            return None
        if not value.strip():
            self._problem(path, f"{what} is empty; leave it out where the page does not have it")
            return None
        return value

    def _check_shapes(self, samples: Iterable[SampleSpec]) -> None:
        """Note a field that is, say, a text in one sample and a list in another."""
        first: dict[str, tuple[Shape, int | None]] = {}
        for index, path in enumerate(self._sample_paths(samples)):
            sample = list(samples)[index]
            for name, value in sample.fields.items():
                shape, line = first.setdefault(name, (_shape(value), self._line((*path, "fields", name))))
                if shape != _shape(value):
                    hint = (
                        "" if "records" in shape + _shape(value) else f'; for a list in both: [types] {name} = "list"'
                    )
                    text = f"field {name!r} is {_shape(value)} here and {shape} in line {line}; write the same in both"
                    self._problem((*path, "fields", name), text + hint)

    def _sample_paths(self, samples: Iterable[SampleSpec]) -> list[KeyPath]:
        """Return the key path of each sample that was read (those without a URL were not)."""
        by_line = {self._line(("samples", index)): index for index in range(len(self._data.get("samples", [])))}
        return [("samples", by_line[sample.line]) for sample in samples]

    # --- what takes more than one part

    def _check_scope(self, entry: Iterable[str], hosts: Iterable[str], samples: Iterable[SampleSpec]) -> None:
        sites = {site_of(one) for one in (*entry, *hosts)}
        if not entry:
            return
        for path, sample in zip(self._sample_paths(samples), samples, strict=True):
            if site_of(sample.url) not in sites:
                where = f"outside {', '.join(sorted(sites))}"
                hint = f'if it belongs to the crawl: hosts = ["{host_of(sample.url)}"]'
                self._problem((*path, "url"), f"the sample {sample.url} is {where}; {hint}")

    def _check_enough(self, keywords: str, samples: list[SampleSpec]) -> None:
        if "samples" not in self._data or self._data["samples"] == []:
            if not keywords and not self._problems:
                self._problem((), "nothing says what to look for; add two [[samples]], or keywords")
            elif keywords:
                self._warn((), "no samples: keywords alone decide which pages are targets, and no records are made")
            return
        if len(samples) == 1:
            advice = "what is common to two pages can't be seen on one; add another [[samples]]"
            self._warn(("samples", 0), f"only one sample: {advice}")
        if not any(sample.fields for sample in samples):
            self._warn(("samples",), "no sample has fields: target pages are found and stored, but no records are made")
            return
        for path, sample in zip(self._sample_paths(samples), samples, strict=True):
            if not sample.fields:
                self._warn(
                    path, "a sample without fields only says that this is a target page; add the values you see there"
                )

    def _check_typed_fields(self, types: Mapping[str, str], samples: Iterable[SampleSpec]) -> None:
        shapes = {name: _shape(value) for sample in samples for name, value in sample.fields.items()}
        written = self._written_field_names()
        for name, kind in types.items():
            if name not in written:
                hint = _suggest(name, written) or ("add it to a sample" if written else "no sample has fields")
                self._problem(("types", name), f"[types] names the field {name!r} that no sample has ({hint})")
            elif shapes.get(name) == "a list of records":
                self._problem(
                    ("types", name), f"field {name!r} is a list of records, which has no type {kind!r}; remove it"
                )

    def _written_field_names(self) -> list[str]:
        """All field names in the file, also those whose values have problems."""
        tables = [item.get("fields") for item in self._data.get("samples", []) if isinstance(item, dict)]
        return list(dict.fromkeys(name for table in tables if isinstance(table, dict) for name in table))

    def _read_learn(self, samples: Iterable[SampleSpec]) -> LearnOptions:
        table = self._take_table("learn")
        self._check_keys(("learn",), table, "[learn]")
        default = LearnOptions()
        mode = table.get("mode", default.mode)
        if mode not in LEARN_MODES:
            self._problem(("learn", "mode"), f"mode {mode!r} in [learn] is unknown (write 'best' or 'paper')")
        pages = self._read_number("learn", "pages", 1)
        return LearnOptions(default.pages if pages is None else pages, mode, self._read_target(table, samples))

    def _read_target(self, table: Mapping[str, Any], samples: Iterable[SampleSpec]) -> str | None:
        target = table.get("target")
        if target is None:
            return None
        if not isinstance(target, str) or not target:
            self._problem(
                ("learn", "target"), f"target in [learn] is {_describe(target)}; write a regex for the whole URL"
            )
            return None
        try:
            pattern = re.compile(target)
        except re.error as error:
            self._problem(("learn", "target"), f"target {target!r} in [learn] is no regular expression: {error}")
            return None
        for sample in samples:
            if not pattern.fullmatch(sample.url):
                text = f"target in [learn] does not match the sample {sample.url} from end to end; mend one of them"
                self._problem(("learn", "target"), text)
        return target

    def _read_crawl(self) -> CrawlOptions:
        table = self._take_table("crawl")
        self._check_keys(("crawl",), table, "[crawl]")
        learned = table.get("max_weight", "auto") == "auto"
        return CrawlOptions(
            max_weight=None if learned else self._read_number("crawl", "max_weight", 1, ' or "auto"'),
            max_pages=self._read_number("crawl", "max_pages", 1),
            max_depth=self._read_number("crawl", "max_depth", 0),
        )

    def _read_number(self, section: str, key: str, least: int, or_else: str = "") -> int | None:
        value = self._take_number_table(section).get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
            return value
        shown = f"{key} in [{section}] is {_describe(value)}"
        self._problem((section, key), f"{shown}; write a whole number, {least} or more{or_else}, without quotes")
        return None

    def _take_number_table(self, section: str) -> Mapping[str, Any]:
        table = self._data.get(section)
        return table if isinstance(table, dict) else {}

    def _read_settings(self) -> dict[str, Any]:
        table = self._take_table("settings")
        for name, value in table.items():
            path = ("settings", name)
            if not _SETTING_NAME.fullmatch(name):
                hint = (
                    f"did you mean {name.upper()!r}?" if _SETTING_NAME.fullmatch(name.upper()) else "A-Z, 0-9 and '_'"
                )
                self._problem(path, f"a setting is written in capitals, not {name!r} ({hint})")
            elif isinstance(value, datetime.date | datetime.time):
                self._problem(path, f"the setting {name} is {_describe(value)}; no setting is: write it in quotes")
            elif self._known_settings and name not in self._known_settings:
                self._note_unknown_setting(path, name)
        return dict(table)

    def _note_unknown_setting(self, path: KeyPath, name: str) -> None:
        meant = _suggest(name, self._known_settings)
        if name.startswith("GWC_"):
            self._problem(
                path, f"unknown setting {name!r} ({meant or 'see gwc_crawler/settings.py for those there are'})"
            )
        elif meant:
            self._warn(path, f"unknown setting {name!r} ({meant})")


# --- words


def _suggest(word: str, known: Collection[str]) -> str:
    """Return "did you mean 'x'?" for the most similar of *known*, or ""."""
    found = get_close_matches(word, known, n=1) or get_close_matches(word.casefold(), known, n=1)
    return f"did you mean {found[0]!r}?" if found else ""


def _suggest_key(key: str, section: str) -> str:
    if key == "name" and not section:
        return "the file's own name is the site's name"
    if key in _HOME and (home := _HOME[key]) != section:
        return f"it belongs in {home}" if home else "it belongs above the first [section] of the file"
    return _suggest(key, _KEYS[section]) or f"known: {', '.join(_KEYS[section])}"


def _describe(value: Any) -> str:
    match value:
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case datetime.date() | datetime.time():
            return f"the date or time {value}"
        case str():
            return f"the text {value!r}"
        case list():
            return "a list"
        case _:
            return "a table"


def _quote_advice(value: Any) -> str:
    if isinstance(value, list | dict):
        return "write one text in quotes, as it stands on the page"
    return "write it in quotes as it stands on the page"


def _shape(value: FieldValue) -> Shape:
    if isinstance(value, str):
        return "a text"
    return "a list of texts" if isinstance(value[0], str) else "a list of records"


def _numbered(path: KeyPath, value: Any) -> list[tuple[KeyPath, Any]] | None:
    """Return the items of a list with their paths; None if it is no list."""
    return [((*path, index), item) for index, item in enumerate(value)] if isinstance(value, list) else None


_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def _describe_syntax_error(error: tomllib.TOMLDecodeError, text: str) -> tuple[int, str]:
    """Turn tomllib's message into (line, what is wrong and what helps)."""
    message = str(error)
    place = _TOML_PLACE.search(message)
    last_line = text.rstrip("\n").count("\n") + 1
    line = int(place[1]) if place and place[1] else last_line
    column = f", column {place[2]}" if place and place[2] else ""
    what = (message[: place.start()] if place else message).rstrip(".")
    return line, f"not valid TOML{column}: {what[:1].lower()}{what[1:]}{_syntax_advice(text, line, what)}"


def _syntax_advice(text: str, line: int, what: str) -> str:
    written = text.split("\n")[line - 1].strip() if text else ""
    if "inline table" in what or re.match(r"[\w.\"'-]+\s*=\s*\{[^}]*$", written):
        return "; TOML keeps { … } on one line: write the parts below a line [samples.fields] instead"
    if re.search(r"[“”‘’＂＝［］｛｝，]", written):
        return '; outside texts TOML wants plain ASCII signs: " = [ ] { } ,'
    if "overwrite" in what or "twice" in what:
        return "; the key stands here for the second time"
    if re.match(r"[\w-]+\s*[:=]\s*[^\s\"'\[{0-9]", written) or "nvalid value" in what:
        return '; texts stand in quotes: key = "value"'
    return ""
