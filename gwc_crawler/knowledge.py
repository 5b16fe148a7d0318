"""What was learned about one site: which URLs are targets and directories, the weight threshold, the wrapper.

Written by `learn`, read by `page`, `extract` and the spiders; kept as `data/<site>/knowledge.json`, which a person may
read and edit: every decision stands beside its evidence.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from gwc_crawler.errors import KnowledgeError

VERSION = 1


class Verdict(StrEnum):
    """What the filters say of a URL."""

    TARGET = "target"
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


@dataclass(frozen=True)
class Knowledge:
    """The learned model of one site.

    Attributes:
        mode: "paper" or "tree", the learner that made it.
        targets, directories: the filters; a link that passes none of them is dropped.
        max_weight: pages with this tunnel weight or more are kept but not followed.
        keywords: the site file's expression, "" for none.
        wrapper: the JSON form of `gwc_crawler.extract.Wrapper`.
        types: field → type name, from the site file's [types].
        ignored_query_keys: query keys that name a session, dropped before deduplication.
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
    page_check: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    learned_at: str = ""
    version: int = VERSION

    def verdict(self, url: str) -> Verdict:
        """Say what the filters make of a normalised URL."""
        if self._target_pattern.fullmatch(url):
            return Verdict.TARGET
        if self._directory_pattern.fullmatch(url):
            return Verdict.DIRECTORY
        return Verdict.NEITHER

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
            return cls(**values)
        except (KeyError, TypeError, ValueError) as error:
            raise KnowledgeError(f"{origin}: missing or mistyped key ({error}); mend it or learn again") from error


def _classes(rows: Any, key: str, origin: str) -> tuple[UrlClass, ...]:
    classes = tuple(UrlClass(**{**row, "examples": tuple(row.get("examples", ()))}) for row in rows)
    for number, one in enumerate(classes):
        try:
            re.compile(one.regex)
        except re.error as error:
            raise KnowledgeError(f"{origin}: {key}[{number}].regex {one.regex!r} is no regular expression ({error})") from error
    return classes


def _union(classes: tuple[UrlClass, ...]) -> re.Pattern[str]:
    if not classes:
        return re.compile(r"(?!)")
    return re.compile("|".join(f"(?:{one.regex})" for one in classes))
