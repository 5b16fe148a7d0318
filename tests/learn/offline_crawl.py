"""A pre-crawl of a corpus on disk, without a network: lowest weight first, then first come first served.

In: a corpus directory (`site/` as its server serves it). Out: the `StoredPage`s a real pre-crawl would keep.
"""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import lxml.html
import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.keywords import Keywords
from gwc_crawler.urls import join_url
from tests.eval.corpora import CorporaAbsent, corpora_root

_META_CHARSET = re.compile(rb"charset=[\"']?([a-zA-Z0-9_-]+)")
_NOT_HTML = {".css", ".js", ".xml", ".txt", ".png", ".gif", ".jpg", ".ico", ".svg", ".json", ".xsl"}


@dataclass(frozen=True)
class Corpus:
    """One corpus; `origin` is the address its pages are given."""

    name: str
    path: Path

    @property
    def origin(self) -> str:
        return f"http://{self.name}.example"

    @property
    def entry(self) -> str:
        return self.origin + ("/index.html" if self.name in {"w3school", "scipydoc"} else "/")

    def final_url(self, url: str) -> str | None:
        """The URL after redirects, None where the site has no page."""
        found = _fetch(self, url)
        return found[0] if found else None

    def tasks(self) -> list[dict[str, Any]]:
        return json.loads((self.path / "tasks.json").read_text(encoding="utf-8"))


def open_corpus(name: str) -> Corpus:
    """The unpacked corpus; the test skips where there is none."""
    try:
        return Corpus(name, corpora_root() / name)
    except CorporaAbsent as absent:
        pytest.skip(str(absent))


def precrawl(corpus: Corpus, keywords: str, *, pages: int = 4000, first: tuple[str, ...] = ()) -> list[StoredPage]:
    """Crawl *corpus* from its entry, and *first* as sample pages are, as the paper's initialisation does."""
    words = Keywords.parse(keywords)
    starts = [corpus.entry, *first]
    queue: list[tuple[int, int, int, str]] = [(0, place, min(place, 1), url) for place, url in enumerate(starts)]
    seen, stored, fetched = set(starts), list[StoredPage](), set[str]()
    while queue and len(stored) < pages:
        weight, _, depth, requested = heapq.heappop(queue)
        found = _fetch(corpus, requested)
        if found is None or found[0] in fetched:
            continue
        url, body = found
        fetched.add(url)
        tree = _tree(body)
        links = tuple(_links(corpus, tree, url))
        hit = words.matches(_text_outside_links(tree))
        own = 0 if hit or depth == 0 else weight + 1
        charset = _charset(body)
        stored.append(StoredPage(url, requested, body, "text/html", charset, own, depth, hit, links))
        for link in links:
            if link not in seen:
                seen.add(link)
                heapq.heappush(queue, (own, len(seen) + 1, depth + 1, link))
    return stored


def _fetch(corpus: Corpus, url: str) -> tuple[str, bytes] | None:
    """The final URL and body, or None for what the server would not give as HTML."""
    parts = urlsplit(url)
    path = unquote(parts.path).lstrip("/")
    root = corpus.path / "site"
    names = [f"{path}%3F{parts.query}", path] if parts.query else [path]
    for name in names:
        file = root / name
        if file.is_dir():
            if not parts.path.endswith("/"):
                url = f"{corpus.origin}{parts.path}/" + (f"?{parts.query}" if parts.query else "")
            file = file / "index.html"
        if file.is_file():
            return None if file.suffix in _NOT_HTML else (url, file.read_bytes())
    return None


def _tree(body: bytes) -> Any:
    try:
        return lxml.html.document_fromstring(body, parser=lxml.html.HTMLParser(encoding=_charset(body)))
    except (lxml.etree.ParserError, ValueError):
        return lxml.html.document_fromstring("<html><body></body></html>")


def _charset(body: bytes) -> str:
    found = _META_CHARSET.search(body[:4096])
    name = found.group(1).decode().lower() if found else "utf-8"
    return "gb18030" if name in {"gb2312", "gbk"} else name


def _links(corpus: Corpus, tree: Any, url: str) -> Iterator[str]:
    seen = set[str]()
    for href in tree.xpath("//a/@href | //area/@href | //frame/@src | //iframe/@src"):
        link = join_url(url, str(href).strip())
        if link and link not in seen and link.startswith(corpus.origin + "/"):
            seen.add(link)
            yield link


def _text_outside_links(tree: Any) -> str:
    body = tree.find("body")
    if body is None:
        return ""
    return " ".join(_texts(body))


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node.tag, str) and node.tag not in {"script", "style"} and not (node.tag == "a" and node.get("href")):
        if node.text:
            yield node.text
        for child in node:
            yield from _texts(child)
            if child.tail:
                yield child.tail
