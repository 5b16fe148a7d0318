"""What a person sees of a crawl: progress, summary, status, why, drift; and stored pages read again."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.operate.addresses import addresses_of_url, name_stats
    from gwc_crawler.operate.drift import DriftWatch, expected_coverage
    from gwc_crawler.operate.parsed import ParseReport, RequestOutcome, parse_answer, parsed_lines
    from gwc_crawler.operate.progress import Progress, progress_line
    from gwc_crawler.operate.queue import (
        QueueView,
        add_start,
        added_line,
        change_text,
        queue_change,
        queue_line,
        rules_of,
        whole_pattern,
    )
    from gwc_crawler.operate.reextraction import Reextraction, extract_again
    from gwc_crawler.operate.status import CrawlStatus, SiteStatus, WorkerStatus, reported, site_status, when
    from gwc_crawler.operate.status_shared import fleet_stats, shared_status
    from gwc_crawler.operate.summary import Summary, read_summary, render_summary
    from gwc_crawler.operate.why import CrawlLimits, Explanation, UrlRuling, exit_code_of, explain_url
    from gwc_crawler.operate.why_text import explanation_lines
else:
    __getattr__ = face(__name__)

__all__ = [
    "CrawlLimits",
    "CrawlStatus",
    "DriftWatch",
    "Explanation",
    "ParseReport",
    "Progress",
    "QueueView",
    "Reextraction",
    "RequestOutcome",
    "SiteStatus",
    "Summary",
    "UrlRuling",
    "WorkerStatus",
    "add_start",
    "added_line",
    "addresses_of_url",
    "change_text",
    "exit_code_of",
    "expected_coverage",
    "explain_url",
    "explanation_lines",
    "extract_again",
    "fleet_stats",
    "name_stats",
    "parse_answer",
    "parsed_lines",
    "progress_line",
    "queue_change",
    "queue_line",
    "read_summary",
    "render_summary",
    "reported",
    "rules_of",
    "shared_status",
    "site_status",
    "when",
    "whole_pattern",
]
