"""The output of a running crawl for other programs: Heritrix's logs, lines of JSON, metrics; and alerts to people."""

from __future__ import annotations

import json
import logging
import queue
import resource
import threading
import time
import warnings
from base64 import b32encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote, urlsplit

from gwc_crawler.errors import InputError
from gwc_crawler.frontier.protocol import FrontierCounts
from gwc_crawler.network.masking import hide, masked

logger = logging.getLogger(__name__)


# --- Log lines as JSON objects (GWC_LOG_FORMAT = json) ----------------------------------------------------------------


class JsonFormat(str):
    """Stands for LOG_FORMAT: a percent format whose result is a JSON object, for handlers that Scrapy makes."""

    __slots__ = ()

    def __mod__(self, values: Any) -> str:
        return _line(values, "")


class JsonFormatter(logging.Formatter):
    """One JSON object for each record, its traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        record.message = record.getMessage()
        trace = self.formatException(record.exc_info) if record.exc_info else record.exc_text or ""
        return _line(record.__dict__, trace)


def _line(values: Mapping[str, Any], trace: str) -> str:
    told = {
        "ts": datetime.fromtimestamp(values["created"], UTC).isoformat(timespec="milliseconds"),
        "level": values["levelname"],
        "logger": values["name"],
        "message": values["message"],
    }
    return json.dumps(told | ({"error": trace} if trace else {}), ensure_ascii=False)


# --- One exchange with a server, for the logs, and the sums of all ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class FinishedRequest:
    """A request and its result.

    Attributes:
        status: of HTTP, or one of Heritrix's negative codes if no answer came (-1 no such name, -2 no connection,
            -3 it broke off, -4 time-out, -5 something else, -6 the name of a host that has failed before).
        began_at: seconds since 1970.
        depth: clicks from an entry, as far as known.
        redirects: redirects on the way there.
        digest: the SHA-1 of the body, b"" without a body.
    """

    url: str
    status: int
    size: int
    mime: str
    began_at: float
    seconds: float
    depth: int = 0
    redirects: int = 0
    attempt: int = 1
    digest: bytes = b""


@dataclass(slots=True)
class Totals:
    """Sums since the crawl of this process began."""

    exchanges: int = 0
    failures: int = 0
    bytes: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, one: FinishedRequest) -> None:
        """Count one more."""
        self.exchanges += 1
        self.failures += one.status <= 0 or one.status >= 500
        self.bytes += one.size
        self.statuses[one.status] += 1


# --- `crawl.log` and `progress-statistics.log` as Heritrix 3 writes them ----------------------------------------------
# Source:
# Heritrix 3 documentation, "Logs" (crawl.log, progress-statistics.log).
# What we do differently: a referrer is not kept with a URL, so column 6 is "-"; the discovery path (column 5) is an L
# for each click from an entry and an R for each redirect; there are no threads, so column 8 is #000.


KEPT_FILES = 5

STATISTICS_HEAD = (
    "           timestamp  discovered      queued   downloaded       doc/s(avg)  KB/s(avg)   dl-failures   busy-thread"
    "   mem-use-KB  heap-size-KB   congestion   max-depth   avg-depth"
)

SAFE = "%/:?#[]@!$&'()*+,;=~"
"""Characters of a URL that are not escaped: no others have a place in a column."""


def crawl_line(one: FinishedRequest, logged_at: float) -> str:
    """Return an exchange as a line of `crawl.log`, in its 12 columns.

    >>> crawl_line(FinishedRequest("http://a.example/x", 200, 310, "text/css", 1090452579.422, 0.01, 2), 1090452580.438)
    '2004-07-21T23:29:40.438Z   200        310 http://a.example/x LL - text/css #000 20040721232939422+10 - - -'
    """
    digest = f"sha1:{b32encode(one.digest).decode()}" if one.digest else "-"
    columns = (
        stamp(logged_at),
        f"{one.status:5d}",
        f"{one.size:10d}",
        quote(masked(one.url), safe=SAFE),
        "L" * one.depth + "R" * one.redirects or "-",
        "-",
        "".join(one.mime.split()) or "-",
        "#000",
        f"{digits(one.began_at)}+{max(0, round(one.seconds * 1000))}",
        digest,
        "-",
        f"{one.attempt}t" if one.attempt > 1 else "-",
    )
    return " ".join(columns)


def statistics_line(
    at: float,
    counts: FrontierCounts,
    totals: Totals,
    *,
    docs: tuple[float, float],
    kilobytes: tuple[float, float],
    depth: tuple[int, float],
) -> str:
    """Return a line below `STATISTICS_HEAD`; rates a second: of the last while, of all the time; depth: most, mean."""
    found = counts.waiting + counts.running + counts.complete + counts.error
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rates = f"{docs[0]:.2f}({docs[1]:.2f})", f"{kilobytes[0]:.0f}({kilobytes[1]:.0f})"
    return (
        f"{stamp(at)[:19] + 'Z':>20} {found:>11} {counts.waiting:>11} {counts.complete:>12} {rates[0]:>16}"
        f" {rates[1]:>10} {totals.failures:>13} {counts.running:>13} {memory:>12} {memory:>13} {0:>12}"
        f" {depth[0]:>11} {depth[1]:>11.1f}"
    )


def rotated(path: Path, max_bytes: int) -> logging.Handler:
    """Open a log to append to; when full, it becomes `NAME.1`, and the oldest of five is deleted. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(path, maxBytes=max_bytes, backupCount=KEPT_FILES, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(message)s"))
    return handler


def stamp(at: float) -> str:
    """Return a time as ISO 8601 with milliseconds: 2004-07-21T23:29:40.438Z."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digits(at: float) -> str:
    """Return a time in 17 digits: 20040721232939422."""
    return "".join(filter(str.isdigit, stamp(at)))


# --- Figures of a crawl → the text that Prometheus reads (exposition format 0.0.4) ------------------------------------


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
    """Yield all metrics of a site's crawl in this process."""

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


# --- The address that Prometheus asks: a thread for each process, which shows the last text of each crawl -------------


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_servers: dict[tuple[str, int], MetricsServer] = {}


class MetricsServer:
    """Shows the metrics of each site that are in `shown`; it only reads, and knows no other path than /metrics."""

    def __init__(self, host: str, port: int) -> None:
        shown: dict[str, Sequence[MetricFamily]] = {}
        self.shown = shown

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                known = self.path.partition("?")[0] == "/metrics"
                text = metrics_text(list(shown.values())) if known else "ask for /metrics\n"
                body = text.encode()
                self.send_response(200 if known else 404)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Log nothing: the metrics are asked for every few seconds."""

        self._http = ThreadingHTTPServer((host, port), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, name="metrics", daemon=True).start()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._http.server_address[1])


def serve_metrics(host: str, port: int) -> MetricsServer:
    """Return this process's server at an address, started with the first crawl that asks for it. Raises OSError."""
    if (host, port) not in _servers:
        _servers[host, port] = MetricsServer(host, port)
    return _servers[host, port]


# --- Messages to people (GWC_ALERTS), by a thread beside the crawl ----------------------------------------------------


TRIES = 3
MOST_WAITING = 100
"""Messages that wait to be sent at most; later ones are dropped, and counted."""

WORDS = ("drift", "end", "error", "silence")

Send: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Alert:
    """A message to people: `event` is one of `WORDS`."""

    event: str
    site: str
    text: str


class Alerts:
    """Sends alerts, one after the other; `tell` never waits."""

    def __init__(self, sends: Sequence[Send], wanted: Sequence[str] = WORDS, retry_seconds: float = 2.0) -> None:
        self._sends = sends
        self._wanted = frozenset(wanted)
        self._retry_seconds = retry_seconds
        self._waiting: queue.Queue[Alert | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._work, name="alerts", daemon=True)
        self.dropped = 0
        self.failed = 0
        self._thread.start()

    def tell(self, alert: Alert) -> None:
        """Have it sent; of too many the last are dropped."""
        if alert.event not in self._wanted:
            return
        try:
            self._waiting.put_nowait(alert)
        except queue.Full:
            self.dropped += 1

    def finish(self, seconds: float) -> None:
        """Wait until all is sent, at most this many seconds."""
        until = time.monotonic() + seconds
        try:
            self._waiting.put(None, timeout=seconds)
        except queue.Full:
            return
        self._thread.join(max(0.0, until - time.monotonic()))

    def _work(self) -> None:
        while (alert := self._waiting.get()) is not None:
            title = masked(f"GWC Crawler: {alert.event}, {alert.site}")
            for send in self._sends:
                self._try(send, title, masked(alert.text))

    def _try(self, send: Send, title: str, text: str) -> None:
        for number in range(TRIES):
            if number:
                time.sleep(self._retry_seconds * number)
            try:
                if send(title, text):
                    return
            except Exception as error:  # noqa: BLE001  # whatever a way of sending does, the crawl goes on
                logger.debug("an alert can't be sent: %s", type(error).__name__)
        self.failed += 1
        logger.warning("an alert could not be sent after %d tries; look at GWC_ALERTS", TRIES)


def senders(addresses: Sequence[str]) -> list[Send]:
    """Return a sender for each address, a secret from now on. InputError: one can't be used, or Apprise is missing."""
    logging.getLogger("apprise").setLevel(logging.CRITICAL)  # failures are reported here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecations inside its own libraries are not ours to mend
        try:
            from apprise import Apprise
        except ImportError:
            raise InputError('GWC_ALERTS needs Apprise: pip install "gwc-crawler[alerts]"') from None
        return [_sender(Apprise(), number, address) for number, address in enumerate(addresses, 1)]


def _sender(apprise: object, number: int, address: str) -> Send:
    hide_parts(address)
    for plain, known in (("http://", "json://"), ("https://", "jsons://")):
        if address.startswith(plain):
            address = known + address.removeprefix(plain)
    if not apprise.add(address):  # type: ignore[attr-defined]
        raise InputError(
            f"setting GWC_ALERTS: address {number} is none that Apprise knows; e.g. https://hooks.example/…, "
            "mailto://user:password@example.com (https://appriseit.com/services/)"
        )

    def send(title: str, text: str) -> bool:
        return bool(apprise.notify(title=title, body=text))  # type: ignore[attr-defined]

    return send


def hide_parts(address: str) -> None:
    """Hide what may be a secret of an address: password, path, query."""
    parts = urlsplit(address)
    words = (address, parts.password or "", parts.path.strip("/"), *parts.path.split("/"), parts.query)
    hide(*(word for word in words if len(word) >= 6))
