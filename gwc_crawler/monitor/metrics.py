"""Figures of a crawl → the text that Prometheus reads (exposition format 0.0.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gwc_crawler.access import masked
from gwc_crawler.monitor.exchanges import Totals

Sample: TypeAlias = tuple[Mapping[str, str], float]


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """All figures of one name: `kind` is counter or gauge."""

    name: str
    kind: str
    told: str
    samples: Sequence[Sample]


@dataclass(frozen=True, slots=True)
class Gauges:
    """How a crawl stands at one moment, besides its `Totals`."""

    pages: int
    pages_by_kind: Mapping[str, int]
    records: int
    exceptions: int
    queue: Mapping[str, int]
    paused: bool
    silent_hosts: int
    drifts: int
    dns: Mapping[str, int] = field(default_factory=dict)
    coverage: Mapping[str, float] = field(default_factory=dict)
    workers: int = 1


def families(site: str, now: Gauges, totals: Totals) -> Iterator[MetricFamily]:
    """Return all that is told of a site's crawl in this process."""

    def one(name: str, kind: str, told: str, value: float) -> MetricFamily:
        return MetricFamily(name, kind, told, [({"site": site}, value)])

    def many(name: str, kind: str, told: str, label: str, values: Iterable[tuple[object, float]]) -> MetricFamily:
        return MetricFamily(name, kind, told, [({"site": site, label: str(key)}, value) for key, value in values])

    yield one("gwc_pages_total", "counter", "Pages read in this run", now.pages)
    yield many("gwc_pages_by_kind_total", "counter", "Pages read, by kind", "kind", now.pages_by_kind.items())
    yield one("gwc_records_total", "counter", "Records made in this run", now.records)
    yield one("gwc_exceptions_total", "counter", "Fields that were missing or of another type", now.exceptions)
    yield one("gwc_bytes_total", "counter", "Bytes of bodies, as they came", totals.bytes)
    yield many(
        "gwc_responses_total", "counter", "Exchanges by status; below 0: none came", "status", totals.statuses.items()
    )
    yield one("gwc_fetch_failures_total", "counter", "Exchanges that failed: no answer, or 5xx", totals.failures)
    yield many("gwc_queue_urls", "gauge", "URLs by state", "state", now.queue.items())
    yield one("gwc_paused", "gauge", "1 while the crawl is paused", int(now.paused))
    yield one("gwc_silent_hosts", "gauge", "Hosts that answer no more", now.silent_hosts)
    yield one("gwc_drift_total", "counter", "Fields that have fallen away", now.drifts)
    yield one("gwc_workers", "gauge", "Workers of this crawl, this process among them", now.workers)
    yield many("gwc_dns_total", "counter", "Lookups of names, by what came of them", "what", now.dns.items())
    yield many("gwc_field_coverage", "gauge", "Share of the run's records with a field", "field", now.coverage.items())


def metrics_text(of_sites: Iterable[Iterable[MetricFamily]]) -> str:
    """Return the text of several sites' figures: each name stands once, with the samples of all."""
    merged: dict[str, tuple[MetricFamily, list[Sample]]] = {}
    for found in of_sites:
        for family in found:
            merged.setdefault(family.name, (family, []))[1].extend(family.samples)
    lines = []
    for family, samples in merged.values():
        lines += [f"# HELP {family.name} {family.told}", f"# TYPE {family.name} {family.kind}"]
        lines += (f"{family.name}{{{_labels(labels)}}} {value!r}" for labels, value in samples)
    return masked("\n".join(lines) + "\n") if lines else "\n"


def _labels(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
