"""The words that `scrapy pause`, `scrapy resume` and `scrapy stop` have in common."""

from __future__ import annotations

import argparse
from typing import ClassVar

from gwc_crawler.commands.frame import SiteCommand, add_json

KEYS = """
    --json prints a list with an object for each crawl: site, run (crawl | pre-crawl | work), wish, asked [worker],
    left [worker, and what keeps it], silent [worker without a sign of life], pause (null or {by, since}), seconds,
    waited, idle (nothing runs), obeyed. Times are seconds since 1970. Keys are added, never renamed.
"""


class SteeringCommand(SiteCommand):
    """A command that asks the same of one crawl, or of all. `wish` is the name of a `Wish`."""

    arguments = "<site name | path to a site file> | --all"
    wish: ClassVar[str]

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what these commands have."""
        parser.add_argument("--all", action="store_true", help="ask every crawl of this project")
        waits = "wait so long at most until it is done (default 30; 0: don't wait)"
        parser.add_argument("--wait", type=float, default=30.0, metavar="SECONDS", help=waits)
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Ask, wait, tell."""
        from gwc_crawler.actions import steering
        from gwc_crawler.ops.steering import Wish

        steering.act(self, Wish[self.wish], args, opts)
