"""Pages that only lead on: a body → where a browser would be before anybody has read it. Called where redirects are.

Most pages say nothing of the kind within their first bytes, which costs two looks for a word.
"""

from __future__ import annotations

import re
from typing import Any

from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.links import resolve_href
from gwc_crawler.page.outline import refresh_href
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.reader import is_html

_HEAD_BYTES = 4096
"""As Scrapy's MetaRefreshMiddleware."""
_HINT = re.compile(rb"http-equiv\s*=\s*[\"']?\s*refresh|location(?:\.href)?\s*=|location\.(?:replace|assign)\s*\(")
_LEAVES = re.compile(
    r"""(?:\s|<!--|//|["']use\ strict["'];?)*
        (?:(?:window|self|top|parent|document)\.)*location(?:\.href)?
        (?:\s*=\s*|\.(?:replace|assign)\s*\(\s*)
        (?:'([^'\\\n]*)'|"([^"\\\n]*)")\s*\)?\s*;?(?:\s|return\s+(?:true|false);?|//|-->)*""",
    re.VERBOSE,
)
"""A script that does nothing else, under no condition."""
_SECONDS = re.compile(r"\s*([0-9]*)")
_MOST_SECONDS = 100
"""As Scrapy's METAREFRESH_MAXDELAY: what stays longer is there to be read."""


def leads_on_to(url: str, body: bytes, content_type: str, refresh: str = "") -> str | None:
    """Return where a page leads on to: at once, or after a while in which nothing else can be clicked; else None.

    Args:
        refresh: its header of that name, which says the same as a `<meta http-equiv=refresh>`.
    """
    head = body[:_HEAD_BYTES].lower()
    if not refresh and not ((b"refresh" in head or b"location" in head) and _HINT.search(head)):
        return None
    if not is_html(body, content_type):
        return None
    charset = detect_charset(body, content_type)
    tree = parse_html(body, charset)
    base = resolve_href(url, next(iter(tree.xpath("//base/@href")), ""), charset) or url
    for content in (refresh, *_refreshes(tree)):
        there = resolve_href(base, href, charset) if (href := refresh_href(content)) else None
        seconds = int("0" + _SECONDS.findall(content)[0])
        if there is not None and (not seconds or (seconds <= _MOST_SECONDS and _is_all_there_is(tree, base, there))):
            return there
    for script in tree.iter("script"):
        if (found := _LEAVES.fullmatch(script.text or "")) and not _is_hidden(script):
            return resolve_href(base, found[1] or found[2] or "", charset)
    return None


def _refreshes(tree: Any) -> list[str]:
    """What the page's metas say of a refresh, in page order; not those for browsers without scripts."""
    metas = (meta for meta in tree.iter("meta") if meta.get("http-equiv", "").strip().lower() == "refresh")
    return [meta.get("content", "") for meta in metas if not _is_hidden(meta)]


def _is_hidden(element: Any) -> bool:
    return next(element.iterancestors("noscript", "template"), None) is not None


def _is_all_there_is(tree: Any, base: str, there: str) -> bool:
    """Whether no link leads anywhere else."""
    return all(resolve_href(base, link.get("href")) in (there, None) for link in tree.iterfind(".//a[@href]"))
