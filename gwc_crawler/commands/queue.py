"""`scrapy queue SITE list|add|drop|retry`: look into a crawl's queue and change it, also while the crawl runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.commands.why import explain
from gwc_crawler.errors import InputError
from gwc_crawler.modes import QueueAction

if TYPE_CHECKING:
    from gwc_crawler.items import UrlState
    from gwc_crawler.runs.lookup import SiteFiles


class Command(SiteCommand, ScrapyCommand):
    """List, add, drop or retry the URLs of a crawl, also while it runs."""

    arguments = "<site name | path to a site file> <list | add | drop | retry> [pattern or URL …]"
    help_text = """
    list [PATTERN]      show known URLs, best weight first; --state and --limit choose among them
    add URL …           let URLs wait, as if the site file's `entry` named them; all or none. They must be on the site
                        and pass a filter (`scrapy why` tells); --force adds what no filter takes
    drop PATTERN …      give up waiting URLs: state E, reason "dropped". What is leased already is still fetched
    retry [PATTERN …]   let URLs wait again, their attempts forgotten: those in error, or with --state in other states;
                        complete ones are then fetched as if for the first time

    A PATTERN is a shell pattern for the whole URL: * ? [abc]. A URL the crawl knows stands for itself.
    States: U waiting, R running (leased), C complete, E error. drop and retry say how many URLs match and ask before
    they act; scripts say --yes, and --dry-run only counts. All of it works while the crawl runs: a crawl notices
    changes within seconds.

    --json: list prints a list of objects (url, state, kind, weight, depth, attempts, lost, reason, host, owner,
    lease_until, due_at, added_at, done_at, through); add a list of {url, result: added|known, state, verdict};
    drop and retry {matching: {pattern: count}, changed}.

    Exit codes: 0 done; 1 list found nothing, or the question was answered with no; 2 nothing was done: mistaken
    arguments, no such site, refused URLs, not crawled yet; 5 the database can't be used.

    Examples:
      scrapy queue books list --state E
      scrapy queue books add https://books.example.com/new-releases
      scrapy queue books drop '*/calendar/*' --dry-run
      scrapy queue books retry --yes
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--state", metavar="STATES", help="only URLs in these states, e.g. E or U,E (list, retry)")
        parser.add_argument("--limit", type=int, default=50, metavar="N", help="show at most N URLs (list; default 50)")
        parser.add_argument("--force", action="store_true", help="add URLs that no filter takes (add)")
        parser.add_argument("--yes", action="store_true", help="don't ask (drop, retry)")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done (add, drop, retry)")
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.runs.lookup import site_files_of

        if len(args) < 2 or args[1] not in set(QueueAction):
            raise UsageError(f"name a site and what to do: {', '.join(QueueAction)}")
        name, rest, action = args[0], args[2:], QueueAction(args[1])
        states = states_of(opts.state)
        files = site_files_of(self, name)
        if action is QueueAction.LIST:
            _list(self, files, rest, states, opts)
        elif action is QueueAction.ADD:
            _add(self, files, rest, opts)
        else:
            _change(self, files, action, rest, states, opts)


def _list(
    command: SiteCommand, files: SiteFiles, rest: list[str], states: Sequence[UrlState], opts: argparse.Namespace
) -> None:
    from gwc_crawler.operate.queue import queue_line, whole_pattern
    from gwc_crawler.runs.lookup import look_of

    if len(rest) > 1 or opts.limit < 1:
        raise InputError("list takes one pattern, in quotes, and a --limit of 1 or more")
    with look_of(files) as look:
        pattern = whole_pattern(look, rest[0]) if rest else "*"
        found = look.select(pattern, states, opts.limit + 1)
    shown = found[: opts.limit]
    if opts.json or shown:
        command.answer(opts, [asdict(info) for info in shown], "\n".join(map(queue_line, shown)))
    if not found:
        print("no URL matches", file=sys.stderr)
        command.exitcode = 1
    elif len(found) > opts.limit:
        print(f"the first {opts.limit}; there are more (--limit)", file=sys.stderr)


def _add(command: SiteCommand, files: SiteFiles, rest: list[str], opts: argparse.Namespace) -> None:
    from gwc_crawler.items import UrlState
    from gwc_crawler.operate.queue import added_line
    from gwc_crawler.runs.lookup import add_urls

    if not rest:
        raise InputError("name the URLs to add")
    rows = add_urls(files, rest, force=opts.force, dry_run=opts.dry_run)
    for row in rows:
        if row["state"] == UrlState.ERROR and (line := explain(files, row["url"]).robots) is not None:
            row["robots"] = asdict(line)
    command.answer(opts, rows, "\n".join(added_line(row, dry_run=opts.dry_run) for row in rows))


def _change(
    command: SiteCommand,
    files: SiteFiles,
    action: QueueAction,
    rest: list[str],
    states: Sequence[UrlState],
    opts: argparse.Namespace,
) -> None:
    from gwc_crawler.operate.queue import change_text, queue_change, whole_pattern
    from gwc_crawler.runs.lookup import frontier_of

    if action is QueueAction.DROP and (not rest or states):
        raise InputError("drop takes patterns (in quotes) of waiting URLs, and no --state; '*' drops all that wait")
    with frontier_of(files) as frontier:
        change = queue_change(frontier, action, states)
        matching = {pattern: change(whole_pattern(frontier, pattern), True) for pattern in rest or ["*"]}
        agreed = not opts.dry_run and any(matching.values()) and _agreed(command, action, matching, opts)
        changed = sum(change(whole_pattern(frontier, pattern), False) for pattern in matching) if agreed else 0
    if opts.json or agreed or opts.dry_run or not any(matching.values()):
        told = change_text(action, matching, changed if agreed else None)
        command.answer(opts, {"matching": matching, "changed": changed}, told)


def _agreed(command: SiteCommand, action: QueueAction, matching: dict[str, int], opts: argparse.Namespace) -> bool:
    if opts.yes:
        return True
    from gwc_crawler.operate.queue import change_text

    question = change_text(action, matching, None)
    if not sys.stdin.isatty():
        raise InputError(f"{question}; add --yes to do it")
    print(f"{question}. Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    agreed = sys.stdin.readline().strip().lower() in ("y", "yes")
    if not agreed:
        print("nothing was changed", file=sys.stderr)
        command.exitcode = 1
    return agreed


def states_of(text: str | None) -> list[UrlState]:
    """Read --state: letters or names of states, with commas between them.

    >>> states_of("e,u"), states_of(None)
    ([<UrlState.ERROR: 'E'>, <UrlState.WAITING: 'U'>], [])
    """
    from gwc_crawler.items import UrlState

    states = []
    for part in (text or "").replace(",", " ").split():
        found = [state for state in UrlState if part.upper() in (state.value, state.name)]
        if not found:
            known = ", ".join(f"{state.value} ({state.name.lower()})" for state in UrlState)
            raise UsageError(f"--state {text}: there are {known}")
        states += found
    return states
