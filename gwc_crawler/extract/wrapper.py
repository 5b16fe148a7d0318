"""The wrapper: the learned rules for the fields of a site's target pages, applied to page after page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.fields import is_blank
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.records_rule import RecordsRule
from gwc_crawler.field_types.table import type_of
from gwc_crawler.items import Extracted, FieldProblem
from gwc_crawler.knowledge.checked_json import check_parsed, read_checked
from gwc_crawler.knowledge.form import VERSION, WRAPPER
from gwc_crawler.knowledge.model import unreadable
from gwc_crawler.knowledge.selectors import SELECTED
from gwc_crawler.modes import LearnMode

NOT_FOUND = "not found on the page"


class Rule(Protocol):
    """How one field is read from a page."""

    def read(self, page: PageView) -> Extracted:
        """Return the value, or None (lists: []) where the page does not have it."""

    def count(self, page: PageView) -> int:
        """Return how many different values of a text stand on the page; of a list or records 1 for any."""

    def closest(self, page: PageView) -> str:
        """Return the nearest text or path that is there when the rule finds nothing, or ""."""

    def source(self, page: PageView) -> str:
        """Describe the rule's way that gives the page's value; "" if none does."""

    def paper_form(self, name: str) -> dict[str, str]:
        """Return the rule as `{"label#text": "css path"}`, empty if CSS can't express it."""

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file, with the rule's "kind"."""


def source_of(rule: Rule, page: PageView) -> str:
    """Say how a rule reads its field on a page, in JMESPath for JSON if possible; "" if it does not read it."""
    if page.is_data:
        from gwc_crawler.extract.selected import as_selected  # parsel is loaded only if a person asks

        if (said := as_selected(rule, page)) is not None:
            return said.written
    return rule.source(page)


def rule_class(kind: str) -> Any:
    """Return the class of the rules of one kind; KeyError if there is none."""
    if kind == "paper":
        from gwc_crawler.extract.paper import PaperRule  # loaded only if learned in the paper's mode

        return PaperRule
    if kind == SELECTED:
        from gwc_crawler.extract.selected import SelectedRule  # and parsel only for a person's selectors

        return SelectedRule
    return {"best": BestRule, "records": RecordsRule}[kind]


@dataclass(frozen=True)
class Wrapper:
    """The rules for all fields of a page, in the order of the samples."""

    mode: LearnMode
    rules: Mapping[str, Rule]
    optional: frozenset[str] = frozenset()  # fields that some sample page does not have; their absence is no problem
    warnings: tuple[str, ...] = ()  # points that a person should look at, one sentence each
    report: Mapping[str, Any] = field(default_factory=dict)  # field → evidence (figures and values on further pages)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, in the order of the samples."""
        return tuple(self.rules)

    def extract(self, html: str | bytes, url: str = "") -> dict[str, Extracted]:
        """Read all fields from a page: None if the page lacks a text, [] if it lacks a list."""
        return self.extract_view(PageView.parse(html, url))[0]

    def extract_view(self, page: PageView) -> tuple[dict[str, Extracted], tuple[FieldProblem, ...]]:
        """Read all fields from a page, and say which of them should be there and are not."""
        values = {name: rule.read(page) for name, rule in self.rules.items()}
        missing = [name for name, value in values.items() if is_blank(value) and name not in self.optional]
        return values, tuple(FieldProblem(name, NOT_FOUND, self.rules[name].closest(page)) for name in missing)

    def sources(self, page: PageView) -> dict[str, str]:
        """Say for each field that the page has how it is read there; for JSON with a selector to write by hand."""
        return {name: source for name, rule in self.rules.items() if (source := source_of(rule, page))}

    @property
    def paper_form(self) -> dict[str, str]:
        """The paper's form of the wrapper, `{"label#text": "css path"}`, for the fields that have one."""
        return {label: path for name, rule in self.rules.items() for label, path in rule.paper_form(name).items()}

    def with_html(self, types: Mapping[str, str]) -> Wrapper:
        """Return this wrapper with fields and parts of the type "html" read as HTML, where they are whole elements."""
        rules = dict(self.rules)
        for name, type_name in types.items():
            owner, _, part = name.partition(".")
            change = getattr(rules.get(owner), "part_as_html" if part else "as_html", None)
            if type_of(type_name).is_html and change is not None:
                rules[owner] = change(*[part] * bool(part))
        return replace(self, rules=rules)

    def to_json(self) -> dict[str, Any]:
        """Plain values; `from_json` gives an equal wrapper."""
        fields = {name: rule.to_json() for name, rule in self.rules.items()}
        told = {"optional": sorted(self.optional), "warnings": list(self.warnings), "report": dict(self.report)}
        return {"version": VERSION, "mode": self.mode, "fields": fields, **told}

    @classmethod
    def from_json(cls, data: Any, origin: str = "wrapper") -> Wrapper:
        """Build a wrapper from the JSON form of `to_json`; KnowledgeError names *origin* and key."""
        check_parsed(data, origin, WRAPPER)
        return cls._of(data)

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Wrapper:
        return cls(
            LearnMode(data.get("mode", LearnMode.BEST)),
            {name: rule_class(rule["kind"]).from_json(rule) for name, rule in data["fields"].items()},
            frozenset(data.get("optional", ())),
            tuple(data.get("warnings", ())),
            data.get("report", {}),
        )

    def save(self, path: Path | str) -> None:
        """Write the wrapper as readable JSON."""
        Path(path).write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path | str) -> Wrapper:
        """Read a file that `save` wrote. Raises KnowledgeError: naming file and key, and what is wrong there."""
        try:
            body = Path(path).read_bytes()
        except OSError as error:
            raise unreadable(Path(path), error) from error
        return cls._of(read_checked(body, str(path), WRAPPER))
