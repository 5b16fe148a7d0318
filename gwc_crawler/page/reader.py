"""One response → `Page`: charset → parse → links → kind → relevance → text. Called by the spiders.

Of a page's 50 links 49 were seen before, so everything that depends on an href alone is remembered in one bounded
table."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from gwc_crawler.items import Page, PageKind, Refusal, RejectionReason
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.page.charset import detect_charset
from gwc_crawler.page.classify import (
    KindRule,
    SiteLinks,
    described_length,
    index_or_information,
    kind_in_site,
    link_texts,
    says_missing,
)
from gwc_crawler.page.json_page import is_json
from gwc_crawler.page.links import MAX_URL_LENGTH, form_links, hidden_links, leads_to_binary, resolve_href
from gwc_crawler.page.outline import NOFOLLOW, Outline, outline
from gwc_crawler.page.parse import parse_whole
from gwc_crawler.page.sitemap import Sitemap, SitemapLimits, read_sitemap
from gwc_crawler.page.text import paragraphs_outside_links, visible_text
from gwc_crawler.page.traps import UrlLimits, url_trap
from gwc_crawler.urls import host_of, join_url, normalize_url, same_site, site_of, without_trackers


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The decisions of a crawl about reading.

    Attributes:
        limits: limits beyond which a URL counts as a trap, and is not admitted.
        follows_file: tells of the URL of a likely file whether it is followed, though no filter takes it.
    """

    keywords: str = ""  # the site's expression; "" takes it from the knowledge, if any
    target: str | None = None  # without knowledge, a regex (`re.fullmatch`) of URLs provisionally taken for targets
    obey_nofollow: bool = True  # take no links from pages whose meta robots, or `X-Robots-Tag`, says "nofollow"
    cached_links: int = 100_000  # the number of hrefs and URLs that are remembered; about 200 bytes each
    limits: UrlLimits = field(default_factory=UrlLimits)
    form_links: int = 0  # maximum number of addresses of one form that are taken for links; 0: none
    sitemaps: SitemapLimits | None = None  # how much of sitemaps is read; None: they are files like any other
    follows_file: Callable[[str], bool] | None = None
    kinds: KindRule = field(default_factory=KindRule)  # how `Page.page_kind` is decided


@dataclass(slots=True, eq=False)
class _Judged:
    """The facts that follow from a URL alone; equal only to itself, so that a dict of them keeps each once, fast."""

    url: str
    on_site: bool
    refused: Refusal | None
    verdict: Verdict

    @property
    def admitted(self) -> bool:
        """Whether a link to it is followed."""
        return self.refused is None


Paragraphs: TypeAlias = Callable[[], list[str]]  # returns the page's text outside links, by block

TOO_DEEP = "the page is nested too deep to be read to its end: links and values may be missing"

_ROOTED = ("/", "http:", "https:")

OFF_SITE = Refusal(None, "off the site")
NO_FILTER = Refusal(None, "no filter takes it")
EXCLUDED = Refusal(None, "the site file says it is no target ([learn] exclude)")
NO_PAGE = Refusal(None, "its ending says it is no page, and the filter doesn't name that ending")

_NO_LINK = _Judged("", False, OFF_SITE, Verdict.NEITHER)

_KINDS = {
    Verdict.TARGET: PageKind.TARGET,
    Verdict.CONTINUATION: PageKind.CONTINUATION,
    Verdict.DIRECTORY: PageKind.DIRECTORY,
}
_OF_RECORDS = (Verdict.TARGET, Verdict.CONTINUATION)


class PageReader:
    """Reads the pages of one crawl; holds the crawl's knowledge, scope and caches.

    Args:
        knowledge: None for a pre-crawl: every on-site page may be followed, kinds come from algorithm 1 alone.
        sites: the sites in scope (`urls.same_site`); empty means the site of the first page read.
        on_rejection: called with the reason and the URL of a link that passes the filters and looks like a trap.
    """

    def __init__(
        self,
        knowledge: Knowledge | None,
        sites: Collection[str] = (),
        options: ReadOptions | None = None,
        on_rejection: Callable[[RejectionReason, str], object] = lambda *_: None,
    ) -> None:
        self.knowledge = knowledge
        self.options = options or ReadOptions()
        self.sites = frozenset(sites)
        expression = self.options.keywords or (knowledge.keywords if knowledge else "")
        self.keywords = Keywords.parse(expression) if expression else None
        self._kinds = self.options.kinds
        self._is_whole = knowledge is not None and knowledge.is_whole
        self._reads_json = knowledge is None or knowledge.is_json
        self._target = re.compile(self.options.target) if self.options.target else None
        self._clean = knowledge.clean if knowledge else without_trackers
        self._site_links = SiteLinks.of(knowledge.site_links) if knowledge else None
        self._by_href: dict[tuple[str, str], dict[str, _Judged]] = {}
        self._by_url: dict[str, _Judged] = {}
        self._remembered = 0
        self._on_rejection = on_rejection

    def read(self, url: str, body: bytes, content_type: str, status: int = 200) -> Page:
        """Read one response into a `Page`."""
        url = self.clean_url(url)
        self.sites = self.sites or frozenset([site_of(host_of(url))])
        bounds = self.options.sitemaps
        if bounds is not None and (sitemap := read_sitemap(url, body, content_type, bounds)) is not None:
            return self._list(url, status, body, content_type, sitemap)
        if not is_html(body, content_type) and not (self._reads_json and is_json(content_type)):
            expected = self._judge(url).verdict in _OF_RECORDS
            flaws = (_why_no_page(body, content_type),) if expected else ()
            return Page(url, status, body, content_type, "", PageKind.BINARY, relevant=False, flaws=flaws)
        charset = detect_charset(body, content_type)
        tree, is_cut = parse_whole(body, charset)
        found = outline(tree)
        if found.may_hide_links:
            found.hrefs += hidden_links(tree)
        if self.options.form_links:
            found.hrefs += form_links(tree, charset, self.options.form_links)
        found.forbids_following = found.forbids_following or NOFOLLOW in content_type
        links = self._links(found, url, charset)
        text = visible_text(tree)
        paragraphs = partial(_paragraphs_of, tree, [])
        kind, relevant = self._understand(self._judge(url), links, tree, found, text, paragraphs)
        is_missing = kind is PageKind.MISSING
        page_kind = None if is_missing else self._kinds.kind_of(url, found, text, paragraphs)
        return Page(
            url=url,
            status=status,
            body=body,
            content_type=content_type,
            charset=charset,
            kind=page_kind if self._is_whole and page_kind else kind,
            page_kind=page_kind,
            relevant=relevant,
            title=found.title,
            text=text,
            links=tuple([link.url for link in links if link.on_site]),
            admitted=tuple([link.url for link in links if link.refused is None]),
            outside=tuple([link.url for link in links if not link.on_site]),
            tree=tree,
            flaws=(TOO_DEEP,) if is_cut else (),
            canonical=self._canonical(found, url, charset) if found.canonical else "",
        )

    def _list(self, url: str, status: int, body: bytes, content_type: str, sitemap: Sitemap) -> Page:
        """Judge what a sitemap lists as links are judged; further sitemaps need no filter, but stay on the site."""
        links = {self._resolve(url, one.url, "utf-8"): one.changed_at for one in reversed(sitemap.pages)}
        links.pop(_NO_LINK, None)
        more = {resolve_href(url, one.url) or "": one.changed_at for one in reversed(sitemap.sitemaps)}
        sitemaps = [one for one in reversed(more) if same_site(one, self.sites) and one != url]
        admitted = [link.url for link in reversed(links) if link.admitted]
        return Page(
            url,
            status,
            body,
            content_type,
            charset="",
            kind=PageKind.SITEMAP,
            relevant=True,
            links=tuple(dict.fromkeys((*sitemaps, *(link.url for link in reversed(links) if link.on_site)))),
            admitted=tuple(dict.fromkeys((*sitemaps, *admitted))),
            outside=tuple([link.url for link in reversed(links) if not link.on_site]),
            flaws=(sitemap.flaw,) if sitemap.flaw else (),
            sitemaps=tuple(sitemaps),
            listed={**{link.url: moment for link, moment in links.items()}, **{one: more[one] for one in sitemaps}},
        )

    def clean_url(self, url: str) -> str:
        """Normalise a URL and drop what says nothing of the page in query and path, as is done with every link."""
        if url in self._by_url:  # judged before, so it is clean
            return url
        return self._clean(normalize_url(url) or url)

    def refusal(self, url: str) -> Refusal | None:
        """Say why a link to *url* is not followed, whatever else the crawl knows; None where it is."""
        refused = self._judge(self.clean_url(url)).refused
        if refused is not OFF_SITE:
            return refused
        scope = ", ".join(sorted(self.sites))
        belongs = f"it belongs to {site_of(url)}, the crawl stays on {scope} (`hosts` adds sites)"
        return Refusal(None, f"{OFF_SITE.text}: {belongs}")

    def _links(self, found: Outline, url: str, charset: str) -> list[_Judged]:
        """Return the page's links, judged, in page order, each once."""
        if self.options.obey_nofollow and found.forbids_following:
            return []
        base = _base_of(found, url)
        path = base.partition("?")[0]
        rooted = self._table(path[: path.find("/", 8)], charset)  # for "/a", "//b/a" and whole URLs
        local = self._table(path[: path.rfind("/") + 1], charset)  # for links relative to the directory
        links: list[Any] = list(map(rooted.get, found.hrefs))
        if None in links:
            for place, href in enumerate(found.hrefs):
                if links[place] is None:
                    links[place] = local.get(href) or self._judge_href(href, base, charset, rooted, local)
        judged = dict.fromkeys(links)
        judged.pop(_NO_LINK, None)
        return list(judged)

    def _canonical(self, found: Outline, url: str, charset: str) -> str:
        """Return the URL that the page names as its canonical one, where a link to it is followed."""
        if self.options.obey_nofollow and found.forbids_following:
            return ""
        named = self._resolve(_base_of(found, url), found.canonical, charset)
        return named.url if named.admitted else ""

    def _judge_href(
        self, href: str, base: str, charset: str, rooted: dict[str, _Judged], local: dict[str, _Judged]
    ) -> _Judged:
        """Judge a new href, and remember it where that depends on it alone; no whole files (data:)."""
        judged = self._resolve(base, href, charset)
        if len(href) <= MAX_URL_LENGTH and not href.lstrip().startswith("?"):  # a query depends on the whole base
            (rooted if href.startswith(_ROOTED) else local)[href] = judged
        return judged

    def _table(self, base: str, charset: str) -> dict[str, _Judged]:
        """Return the remembered judgements on hrefs that resolve against *base*."""
        if self._remembered > self.options.cached_links:
            self._by_href.clear()
            self._by_url.clear()
            self._remembered = 0
        table = self._by_href.get((base, charset))
        if table is None:
            self._remembered += 1
            table = self._by_href[base, charset] = {}
        return table

    def _resolve(self, base: str, href: str, charset: str) -> _Judged:
        self._remembered += 1
        url = resolve_href(base, href, charset)
        if url is None and len(href) > MAX_URL_LENGTH:
            start = resolve_href(base, href[: MAX_URL_LENGTH // 2], charset)
            if start and same_site(start, self.sites):
                self._on_rejection(RejectionReason.LENGTH, start)
        return self._judge(self.clean_url(url)) if url else _NO_LINK

    def _judge(self, url: str) -> _Judged:
        """Return the judgement of scope and filters on a URL."""
        judged = self._by_url.get(url)
        if judged is None:
            on_site = same_site(url, self.sites)
            verdict = Verdict.NEITHER
            if on_site and self.knowledge is not None:
                verdict = self.knowledge.verdict(url)
            elif on_site and self._target is not None and self._target.fullmatch(url):
                verdict = Verdict.TARGET
            refused = self._refusal(url, verdict) if on_site else OFF_SITE
            if refused is not None and refused.reason is not None:
                self._on_rejection(refused.reason, url)
            judged = self._by_url[url] = _Judged(url, on_site, refused, verdict)
            self._remembered += 1
        return judged

    def _refusal(self, url: str, verdict: Verdict) -> Refusal | None:
        """Say why a link to a URL of the site is not followed: what the filters refuse has no reason that counts."""
        is_file, follows = leads_to_binary(url), self.options.follows_file
        if not (is_file and follows is not None and follows(url)):
            if self.knowledge is not None and not self._is_whole and verdict is Verdict.NEITHER:
                return EXCLUDED if self.knowledge.is_excluded(url) else NO_FILTER
            if is_file and not self._names_extension(url):
                return NO_PAGE
        if len(url) > MAX_URL_LENGTH:
            return Refusal(RejectionReason.LENGTH, f"its {len(url)} characters are too long for a link")
        trap = url_trap(url, self.options.limits)
        return trap and trap._replace(text=f"it looks like a trap: {trap.text}")

    def _names_extension(self, url: str) -> bool:
        """Say whether a filter that takes *url* names its file extension outright."""
        extension = url.partition("?")[0].rpartition(".")[2]
        known = self.knowledge
        classes = known.targets + known.directories if known is not None else ()
        return any(one.regex.endswith(extension) and re.fullmatch(one.regex, url) for one in classes)

    def _understand(
        self, own: _Judged, links: list[_Judged], tree: Any, found: Outline, text: str, paragraphs: Paragraphs
    ) -> tuple[PageKind, bool]:
        """Return kind and relevance (GWC, *Crawl*): of a target, a page with a link to one, one with the keywords
        outside links, or a listing of the site file. In a pre-crawl the keywords decide alone; without any, the
        provisional target regex.
        """
        if says_missing(tree, found):
            return PageKind.MISSING, False
        if self._is_whole:
            return PageKind.INDEX, True
        kind = _KINDS.get(own.verdict) if self.knowledge is not None else None
        near_target = own.verdict in _OF_RECORDS or any(link.verdict is Verdict.TARGET for link in links)
        near_target = near_target or (self.knowledge is not None and self.knowledge.is_given(own.url, own.verdict))
        relevant = near_target and (self.knowledge is not None or self.keywords is None)
        asks_keywords = not relevant and self.keywords is not None
        if kind is None or asks_keywords:
            kind = kind or self._kind_of(own.url, tree, found, text, paragraphs())
            relevant = relevant or (self.keywords is not None and self.keywords.matches(" ".join(paragraphs())))
        return kind, relevant

    def _kind_of(self, url: str, tree: Any, found: Outline, text: str, paragraphs: list[str]) -> PageKind:
        """Tell lists from pages to read, also by the learned links of the site, if there are any."""
        if self._site_links is None:
            return index_or_information(url, found, text, paragraphs)
        base = _base_of(found, url)
        resolved = [(self._resolve(base, href, "utf-8"), href, length) for href, length in link_texts(tree)]
        on_site = [(link.url, length) for link, _, length in resolved if link.on_site]
        elsewhere = {href: link.url for link, href, _ in resolved if link.on_site and link.url != url}
        described = described_length(tree, elsewhere)
        return kind_in_site(url, found, paragraphs, self._site_links.own(url, on_site), described)


def _paragraphs_of(tree: Any, found: list[list[str]]) -> list[str]:
    """Return the paragraphs *found*; who asks first has the page walked through. `functools.cache` costs more."""
    if not found:
        found.append(paragraphs_outside_links(tree))
    return found[0]


def _base_of(found: Outline, url: str) -> str:
    """Return the base of the page's relative links."""
    return (join_url(url, found.base) or url) if found.base else url


def read_page(
    url: str,
    body: bytes,
    content_type: str,
    knowledge: Knowledge | None,
    *,
    sites: Collection[str] = (),
    status: int = 200,
) -> Page:
    """Read one response without keeping anything; for many pages hold a `PageReader`."""
    return PageReader(knowledge, sites).read(url, body, content_type, status)


_HTML_TYPES = ("text/html", "application/xhtml+xml")
_UNSURE_TYPES = (
    *("", "text/plain", "application/octet-stream", "text/xml", "application/xml"),
    *("*/*", "unknown/unknown", "application/unknown"),
)
_LOOKS_HTML = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|frameset|div|table|h1|p|a)[\s/>]", re.IGNORECASE
)
_MAGIC = (
    *(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"Rar!", b"MZ"),
    *(b"\x7fELF", b"7z\xbc\xaf"),
)


def is_html(body: bytes, content_type: str) -> bool:
    """Say whether a body is a page: by its content type, where that says little by its first bytes."""
    if body.startswith(_MAGIC) or not body or body.isspace():
        return False
    kind = content_type.partition(";")[0].partition(",")[0].strip().lower()
    if kind not in _HTML_TYPES and kind not in _UNSURE_TYPES and "/" in kind:
        return False
    head = body[:2048]
    if kind in _HTML_TYPES and b"\0" not in head:
        return True
    return _LOOKS_HTML.search(head.replace(b"\0", b"")) is not None


def _why_no_page(body: bytes, content_type: str) -> str:
    if not body or body.isspace():
        return "not HTML: the body is empty"
    return f"not HTML: content type {content_type[:80] or '(none)'}, the body begins with {body[:16]!r}"
