"""Page: bytes → `Page`: charset, one parse, links, kind, relevance, text; and tag stripping.

The spider holds a `PageReader` and calls `read` for every response; `read_page` is the same in one call. `parse_html`
is the only parser of the project: `extract` and `learn` use it too, so that paths and texts agree.
"""

from gwc_crawler.page.charset import decode_html, detect_charset
from gwc_crawler.page.classify import classify_page
from gwc_crawler.page.outline import page_title
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader, ReadOptions, read_page
from gwc_crawler.page.signature import content_signature
from gwc_crawler.page.strip import strip_tags, strip_tree
from gwc_crawler.page.text import text_outside_links, visible_text
from gwc_crawler.page.traps import UrlLimits, url_trap

__all__ = [
    "PageReader",
    "ReadOptions",
    "UrlLimits",
    "classify_page",
    "content_signature",
    "decode_html",
    "detect_charset",
    "page_title",
    "parse_html",
    "read_page",
    "strip_tags",
    "strip_tree",
    "text_outside_links",
    "url_trap",
    "visible_text",
]
