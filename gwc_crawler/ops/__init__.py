"""What a person sees of a crawl: the progress line while it runs, the summary when it ends, its status at any time."""

from typing import TYPE_CHECKING, Any

from gwc_crawler.ops.progress import Progress, progress_line
from gwc_crawler.ops.summary import Summary, read_summary, render_summary

if TYPE_CHECKING:
    from gwc_crawler.ops.status import SiteStatus, site_status
    from gwc_crawler.ops.status_text import render_status

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


def __getattr__(name: str) -> Any:
    """Import what tells of other crawls when it is asked for: a crawl itself has no use for it."""
    if name in ("SiteStatus", "site_status"):
        from gwc_crawler.ops import status

        return getattr(status, name)
    if name == "render_status":
        from gwc_crawler.ops.status_text import render_status

        return render_status
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
