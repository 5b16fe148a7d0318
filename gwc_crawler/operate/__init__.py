"""What a person sees of a crawl: progress, summary, status, why, drift; and stored pages read again."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.operate.drift import DriftWatch, expected_coverage
    from gwc_crawler.operate.monitor import (
        CONTENT_TYPE,
        STATISTICS_HEAD,
        WORDS,
        Alert,
        Alerts,
        FinishedRequest,
        Gauges,
        JsonFormat,
        JsonFormatter,
        MetricFamily,
        Statistics,
        Totals,
        crawl_line,
        families,
        hide_parts,
        metrics_text,
        rotated,
        senders,
        serve_metrics,
        statistics_line,
    )
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
    from gwc_crawler.operate.reextraction import (
        ParseReport,
        Reextraction,
        RequestOutcome,
        extract_again,
        parse_answer,
        parsed_lines,
    )
    from gwc_crawler.operate.schedules import (
        RECRAWLS,
        Keeper,
        Launch,
        Schedule,
        ScheduleBook,
        Timing,
        crontab_text,
        local_zone,
        systemd_units,
    )
    from gwc_crawler.operate.status import (
        CrawlStatus,
        SiteStatus,
        WorkerStatus,
        fleet_stats,
        reported,
        shared_status,
        shared_tally,
        site_status,
    )
    from gwc_crawler.operate.status_text import StatusReport
    from gwc_crawler.operate.summary import Progress, Summary, progress_line, read_summary, render_summary
    from gwc_crawler.operate.view import Trend, addresses_of_url, fitted, name_stats, overview_screen, site_screen
    from gwc_crawler.operate.why import CrawlLimits, Explanation, exit_code_of, explain_url, explanation_lines
else:
    __getattr__ = face(__name__)
