"""What stands on target pages and not on pages of other categories under the same URL form; the check made of it."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.marks.board import list_links, mean_keywords
    from gwc_crawler.learn.marks.check import page_check
    from gwc_crawler.learn.marks.companions import set_companions_apart
    from gwc_crawler.learn.marks.lacking import set_bare_apart, set_listed_apart
    from gwc_crawler.learn.marks.mixture import set_other_kind_apart
    from gwc_crawler.learn.marks.probe import Probe
    from gwc_crawler.learn.marks.probes import Split, split_probes
    from gwc_crawler.learn.marks.quoting import set_quoting_apart
else:
    __getattr__ = face(__name__)
