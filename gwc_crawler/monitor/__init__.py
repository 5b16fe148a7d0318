"""What other programs see of a running crawl: log files as Heritrix writes them, metrics, alerts, JSON log lines."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.monitor.alerts import WORDS, Alert, Alerts, hide_parts, senders
    from gwc_crawler.monitor.exchanges import FinishedRequest, Totals
    from gwc_crawler.monitor.heritrix import STATISTICS_HEAD, Statistics, crawl_line, rotated, statistics_line
    from gwc_crawler.monitor.json_log import JsonFormat, JsonFormatter
    from gwc_crawler.monitor.metrics import Gauges, MetricFamily, families, metrics_text
    from gwc_crawler.monitor.serving import CONTENT_TYPE, MetricsServer, serve_metrics
else:
    __getattr__ = face(__name__)

__all__ = [
    "CONTENT_TYPE",
    "STATISTICS_HEAD",
    "WORDS",
    "Alert",
    "Alerts",
    "FinishedRequest",
    "Gauges",
    "JsonFormat",
    "JsonFormatter",
    "MetricFamily",
    "MetricsServer",
    "Statistics",
    "Totals",
    "crawl_line",
    "families",
    "hide_parts",
    "metrics_text",
    "rotated",
    "senders",
    "serve_metrics",
    "statistics_line",
]
