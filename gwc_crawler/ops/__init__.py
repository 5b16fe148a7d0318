"""What a person sees of a crawl: the progress line while it runs, the summary when it ends, its status at any time."""

from gwc_crawler.ops.progress import Progress, progress_line
from gwc_crawler.ops.status import SiteStatus, site_status
from gwc_crawler.ops.status_text import render_status
from gwc_crawler.ops.summary import Summary, read_summary, render_summary

__all__ = [
    "Progress",
    "SiteStatus",
    "Summary",
    "progress_line",
    "read_summary",
    "render_status",
    "render_summary",
    "site_status",
]
