"""bytes → `Page`: charset, one parse, links, kind, relevance, text; and tag stripping."""

from gwc_crawler.page.charset import charset_evidence, detect_charset
from gwc_crawler.page.classify import KindRule, SiteLinks, classify_page, directories_above, published_kind
from gwc_crawler.page.json_page import DATA_MARKS, SHELL_CHARACTERS, is_json
from gwc_crawler.page.links import MAX_URL_LENGTH, leads_on_to, leads_to_binary
from gwc_crawler.page.outline import NOFOLLOW, header_says_nofollow, page_says_nofollow
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import PageReader, ReadOptions, is_html, read_page
from gwc_crawler.page.sitemap import DEFAULT_SITEMAP, SitemapLimits, evenly, read_sitemap, sitemaps_named
from gwc_crawler.page.strip import ALL_GROUPS, StripOptions, strip_tags, strip_tree
from gwc_crawler.page.text import (
    WIDE_COUNTS,
    Sentences,
    content_signature,
    fold,
    paragraphs_outside_links,
    text_outside_links,
    text_weight,
    visible_text,
)
from gwc_crawler.page.traps import UrlLimits, url_trap
from gwc_crawler.page.walks import UNMARKED, walk
