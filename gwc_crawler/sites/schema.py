"""The checked content of a site file: the values that `load_site` returns. Every later part of a crawl reads these.

A site file is TOML, in UTF-8; its name is the site's name (`books.toml` is the spider `books`).

    entry = ["https://books.example.com/"]          # where the crawl starts; needed
    keywords = "ISBN && (Paperback || Hardcover)"   # what target pages say outside links: knowledge.keywords
    hosts = ["books.example.org"]                   # further sites in scope; each entry's own site always is

    sitemap = true                                  # also take in what the site's own lists name; or their URLs

    deep = true                                     # also take in what forms with choices lead to
    browser = "targets"                             # pages that scripts fill: "targets", true (all) or false

    [[samples]]                                     # a page whose record you want, two of them; all you see there
    url = "https://books.example.com/product/1"
    fields = { title = "Thor", price = "$11.48", authors = ["Billy Tan", "Ryan Stegman"] }

    [[samples]]
    url = "https://books.example.com/product/2"
    [samples.fields]                                # the same, a line for each
    title = "From Dead to Worse"
    authors = ["Charlaine Harris"]
    reviews = [
        { author = "Ann", date = "12 June 2010", text = "Read it in one night." },
        { author = "Bob", date = "13 June 2010", text = "The plot is thin." },
    ]

    [fields.price]              # how a value is read, by hand: css, xpath, jmespath (in JSON), regex; or lists of them
    css = ".price::text"

    [fields.tags]
    xpath = "//ul[@id='tags']/li"
    many = true                 # a list: all that is selected

    [fields.offers]             # records: what is one row, and its parts
    rows = ".offer"
    parts.shop = ".shop::text"
    parts.price = { css = ".price", regex = '[0-9.]+' }

    [learn]
    pages = 1000                # pre-crawled pages to learn from, at most
    stop = "stable"             # fetch no more of them than it takes; "never": always so many
    mode = "best"               # or "paper": the published algorithms as they are
    target = ["/product/*"]     # settles which URLs are targets, where it is in doubt
    also = ["/gift/*"]          # targets besides those that are found
    exclude = ["/product/test-*"]   # never targets
    listing = ["/shelf/**"]     # pages to follow, whatever is learned

    [crawl]
    max_weight = "auto"         # pages this many off-topic clicks away are not followed; "auto": learned
    max_pages = 10000           # stop after so many pages; left out: no limit
    max_depth = 20              # clicks from an entry; left out: no limit

    [types]                     # text (as it stands), number, price, date, url, file, list or html
    price = "price"
    "reviews.date" = "date"     # a part of a list of records

    [paging]                    # lists that go on on further pages; all of it comes into the one record
    reviews = true              # how these pages' URLs look is learned; or a regex for the whole URL, as in `target`

    [template]
    hosts = ["*.example.com"]   # sites of the same make: `scrapy work` crawls those it finds by what is learned here

    [dns]
    hosts = { "books.example.com" = "10.0.0.1" }    # where a host is, whatever a name server says; or a list of these

    [headers]                   # how one gets in; a secret is an environment variable: docs/access.md
    X-Api-Key = "{env:BOOKS_KEY}"

    [auth]
    user = "ann"
    password = "{env:BOOKS_PASSWORD}"

    [cookies]
    file = "cookies.txt"        # beside the site file

    [login]
    url = "https://books.example.com/login"
    form = "#login"
    fields = { username = "ann", password = "{env:BOOKS_PASSWORD}" }
    success = { css = ".logout" }

    [proxies]
    urls = ["http://ann:{env:PROXY_PASSWORD}@proxy.example:3128"]
    concurrency = 4

    [settings]                  # any setting, for this site
    DOWNLOAD_DELAY = 0.5

How much is needed: two samples, or keywords, or both; with `entry` alone the site is crawled as a whole, every page of
it, and nothing is learned. One sample works, with a warning: what is common to two pages
can't be seen on one. A sample without fields only says "this is a target page"; without any field the pages are
stored and no records are made. A field that one sample has and another has not is optional.

A value is written as it stands on the page, in quotes: a text, a list of texts, or a list of records (whose
parts are texts or lists of texts). It has
the same shape in every sample; with `[types] authors = "list"` a single text is taken for a list of one. A field's name
has letters, digits, "_", "-" and spaces inside; TOML wants quotes around it unless it is plain A-Z ("菜名" = "回锅肉").
`{ … }` has to stay on one line in TOML, `[ … ]` may go over several.

How URLs are said by hand: as globs, or as regexes. In a glob `*` stands for any characters of a path's segment, or of a
query's value, `**` for any at all. A regex begins with `re:` or `^`; a `target` with signs that no glob has (`[`, `\\`,
`.*` …) is one, too. Both are for the whole normalised URL; what begins with "/" (`re:/…`) holds on all hosts of the
site. Learning tells how many known URLs each takes. What `also` names is a target whatever its page looks like, and is
learned from; what `exclude` names is none even so, but may be followed; what `listing` names is followed, and what it
leads to.

What types do: a record has the typed value under the field's name, and beside it the text that stands on the page:

- number: `price` 1234.5, `price_raw` "1,234.5 pages"
- price: `price` 11.48, `price_currency` "$", `price_raw` "$11.48"
- date: `born` "2010-06-12", `born_raw` "12 June 2010"; as exact as the text: "2010-06", "2010-06-12T08:30:00"
- url: `cover` "https://books.example.com/1.jpg", `cover_raw` "/1.jpg"
- file: `cover` and `cover_raw` as of a url; `cover_file` "files/3f/3f0c….jpg", where what lies there is kept
- html: `content` "One <b>two</b>", what stands inside the element, without scripts and comments; no `_raw`
- list: "a, b" in one text is cut into ["a", "b"]; text: white space is folded; neither has `_raw`

What is not of its type is empty (NULL), its text is in `…_raw`, and the table `exceptions` says why. "3 days ago" is
told from when the page was fetched. Lists are typed value by value, and have lists beside them; a part of records has
`…_raw` beside it in the record. A sample gives every value as the text on the page, also of type html.

What selectors do: a field with one is read by it, whatever the samples say, which it is compared with. An element gives
its text as a reader sees it, `::attr(href)` an absolute address, a regex its groups or else all it takes, of what the
other selector gives; alone of the page's source. `jmespath` looks into what css or xpath select, else into every
script of the page that holds JSON. Of a list each selector is tried in turn, until one gives something; of a text the
first value counts that is not blank. With all fields by hand, samples need no values.

What paging does: a page that goes on with a list of a target page (…/comment-page-2/, …?rpage=2) is fetched, though no
filter may take its URL; its items come into the record of the target page, in page order, none twice because pages
overlap. It has no record of its own. Feeds get each record when its own page is read, with the list as it is there.

What sitemap does: the sitemaps that robots.txt names, or /sitemap.xml, or those given here, are fetched like pages, and
what they list is taken for links of a page on the topic: it passes the same filters. Index files, gzip, RSS and Atom
feeds and plain lists of URLs are read; with `-a recrawl=due` what has a newer `lastmod` is due.

What deep does: of a form that is sent by GET, and of a menu that jumps to the chosen page, each choice is taken for a
link; of several choices each combination, where these are few (GWC_FORM_LINKS).

What a template does: a found host that matches one of its patterns (`*` stands for characters without a dot) gets a
crawl of its own, with this file and its knowledge, the host put in the place of the entry's. Such crawls, this file's
own among them, stay on their host, whatever its registered domain: all entries are on one host. See `family`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gwc_crawler.field_types.table import type_of
from gwc_crawler.items import FieldValue, ValueShape
from gwc_crawler.knowledge.patterns import UrlPattern
from gwc_crawler.modes import BrowserFor, LearnMode, LearnStop
from gwc_crawler.network.access import AccessRules, Reach
from gwc_crawler.urls import host_of, site_of


@dataclass(frozen=True, slots=True)
class SampleSpec:
    """A target page and the values a person sees there; `line` is its place in the file."""

    url: str
    fields: Mapping[str, FieldValue]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """The [learn] table. `target` decides which URLs are targets; `also` and `exclude` add to the learned ones, and
    remove from them; `listing` are pages to follow.

    `pages` and `stop` None: the defaults of the mode; the published one does not end before its `most_pages`.
    """

    pages: int | None = None
    mode: LearnMode = LearnMode.BEST
    target: tuple[UrlPattern, ...] = ()
    stop: LearnStop | None = None
    listing: tuple[UrlPattern, ...] = ()
    also: tuple[UrlPattern, ...] = ()
    exclude: tuple[UrlPattern, ...] = ()

    @property
    def by_hand(self) -> dict[str, tuple[UrlPattern, ...]]:
        """The decisions on URLs: key → patterns; keys without any are left out."""
        keys = {"target": self.target, "listing": self.listing, "also": self.also, "exclude": self.exclude}
        return {key: patterns for key, patterns in keys.items() if patterns}

    @property
    def most_pages(self) -> int:
        """How many pages are learned from at most: the paper's 4,000, else 1,000. More hardly change what is learned:
        of 26 groups of real sites and hundreds of generated ones one alone is still in doubt after 1,000."""
        return self.pages or (4000 if self.mode is LearnMode.PAPER else 1000)

    @property
    def ends_early(self) -> bool:
        """Whether the pre-crawl ends when more pages would hardly change what is learned."""
        return self.stop is LearnStop.STABLE if self.stop is not None else self.mode is not LearnMode.PAPER

    @property
    def is_directed(self) -> bool:
        """Whether the pre-crawl prefers URLs of unknown forms."""
        return self.ends_early or self.mode is not LearnMode.PAPER


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """The [crawl] table. None: learned (`max_weight`), unlimited (the others)."""

    max_weight: int | None = None
    max_pages: int | None = None
    max_depth: int | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """A whole site file. URLs are normalised; `warnings` are readable lines about parts that work, but could be better.

    `paging` has the regex of each paged list's further pages, "" if it is to be learned. `family` are the host
    patterns of [template]; `template` is the name of the site whose file and knowledge serve this one, "" for most.
    `sitemap` are the URLs of sitemaps; True: search for them. `deep`: choices in forms count as links. `columns`: one
    of several shares of its columns (number from 1, of how many), if a fleet is divided by them; not from a file.
    `fields` are the rules of fields with selectors, in the form of knowledge.
    """

    name: str
    path: Path
    entry: tuple[str, ...]
    keywords: str = ""
    browser: BrowserFor | None = None
    """Which pages go through a browser; None: as GWC_BROWSER says."""
    samples: tuple[SampleSpec, ...] = ()
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    learn: LearnOptions = field(default_factory=LearnOptions)
    crawl: CrawlOptions = field(default_factory=CrawlOptions)
    types: Mapping[str, str] = field(default_factory=dict)
    paging: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    access: AccessRules = field(default_factory=AccessRules)
    family: tuple[str, ...] = ()
    template: str = ""
    sitemap: bool | tuple[str, ...] = False
    deep: bool = False
    columns: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing says what to look for: every page of the site is wanted."""
        return not self.samples and not self.keywords and not self.learn.target

    @property
    def field_names(self) -> tuple[str, ...]:
        """All fields of all samples, in order of first appearance, then those that have selectors alone."""
        return tuple(dict.fromkeys((*(name for sample in self.samples for name in sample.fields), *self.fields)))

    @property
    def text_columns(self) -> frozenset[str]:
        """The records' columns of fields that are no lists, by the samples: a text like "[1]" is a text there."""
        lists = {name for sample in self.samples for name, value in sample.fields.items() if isinstance(value, list)}
        lists |= {name for name, rule in self.fields.items() if rule["shape"] != ValueShape.TEXT}
        types = {name: type_of(self.types.get(name, "")) for name in self.field_names if name not in lists}
        return frozenset(
            column for name, kind in types.items() if not kind.is_list for column in (name, *kind.companions(name))
        )

    @property
    def sites(self) -> frozenset[str]:
        """The sites in scope; see `scope_of`."""
        return scope_of(self.entry, self.hosts, by_host=bool(self.family or self.template))

    @property
    def reach(self) -> Reach:
        """The hosts to which its headers, credentials and cookies may be sent."""
        return Reach.of(self.sites, self.entry)

    @property
    def starts(self) -> tuple[str, ...]:
        """The starts of the crawl: the entries, and the samples if they are pages of this very site."""
        return (*self.entry, *(sample.url for sample in self.samples if not self.template))


def scope_of(entry: Iterable[str], hosts: Iterable[str], *, by_host: bool) -> frozenset[str]:
    """Return the site identifiers (T-Spider, algorithm 2) of the entries and of `hosts`.

    *by_host*: their exact hosts, for a family of sites, whose members may have one registered domain.
    """
    if by_host:
        return frozenset((*map(host_of, entry), *hosts))
    return frozenset(site_of(one) for one in (*entry, *hosts))


def site_of_spider(spider: object) -> Site | None:
    """Return the site that a spider, or a class of spiders, crawls; None for one without a site file."""
    site = getattr(spider, "site", None)
    return site if isinstance(site, Site) else None
