"""Sample pairs as people pick them, six for each group of pages: `pairs.json` of the corpora.

Three are random, two stand one after the other on a list page, one has the two fullest pages. The worst counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.eval.corpora import further_root, page_file, read_rows
from tests.eval.more_sites import ORIGIN, more_tasks
from tests.eval.targets import FURTHER_SITES, KINDS, SITES, given_pairs
from tests.eval.tasks import EvalPage, Task, page_characters, site_tasks, stands_in

_NO_FIELDS = {"url", "group", "swde_id", "template"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sample pages of a group ("site/group"), of a kind ("random 0"): the paths that the truth has."""

    group: str
    kind: str
    urls: tuple[str, str]

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"{self.group} {self.kind}"


def load_pairs(wanted: Sequence[str] = (), kinds: Iterable[str] = KINDS) -> list[Pair]:
    """Return the pairs of the groups whose names begin with one of *wanted* (all for none), of some *kinds*."""
    groups = [(site, group) for site in (*SITES, *FURTHER_SITES) for group in _groups(site)]
    return [
        Pair(f"{site}/{group}", name, (first, second))
        for site, group in groups
        if not wanted or f"{site}/{group}".startswith(tuple(wanted))
        for name, (first, second) in given_pairs(site, group).items()
        if name.startswith(tuple(kinds))
    ]


def _groups(site: str) -> list[str]:
    further_root(site)
    return list(dict.fromkeys(row["group"] for row in read_rows(f"{site}/truth.jsonl")))


@cache
def task_of(group: str) -> Task:
    """Return a group's pages and what should come out of each: the evaluation's own task, else all of its truth."""
    own = (task for task in (*site_tasks(), *more_tasks()) if task.name == group)
    return next(own, None) or _whole_truth(group)


def _whole_truth(group: str) -> Task:
    corpus, _, name = group.partition("/")
    truth, origin = f"{corpus}/truth.jsonl", ORIGIN.format(corpus=corpus)
    rows = [_flat(row) for row in read_rows(truth) if row["group"] == name]
    shown = [{field: _shown(value) for field, value in row.items() if field not in _NO_FIELDS} for row in rows]
    fields = sorted({field for row in shown for field, value in row.items() if value})
    pages = [
        EvalPage(origin + row["url"], page_file(corpus, row["url"]), {field: values.get(field, "") for field in fields})
        for row, values in zip(rows, shown, strict=True)
    ]
    return Task(group, group, truth, tuple(pages), sparse=True)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row; where it has its values also without their parts, these alone."""
    return {"url": row["url"], "name": row["name"], **row["flat"]} if "flat" in row else row


def _shown(value: Any) -> Any:
    """Return a value of one of the shapes that fields have; numbers, flags and mappings are the truth's own notes."""
    if isinstance(value, list):
        rows = [_parts(one) if isinstance(one, dict) else one for one in value]
        return [row for row in rows if row and isinstance(row, str | dict)]
    return value if isinstance(value, str) else None if value is None else ""


def _parts(row: dict[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in row.items() if part is None or isinstance(part, str)}


def pages_of(pair: Pair) -> tuple[EvalPage, EvalPage] | None:
    """Return a pair's pages; None where one of them is no page of the task."""
    by_url = {page.url.partition("//")[2].partition("/")[2]: page for page in task_of(pair.group).pages}
    first, second = (by_url.get(url.lstrip("/")) for url in pair.urls)
    return (first, second) if first and second else None


def typed(page: EvalPage) -> dict[str, Any]:
    """Return the fields whose values stand on the page as they are: what a person can copy from it."""
    characters = page_characters(page)
    return {name: value for name, value in page.sample_fields().items() if stands_in(value, characters)}
