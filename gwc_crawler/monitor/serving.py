"""The address that Prometheus asks: a thread for each process, which shows the last text of each crawl."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gwc_crawler.monitor.metrics import MetricFamily, metrics_text

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_servers: dict[tuple[str, int], MetricsServer] = {}


class MetricsServer:
    """Shows what was last put of each site; it only reads, and knows no other path than /metrics."""

    def __init__(self, host: str, port: int) -> None:
        shown: dict[str, Sequence[MetricFamily]] = {}
        self._shown = shown

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
                """Say nothing: it is asked every few seconds."""

        self._http = ThreadingHTTPServer((host, port), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, name="metrics", daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._http.server_address[1])

    def put(self, site: str, found: Sequence[MetricFamily]) -> None:
        """Show this of a site from now on."""
        self._shown[site] = found

    def drop(self, site: str) -> None:
        """Show nothing of a site any more."""
        self._shown.pop(site, None)


def serve_metrics(host: str, port: int) -> MetricsServer:
    """Return the server of this process at this place, started with the first crawl that asks for it.

    Raises:
        OSError: the port is taken, or is none of ours.
    """
    place = (host, port)
    if place not in _servers:
        _servers[place] = MetricsServer(host, port)
    return _servers[place]
