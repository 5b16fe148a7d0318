"""GWC Crawler: give it a site, two example pages and the values you see there; it brings home every record.

Scrapy's face, in front: what a Scrapy developer looks for, where they look for it. Only these import Scrapy.

    commands      what is added to the `scrapy` command line: one module each, with its options, help and what it does
    doctor        whether everything that a crawl stands on is as it should be, each with what helps
    runs          what commands share: which site is meant; its pre-crawl, learning and crawl; how they answer
    dashboard     all of that as web pages: `web`, their frame; `queries`, what they show; `views`, one module each
    spiders       pre-crawl and crawl as spiders; site files as spiders; `spiders.fleet`, workers that come and go
    assembly      a spider and its settings → the parts of a crawl, opened and put together
    crawl         these parts: where leases come from, where pages go, what is asked of it; `crawl.shared`, with others
    scheduler     leases become Requests, in the order of the crawl, as their hosts allow
    middlewares   robots.txt, redirects that keep the lease, whole bodies, politeness; `access`, headers, login, proxies
    downloader    limits that belong to hosts; the handler that fetches over kept connections
    pipelines     strip tags, store in batches, hand the record on
    extensions    progress line, stats; `extensions.feeds`, feeds of crawls that continue
    wiring        how each setting of Scrapy's is taken, what our spiders are wired with, what is refused
    config        what settings mean: the values and options that several parts go by, read once
    profiles      ways of running, one settings module each

Libraries, behind it, in the data's order; none of them knows Scrapy.

    access        how a site lets one in: secrets and what hides them, cookies, login forms, proxies in turns
    sites         site files: validated whole; families of sites
    frontier      a URL's life U/R/C/E: leases, tunnel weights, queues; `sqlite` and `redis` keep the same promise
    admission     what may enter the frontier, and why not: traps, limits, how much classes of URLs yield
    politeness    how hard a host may be pressed: limits, delays, back-off; `robots`, what robots.txt allows
    dns           names → addresses: a cache in the event loop, its name servers, and which addresses are refused
    http          HTTP/1.1 as real servers speak it, over connections that are kept
    field_types   texts → numbers, prices, dates: what `[types]` of a site file can say
    page          bytes → Page: charset, links, kind, relevance, stripping
    stripping     the strip engine: pages of a database, an archive or a folder without their tags' noise, in bulk
    extract       knowledge and page → record
    reading       pages read by processes of their own, for a crawl that has more than one core
    browser       pages as a browser shows them, while every request goes through the crawl
    archive       exchanges with servers as they went over the wire, in WARC files
    files         bodies kept as files: which, of what type, under what safe name
    store         pages, links, records and exceptions into a database, in a commit with the frontier; `state`; `outlet`
    recrawl       when a page is looked at again
    learn         pre-crawled pages → knowledge: `urls`, `kinds`, `targets`, `wrapper`, `places`, `review`
    propose       pages of a new site → a whole site file
    control       pause, resume, stop, and what workers report
    fleet         which worker takes which site, or which part of one
    export        records out of the store in any form: columns, formats, the file they go to
    graph         the site's link graph: figures, files and pictures
    operate       progress, summary, status, why, drift, extraction from stored pages
    monitor       what other programs see of a running crawl: Heritrix's logs, metrics, alerts, JSON log lines
    schedules     crawls at set times; timers for cron and systemd
    redis_server  scripts, errors and waits of Redis, for all who use it
    demo          the bundled mall: a site with known graph and records

`settings` says what can be set. `errors`, `items`, `urls`, `clean_urls`, `keywords`, `knowledge` (its
`knowledge_form`, checked by `checked_json`), `modes`, `request_meta`, `spider_context`, `program`, `markup`,
`similarity` and `lazy` are the foundation that all may use.
"""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.dns import DnsCache
    from gwc_crawler.extract import Wrapper
    from gwc_crawler.frontier import Md5Tree, bkdr_hash
    from gwc_crawler.frontier.redis import RedisFrontier
    from gwc_crawler.frontier.sqlite import SqliteFrontier
    from gwc_crawler.learn.urls import cluster_urls, url_regex
    from gwc_crawler.learn.wrapper import Sample, learn_wrapper
    from gwc_crawler.page import classify_page, detect_charset, read_page, strip_tags
else:
    __getattr__ = face(__name__)

__version__ = "0.1.0"

__all__ = [
    "DnsCache",
    "Md5Tree",
    "RedisFrontier",
    "Sample",
    "SqliteFrontier",
    "Wrapper",
    "bkdr_hash",
    "classify_page",
    "cluster_urls",
    "detect_charset",
    "learn_wrapper",
    "read_page",
    "strip_tags",
    "url_regex",
]
