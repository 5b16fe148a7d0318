"""`scrapy dashboard`: sites, crawls and records as web pages."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand

HELP = """
    Serves pages that show all sites, their crawls, records, exceptions and what was learned, and that start, pause and
    stop crawls. It prints its address with a token; who has that address can do everything. It reads beside running
    crawls and never holds them up; they go on when it ends (Ctrl-C).

    Without --host only this machine reaches it. With --host 0.0.0.0 others do, too, over plain HTTP: put a server with
    TLS in front, and give its name by --name.

    Exit codes: 0 ended; 2 it can't be served there.

    Examples:
      scrapy dashboard
      scrapy dashboard --port 9000
"""

PORT = 8808
LEAST_TOKEN = 8


class Command(SiteCommand, ScrapyCommand):
    """Show crawls and records as web pages, and steer them."""

    arguments = ""
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=PORT, help=f"default {PORT}; 0: any that is free")
        parser.add_argument("--host", default="127.0.0.1", help="address to serve at; default 127.0.0.1")
        parser.add_argument("--name", action="append", default=[], help="a host name under which browsers ask for it")
        told = "what lets one in, at least 8 characters; default: the setting GWC_DASHBOARD_TOKEN, else a new one"
        parser.add_argument("--token", help=told)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            raise UsageError("dashboard takes no arguments: it shows all sites")
        if not 0 <= opts.port < 65_536:
            raise UsageError("--port takes a number from 0 to 65535")
        token = opts.token or self.settings["GWC_DASHBOARD_TOKEN"] or None
        if token is not None and len(token) < LEAST_TOKEN:
            raise UsageError(f"the token of the dashboard has to have {LEAST_TOKEN} characters or more")
        from gwc_crawler.dashboard.serving import serve  # its server is loaded only here

        serve(self, opts.host, opts.port, token, opts.name)
