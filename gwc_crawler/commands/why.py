"""`scrapy why SITE URL`: shows the crawl's facts about a URL, and the rule that admits or refuses it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from gwc_crawler.commands.frame import SiteCommand, add_json

if TYPE_CHECKING:
    from gwc_crawler.items import RobotsText
    from gwc_crawler.network.politeness.robots import RobotsBook
    from gwc_crawler.operate.why import Explanation
    from gwc_crawler.runs.lookup import SiteFiles

HELP = """
    Tells the URL's normal form; its state, kind and weight and the pages that led there; attempts, lease, next try;
    which filter takes it, or which nearly does and where they part; what was extracted, what is missing;
    which line of robots.txt forbids it. Only reads: no request is made, so robots.txt is told as it was read last.
    Of a crawl that is shared through Redis, the state is the one that all workers know, page and record are this
    machine's.

    --json keys: asked, url, dropped_query_keys, known, admitted, rule {admitted, reason, verdict, regex, start, nearest
    {verdict, regex, agrees, differs, expected}}, frontier (null or: state, kind, weight, depth, attempts, lost,
    reason, host, owner, lease_until, due_at, added_at, done_at, through), precrawl_state, host_paused_until,
    linked_from, page, record, read_by {field: rule}, exceptions, cut (null or which limit keeps it out), revisit (null
    or: signature, kind, relevant, interval_seconds, checked_at, changed_at, due_at, etag, last_modified, checks,
    changes, gone_at), robots (null or the line that forbids it: robots_url, number, text, read_at), shared, kept_at
    (where page and record are, "" for here),
    sitemap (null or which lists it), charset_evidence (null or what chose it),
    host_silent (null or since when its host answers no more), addresses (of its host, as they were looked up last).
    Keys are added, never renamed.

    Exit codes: 0 the crawl has it (waiting, running, complete or error); 10 it has not, and would take it from a
    followed page; 11 it has not, and refuses it; 2 no such site, no http(s) address, or nothing is learned yet;
    5 a database or Redis can't be read.

    Example:
      scrapy why books https://books.example.com/product/9780785143727
"""


class Command(SiteCommand, ScrapyCommand):
    """Tell why a URL is in the crawl, or why not."""

    arguments = "<site name | path to a site file> <URL>"
    help_text = HELP
    label_width = 11

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from gwc_crawler.operate.why import exit_code_of, explanation_lines
        from gwc_crawler.runs.lookup import site_files_of
        from gwc_crawler.runs.records import kept_elsewhere

        if len(args) != 2:
            raise UsageError("name a site and a URL")
        files = site_files_of(self, args[0])
        told = explain(files, args[1])
        kept_at = kept_elsewhere(files.settings, files.directory)
        told = replace(told, addresses=addresses(files, told.url), kept_at=kept_at)
        self.answer(opts, told.as_json(), explanation_lines(told, files.max_weight(files.knowledge())))
        self.exitcode = exit_code_of(told)


def addresses(files: SiteFiles, url: str) -> tuple[str, ...]:
    """Return the known addresses of a URL's host; no name server is asked."""
    from gwc_crawler.operate.view import addresses_of_url
    from gwc_crawler.store.sqlite.side_file import NAMES_DB, NameFile
    from gwc_crawler.wiring.options import data_directory, guard_of, overrides_of

    kept = NameFile(data_directory(files.settings) / NAMES_DB).recall(urlsplit(url).hostname or "")
    overrides, guard = overrides_of(files.settings), guard_of(files.settings, files.site)
    return addresses_of_url(url, overrides, kept, guard)


def explain(files: SiteFiles, url: str) -> Explanation:
    """Look into the databases of a site that exist, and into Redis if the crawl is shared."""
    from gwc_crawler.crawl.limits import admission_of, read_options, robots_of
    from gwc_crawler.frontier.rejections import LimitsState, read_limits
    from gwc_crawler.operate.why import explain_url
    from gwc_crawler.runs.lookup import Servers, opened, shared_look
    from gwc_crawler.runs.records import has_server_alone, open_reader
    from gwc_crawler.store.sqlite.state import RobotsTable

    with ExitStack() as stack:
        crawl_db, samples_db = (stack.enter_context(opened(path)) for path in (files.crawl_db, files.samples_db))
        books: list[RobotsBook] = [RobotsTable(one) for one in (crawl_db, samples_db) if one is not None]
        shared, site, knowledge = None, files.site, files.knowledge()
        state = read_limits(crawl_db) if crawl_db is not None else LimitsState()
        servers = Servers(stack)
        if (fleet := servers.fleet(files.settings)) is not None:
            shared = shared_look(files, servers)
            books.insert(0, shared.rules)
            state, entry = shared.limits(), fleet.site(site.name)
            site = site if entry is None else entry.of_share(site)
        return explain_url(
            url,
            site,
            knowledge,
            crawl_db,
            samples_db,
            now=time.time(),
            reading=read_options(files.settings, site),
            admission=admission_of(files.settings, site, knowledge, state),
            shared=shared,
            robots=robots_of(files.settings, _Latest(books)),
            stored=stack.enter_context(open_reader(files)) if has_server_alone(files.settings) else None,
        )


class _Latest:
    """The latest text on a host in several books."""

    def __init__(self, books: Sequence[RobotsBook]) -> None:
        self._books = books

    def read(self, origin: str) -> RobotsText | None:
        """Return the text that was read last."""
        found = [robots for book in self._books if (robots := book.read(origin)) is not None]
        return max(found, key=lambda robots: robots.read_at, default=None)

    def write(self, origin: str, robots: RobotsText) -> None:
        """Write nothing."""
