"""Which pages a pre-crawl fetches, and when it has seen enough to learn from."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.precrawl.draft import FilterDraft
    from gwc_crawler.learn.precrawl.judge import Judge, Judgement
    from gwc_crawler.learn.precrawl.sampling_order import DirectedOrder
    from gwc_crawler.learn.precrawl.versions import BareForms
    from gwc_crawler.learn.precrawl.watch import next_look
else:
    __getattr__ = face(__name__)
