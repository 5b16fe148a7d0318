"""`scrapy stop SITE`: a running crawl ends in order, as with one Ctrl-C, from any shell."""

from __future__ import annotations

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.steering import KEYS, SteeringCommand


class Command(SteeringCommand, ScrapyCommand):
    """Stop a crawl, or all, from another shell: as one Ctrl-C."""

    help_text = f"""
    The crawl finishes what is under way, commits it, hands its other leases back and ends with exit code 130; `scrapy
    crawl SITE` continues it. All workers of a shared crawl stop that are at work now, also on other machines. A
    crawl that learns (`scrapy learn`) is stopped likewise.

    Exit codes: 0 gone, or asked with --wait 0; 1 nothing runs, or not all workers have gone in time (they still will);
    2 no such site; 5 a database or Redis can't be used.
{KEYS}
    Examples:
      scrapy stop books
      scrapy stop --all
    """
    action = "STOP"
