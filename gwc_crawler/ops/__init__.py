"""What a person sees of a crawl: the progress line while it runs, the summary when it ends."""

from gwc_crawler.ops.progress import Progress, progress_line
from gwc_crawler.ops.summary import Summary, render_summary

__all__ = ["Progress", "Summary", "progress_line", "render_summary"]
