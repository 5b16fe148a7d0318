"""The knowledge of one site: which URLs are targets and directories, the weight threshold, the wrapper.

Written by `learn`, stored as `data/<site>/knowledge.json`, which a person may read and edit."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from gwc_crawler.errors import KnowledgeError, unwritten
from gwc_crawler.field_types.table import type_of
from gwc_crawler.knowledge.checked_json import check_parsed, read_checked
from gwc_crawler.knowledge.form import KNOWLEDGE, VERSION
from gwc_crawler.knowledge.selectors import SELECTED
from gwc_crawler.modes import LearnMode
from gwc_crawler.urls import UrlCleaner

PREVIOUS_KNOWLEDGE = "knowledge.previous.json"  # file name of the previous knowledge, after a new one has replaced it

_PAGE_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class RecordShape:
    """How records are stored: their columns in order, those that hold numbers, the lists that go over several pages
    (field → its columns), the fields, or "field.part"s, of type file, and the columns that hold dates."""

    columns: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()
    paged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    dates: frozenset[str] = frozenset()


class Sureness(StrEnum):
    """How sure it is that the targets are those that the samples mean."""

    SURE = "sure"
    FAIRLY = "fairly sure"
    UNSURE = "unsure"


class Verdict(StrEnum):
    """The decision of the filters on a URL."""

    TARGET = "target"
    CONTINUATION = "continuation"
    """Goes on with a list of a target page."""
    DIRECTORY = "directory"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class UrlClass:
    """A class of URLs: an anchored regex and the evidence for it; `given` by a person: no page overrules it."""

    regex: str
    size: int = 0
    examples: tuple[str, ...] = ()
    score: float = 0.0
    evidence: Mapping[str, Any] = field(default_factory=dict)
    given: bool = False


@dataclass(frozen=True, slots=True)
class Continuation:
    """The URL of a continuation page, read: the page whose lists it continues, which lists, and its page number."""

    parent: str
    fields: tuple[str, ...]
    number: int


@dataclass(frozen=True)
class Knowledge:
    """The learned model of one site.

    Attributes:
        targets, directories: the filters; a link that passes none of them is dropped.
        ignored_query_keys: query keys that name a session, dropped before deduplication; `REGEX?key` is dropped only if
            the address without its query matches.
        ignored_segments: regex of path segments that carry a session, with their slash → their replacement before
            deduplication ("" for nothing).
        paging: list field → the form of its continuation pages' URLs: `regex` for the whole URL, `cut` for the part to
            take out to get the target page's (its group is the page number), and, if known, `parent_number`,
            the number the target page itself counts as; left out: the first one that no other page has.
        page_check: further conditions on a page with a target's URL (JSON form owned by `extract`), {} for none.
        site_links: which links the pages of a directory share (`common`), and how large the classes of URLs are
            (`classes`): tells index from information pages (`page.SiteLinks`); {} for none.
        excluded: never targets, whatever their filters say; as directories they may be followed.
    """

    site: str
    mode: LearnMode  # the learner that made it
    targets: tuple[UrlClass, ...]
    directories: tuple[UrlClass, ...]
    max_weight: int  # pages with this tunnel weight or more are kept but not followed
    keywords: str = ""  # the site file's expression, "" for none
    wrapper: Mapping[str, Any] = field(default_factory=dict)  # the JSON form of `gwc_crawler.extract.wrapper.Wrapper`
    types: Mapping[str, str] = field(default_factory=dict)  # field → type name, from the site file's [types]
    ignored_query_keys: tuple[str, ...] = ()
    ignored_segments: Mapping[str, str] = field(default_factory=dict)
    page_check: Mapping[str, Any] = field(default_factory=dict)
    paging: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    site_links: Mapping[str, Any] = field(default_factory=dict)
    excluded: tuple[UrlClass, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)  # for each decision, the figures it was made by
    learned_at: str = ""
    is_whole: bool = False  # nothing is searched for, so there are no filters, and no link on the site is dropped
    is_json: bool = False  # its pages are answers of an API; for other sites JSON is no page
    version: int = VERSION

    def verdict(self, url: str) -> Verdict:
        """Return the filters' verdict on a normalised URL."""
        if self.paging and self.continuation(url) is not None:
            return Verdict.CONTINUATION
        if self.is_target(url):
            return Verdict.TARGET
        return Verdict.DIRECTORY if self._directory_pattern.fullmatch(url) else Verdict.NEITHER

    def is_target(self, url: str) -> bool:
        """Say whether a normalised URL has the form of a target."""
        return self._target_pattern.fullmatch(url) is not None and not self.is_excluded(url)

    def is_excluded(self, url: str) -> bool:
        """Say whether a person wants a normalised URL for no target (`[learn] exclude`)."""
        return self._excluded_pattern.fullmatch(url) is not None

    def is_given(self, url: str, verdict: Verdict) -> bool:
        """Say whether a person has said that a URL is a target (`[learn] also`), or a directory (`listing`)."""
        pattern = self._given_patterns.get(verdict)
        return pattern is not None and pattern.fullmatch(url) is not None

    @cached_property
    def clean(self) -> UrlCleaner:
        """Takes what says nothing of a page out of its URL."""
        named = [one.regex for one in (*self.targets, *self.directories)]
        return UrlCleaner(self.ignored_query_keys, self.ignored_segments, named)

    @property
    def has_canonicals(self) -> bool:
        """Whether a target page is right that names another target as its canonical address."""
        return bool(self.page_check.get("canonical"))

    def class_of(self, url: str, verdict: Verdict) -> str | None:
        """Return the regex of the first filter for *verdict* (targets or directories) that a normalised URL passes."""
        patterns = self._class_patterns.get(verdict, ())
        return next((one.pattern for one in patterns if one.fullmatch(url)), None)

    def continuation(self, url: str) -> Continuation | None:
        """Return the target page and lists that a URL continues; None if it is no continuation page of a target."""
        found: dict[tuple[str, int], list[str]] = {}
        for name, regex, cut in self._paging_patterns:
            match = cut.search(url) if regex.fullmatch(url) else None
            if match is not None and _PAGE_NUMBER.fullmatch(match[1] or ""):
                parent = url[: match.start()] + url[match.end() :]
                if "?" in match[0] and "&" in parent:
                    parent = parent.replace("&", "?", 1)
                if self.is_target(parent):
                    found.setdefault((parent, int(match[1])), []).append(name)
        for (parent, number), names in found.items():
            return Continuation(parent, tuple(names), number)
        return None

    def record_shape(self, names: Sequence[str]) -> RecordShape:
        """Return how records with the fields *names* are stored."""
        types = {name: type_of(self.types.get(name, "")) for name in names}
        groups = {name: (name, *kind.companions(name)) for name, kind in types.items()}
        return RecordShape(
            tuple(column for group in groups.values() for column in group),
            frozenset(name for name, kind in types.items() if kind.is_number),
            {name: groups[name] for name in self.paging if name in groups},
            tuple(name for name in self.file_fields if name.partition(".")[0] in groups),
            frozenset(name for name, kind in types.items() if kind.is_date),
        )

    def with_selectors(self, rules: Mapping[str, Mapping[str, Any]]) -> Knowledge:
        """Return this knowledge with the fields of *rules*, a site file's selectors, read by these alone."""
        known = self.wrapper.get("fields", {})
        fields = {name: rule for name, rule in known.items() if name in rules or rule["kind"] != SELECTED} | dict(rules)
        if fields == known:
            return self
        wrapper = {"version": VERSION, "mode": self.mode, **self.wrapper, "fields": fields}
        return replace(self, wrapper=wrapper)

    @property
    def file_fields(self) -> tuple[str, ...]:
        """The fields, and "field.part"s, of type file."""
        return tuple(name for name, kind in self.types.items() if type_of(kind).is_file)

    @cached_property
    def _paging_patterns(self) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
        return tuple((name, re.compile(row["regex"]), re.compile(row["cut"])) for name, row in self.paging.items())

    @cached_property
    def _class_patterns(self) -> dict[Verdict, tuple[re.Pattern[str], ...]]:
        return {verdict: tuple(re.compile(one.regex) for one in some) for verdict, some in self._classes.items()}

    @cached_property
    def _given_patterns(self) -> dict[Verdict, re.Pattern[str]]:
        given = {verdict: tuple(one for one in some if one.given) for verdict, some in self._classes.items()}
        return {verdict: _union(some) for verdict, some in given.items() if some}

    @property
    def _classes(self) -> dict[Verdict, tuple[UrlClass, ...]]:
        return {Verdict.TARGET: self.targets, Verdict.DIRECTORY: self.directories}

    @cached_property
    def _target_pattern(self) -> re.Pattern[str]:
        return _union(self.targets)

    @cached_property
    def _excluded_pattern(self) -> re.Pattern[str]:
        return _union(self.excluded)

    @cached_property
    def _directory_pattern(self) -> re.Pattern[str]:
        return _union(self.directories)

    def save(self, path: Path, *first: Callable[[], None]) -> None:
        """Write *path* whole or not at all; see `write_json`."""
        write_json(path, asdict(self), first=first)

    @classmethod
    def load(cls, path: Path) -> Knowledge:
        """Read a knowledge file, edited by hand or not. Raises KnowledgeError: naming file, key and what helps."""
        try:
            body = path.read_bytes()
        except OSError as error:
            raise unreadable(path, error) from error
        return cls.from_bytes(body, str(path))

    @classmethod
    def from_bytes(cls, body: bytes, origin: str) -> Knowledge:
        """Build from the text of a file; see `load`."""
        return cls._of(read_checked(body, origin, KNOWLEDGE))

    @classmethod
    def from_json(cls, data: Any, origin: str = "knowledge") -> Knowledge:
        """Build from parsed JSON; see `load`."""
        check_parsed(data, origin, KNOWLEDGE)
        return cls._of(data)

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Knowledge:
        classes = {name: _classes(data.get(name, ())) for name in ("targets", "directories", "excluded")}
        return cls(**{**data, **classes, "ignored_query_keys": tuple(data.get("ignored_query_keys", ()))})


def unreadable(path: Path, error: OSError) -> KnowledgeError:
    """Return the error that a knowledge file can't be read at all."""
    return KnowledgeError(f"{path}: can't be read ({error.strerror or error}); move it away and learn again")


def keep_previous(path: Path) -> None:
    """Keep the knowledge file at *path*, which may have been edited by hand, as the previous one. It also stays in
    place until it is replaced; but a directory is moved out of the way. StoreError: something is in the way.
    """
    previous = path.with_name(PREVIOUS_KNOWLEDGE)
    beside = path.with_name(f".{PREVIOUS_KNOWLEDGE}")
    with _written_or_told(previous), ExitStack() as stack:
        beside.unlink(missing_ok=True)
        if path.is_file():
            stack.callback(beside.unlink, missing_ok=True)
            beside.hardlink_to(path)
            beside.replace(previous)
        elif path.exists():
            path.replace(previous)


_MOVE_AWAY = "move away what is there, or set GWC_DATA_DIR"


def write_json(path: Path, value: Any, help_text: str = _MOVE_AWAY, first: Iterable[Callable[[], None]] = ()) -> None:
    """Write *value* to *path* whole or not at all; *first* is called before the renaming. StoreError: *help_text*."""
    with _written_or_told(path, help_text):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n", first)


def write_whole(path: Path, text: str, first: Iterable[Callable[[], None]] = ()) -> None:
    """Write *path* whole or not at all, with the mode it had; *first* is called before the renaming. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            Path(name).chmod(path.stat().st_mode & 0o7777)
        for do in first:
            do()
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def _written_or_told(path: Path, help_text: str = _MOVE_AWAY) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unwritten(path, error, help_text) from error


def _classes(rows: Sequence[Mapping[str, Any]]) -> tuple[UrlClass, ...]:
    return tuple(UrlClass(**{**row, "examples": tuple(row.get("examples", ()))}) for row in rows)


def _union(classes: tuple[UrlClass, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one.regex})" for one in classes) or r"(?!)")
