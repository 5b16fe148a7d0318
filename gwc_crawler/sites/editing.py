"""Change a site file in place: URL patterns in lists of [learn], values of samples; every other character stays.

Called by code that asks a person, in a terminal or in the dashboard. The result is read before it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from gwc_crawler.errors import InputError, unwritten
from gwc_crawler.items import FieldValue
from gwc_crawler.knowledge.model import write_whole
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.toml_text import (
    KeyPath,
    Span,
    TomlError,
    find_spans,
    read_toml,
    toml_key,
    toml_string,
    toml_table,
    toml_value,
)
from gwc_crawler.sites.validation import read_site
from gwc_crawler.urls import normalize_url

SampleValues: TypeAlias = Mapping[str, Mapping[str, FieldValue | None]]
"""URL of a sample → field → its value there; None: the page has none."""

_SECTION = "learn"
_SAMPLES = "samples"
_COMMENTS = re.compile(r"(?:[ \t]*#[^\n]*\n)+(?![ \t]*\[)")
"""Matches lines of comments that belong to the lines above them."""


def add_url_patterns(path: Path, patterns: Mapping[str, Sequence[str]]) -> None:
    """Add patterns to lists of [learn] (key → patterns) in the site file *path*, whole or not at all.

    Raises StoreError: it can't be read or written; InputError: it can't be changed so.
    """
    lines = "; ".join(f"{key} = [{', '.join(map(toml_string, some))}]" for key, some in patterns.items())
    with _errors_told(path, f"write in [learn] by hand: {lines}"):
        write_whole(path.resolve(), with_url_patterns(_read(path), patterns))


def put_samples(path: Path, samples: SampleValues) -> None:
    """Give samples in the site file *path* their values; one that is not there is added. See `add_url_patterns`."""
    with _errors_told(path, f"write the samples by hand: {_told(samples)}"):
        write_whole(path.resolve(), with_samples(_read(path), samples))


def site_with_samples(path: Path, samples: SampleValues) -> Site:
    """Return the site as the file *path* would describe it after `put_samples`; nothing is written.

    Raises as that; SiteFileError: a sample does not go with the rest of the file.
    """
    with _errors_told(path, f"write the samples by hand: {_told(samples)}"):
        text = with_samples(_read(path), samples)
    return read_site(text, path)


def with_url_patterns(text: str, patterns: Mapping[str, Sequence[str]]) -> str:
    """Return the text of a site file with patterns added to the lists of [learn]; TomlError: it can't be added to.

    >>> print(with_url_patterns('[learn]  # how\\nalso = ["/a/*",]', {"also": ["/b/*"], "exclude": ["/c/*"]}))
    [learn]  # how
    exclude = ["/c/*"]
    also = ["/a/*", "/b/*",]
    """

    def edited(body: str, wanted: dict[str, Any]) -> str:
        for key, some in patterns.items():
            new = [one for one in some if one not in _listed(wanted, key)]
            if new:
                body = _added(body, key, new)
                wanted.setdefault(_SECTION, {})[key] = [*_listed(wanted, key), *new]
        return body

    return _edited(text, edited, "[learn]")


def with_samples(text: str, samples: SampleValues) -> str:
    """Return the text of a site file with values of samples as given, new samples last; TomlError: it can't be changed.

    >>> print(with_samples('samples = [{ url = "http://a.example/" }]', {"http://a.example/": {"price": "$1"}}))
    samples = [{ url = "http://a.example/", fields.price = "$1" }]
    """

    def edited(body: str, wanted: dict[str, Any]) -> str:
        for url, values in samples.items():
            known = wanted.setdefault(_SAMPLES, [])
            at = next((n for n, one in enumerate(known) if normalize_url(str(one.get("url"))) == url), None)
            if at is None:
                given = {name: value for name, value in values.items() if value is not None}
                body = _with_sample(body, len(known), url, given)
                known.append({"url": url, **({"fields": given} if given else {})})
                continue
            for name, value in values.items():
                body = _with_value(body, ("samples", at, "fields", name), value)
                if value is not None:
                    known[at].setdefault("fields", {})[name] = value
                else:
                    known[at].get("fields", {}).pop(name, None)
        return body

    return _edited(text, edited, "[[samples]]")


def _edited(text: str, edit: Callable[[str, dict[str, Any]], str], where: str) -> str:
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    ends = "\r\n" if "\r\n" in body else "\n"
    body = body.replace("\r\n", "\n")
    wanted = read_toml(body)[0]
    body = edit(body, wanted)
    if read_toml(body)[0] != wanted:
        raise TomlError(None, f"{where} is written in an unusual form")
    return mark + body.replace("\n", ends)


def _listed(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(_SECTION, {}).get(key, [])
    if not isinstance(value, str | list):
        raise TomlError(None, f"{key} in [{_SECTION}] is no list")
    return [value] if isinstance(value, str) else value


def _added(text: str, key: str, new: Sequence[str]) -> str:
    spans = find_spans(text)
    items = ", ".join(map(toml_string, new))
    if (span := spans.get((_SECTION, key))) is not None:
        before = [one for path, one in spans.items() if path[:2] == (_SECTION, key) and len(path) == 3]
        return _longer(text, span, max(before, key=lambda one: one.end, default=None), items)
    line = f"{key} = [{items}]"
    if (header := spans.get((_SECTION,))) is None:
        return f"{text.rstrip()}\n\n[{_SECTION}]\n{line}\n" if text.strip() else f"[{_SECTION}]\n{line}\n"
    return _inside(text, header, line) if text[header.start] == "{" else _line_below(text, header.end, line)


def _longer(text: str, span: Span, last: Span | None, items: str) -> str:
    if text[span.start] != "[":
        return f"{text[: span.start]}[{text[span.start : span.end]}, {items}]{text[span.end :]}"
    at, before = (last.end, ", ") if last else (span.start + 1, "")
    return f"{text[:at]}{before}{items}{text[at:]}"


def _with_value(text: str, place: KeyPath, value: FieldValue | None) -> str:
    spans, own, name = find_spans(text), place[:-1], str(place[-1])
    span = spans.get(place)
    if value is None:
        beside = [one for path, one in spans.items() if path[:-1] == own and path != place]
        return text if span is None else _without(text, span, spans.get(own), beside, name)
    if span is not None:
        return f"{text[: span.start]}{toml_value(value)}{text[span.end :]}"
    pair = f"{toml_key(name)} = {toml_value(value)}"
    if own not in spans:  # there are no fields yet, or they stand as `fields.title = …`
        pair, own = f"fields.{pair}", own[:-1]
    if text[spans[own].start] == "{":
        return _inside(text, spans[own], pair)
    return _line_below(text, _end_of(spans, own), pair)


def _without(text: str, span: Span, around: Span | None, beside: Sequence[Span], name: str) -> str:
    """Return the text without a value: in braces it goes; a line of its own then says that the page has none."""
    if around is None or text[around.start] != "{":
        start = text.rfind("\n", 0, span.start) + 1
        return f"{text[:start]}# {toml_key(name)}: this page does not have it{text[span.end :]}"
    before = max((one.end for one in beside if one.end <= span.start), default=None)
    if before is not None:
        return text[:before] + text[span.end :]
    return text[: around.start + 1] + text[text.index(",", span.end) + 1 if beside else span.end :]


def _with_sample(text: str, count: int, url: str, fields: Mapping[str, FieldValue]) -> str:
    spans = find_spans(text)
    if count and text[spans[_SAMPLES, count - 1].start] == "{":
        table = f"{{ url = {toml_string(url)}, fields = {toml_table(fields)} }}"
        return _longer(text, spans[_SAMPLES,], spans[_SAMPLES, count - 1], table)
    pairs = [f"{toml_key(name)} = {toml_value(value)}" for name, value in fields.items()]
    block = "\n".join(["[[samples]]", f"url = {toml_string(url)}", *(["[samples.fields]", *pairs] if pairs else [])])
    if not count:
        return f"{text.rstrip()}\n\n{block}\n"
    text = text if text.endswith("\n") else f"{text}\n"
    end = text.index("\n", _end_of(spans, (_SAMPLES, count - 1))) + 1
    if comments := _COMMENTS.match(text, end):
        end = comments.end()
    gap = "\n" if text[end : end + 1].strip() else ""
    return f"{text[:end]}\n{block}\n{gap}{text[end:]}"


def _told(samples: SampleValues) -> str:
    told = []
    for url, values in samples.items():
        given = [f"{name} = {toml_value(value)}" for name, value in values.items() if value is not None]
        told.append(f"{url}: {', '.join(given)}")
    return "; ".join(told)


def _end_of(spans: Mapping[KeyPath, Span], place: KeyPath) -> int:
    return max(span.end for path, span in spans.items() if path[: len(place)] == place)


def _inside(text: str, table: Span, pair: str) -> str:
    inside = text[table.start + 1 : table.end - 1].strip()
    return f"{text[: table.end - 1].rstrip()}{',' if inside else ''} {pair} {text[table.end - 1 :]}"


def _line_below(text: str, at: int, line: str) -> str:
    end = text.find("\n", at)
    return f"{text}\n{line}\n" if end < 0 else f"{text[: end + 1]}{line}\n{text[end + 1 :]}"


@contextmanager
def _errors_told(path: Path, helps: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritten(path, error, "make it writable") from error
    except (UnicodeError, TomlError) as error:
        raise InputError(f"{path} can't be changed ({error}); {helps}") from error


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")
