"""What was learned about one site: which URLs are targets and directories, the weight threshold, the wrapper.

Written by `learn`, read by `page`, `extract` and the spiders; kept as `data/<site>/knowledge.json`, which a person may
read and edit: every decision stands beside its evidence.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from gwc_crawler.errors import KnowledgeError
from gwc_crawler.urls import segment_pattern

VERSION = 1


RAW, CURRENCY = "_raw", "_currency"
"""What is put behind a field's name for the text that a typed value was read from, and for a price's currency."""

_COMPANIONS = {"number": (RAW,), "price": (CURRENCY, RAW), "date": (RAW,), "url": (RAW,)}
_NUMBERS = frozenset({"number", "price"})


def companions(name: str, type_name: str) -> tuple[str, ...]:
    """Return the names of what a record has beside a field of this type.

    >>> companions("price", "price"), companions("born", "date"), companions("title", "text")
    (('price_currency', 'price_raw'), ('born_raw',), ())
    """
    return tuple(name + tail for tail in _COMPANIONS.get(type_name, ()))


@dataclass(frozen=True, slots=True)
class RecordShape:
    """How records are stored: their columns in order, those that hold numbers, and the lists that go over several pages
    (field → its columns)."""

    columns: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    paged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Verdict(StrEnum):
    """What the filters say of a URL."""

    TARGET = "target"
    CONTINUATION = "continuation"
    """Goes on with a list of a target page."""
    DIRECTORY = "directory"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class UrlClass:
    """A class of URLs: an anchored regex (`re.fullmatch` on the normalised URL) and what speaks for it."""

    regex: str
    size: int = 0
    examples: tuple[str, ...] = ()
    score: float = 0.0
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Continuation:
    """What the URL of a continuation page says: whose lists it goes on with, which of them, and its page number."""

    parent: str
    fields: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Knowledge:
    """The learned model of one site.

    Attributes:
        mode: "best" or "paper", the learner that made it.
        targets, directories: the filters; a link that passes none of them is dropped.
        max_weight: pages with this tunnel weight or more are kept but not followed.
        keywords: the site file's expression, "" for none.
        wrapper: the JSON form of `gwc_crawler.extract.Wrapper`.
        types: field → type name, from the site file's [types].
        ignored_query_keys: query keys that name a session, dropped before deduplication.
        ignored_segments: regex of path segments that carry a session, with their slash → what stands instead of them
            before deduplication ("" for nothing).
        paging: list field → how the URLs of its continuation pages look: `regex` for the whole URL, `cut` for what is
            taken out of it to get the target page's (its group is the page number), and, if known, `parent_number`,
            the number the target page itself counts as; left out: the first one that no other page has.
        page_check: what a page of a target URL must look like besides (JSON form owned by `extract`), {} for none.
        evidence: for each decision, the figures it was made by.
    """

    site: str
    mode: str
    targets: tuple[UrlClass, ...]
    directories: tuple[UrlClass, ...]
    max_weight: int
    keywords: str = ""
    wrapper: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    ignored_query_keys: tuple[str, ...] = ()
    ignored_segments: Mapping[str, str] = field(default_factory=dict)
    page_check: Mapping[str, Any] = field(default_factory=dict)
    paging: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    learned_at: str = ""
    version: int = VERSION

    def verdict(self, url: str) -> Verdict:
        """Say what the filters make of a normalised URL."""
        if self.paging and self.continuation(url) is not None:
            return Verdict.CONTINUATION
        if self._target_pattern.fullmatch(url):
            return Verdict.TARGET
        if self._directory_pattern.fullmatch(url):
            return Verdict.DIRECTORY
        return Verdict.NEITHER

    def is_target(self, url: str) -> bool:
        """Say whether a normalised URL has the form of a target."""
        return self._target_pattern.fullmatch(url) is not None

    def class_of(self, url: str, verdict: Verdict) -> str | None:
        """Return the regex of the first filter for *verdict* (targets or directories) that a normalised URL passes."""
        patterns = self._class_patterns.get(verdict, ())
        return next((one.pattern for one in patterns if one.fullmatch(url)), None)

    def continuation(self, url: str) -> Continuation | None:
        """Return what a normalised URL goes on with; None where it is no continuation page of a target."""
        found: dict[tuple[str, int], list[str]] = {}
        for name, regex, cut in self._paging_patterns:
            match = cut.search(url) if regex.fullmatch(url) else None
            if match is not None:
                parent = url[: match.start()] + url[match.end() :]
                if "?" in match[0] and "&" in parent:
                    parent = parent.replace("&", "?", 1)
                if self._target_pattern.fullmatch(parent):
                    found.setdefault((parent, int(match[1])), []).append(name)
        for (parent, number), names in found.items():
            return Continuation(parent, tuple(names), number)
        return None

    def record_shape(self, names: Sequence[str]) -> RecordShape:
        """Return how records with the fields *names* are stored."""
        groups = {name: (name, *companions(name, self.types.get(name, ""))) for name in names}
        return RecordShape(
            tuple(column for group in groups.values() for column in group),
            frozenset(name for name in names if self.types.get(name) in _NUMBERS),
            {name: groups[name] for name in self.paging if name in groups},
        )

    @cached_property
    def _paging_patterns(self) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
        return tuple((name, re.compile(row["regex"]), re.compile(row["cut"])) for name, row in self.paging.items())

    @cached_property
    def _class_patterns(self) -> dict[Verdict, tuple[re.Pattern[str], ...]]:
        classes = {Verdict.TARGET: self.targets, Verdict.DIRECTORY: self.directories}
        return {verdict: tuple(re.compile(one.regex) for one in some) for verdict, some in classes.items()}

    @cached_property
    def _target_pattern(self) -> re.Pattern[str]:
        return _union(self.targets)

    @cached_property
    def _directory_pattern(self) -> re.Pattern[str]:
        return _union(self.directories)

    def save(self, path: Path) -> None:
        """Write *path* whole or not at all (a temporary file beside it is renamed over it)."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2) + "\n"
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: Path) -> Knowledge:
        """Read a knowledge file, edited by hand or not.

        Raises:
            KnowledgeError: naming file, key and what helps.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise KnowledgeError(f"{path}: can't be read as JSON ({error}); mend it or learn again") from error
        return cls.from_json(data, str(path))

    @classmethod
    def from_json(cls, data: Any, origin: str = "knowledge") -> Knowledge:
        """Build from parsed JSON; see `load`."""
        if not isinstance(data, dict):
            raise KnowledgeError(f"{origin}: expected an object, found {type(data).__name__}; learn again")
        if data.get("version") != VERSION:
            raise KnowledgeError(f"{origin}: version {data.get('version')!r} is not {VERSION}; learn again")
        known = set(cls.__dataclass_fields__)
        if unknown := sorted(set(data) - known):
            raise KnowledgeError(f"{origin}: unknown key {unknown[0]!r}; known keys: {', '.join(sorted(known))}")
        try:
            values = {
                **data,
                "targets": _classes(data["targets"], "targets", origin),
                "directories": _classes(data["directories"], "directories", origin),
                "max_weight": int(data["max_weight"]),
                "ignored_query_keys": tuple(data.get("ignored_query_keys", ())),
            }
            knowledge = cls(**values)
            _check_segments(knowledge.ignored_segments, origin)
            _check_paging(knowledge.paging, origin)
            return knowledge
        except (KeyError, TypeError, ValueError) as error:
            raise KnowledgeError(f"{origin}: missing or mistyped key ({error}); mend it or learn again") from error


def _classes(rows: Any, key: str, origin: str) -> tuple[UrlClass, ...]:
    classes = tuple(UrlClass(**{**row, "examples": tuple(row.get("examples", ()))}) for row in rows)
    for number, one in enumerate(classes):
        try:
            re.compile(one.regex)
        except re.error as error:
            raise KnowledgeError(
                f"{origin}: {key}[{number}].regex {one.regex!r} is no regular expression ({error})"
            ) from error
    return classes


def _check_segments(segments: Mapping[str, str], origin: str) -> None:
    for regex in segments:
        try:
            segment_pattern(regex)
        except re.error as error:
            raise KnowledgeError(f"{origin}: ignored_segments {regex!r} is no regular expression ({error})") from error


def _check_paging(paging: Mapping[str, Mapping[str, Any]], origin: str) -> None:
    for name, row in paging.items():
        for key in ("regex", "cut"):
            try:
                groups = re.compile(row[key]).groups
            except re.error as error:
                raise KnowledgeError(
                    f"{origin}: paging.{name}.{key} {row[key]!r} is no regular expression ({error})"
                ) from error
        if groups != 1:
            raise KnowledgeError(f"{origin}: paging.{name}.cut {row['cut']!r} needs one group: the page number")


def _union(classes: tuple[UrlClass, ...]) -> re.Pattern[str]:
    if not classes:
        return re.compile(r"(?!)")
    return re.compile("|".join(f"(?:{one.regex})" for one in classes))
