"""bytes → `Page`: charset, one parse, links, kind, relevance, text; and tag stripping."""

from gwc_crawler.page.classify import published_kind

__all__ = ["published_kind"]
