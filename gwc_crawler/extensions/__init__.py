"""What runs beside a crawl: progress line, stats, no log lines and servers that nobody asked for."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extensions.collector import CollectorExtension
    from gwc_crawler.extensions.log import UnaskedLogFormatter
    from gwc_crawler.extensions.progress import ProgressExtension
    from gwc_crawler.extensions.stats import PlainStats, RunStats
else:
    __getattr__ = face(__name__)

__all__ = [
    "CollectorExtension",
    "PlainStats",
    "ProgressExtension",
    "RunStats",
    "UnaskedLogFormatter",
]
