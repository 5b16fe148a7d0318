"""The output of `scrapy queue`: URLs, questions before its changes, and reports on them."""

from __future__ import annotations

import glob
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from gwc_crawler.errors import InputError, advice
from gwc_crawler.frontier.protocol import Frontier, UrlInfo
from gwc_crawler.items import Link, UrlState
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.modes import QueueAction
from gwc_crawler.operate.status import when
from gwc_crawler.operate.why import UrlRuling, rule_of
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import Site
from gwc_crawler.urls import normalize_url, same_site


class QueueView(Protocol):
    """The questions that can be put to a frontier without changing it."""

    def find(self, url: str) -> UrlInfo | None:
        """Return all about *url*, or None if it was never seen."""

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        """URLs that match a shell pattern (`*`, `?`, `[…]`; case counts) in one of *states* (none named: any)."""


def whole_pattern(queue: QueueView, text: str) -> str:
    """Return *text* as a pattern; a URL that the crawl knows stands for itself, whatever its characters."""
    url = normalize_url(text)
    return glob.escape(url) if url is not None and queue.find(url) is not None else text


def queue_line(info: UrlInfo) -> str:
    """Format a URL of the queue as one line: state, weight, URL, and notes."""
    notes = [info.kind.value] if info.kind else []
    if info.reason and info.state is not UrlState.COMPLETE:
        notes.append(info.reason)
    if info.state is UrlState.RUNNING:
        notes.append(f"leased by {info.owner}")
    if info.state is UrlState.WAITING and info.due_at is not None:
        notes.append(f"not before {when(info.due_at)}")
    line = f"{info.state.value if info.state else '-'}  {info.weight:>2}  {info.url}"
    return f"{line}  {'; '.join(notes)}" if notes else line


def rules_of(asked: Iterable[str], site: Site, knowledge: Knowledge, *, force: bool) -> dict[str, UrlRuling]:
    """Return URL → the rule by which it may be added; *force*: also what filters refuse. Raises InputError."""
    reader = PageReader(knowledge, site.sites)
    rules, problems = {}, []
    for text in asked:
        url = reader.clean_url(normalize_url(text) or "")
        rule = rules[url or text] = rule_of(url, site, knowledge, reader)
        if not url:
            problems.append(f"{text}: no http or https address")
        elif not rule.admitted and not (force and same_site(url, site.sites)):
            near = f"; nearest: {rule.nearest.regex}" if rule.nearest else ""
            helps = "" if rule.verdict == "off" else "; --force adds it all the same"
            problems.append(f"{url}: {rule.reason}{near}{helps}")
    if problems:
        raise InputError("\n".join(problems))
    return rules


def add_start(frontier: Frontier, url: str, rule: UrlRuling, *, dry_run: bool) -> dict[str, Any]:
    """Add one URL as a start; one that the crawl has already stays in its state."""
    known = frontier.find(url)
    if known is not None and known.state is not None:
        return {"url": url, "result": "known", "state": known.state.value, "verdict": rule.verdict}
    if not dry_run:
        frontier.add([Link(url)])
    return {"url": url, "result": "added", "state": UrlState.WAITING.value, "verdict": rule.verdict}


def added_line(row: Mapping[str, Any], *, dry_run: bool) -> str:
    """Return a line with the result of adding a URL."""
    if row.get("robots"):
        line = row["robots"]
        where = f"line {line['number']}: {line['text']} ({line['robots_url']}, read {when(line['read_at'])})"
        return f"not added, forbidden by robots.txt, {where}: {row['url']}"
    if row["result"] == "known":
        again = "" if row["state"] in "UR" else advice("; `scrapy queue SITE retry URL --state C,E` lets it wait again")
        return f"known already, state {row['state']}: {row['url']}{again}"
    return f"{'would be added' if dry_run else 'added'} ({row['verdict']}): {row['url']}"


def queue_change(frontier: Frontier, action: QueueAction, states: Sequence[UrlState]) -> Callable[[str, bool], int]:
    """Return the change as a function of (pattern, count only) → how many URLs."""
    if action is QueueAction.DROP:
        return lambda pattern, count_only: frontier.drop(pattern, count_only=count_only)
    chosen = states or (UrlState.ERROR,)
    return lambda pattern, count_only: frontier.retry(pattern, chosen, count_only=count_only)


def change_text(action: QueueAction, matching: Mapping[str, int], changed: int | None) -> str:
    """Return the result of a drop or retry as text; *changed* None: the result it would have."""
    what = {QueueAction.DROP: "dropped", QueueAction.RETRY: "retried"}[action]
    if not any(matching.values()):
        return "no URL matches; a pattern is for the whole URL, e.g. '*/calendar/*'; nothing was changed"
    if changed is not None:
        return f"{changed} URL{'s' if changed != 1 else ''} {what}"
    parts = [f"{count} by {pattern}" for pattern, count in matching.items()]
    return f"{sum(matching.values())} URLs would be {what} ({', '.join(parts)})"
