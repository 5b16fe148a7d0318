"""The values that pass between stages: small and frozen, without behaviour.

A URL's way: Link (found, passed a filter) → Lease (given out to be fetched) → Page (read) → Visit (page and record,
on the way to the store) → Done (the frontier may move on). See docs/architecture.md, *The data's way*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

FieldValue: TypeAlias = str | list[str] | list[dict[str, str | list[str]]]
"""A sample's value of one field: a text, a list of texts, or a list of records inside the page (whose parts are texts
or lists of texts)."""

Extracted: TypeAlias = str | list[Any] | None
"""An extracted value: as FieldValue, or None where the page does not have the field."""

Typed: TypeAlias = Extracted | int | float
"""A value of a record: as extracted, or of the type that the site file asks for."""


def is_empty(value: object) -> bool:
    """Tell whether a field has no value: it is absent, a text without a letter, or a list without an item.

    >>> [is_empty(one) for one in (None, "", [], 0, "0")]
    [True, True, True, False, False]
    """
    return value is None or value in ("", [])


class UrlState(StrEnum):
    """A URL's life (T-Spider, URCE)."""

    WAITING = "U"
    """Known, not given out."""
    RUNNING = "R"
    """Leased to a worker until a time."""
    COMPLETE = "C"
    """Fetched and stored; its discoveries are in the frontier."""
    ERROR = "E"
    """Given up, with a reason."""


class PageKind(StrEnum):
    """The role of a page in the crawl."""

    TARGET = "target"
    """Its URL passes a target filter (and the page agrees): a record is extracted."""
    DIRECTORY = "directory"
    """Its URL passes a directory filter: it leads to targets."""
    INDEX = "index"
    """Neither, and it reads like a list of links (T-Spider, algorithm 1)."""
    INFORMATION = "information"
    """Neither, and it reads like an article (T-Spider, algorithm 1)."""
    CONTINUATION = "continuation"
    """Goes on with a list of a target page (its comments, page 2): goes into the record of that page."""
    LOOKALIKE = "lookalike"
    """Its URL passes a target filter, but the page itself is of another category."""
    ALIAS = "alias"
    """Its URL passes a target filter, and it names another such URL as its canonical one: the record is that one's."""
    MISSING = "missing"
    """Says "no such page" with status 200: a soft 404."""
    BINARY = "binary"
    """Not HTML: no links, no text."""
    SITEMAP = "sitemap"
    """Lists URLs of the site for crawlers, or further such files; see `page.sitemap`."""
    REDIRECT = "redirect"
    """Only named another URL that was already known."""


class ValueShape(StrEnum):
    """The shape of a field's value."""

    TEXT = "text"
    LIST = "list"
    """A list of texts."""
    RECORDS = "records"
    """A list of tables: the reviews of a book."""

    @property
    def words(self) -> str:
        """The shape in words for people.

        >>> ValueShape.LIST.words
        'a list of texts'
        """
        return {"text": "a text", "list": "a list of texts", "records": "a list of records"}[self]


class Family(StrEnum):
    """The feature that the path to a value relies on; ways with the same feature fail together."""

    ID = "id"
    CLASS = "class"
    ATTRIBUTE = "attribute"
    TAG = "tag"
    LABEL = "label"
    """A text that stands before the value or over it."""
    PATH = "path"
    """Nothing but the way there, from element to element."""
    STRUCTURED = "structured"
    """The page's structured data: JSON-LD, microdata, its head."""

    @property
    def is_name(self) -> bool:
        """Whether it is a name that the markup gives to things like the value."""
        return self in (Family.ID, Family.CLASS, Family.ATTRIBUTE)


class RejectionReason(StrEnum):
    """Why a URL that passes the filters is not crawled all the same: it looks like a trap, or a limit is reached."""

    REPEATED = "repeated_segments"
    """Segments of its path repeat."""
    SEGMENTS = "path_segments"
    """Its path has too many of them."""
    LENGTH = "url_length"
    """The URL is too long."""
    KEYS = "query_keys"
    """Its query has too many keys."""
    DEPTH = "depth"
    """Too many clicks from a start."""
    FRUITLESS = "fruitless_class"
    """Page after page of its class brought nothing new."""
    ECHO = "echo_class"
    """Page after page of its class of targets had the content of pages at other addresses."""
    BUDGET = "class_budget"
    """Its class has reached its limit of pages."""
    HOST = "host_pages"
    """Its host has reached its limit of pages."""
    SITE = "site_pages"
    """The site has reached its limit of pages."""
    ERRORS = "only_errors"
    """Others of its class gave nothing but errors, so the pre-crawl asks for no more of them."""
    DOUBTFUL = "among_errors"
    """Others on the same page gave nothing but errors, so the pre-crawl tried only some of them."""
    LINKS = "links_of_a_page"
    """Its page has more links than a pre-crawl takes in."""
    COLUMN = "other_column"
    """Another share of the fleet crawls its column."""
    ROBOTS = "forbidden_by_robots"
    """Its host's robots.txt forbids it."""


class Refusal(NamedTuple):
    """Why a URL is not crawled, and in words for a person; no reason: the filters don't take it."""

    reason: RejectionReason | None
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A URL on its way into the frontier; `weight`: of the page it was found on; `depth`: clicks from a start."""

    url: str
    weight: int = 0
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """Permission to fetch one URL until `expires_at` (seconds since the epoch).

    `token` is the fencing token: a completion with an outdated token has no effect. `weight` is the least tunnel
    weight of the pages that led here (0 for starts); `attempt` counts from 1.
    """

    url: str
    url_id: int
    weight: int
    depth: int
    attempt: int
    owner: str
    token: int
    expires_at: float


@dataclass(frozen=True, slots=True)
class Revisit:
    """The data kept of a fetched page for the next look at it. Times: epoch seconds.

    `signature` stands for its content (`page.text.content_signature`); `etag` and `last_modified` are the server's, for
    a conditional GET, "" if it gave none. `checks` counts the looks after the first, `changes` those that found
    something changed. `gone_at` is set while the server says that there is no such page any more.
    """

    signature: int
    kind: PageKind
    relevant: bool
    interval_seconds: float
    checked_at: float
    changed_at: float
    due_at: float
    etag: str = ""
    last_modified: str = ""
    checks: int = 0
    changes: int = 0
    gone_at: float | None = None

    @property
    def unchanged(self) -> bool:
        """Whether the last look was not the first, and found nothing new."""
        return self.changed_at < self.checked_at


@dataclass(frozen=True, slots=True)
class Done:
    """A leased page that was fetched and stored.

    `links` are the admitted URLs on it, in page order. `relevant` decides the page's own weight (0, else the
    lease's weight + 1) and so whether the frontier takes the links or holds them back (GWC, *Crawl*). `url` is
    the address after redirects, normalised: it is marked complete together with the leased one. `revisit` is kept with
    it. `unread`: the server said that nothing has changed (304), so what the page led to stands as it was. `main` is
    the canonical URL that an alias names: should that one give no page, the first of its aliases waits again.
    """

    lease: Lease
    url: str
    kind: PageKind
    relevant: bool
    links: tuple[str, ...] = ()
    revisit: Revisit | None = None
    unread: bool = False
    main: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a lease ended without a page; `retry_at` None: never again (state E); `revisit`: of an earlier fetch."""

    reason: str
    retry_at: float | None = None
    revisit: Revisit | None = None


@dataclass(slots=True)
class Page:
    """One downloaded page after reading; the tree is parsed once and shared by every use.

    `links` are normalised on-site URLs in page order without repeats; `admitted` those that passed a filter;
    `outside` off-site http(s) URLs. `tree` is an lxml root element, or None if it is not HTML; its last user, who
    strips or serialises it, drops it. `text` is the visible body text with folded white space. `flaws` are sentences
    on the faults of the page as a whole: they go to the `exceptions` table. `canonical` is the URL that the page names
    as its canonical one, if a link to it would be followed, else "". For a sitemap, `sitemaps` are the further ones
    that it names (also in `admitted`), `listed` has the time of the last change of each of its URLs (epoch seconds),
    None if not given. `page_kind` is INDEX or INFORMATION, whatever the page's role in the crawl; None if it is no
    page to look at.
    """

    url: str
    status: int
    body: bytes = field(repr=False)
    content_type: str
    charset: str
    kind: PageKind
    relevant: bool
    title: str = ""
    text: str = field(default="", repr=False)
    links: tuple[str, ...] = field(default=(), repr=False)
    admitted: tuple[str, ...] = field(default=(), repr=False)
    outside: tuple[str, ...] = field(default=(), repr=False)
    tree: Any = field(default=None, repr=False)
    flaws: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = field(default=(), repr=False)
    listed: Mapping[str, float | None] = field(default_factory=dict, repr=False)
    canonical: str = ""
    page_kind: PageKind | None = None


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A field that a target page did not give, for the `exceptions` table; `closest`: the nearest text or path."""

    field: str
    reason: str
    closest: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """The data extracted from one target page. `fields` has every field of the wrapper, None where absent.

    `rejected` is a reason when the page, in spite of its URL, is not of the target category: no record is stored.
    `parent` is set on a continuation page: its `fields` are lists that belong to the record of that URL. `number` is
    the page's place in the order of such pages; None: the first one that no other page has.
    """

    url: str
    fields: Mapping[str, Typed]
    problems: tuple[FieldProblem, ...] = ()
    rejected: str | None = None
    parent: str | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A body in the files store: its media type by its bytes, `size` in bytes, SHA-256 in hex, original `name`."""

    path: str
    kind: str
    size: int
    sha256: str
    name: str


@dataclass(slots=True, repr=False)
class Visit:
    """A page and its record, on the way through the item pipelines to the store.

    `weight` is the page's own tunnel weight; the tag-stripping pipeline fills `stripped_html`. `stale`: it was looked
    at again and is unchanged, so it is stored, but gives no item. `file`: its body is in the files store; the body of
    a page that is not HTML is dropped then (`page.body` is empty). `condensed`: the values that the tag-stripping
    pipeline fills came with the page.
    """

    lease: Lease
    page: Page
    record: Record | None
    weight: int
    fetched_at: float
    stripped_html: str = ""
    abstract: str = ""
    revisit: Revisit | None = None
    stale: bool = False
    file: KeptFile | None = None
    condensed: bool = False

    def __repr__(self) -> str:
        """Return the text for the log when a pipeline drops it, or fails: the record that it shall become."""
        fields = {} if self.record is None else dict(self.record.fields)
        return f"Visit({ {'url': self.page.url, **fields} })"


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page read back from the store, for learning and re-extraction. `html` is the body as it was received.

    `weight`, `depth` and `relevant` are the pre-crawl's; `links` all on-site links; `requested` the URL before
    redirects, `also` others that were seen to lead here; `fetched_at` seconds since the epoch, None if it is not
    known.
    """

    url: str
    requested: str
    html: bytes = field(repr=False)
    content_type: str
    charset: str
    weight: int
    depth: int
    relevant: bool
    links: tuple[str, ...] = field(default=(), repr=False)
    fetched_at: float | None = None
    also: tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """Its own address, and all addresses that redirected here: a link to any of them is one to this page."""
        return (self.url, self.requested, *self.also)


@dataclass(frozen=True, slots=True)
class RobotsText:
    """A robots.txt in UTF-8, as it was read at a time (epoch seconds); "" stands for none."""

    text: bytes
    read_at: float


# --- The keys of Request.meta by which the parts of a crawl speak of one Request: nobody else makes one up ------------

META_LEASE = "lease"  # the Lease; redirects and retries carry it along
META_REVISIT = "revisit"  # the `Revisit` kept of the page at the Request's URL, if there is one
META_PUT_BACK = "put_back"  # it came back because its host has to wait: it is no duplicate of itself
META_WEIGHT = "weight"  # the tunnel weight; a Request without it counts as weight 0
META_BEGAN = "exchange_began"  # when it went out, in seconds since 1970; gone when it has ended
META_TURN = "host_turn"  # the host (the limiter's key) that a popped Request was counted for; gone when it has ended
META_SENT = "sent_at"  # when it went out, on the limiter's clock
META_WITHIN = "within_turn"
"""It is made on behalf of one that has been started (robots.txt), also when it redirects or is tried again: to wait for
a free place then could be to wait for oneself."""
META_IN_DOUBT = "in_doubt"  # of a look whether a host is there at all: how its lease ends (`Failure`) if it is
META_ADDRESSES = "addresses"  # the addresses of the host, as they were looked up ahead of the Request's turn
META_LOGIN = "login"  # of the Requests by which a crawl logs in
META_SESSION = "login_session"  # under which login of this process it went out, counted from 1
META_SIGNS = "login_signs"  # by which signs its answers showed that the crawl was logged out, one for each time
META_PROXY = "site_proxy"  # the proxy, of those in [proxies], that it goes through; gone when it has ended
META_PROXY_TRIED = "site_proxies_tried"  # proxies through which it brought no page → why; it may be their fault
META_ENOUGH = "download_enough"  # stop waiting for a body after this many bytes, however long it is
META_UNREAD = "download_unread"  # beginnings of media types whose bodies are not waited for: nobody would keep them
META_WIRE = "wire"
"""An exchange as bytes: the request; head, body and payload of the answer. Removed behind the archive."""
META_ROW = "gwc_feed_row"  # a row of the store that goes through the pipelines again, into a feed that owes it


def weight_meta(lease: Lease) -> dict[str, Any]:
    """Return the `Request.meta` of a lease."""
    return {META_LEASE: lease, META_WEIGHT: lease.weight, "depth": lease.depth}


# --- A spider → the open parts of its crawl, or its end ---------------------------------------------------------------
def context_of(spider: Any) -> Any:
    """Return the `crawl.context.CrawlContext` of a spider; None if its URLs come from somewhere else.

    Such a spider may have a `context` of its own. Each component takes the part it works with, and declares its needs
    in a protocol; the parts themselves belong to higher rooms.
    """
    context = getattr(spider, "context", None)
    return context if hasattr(context, "leases") and hasattr(context, "frontier") else None


def end_crawl(spider: Any, error: Exception) -> None:
    """End the crawl of a spider of ours by *error*; for other spiders the raised error is enough."""
    if context_of(spider) is not None:
        spider.end_crawl(error)
