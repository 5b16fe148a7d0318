"""`scrapy queue SITE list|add|drop|retry`: look into a crawl's queue and change it, also while the crawl runs."""

from __future__ import annotations

import argparse

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.frame import SiteCommand, add_json

HELP = """
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


class Command(SiteCommand, ScrapyCommand):
    """Look into a queue and change it."""

    arguments = "<site name | path to a site file> <list | add | drop | retry> [pattern or URL …]"
    summary = "List, add, drop or retry the URLs of a crawl, also while it runs"
    help_text = HELP

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        """Add what this command alone has."""
        parser.add_argument("--state", metavar="STATES", help="only URLs in these states, e.g. E or U,E (list, retry)")
        parser.add_argument("--limit", type=int, default=50, metavar="N", help="show at most N URLs (list; default 50)")
        parser.add_argument("--force", action="store_true", help="add URLs that no filter takes (add)")
        parser.add_argument("--yes", action="store_true", help="don't ask (drop, retry)")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done (add, drop, retry)")
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do one of the four."""
        from gwc_crawler.actions import queue

        queue.act(self, args, opts)
