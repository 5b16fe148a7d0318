"""`scrapy parse URL`: fetch one page and show what a crawl of its site would make of it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.commands.parse import Command as ScrapyParse
from scrapy.exceptions import IgnoreRequest, UsageError
from scrapy.http import Response
from scrapy.utils.datatypes import SequenceExclude
from twisted.python.failure import Failure
from w3lib.url import is_url

from gwc_crawler.commands.frame import SiteCommand, add_json
from gwc_crawler.errors import InputError, SiteError

if TYPE_CHECKING:
    from gwc_crawler.operate.reextraction import ParseReport, RequestOutcome
    from gwc_crawler.runs.lookup import SiteFiles


OF_PYTHON_SPIDERS = {"callback": "-c", "rules": "-r", "cbkwargs": "--cbkwargs"}
"""Options that make no sense where no spider has callbacks."""


class Command(SiteCommand, ScrapyParse):
    """Show what a crawl would make of a URL: verdict, record, links."""

    requires_crawler_process = True
    arguments = "<url>"
    help_text = """
    Fetches one page with the settings of its site and shows the verdict and why (which filter takes its URL, what the
    page check says), the record with typed and raw values and what is missing, and each link with what filters and
    limits say of it. Nothing is crawled, leased or stored: it may run beside a crawl of the site. What it needs is
    knowledge (`scrapy learn`). --nolinks and --noitems leave parts out, -o FILE writes the record (with -o - to stdout,
    and all else to stderr), --pipelines sends it through the item pipelines.

    Of a spider written in Python it is Scrapy's own `parse`.

    --json keys: asked, url, redirected_through [URLs], status, content_type, charset, charset_evidence, title, verdict
    (target, directory, continuation, lookalike, alias, neither, missing, sitemap, binary, error), kind, relevant, why
    [sentences], rule (as in `scrapy why`), record (null or: field → value), exceptions [{field, reason, closest}],
    links [{url, admitted, verdict, regex, reason}], error (null, or why there is no page). Keys are added, never
    renamed.

    Exit codes: 0 the page was had; 2 no such site, a URL of several sites, or nothing is learned yet; 3 the page can't
    be had (robots.txt forbids it, an error status, no answer); 130 interrupted.

    Examples:
      scrapy parse https://books.example.com/product/9780785143727
      scrapy parse --spider books --json https://books.example.com/product/9780785143727
    """

    def add_own_options(self, parser: argparse.ArgumentParser) -> None:
        add_json(parser)

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1 or not is_url(args[0]):
            raise UsageError("name one URL: http(s)://…")
        name = _site_of(self, args[0], opts.spider)
        if name is None:
            ScrapyParse.run(self, args, opts)
            return
        from gwc_crawler.operate.reextraction import parsed_lines
        from gwc_crawler.runs.lookup import site_files_of
        from gwc_crawler.runs.output import has_stdout

        for option, flag in OF_PYTHON_SPIDERS.items():
            if getattr(opts, option):
                raise InputError(f"{flag}: {name!r} is a site file and has no callbacks; this is for spiders in Python")
        parsed = _parse(self, site_files_of(self, name), args[0], opts)
        lines = parsed_lines(parsed, items=not opts.noitems, links=not opts.nolinks)
        self.answer(opts, parsed.as_json(), lines, to_stderr=has_stdout(self.settings))
        if parsed.answer.error is not None:
            self.exitcode = SiteError.exit_code


def _site_of(command: ScrapyParse, url: str, named: str | None) -> str | None:
    """Return the site for the URL; None for a spider in Python. Raises UsageError: there is none, or several match."""
    from gwc_crawler.runs.lookup import loader_of, spider_class_of
    from gwc_crawler.spiders.site import SiteSpider

    if named:
        return named if issubclass(spider_class_of(command, named), SiteSpider) else None
    names = loader_of(command).find_by_request(Request(url))
    if len(names) > 1:
        raise UsageError(f"{url} belongs to {', '.join(names)}; name one with --spider", print_help=False)
    if not names:
        helps = "name one with --spider SITE or --spider FILE.toml"
        raise UsageError(f"{url} belongs to no site; {helps}", print_help=False)
    return names[0] if issubclass(spider_class_of(command, names[0]), SiteSpider) else None


def _parse(command: ScrapyParse, files: SiteFiles, url: str, opts: argparse.Namespace) -> ParseReport:
    """Fetch the page and read it. Raises InputError: nothing is learned, or a setting can't be; Interrupted: Ctrl-C."""
    from gwc_crawler.crawl.limits import admission_of, read_options
    from gwc_crawler.frontier.rejections import LimitsState, read_limits
    from gwc_crawler.operate.reextraction import parse_answer
    from gwc_crawler.runs.lookup import opened, site_class_of
    from gwc_crawler.runs.site_run import Interrupted, process_of
    from gwc_crawler.spiders.single_page import looking
    from gwc_crawler.wiring.blame import start_error
    from gwc_crawler.wiring.check import settings_of

    settings_of(files.site, files.settings)  # settings that a crawl would refuse are refused here, too
    knowledge = files.knowledge()
    reading = read_options(files.settings, files.site)
    with opened(files.crawl_db) as database:
        state = read_limits(database) if database is not None else LimitsState()
    admission = admission_of(files.settings, files.site, knowledge, state)
    found: list[ParseReport] = []

    def read(answer: RequestOutcome) -> Iterator[Any]:
        found.append(parse_answer(answer, files.site, knowledge, reading=reading, admission=admission))
        item = found[-1].item()
        if item is not None and (opts.output or opts.overwrite_output or opts.pipelines):
            yield item

    def answered(response: Response) -> Iterator[Any]:
        return read(_answered(url, response))

    def failed(failure: Failure) -> Iterator[Any]:
        return read(_failed(url, failure))

    spider_class = looking(site_class_of(command, files.site.name if not opts.spider else opts.spider))
    spider_class.request = Request(
        url,
        callback=answered,
        errback=failed,
        meta={"handle_httpstatus_list": SequenceExclude(range(300, 400)), **(opts.meta or {})},
        dont_filter=True,
    )
    process = process_of(command)
    crawler = process.create_crawler(spider_class)
    task = process.crawl(crawler)
    process.start()
    if task.done() and not task.cancelled() and (error := start_error(task.exception(), crawler)) is not None:
        raise error
    if not found:
        raise Interrupted(f"{url}: interrupted before there was an answer")
    return found[-1]


def _answered(asked: str, response: Response) -> RequestOutcome:
    from gwc_crawler.operate.reextraction import RequestOutcome
    from gwc_crawler.spiders.frontier_spider import content_type_of

    status, through = response.status, tuple(response.meta.get("redirect_urls", ()))
    error = f"HTTP {status}: an error, no page" if status >= 400 else None
    kind, now = content_type_of(response), time.time()
    return RequestOutcome(asked, response.url, status, response.body, kind, through, error, now)


def _failed(asked: str, failure: Failure) -> RequestOutcome:
    from gwc_crawler.operate.reextraction import RequestOutcome

    error, request = failure.value, failure.request  # type: ignore[attr-defined]
    through = tuple(request.meta.get("redirect_urls", ()))
    text = str(error) if isinstance(error, IgnoreRequest) else f"{type(error).__name__}: {error}"
    return RequestOutcome(asked, request.url, redirected_through=through, error=text)
