"""The common part of `scrapy pause`, `scrapy resume` and `scrapy stop`: finds the crawls, asks, waits, reports."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json

if TYPE_CHECKING:
    from gwc_crawler.operate.fleet.control import Action, AskOutcome, Steered
    from gwc_crawler.runs.lookup import Servers

KEYS = """
    --json prints a list with an object for each crawl: site, run (crawl | pre-crawl | work), wish, asked [worker],
    left [worker, and what keeps it], silent [worker without a sign of life], pause (null or {by, since}), seconds,
    waited, idle (nothing runs), obeyed. Times are seconds since 1970. Keys are added, never renamed.
"""


class SteeringCommand(SiteCommand):
    """A command that asks the same of one crawl, or of all. `action` is the name of a `Action`."""

    arguments = "<site name | path to a site file> | --all"
    action: ClassVar[str]

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="ask every crawl of this project")
        waits = "wait so long at most until it is done (default 30; 0: don't wait)"
        parser.add_argument("--wait", type=float, default=30.0, metavar="SECONDS", help=waits)
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.operate.fleet.control import Action, outcome_line

        if len(args) != (0 if opts.all else 1):
            raise UsageError("name one site, or all of them with --all")
        told = _ask(self, Action[self.action], args, opts)
        shown = [one for one in told if not one.idle] or told[: len(args)]
        self.answer(opts, [one.as_json() for one in shown], "\n".join(map(outcome_line, shown)) or "nothing runs")
        if not shown or not all(one.obeyed for one in shown):
            self.exitcode = 1


def _ask(command: SiteCommand, action: Action, args: list[str], opts: argparse.Namespace) -> list[AskOutcome]:
    from gwc_crawler.operate.fleet.control import Action, steer
    from gwc_crawler.runs.lookup import Servers, controls_of, places, user_name

    ask = partial(steer, action=action, by=user_name(), wait_seconds=opts.wait, keep_pause=not opts.all)
    with ExitStack() as stack:
        servers = Servers(stack)
        told = ask(_fleet(command, servers) if opts.all else [])
        members = {owner for one in told for owner in one.asked}
        found = (controls_of(place, servers, stack, resting=not opts.all) for place in places(command, *args))
        controls = [one for of_a_site in found for one in of_a_site]
        if members and action is not Action.RESUME:  # workers that obey the fleet's channel need no other
            controls = [one for one in controls if not members.issuperset(one.workers())]
        return told + ask(controls)


def _fleet(command: SiteCommand, servers: Servers) -> list[Steered]:
    from gwc_crawler.wiring.options import fleet_name, is_in_redis

    if not is_in_redis(command.settings):
        return []
    from gwc_crawler.operate.fleet.control import RunKind, Steered
    from gwc_crawler.spiders.fleet.worker import fleet_channel  # Redis only if it is used

    return [
        Steered("the fleet", RunKind.WORK, fleet_channel(servers.of(command.settings), fleet_name(command.settings)))
    ]
