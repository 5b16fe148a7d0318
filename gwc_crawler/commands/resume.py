"""`scrapy resume SITE`: a paused crawl goes on."""

from __future__ import annotations

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.steering import KEYS, SteeringCommand


class Command(SteeringCommand, ScrapyCommand):
    """Let a paused crawl, or all, go on."""

    help_text = f"""
    Takes the pause off that `scrapy pause` asked for. A crawl that pauses because a field fell away (GWC_ON_DRIFT =
    pause) goes on when its knowledge.json changes.

    Exit codes: 0 at work; 1 nothing is paused or runs, or not all workers have gone on in time; 2 no such site;
    5 a database or Redis can't be used.
{KEYS}
    Examples:
      scrapy resume books
    """
    action = "RESUME"
