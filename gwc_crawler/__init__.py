"""GWC Crawler: give it a site, two example pages and the values you see there; it brings home every record.

Scrapy's face, in front: what a Scrapy developer looks for, where they look for it. Only these import Scrapy.

    commands      what is added to the `scrapy` command line: one module each, with its options, help and what it does
    dashboard     all of that as web pages: `web`, their frame; `queries`, what they show; `views`, one module each
    runs          what commands share: which site is meant; its pre-crawl, learning and crawl; how they answer; `doctor`
    spiders       pre-crawl and crawl as spiders; site files as spiders; `spiders.fleet`, workers that come and go
    crawl         a spider and its settings → the parts of its crawl: where leases come from, where pages go
    scheduler     leases become Requests, in the order of the crawl, as their hosts allow
    middlewares   robots.txt, redirects that keep the lease, whole bodies, politeness; headers, cookies, login, proxies
    downloader    limits that belong to hosts; the handler that fetches over kept connections
    pipelines     strip tags, store in batches, hand the record on
    extensions    progress line, stats; `extensions.feeds`, feeds of crawls that continue
    wiring        how each setting is taken: what it means, what our spiders are wired with, what is refused
    profiles      ways of running, one settings module each

Libraries, behind it, in the data's order; none of them knows Scrapy.

    sites         site files: validated whole; families of sites
    frontier      a URL's life U/R/C/E: leases, weights, queues; what may enter, and why not; when it is looked at again
    network       names → addresses; HTTP/1.1 over kept connections; how a site lets one in; `network.politeness`
    field_types   texts → numbers, prices, dates: what `[types]` of a site file can say
    page          bytes → Page: charset, links, kind, relevance, stripping
    extract       knowledge and page → record; `extract.reading`, by processes of their own
    store         pages, links, records into a database, in a commit with the frontier; bodies as files; `stripping`
    knowledge     what was learned of a site: the file of it, checked key by key, and what it says of URLs
    learn         pre-crawled pages → knowledge: `urls`, `kinds`, `targets`, `wrapper` …; `propose`, a whole site file
    export        records out of the store in any form: columns, formats, the file they go to; `graph`, the links
    operate       progress, status, why, drift; logs, metrics, alerts; schedules; `operate.fleet`, people and workers
    demo          the bundled mall: a site with known graph and records

`settings` says what can be set. `errors`, `items`, `urls` and `modes` are the foundation that all may use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gwc_crawler.extract.wrapper import Wrapper as Wrapper
    from gwc_crawler.frontier.md5tree import Md5Tree as Md5Tree
    from gwc_crawler.frontier.queues import bkdr_hash as bkdr_hash
    from gwc_crawler.frontier.redis.frontier import RedisFrontier as RedisFrontier
    from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier as SqliteFrontier
    from gwc_crawler.learn.urls.clustering import cluster_urls as cluster_urls
    from gwc_crawler.learn.urls.regex import url_regex as url_regex
    from gwc_crawler.learn.wrapper.learning import learn_wrapper as learn_wrapper
    from gwc_crawler.learn.wrapper.samples import Sample as Sample
    from gwc_crawler.network.dns_cache import DnsCache as DnsCache
    from gwc_crawler.page.charset import detect_charset as detect_charset
    from gwc_crawler.page.classify import classify_page as classify_page
    from gwc_crawler.page.reader import read_page as read_page
    from gwc_crawler.page.strip import strip_tags as strip_tags
    from gwc_crawler.scheduler.dupefilter import (
        Md5DirectoryDupeFilter as Md5DirectoryDupeFilter,
    )
    from gwc_crawler.scheduler.dupefilter import (
        Md5TreeDupeFilter as Md5TreeDupeFilter,
    )

__version__ = "0.1.0"

_MODULES = {
    "DnsCache": "network.dns_cache",
    "Md5DirectoryDupeFilter": "scheduler.dupefilter",
    "Md5Tree": "frontier.md5tree",
    "Md5TreeDupeFilter": "scheduler.dupefilter",
    "RedisFrontier": "frontier.redis.frontier",
    "Sample": "learn.wrapper.samples",
    "SqliteFrontier": "frontier.sqlite.frontier",
    "Wrapper": "extract.wrapper",
    "bkdr_hash": "frontier.queues",
    "classify_page": "page.classify",
    "cluster_urls": "learn.urls.clustering",
    "detect_charset": "page.charset",
    "learn_wrapper": "learn.wrapper.learning",
    "read_page": "page.reader",
    "strip_tags": "page.strip",
    "url_regex": "learn.urls.regex",
}
"""Public names → the modules that define them, loaded at first use."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"{__name__} has no {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_MODULES[name]}"), name))
