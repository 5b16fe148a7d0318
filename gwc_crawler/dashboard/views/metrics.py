"""The metrics of all sites for Prometheus: `/metrics`, with the token as a bearer token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gwc_crawler.dashboard.queries.standing import Standing, file_facts
from gwc_crawler.dashboard.views.sites import standings
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Text, page
from gwc_crawler.operate.fleet.channel import Activity
from gwc_crawler.operate.monitor import CONTENT_TYPE, MetricFamily, metrics_text
from gwc_crawler.operate.status import CrawlStatus, Stage, WorkerStatus

STATES = tuple(one for one in Stage if one not in (Stage.LEARNED, Stage.NOT_LEARNED, Stage.NEW))


def _metrics(visit: DashboardRequest) -> Answer:
    return Text(metrics_text([_families(standings(visit.project))]), CONTENT_TYPE)


def _families(found: Sequence[Standing]) -> Iterator[MetricFamily]:
    crawls = [(row, row.crawl) for row in found if row.crawl is not None]

    def one(name: str, told: str, value: Callable[[Standing, CrawlStatus], float]) -> MetricFamily:
        return MetricFamily(name, "gauge", told, [({"site": row.site}, value(row, crawl)) for row, crawl in crawls])

    urls = [({"site": row.site, "state": state}, float(n)) for row, crawl in crawls for state, n in crawl.urls.items()]
    states = [({"site": row.site, "state": state}, float(row.state == state)) for row in found for state in STATES]
    warned = [({"site": row.site}, len(row.warnings)) for row in found]
    last_write = "When the crawl's database was written to last"
    yield MetricFamily("gwc_site_state", "gauge", "1 for the state in which a site is", states)
    yield MetricFamily("gwc_queue_urls", "gauge", "URLs by state", urls)
    yield one("gwc_paused", "1 while the crawl is paused", lambda row, _: float(row.state is Stage.PAUSED))
    yield one("gwc_workers", "Workers with a sign of life", lambda _, crawl: float(len(_at_work(crawl))))
    yield one(
        "gwc_pages_per_second",
        "Pages a second, all workers, over the last minute",
        lambda _, crawl: crawl.pages_per_second,
    )
    yield one("gwc_silent_hosts", "Hosts that answer no more", lambda _, crawl: float(len(_silent_hosts(crawl))))
    yield one("gwc_fallen_fields", "Fields far more rare than when they were learned", lambda row, _: len(row.fallen))
    yield one("gwc_store_bytes", "The crawl's database on disk", lambda _, crawl: file_facts(crawl)[1])
    yield one("gwc_last_write_timestamp_seconds", last_write, lambda _, crawl: file_facts(crawl)[0])
    yield MetricFamily("gwc_needs_attention", "gauge", "What the dashboard warns of", warned)


def _at_work(crawl: CrawlStatus) -> list[WorkerStatus]:
    return [one for one in crawl.workers if one.activity is not Activity.SILENT]


def _silent_hosts(crawl: CrawlStatus) -> set[str]:
    return {host for one in crawl.workers for host in one.silent_hosts}


ROUTES = (page("/metrics", _metrics),)
