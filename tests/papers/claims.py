"""`python -m tests.papers.claims --write` makes docs/papers/claims.md of `claims/*.toml`, a file for each paper.

A `[[claim]]` has: section, claim (a sentence of the paper's), state (holds | deviates | absent), shown_by (the test
that shows it, `FILE::TEST`; of what is absent none), command (how one sees it, if not by the test alone), reason
(needed where it does not hold as it stands).
"""

from __future__ import annotations

import argparse
import ast
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
DIRECTORY = Path(__file__).with_name("claims")
PAGE = ROOT / "docs" / "papers" / "claims.md"
STATES = {"holds": "✔", "deviates": "≠", "absent": "✘"}
PAPERS = {
    "gwc": "GWC",
    "t_spider": "T-Spider",
    "md5_tree": "MD5-tree",
    "bkdr_queue": "BKDR-queue",
    "tagstrip": "TagStrip",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of a paper, and what is so here."""

    paper: str
    section: str
    claim: str
    state: str
    shown_by: str = ""
    command: str = ""
    reason: str = ""

    @property
    def problem(self) -> str:
        """What is wrong with the row; "" for nothing."""
        if self.state not in STATES:
            return f"{self.state!r} is no state: {', '.join(STATES)}"
        if self.state != "holds" and not self.reason:
            return "it has no reason"
        if self.state != "absent" and not has_test(self.shown_by):
            return f"there is no test {self.shown_by!r}"
        return ""


def claims() -> list[Claim]:
    """Return all claims, in the papers' order."""
    return [claim for paper in PAPERS for claim in claims_of(paper)]


def claims_of(paper: str) -> list[Claim]:
    """Return the claims of one paper; none where nobody has written them down."""
    path = DIRECTORY / f"{paper}.toml"
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return [Claim(PAPERS[paper], **row) for row in data.get("claim", ())]


def has_test(name: str) -> bool:
    """Say whether `FILE::TEST` is a test that pytest runs, or one with parameters."""
    file, _, test = name.partition("::")
    return Path(file).name.startswith("test_") and test.partition("[")[0] in tests_in(file)


@cache
def tests_in(file: str) -> frozenset[str]:
    """Return the names of the tests in a file, those in classes as `Class::test`, inherited ones, too."""
    path = ROOT / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    imported = {
        alias.name: node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    return frozenset(_named(tree.body, "", imported))


def _named(body: list[ast.stmt], before: str, imported: dict[str, str]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield f"{before}{node.name}"
        elif isinstance(node, ast.ClassDef):
            yield from _named(node.body, f"{node.name}::", imported)
            for base in (one.id for one in node.bases if isinstance(one, ast.Name)):
                yield from _inherited(node.name, base, imported.get(base, ""))


def _inherited(name: str, base: str, module: str) -> Iterator[str]:
    for test in tests_in(f"{module.replace('.', '/')}.py"):
        if test.startswith(f"{base}::"):
            yield f"{name}{test.removeprefix(base)}"


def page() -> str:
    """Return the page."""
    found = claims()
    return "\n".join([*HEAD, *_sums(found), *(line for paper in PAPERS.values() for line in _table(paper, found)), ""])


HEAD = (
    "# The papers' claims",
    "",
    "Made by `python -m tests.papers.claims --write` of `tests/papers/claims/`; a test looks whether the tests that it",
    "names are there. ✔ holds, ≠ holds otherwise than written, ✘ is not there; the last column says why.",
    "",
)


def _sums(found: list[Claim]) -> Iterator[str]:
    yield "| paper | claims | ✔ | ≠ | ✘ |"
    yield "|---|---|---|---|---|"
    for paper in PAPERS.values():
        states = Counter(one.state for one in found if one.paper == paper)
        if states:
            yield f"| {paper} | {states.total()} | {' | '.join(str(states[state]) for state in STATES)} |"


def _table(paper: str, found: list[Claim]) -> Iterator[str]:
    rows = [one for one in found if one.paper == paper]
    if rows:
        yield from ("", f"## {paper}", "", "| section | claim | | shown by | remark |", "|---|---|---|---|---|")
    for one in rows:
        shown = " ".join(filter(None, (f"`{one.command}`" if one.command else "", _link(one.shown_by))))
        cells = (one.section, _plain(one.claim), STATES[one.state], shown, _plain(one.reason))
        yield f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Return a text as one cell shows it: a bar does not end it, a star marks nothing."""
    return text.replace("|", r"\|").replace("*", r"\*")


def _link(test: str) -> str:
    file, _, name = test.partition("::")
    return f"[{name.removeprefix('test_').replace('_', ' ')}](../../{file})" if test else ""


def main() -> None:
    """Print or write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.papers.claims")
    parser.add_argument("--write", action="store_true", help="write docs/papers/claims.md")
    if parser.parse_args().write:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())


if __name__ == "__main__":
    main()
