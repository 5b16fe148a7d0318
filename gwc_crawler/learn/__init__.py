"""Pre-crawled pages + samples → knowledge: URL classes, targets, directories, weights, the wrapper, and a report."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.report import learning_report, render_report
    from gwc_crawler.learn.result import find_sample_pages
    from gwc_crawler.learn.site import learn_site
else:
    __getattr__ = face(__name__)
