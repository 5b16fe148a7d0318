"""Whether a page only leads on: where a browser would be before anybody has read it.

In: a response's body and headers. Out: the address, or None. `middlewares.redirects` asks this of every page before it
is read, so what the head of nearly all pages lacks is looked for first, and only then is a page parsed.
"""

from __future__ import annotations

import re
from typing import Any

from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.links import resolve_href
from gwc_crawler.page.outline import refresh_href
from gwc_crawler.page.parse import parse_html

_HEAD_BYTES = 4096
"""As Scrapy's MetaRefreshMiddleware."""
_SCRIPT = r"""(?:\s|<!--|//|["']use\ strict["'];?)*
    (?:(?:window|self|top|parent|document)\.)*location(?:\.href)?
    (?:\s*=\s*|\.(?:replace|assign)\s*\(\s*)
    (?:'([^'\\\n]*)'|"([^"\\\n]*)")\s*\)?\s*;?(?:\s|return\s+(?:true|false);?|//|-->)*"""
_LEAVES = re.compile(_SCRIPT, re.VERBOSE)
"""A script that does nothing else, under no condition."""
_HINTS = (
    (
        b"refresh",
        re.compile(
            rb"<meta\b(?=[^>]*http-equiv\s*=\s*[\"']?\s*refresh)"
            rb"[^>]*content\s*=\s*(?:[\"'][\s\d.]*[^\s\d.\"']|[\d.]+[^\s\d./>])"
        ),
    ),
    (b"location", re.compile(rb"<script[^>]*>" + _SCRIPT.encode() + b"</script", re.VERBOSE)),
)
"""A word, which most pages do not have and is found fast, and what leads on, in small letters: not a page that reloads
itself, nor a script with a condition, as sites have them on all pages."""
_SECONDS = re.compile(r"\s*([0-9]{0,9})")
_MOST_SECONDS = 100
"""As Scrapy's METAREFRESH_MAXDELAY: what stays longer is there to be read."""


def leads_on_to(url: str, body: bytes, content_type: str, refresh: str = "") -> str | None:
    """Return where a page leads on to: at once, or after a while in which nothing else can be clicked; else None.

    Args:
        refresh: its header of that name, which says the same as a `<meta http-equiv=refresh>`.
    """
    head = body[:_HEAD_BYTES].lower()
    if not refresh and not any(word in head and hint.search(head) for word, hint in _HINTS):
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
