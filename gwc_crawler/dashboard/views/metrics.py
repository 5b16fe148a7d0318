"""The metrics of all sites for Prometheus: `/metrics`, with the token as a bearer token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from gwc_crawler.dashboard.queries.standing import Standing, file_facts
from gwc_crawler.dashboard.views.sites import standings
from gwc_crawler.dashboard.web.visit import Answer, DashboardRequest, Text, page
from gwc_crawler.operate.fleet.channel import Activity
from gwc_crawler.operate.monitor import CONTENT_TYPE, MetricFamily, metrics_text
from gwc_crawler.operate.status import Stage

STATES = tuple(one for one in Stage if one not in (Stage.LEARNED, Stage.NOT_LEARNED, Stage.NEW))


def metrics(visit: DashboardRequest) -> Answer:
    """Show how all sites stand."""
    return Text(metrics_text([_families(standings(visit.project))]), CONTENT_TYPE)


def _families(found: Sequence[Standing]) -> Iterator[MetricFamily]:
    crawls = [one for one in found if one.crawl is not None]

    def one(name: str, told: str, rows: Iterable[Standing], value: Callable[[Standing], float]) -> MetricFamily:
        return MetricFamily(name, "gauge", told, [({"site": row.site}, value(row)) for row in rows])

    urls = [
        ({"site": row.site, "state": state}, float(count))
        for row in crawls
        if row.crawl is not None
        for state, count in row.crawl.urls.items()
    ]
    states = [({"site": row.site, "state": state}, float(row.state == state)) for row in found for state in STATES]
    yield MetricFamily("gwc_site_state", "gauge", "1 for the state in which a site is", states)
    yield MetricFamily("gwc_queue_urls", "gauge", "URLs by state", urls)
    yield one("gwc_paused", "1 while the crawl is paused", crawls, lambda row: float(row.state is Stage.PAUSED))
    yield one("gwc_workers", "Workers with a sign of life", crawls, _workers)
    yield one("gwc_pages_per_second", "Pages a second, all workers, over the last minute", crawls, _pace)
    yield one("gwc_silent_hosts", "Hosts that answer no more", crawls, _silent_hosts)
    yield one("gwc_fallen_fields", "Fields far more rare than when they were learned", crawls, lambda r: len(r.fallen))
    yield one("gwc_store_bytes", "The crawl's database on disk", crawls, lambda r: file_facts(r.crawl)[1])
    yield one(
        "gwc_last_write_timestamp_seconds",
        "When the crawl's database was written to last",
        crawls,
        lambda r: file_facts(r.crawl)[0],
    )
    yield one("gwc_needs_attention", "What the dashboard warns of", found, lambda row: len(row.warnings))


def _workers(row: Standing) -> float:
    return float(sum(one.activity is not Activity.SILENT for one in row.crawl.workers)) if row.crawl else 0.0


def _pace(row: Standing) -> float:
    return row.crawl.pages_per_second if row.crawl else 0.0


def _silent_hosts(row: Standing) -> float:
    return float(len({host for one in row.crawl.workers for host in one.silent_hosts})) if row.crawl else 0.0


ROUTES = (page("/metrics", metrics),)
