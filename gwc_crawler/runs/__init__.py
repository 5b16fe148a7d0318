"""What commands share: the site they mean and its files; its pre-crawl, learning and crawl; how they answer."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.runs.fetching import page_fetcher
    from gwc_crawler.runs.fullscreen import MOST_SHARE, FullScreen
    from gwc_crawler.runs.launch import launch_of
    from gwc_crawler.runs.lookup import (
        SiteFiles,
        SiteLocation,
        loader_of,
        places,
        site_class_of,
        site_files_of,
        site_name_of,
        spider_class_of,
    )
    from gwc_crawler.runs.output import console, has_stdout, output_console, print_json, print_labelled, progress_bar
    from gwc_crawler.runs.record_view import FoundValue, RecordView, records_table_of, view_record
    from gwc_crawler.runs.records import (
        Part,
        kept_elsewhere,
        open_records,
        part_here,
        require_pages,
        selection_for,
    )
    from gwc_crawler.runs.servers import Servers
    from gwc_crawler.runs.site_graph import read_graph
    from gwc_crawler.runs.site_queue import frontier_of, look_of
    from gwc_crawler.runs.site_run import Interrupted, SiteRun, process_of, require_records, summary_of
    from gwc_crawler.runs.steering import controls_of, user_name
else:
    __getattr__ = face(__name__)

__all__ = [
    "MOST_SHARE",
    "FoundValue",
    "FullScreen",
    "Interrupted",
    "Part",
    "RecordView",
    "Servers",
    "SiteFiles",
    "SiteLocation",
    "SiteRun",
    "console",
    "controls_of",
    "frontier_of",
    "has_stdout",
    "kept_elsewhere",
    "launch_of",
    "loader_of",
    "look_of",
    "open_records",
    "output_console",
    "page_fetcher",
    "part_here",
    "places",
    "print_json",
    "print_labelled",
    "process_of",
    "progress_bar",
    "read_graph",
    "records_table_of",
    "require_pages",
    "require_records",
    "selection_for",
    "site_class_of",
    "site_files_of",
    "site_name_of",
    "spider_class_of",
    "summary_of",
    "user_name",
    "view_record",
]
