"""`scrapy pause SITE`: a running crawl leases nothing more until it is resumed, from any shell."""

from __future__ import annotations

from scrapy.commands import ScrapyCommand

from gwc_crawler.commands.steering import KEYS, SteeringCommand


class Command(SteeringCommand, ScrapyCommand):
    """Pause a crawl, or all, from another shell."""

    help_text = f"""
    The crawl leases nothing more, hands back what it has not begun, and lets what is under way finish; then the server
    gets no further requests. It stays alive, says so on its progress line, and goes on with `scrapy resume`. All
    workers of a shared crawl pause, and those that join it. `scrapy crawl SITE` ends the pause of a crawl that nobody
    is at.

    Exit codes: 0 paused, or asked with --wait 0; 1 nothing runs, or not all workers have obeyed in time (they still
    will); 2 no such site; 5 a database or Redis can't be used.
{KEYS}
    Examples:
      scrapy pause books
      scrapy pause --all --wait 60
    """
    action = "PAUSE"
