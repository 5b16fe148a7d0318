"""A table of cases: what happens, what a user expects of it, what the crawler did.

In come a subject's cases and what each came to; out goes a Markdown page, the same for the same cases, so that a test
can tell whether the page in the docs is the one of today.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

HERE = Path(__file__).parent
PAGES = HERE.parents[1] / "docs" / "conformance"


@dataclass(frozen=True, slots=True)
class Case:
    """One situation.

    `name` says what happens, in words, and is the test's id; `expected` what the crawler makes of it, as
    `Subject.outcome` says it. `decision` is for a case in which that is not what everybody would expect: the reason.
    `by` is how the case is set up, whatever its subject needs.
    """

    name: str
    expected: str
    by: Any = None
    decision: str = ""


class Subject(Protocol):
    """A module with cases of one kind."""

    TITLE: str
    ABOUT: str
    """A few sentences of Markdown that stand above the table: what plays the server, what is looked at."""
    CASES: Sequence[Case]

    def serving(self) -> AbstractContextManager[Any]:
        """Start what all cases share (servers, projects); what it gives goes to `outcome`."""

    def outcome(self, case: Case, env: Any) -> str:
        """Bring the situation about and say in few words what came of it."""


def subjects() -> dict[str, Subject]:
    """Return all subjects by name: the modules here that have CASES."""
    found = {}
    for path in sorted(HERE.glob("*.py")):
        if path.stem not in ("__init__", "__main__", "table") and not path.stem.startswith("test_"):
            module = import_module(f"tests.conformance.{path.stem}")
            if hasattr(module, "CASES"):
                found[path.stem] = cast("Subject", module)
    return found


def results(subject: Subject) -> Iterator[tuple[Case, str]]:
    """Run all cases of a subject."""
    with subject.serving() as env:
        for case in subject.CASES:
            yield case, subject.outcome(case, env)


def page(name: str, subject: Subject, got: Mapping[str, str] | None = None) -> str:
    """Return the subject's page; where *got* lacks a case, what its test demands stands there."""
    got = got or {}
    lines = [
        f"# {subject.TITLE}",
        "",
        subject.ABOUT.strip(),
        "",
        f"{len(subject.CASES)} cases; made by `python -m tests.conformance {name} --write`, checked by `make test`.",
        "",
        "| case | expected | got |",
        "|---|---|---|",
    ]
    lines += [f"| {cell(case.name)} | {cell(case.expected)} | {cell(got.get(case.name, case.expected))} |"
              for case in subject.CASES]  # fmt: skip
    decided = [case for case in subject.CASES if case.decision]
    if decided:
        lines += ["", "## Decisions", ""]
        lines += [f"- **{case.name}**: {case.expected}. {case.decision}" for case in decided]
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    """Return a text as it stands in a table of Markdown."""
    return text.replace("|", "\\|").replace("\n", " ")
