"""What a crawl left of a page, in words: for subjects whose cases are pages of one crawl."""

from __future__ import annotations

from dataclasses import dataclass

from tests.conformance.answer_parts import AGAIN, ERROR, NO_PAGE, PAGE_COMES, REDIRECT
from tests.conftest import Project

QUERY = """
    SELECT u.url, u.state, u.attempts, u.reason, p.kind, p.title, p.body, e.reason
    FROM urls AS u LEFT JOIN pages AS p ON p.url = u.url LEFT JOIN exceptions AS e ON e.url = u.url AND e.field = ''
"""


@dataclass(frozen=True)
class Row:
    """What the database has of a URL."""

    state: str
    attempts: int
    reason: str | None
    kind: str | None
    title: str | None
    body: str | None
    exception: str | None


def rows_of(project: Project) -> dict[str, Row]:
    """Return what a crawl's database has: URL → row."""
    return {url: Row(*rest) for url, *rest in project.rows(QUERY)}


def words(row: Row) -> str:
    """Say what became of a page that should say \"begin\", \"café\" and \"end\"."""
    if row.state == "E":
        return AGAIN if row.attempts > 1 else ERROR
    if row.kind == "redirect":
        return REDIRECT
    if row.kind == "binary":
        return NO_PAGE if row.exception else "nothing, and nobody knows why"
    if row.state != "C" or row.kind is None:
        return f"state {row.state}, {row.reason}"
    text = row.body or ""
    whole = text.startswith("begin") and "café" in text and text.endswith("end")
    got = PAGE_COMES if whole else "page without its end" if text.startswith("begin") else f"page of {text[:40]!r}"
    return f"{got}, an exception says so" if row.exception else got
