"""A spider → the open parts of its crawl, or its end, for components of Scrapy's that serve spiders of any kind."""

from __future__ import annotations

from typing import Any


def context_of(spider: Any) -> Any:
    """Return the `gwc_crawler.crawl.CrawlContext` of a spider; None for one whose URLs come from somewhere else.

    Such a spider may have a `context` of its own. Each component takes the part it works with, and says in a protocol
    what it needs of it; the parts themselves stand above.
    """
    context = getattr(spider, "context", None)
    return context if hasattr(context, "leases") and hasattr(context, "frontier") else None


def end_crawl(spider: Any, error: Exception) -> None:
    """End the crawl of a spider of ours by *error*; others learn of it by what is raised."""
    if context_of(spider) is not None:
        spider.end_crawl(error)
