"""`scrapy queue SITE list|add|drop|retry`: look into a crawl's queue and change it, also while the crawl runs."""

from __future__ import annotations

import argparse
import glob
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import Any, Protocol

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.actions.reach import Servers
from gwc_crawler.actions.sites import SiteFiles, print_json, site_files_of
from gwc_crawler.database import Database
from gwc_crawler.errors import InputError
from gwc_crawler.frontier import Frontier, SqliteFrontier, UrlInfo
from gwc_crawler.items import Link, UrlState
from gwc_crawler.ops.status import when
from gwc_crawler.ops.why import Rule, rule_of
from gwc_crawler.page import PageReader
from gwc_crawler.urls import normalize_url, same_site

ACTIONS = ("list", "add", "drop", "retry")


def act(command: ScrapyCommand, args: list[str], opts: argparse.Namespace) -> None:
    """Do one of the four."""
    if len(args) < 2 or args[1] not in ACTIONS:
        raise UsageError(f"name a site and what to do: {', '.join(ACTIONS)}")
    name, action, *rest = args
    states = states_of(opts.state)
    files = site_files_of(command, name)
    if action == "list":
        _list(command, files, rest, states, opts)
    elif action == "add":
        _add(files, rest, opts)
    else:
        _change(command, files, action, rest, states, opts)


def _list(
    command: ScrapyCommand, files: SiteFiles, rest: list[str], states: Sequence[UrlState], opts: argparse.Namespace
) -> None:
    if len(rest) > 1 or opts.limit < 1:
        raise InputError("list takes one pattern, in quotes, and a --limit of 1 or more")
    with look_of(files) as look:
        pattern = whole_pattern(look, rest[0]) if rest else "*"
        found = look.select(pattern, states, opts.limit + 1)
    if opts.json:
        print_json([asdict(info) for info in found[: opts.limit]])
    for info in found[: opts.limit] if not opts.json else ():
        print(list_line(info))
    if not found:
        print("no URL matches", file=sys.stderr)
        command.exitcode = 1
    elif len(found) > opts.limit:
        print(f"the first {opts.limit}; there are more (--limit)", file=sys.stderr)


def _add(files: SiteFiles, rest: list[str], opts: argparse.Namespace) -> None:
    if not rest:
        raise InputError("name the URLs to add")
    knowledge = files.knowledge()
    reader = PageReader(knowledge, files.site.sites)
    wanted = {}
    for asked in rest:
        url = reader.clean_url(normalize_url(asked) or "")
        wanted[url or asked] = rule_of(url, files.site, knowledge, reader)
    refuse(wanted, files, force=opts.force)
    with frontier_of(files, max_weight=files.max_weight(knowledge), make=True) as frontier:
        rows = [add_one(frontier, url, rule, dry_run=opts.dry_run) for url, rule in wanted.items()]
    if opts.json:
        print_json(rows)
        return
    for row in rows:
        print(add_line(row, dry_run=opts.dry_run))


def _change(
    command: ScrapyCommand,
    files: SiteFiles,
    action: str,
    rest: list[str],
    states: Sequence[UrlState],
    opts: argparse.Namespace,
) -> None:
    if action == "drop" and (not rest or states):
        raise InputError("drop takes patterns (in quotes) of waiting URLs, and no --state; '*' drops all that wait")
    with frontier_of(files) as frontier:
        change = changer(frontier, action, states)
        matching = {pattern: change(whole_pattern(frontier, pattern), True) for pattern in rest or ["*"]}
        agreed = not opts.dry_run and any(matching.values()) and _agreed(command, action, matching, opts)
        changed = sum(change(whole_pattern(frontier, pattern), False) for pattern in matching) if agreed else 0
    if opts.json:
        print_json({"matching": matching, "changed": changed})
    elif agreed or opts.dry_run or not any(matching.values()):
        print(change_text(action, matching, changed if agreed else None))


def _agreed(command: ScrapyCommand, action: str, matching: dict[str, int], opts: argparse.Namespace) -> bool:
    """Ask a person; a script has to have said --yes."""
    if opts.yes:
        return True
    question = change_text(action, matching, None)
    if not sys.stdin.isatty():
        raise InputError(f"{question}; add --yes to do it")
    print(f"{question}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        print("nothing was changed", file=sys.stderr)
        command.exitcode = 1
    return agreed


@contextmanager
def frontier_of(files: SiteFiles, *, max_weight: int | None = None, make: bool = False) -> Iterator[Frontier]:
    """Open the frontier of a site beside a crawl that may be running; only with *make* it need not exist yet."""
    if files.settings["GWC_FRONTIER"] == "redis":
        with shared_queue(files) as shared:
            yield shared
        return
    with Database(files.crawl_db if make else files.require_crawl()) as database:
        yield SqliteFrontier(
            database,
            max_weight=max_weight,
            lease_seconds=files.settings.getfloat("GWC_LEASE_SECONDS"),
            exclusive=False,
        )


class Look(Protocol):
    """What can be asked of a frontier without touching it."""

    def find(self, url: str) -> UrlInfo | None:
        """See `Frontier.find`."""

    def select(self, pattern: str = "*", states: Collection[UrlState] = (), limit: int = 100) -> list[UrlInfo]:
        """See `Frontier.select`."""


@contextmanager
def look_of(files: SiteFiles) -> Iterator[Look]:
    """Look into the frontier of a site; nothing is changed, also where the knowledge here is another one."""
    if files.settings["GWC_FRONTIER"] == "redis":
        from gwc_crawler.spiders.redis_parts import open_look  # Redis only where it is asked for

        with ExitStack() as stack:
            yield open_look(files.site.name, files.settings, Servers(stack).of(files.settings))
        return
    with Database(files.require_crawl(), read_only=True) as database:
        yield SqliteFrontier(database, exclusive=False)


@contextmanager
def shared_queue(files: SiteFiles) -> Iterator[Frontier]:
    """Open the queue that the workers of a site share."""
    from gwc_crawler.spiders.redis_parts import connect, shared_frontier  # Redis only where it is asked for

    server = connect(files.settings)
    try:
        yield shared_frontier(files.site.name, files.settings, server, files.max_weight(files.knowledge()))
    finally:
        server.close()


def states_of(text: str | None) -> list[UrlState]:
    """Read --state: letters or names of states, with commas between them.

    >>> states_of("e,u"), states_of(None)
    ([<UrlState.ERROR: 'E'>, <UrlState.WAITING: 'U'>], [])
    """
    states = []
    for part in (text or "").replace(",", " ").split():
        found = [state for state in UrlState if part.upper() in (state.value, state.name)]
        if not found:
            known = ", ".join(f"{state.value} ({state.name.lower()})" for state in UrlState)
            raise UsageError(f"--state {text}: there are {known}")
        states += found
    return states


def whole_pattern(frontier: Look, text: str) -> str:
    """Return *text* as a pattern; a URL that the crawl knows stands for itself, whatever its characters."""
    url = normalize_url(text)
    return glob.escape(url) if url is not None and frontier.find(url) is not None else text


def list_line(info: UrlInfo) -> str:
    """Write a URL of the queue in one line: state, weight, URL, and what is to be said of it."""
    notes = [info.kind.value] if info.kind else []
    if info.reason and info.state is not UrlState.COMPLETE:
        notes.append(info.reason)
    if info.state is UrlState.RUNNING:
        notes.append(f"leased by {info.owner}")
    if info.state is UrlState.WAITING and info.due_at is not None:
        notes.append(f"not before {when(info.due_at)}")
    line = f"{info.state.value if info.state else '-'}  {info.weight:>2}  {info.url}"
    return f"{line}  {'; '.join(notes)}" if notes else line


def refuse(wanted: dict[str, Rule], files: SiteFiles, *, force: bool) -> None:
    """Raise InputError with a line for each URL that can't be added; *force* lets pass what only the filters refuse."""
    problems = []
    for url, rule in wanted.items():
        if not url.startswith(("http://", "https://")):
            problems.append(f"{url}: no http or https address")
        elif not rule.admitted and not (force and same_site(url, files.site.sites)):
            near = f"; nearest: {rule.nearest.regex}" if rule.nearest else ""
            helps = "" if rule.verdict == "off" else "; --force adds it all the same"
            problems.append(f"{url}: {rule.reason}{near}{helps}")
    if problems:
        raise InputError("\n".join(problems))


def add_one(frontier: Frontier, url: str, rule: Rule, *, dry_run: bool) -> dict[str, Any]:
    """Add one URL as a start; one that the crawl has already stays in its state."""
    known = frontier.find(url)
    if known is not None and known.state is not None:
        return {"url": url, "result": "known", "state": known.state.value, "verdict": rule.verdict}
    if not dry_run:
        frontier.add([Link(url)])
    return {"url": url, "result": "added", "state": UrlState.WAITING.value, "verdict": rule.verdict}


def add_line(row: dict[str, Any], *, dry_run: bool) -> str:
    """Say what became of an added URL."""
    if row["result"] == "known":
        again = "" if row["state"] in "UR" else "; `scrapy queue SITE retry URL --state C,E` lets it wait again"
        return f"known already, state {row['state']}: {row['url']}{again}"
    return f"{'would be added' if dry_run else 'added'} ({row['verdict']}): {row['url']}"


def changer(frontier: Frontier, action: str, states: Sequence[UrlState]) -> Callable[[str, bool], int]:
    """Return the change as a function of (pattern, count only) → how many URLs."""
    if action == "drop":
        return lambda pattern, count_only: frontier.drop(pattern, count_only=count_only)
    chosen = states or (UrlState.ERROR,)
    return lambda pattern, count_only: frontier.retry(pattern, chosen, count_only=count_only)


def change_text(action: str, matching: dict[str, int], changed: int | None) -> str:
    """Say what a drop or retry would do (*changed* None) or has done."""
    what = {"drop": "dropped", "retry": "retried"}[action]
    if not any(matching.values()):
        return "no URL matches; a pattern is for the whole URL, e.g. '*/calendar/*'; nothing was changed"
    if changed is not None:
        return f"{changed} URL{'s' if changed != 1 else ''} {what}"
    parts = [f"{count} by {pattern}" for pattern, count in matching.items()]
    return f"{sum(matching.values())} URLs would be {what} ({', '.join(parts)})"
