"""`scrapy pause`, `scrapy resume`, `scrapy stop`: which crawls are meant; asks them, waits, tells."""

from __future__ import annotations

import argparse
import getpass
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.actions.reach import Place, Servers, places
from gwc_crawler.actions.sites import print_json
from gwc_crawler.database import Database, crawl_holder
from gwc_crawler.frontier.board import SqliteBoard
from gwc_crawler.ops.steering import Helm, Wish, outcome_line, steer
from gwc_crawler.spiders.site_files import CRAWL_DB, SAMPLES_DB

RUNS = {"crawl": CRAWL_DB, "pre-crawl": SAMPLES_DB}


def act(command: ScrapyCommand, wish: Wish, args: list[str], opts: argparse.Namespace) -> None:
    """Ask, wait, tell."""
    if len(args) != (0 if opts.all else 1):
        raise UsageError("name one site, or all of them with --all")
    by = f"{user_name()}@{socket.gethostname()}"
    ask = partial(steer, wish=wish, by=by, wait_seconds=opts.wait, keep_pause=not opts.all)
    with ExitStack() as stack:
        servers = Servers(stack)
        told = ask(_fleet(command, servers) if opts.all else [])
        fleet = {owner for one in told for owner in one.asked}
        found = (helms_of(place, servers, stack, resting=not opts.all) for place in places(command, *args))
        helms = [helm for of_a_site in found for helm in of_a_site]
        if fleet and wish is not Wish.RESUME:  # who obeys the fleet's board needs no other
            helms = [helm for helm in helms if not fleet.issuperset(helm.workers())]
        told += ask(helms)
    shown = [one for one in told if not one.idle] or told[: len(args)]
    if opts.json:
        print_json([one.as_json() for one in shown])
    else:
        print("\n".join(map(outcome_line, shown)) or "nothing runs")
    if not shown or not all(one.obeyed for one in shown):
        command.exitcode = 1


def _fleet(command: ScrapyCommand, servers: Servers) -> list[Helm]:
    """The fleet of the project, if it can have one."""
    assert command.settings is not None
    if command.settings["GWC_FRONTIER"] != "redis":
        return []
    from gwc_crawler.spiders.fleet_steering import fleet_board  # Redis only where it is asked for

    return [Helm("the fleet", "work", fleet_board(servers.of(command.settings), command.settings["GWC_FLEET"]))]


def user_name() -> str:
    """Return who asks; in a container the number of a user may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def helms_of(place: Place, servers: Servers, stack: ExitStack, *, resting: bool) -> Iterator[Helm]:
    """What there is to steer of one site; with *resting* also the file of a crawl that nobody is at."""
    if place.shared:
        from gwc_crawler.spiders.redis_parts import open_board  # Redis only where it is asked for

        yield Helm(place.name, "crawl", open_board(place.name, place.settings, servers.of(place.settings)))
    for run, file in RUNS.items():
        path = place.directory / file
        here = not (place.shared and run == "crawl") and path.exists()
        if here and (crawl_holder(path) or (resting and run == "crawl")):
            database = stack.enter_context(Database(path))
            yield Helm(place.name, run, SqliteBoard(database), partial(crawl_holder, path))
