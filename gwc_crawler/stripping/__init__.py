"""The strip engine (TagStrip): waiting pages → buffer → strippers → stripped pages, each block in one transaction."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.store.tables import StopWatch
    from gwc_crawler.stripping.engine import EngineOptions, StripOutcome, peak_bytes, strip_pages
    from gwc_crawler.stripping.folders import FolderSource, FolderTarget
    from gwc_crawler.stripping.locations import check_apart, open_source, open_target
    from gwc_crawler.stripping.report import as_json, database_share, summary_lines, time_table
    from gwc_crawler.stripping.stopping import StopOnSignal
    from gwc_crawler.stripping.strippers import InProcess, StripperProcesses, Strippers, open_strippers, strip_page
    from gwc_crawler.stripping.warc import WarcSource
else:
    __getattr__ = face(__name__)

__all__ = [
    "EngineOptions",
    "FolderSource",
    "FolderTarget",
    "InProcess",
    "StopOnSignal",
    "StopWatch",
    "StripOutcome",
    "StripperProcesses",
    "Strippers",
    "WarcSource",
    "as_json",
    "check_apart",
    "database_share",
    "open_source",
    "open_strippers",
    "open_target",
    "peak_bytes",
    "strip_page",
    "strip_pages",
    "summary_lines",
    "time_table",
]
