"""What `scrapy status` shows on a terminal: tables, sparklines, bars, trees; the full screen of `--watch` as lines."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.operate.screen.pictures import bar, class_tree, sparkline
    from gwc_crawler.operate.screen.status_text import StatusReport
    from gwc_crawler.operate.screen.view import Trend, class_rows, fitted, overview_screen, site_screen
else:
    __getattr__ = face(__name__)

__all__ = [
    "StatusReport",
    "Trend",
    "bar",
    "class_rows",
    "class_tree",
    "fitted",
    "overview_screen",
    "site_screen",
    "sparkline",
]
