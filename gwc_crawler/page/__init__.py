"""bytes → `Page`: charset, one parse, links, kind, relevance, text; and tag stripping."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.page.charset import charset_evidence, detect_charset
    from gwc_crawler.page.classify import classify_page, published_kind
    from gwc_crawler.page.content import lead_of, main_text
    from gwc_crawler.page.leading_on import leads_on_to
    from gwc_crawler.page.links import MAX_URL_LENGTH, SiteLinks, directories_above, leads_to_binary
    from gwc_crawler.page.outline import NOFOLLOW, header_says_nofollow, page_says_nofollow
    from gwc_crawler.page.parse import parse_html
    from gwc_crawler.page.reader import PageReader, ReadOptions, is_html, read_page
    from gwc_crawler.page.signature import content_signature
    from gwc_crawler.page.sitemap import DEFAULT_SITEMAP, Sitemap, SitemapLimits, evenly, read_sitemap, sitemaps_named
    from gwc_crawler.page.strip import ALL_GROUPS, StripOptions, strip_tags, strip_tree
    from gwc_crawler.page.text import paragraphs_outside_links, text_outside_links, visible_text
    from gwc_crawler.page.traps import UrlLimits, url_trap
    from gwc_crawler.page.walks import UNMARKED, walk
else:
    __getattr__ = face(__name__)

__all__ = [
    "ALL_GROUPS",
    "DEFAULT_SITEMAP",
    "MAX_URL_LENGTH",
    "NOFOLLOW",
    "UNMARKED",
    "PageReader",
    "ReadOptions",
    "SiteLinks",
    "Sitemap",
    "SitemapLimits",
    "StripOptions",
    "UrlLimits",
    "charset_evidence",
    "classify_page",
    "content_signature",
    "detect_charset",
    "directories_above",
    "evenly",
    "header_says_nofollow",
    "is_html",
    "lead_of",
    "leads_on_to",
    "leads_to_binary",
    "main_text",
    "page_says_nofollow",
    "paragraphs_outside_links",
    "parse_html",
    "published_kind",
    "read_page",
    "read_sitemap",
    "sitemaps_named",
    "strip_tags",
    "strip_tree",
    "text_outside_links",
    "url_trap",
    "visible_text",
    "walk",
]
