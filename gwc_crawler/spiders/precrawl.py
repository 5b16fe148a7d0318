"""The pre-crawl: N pages of the site, best weights first, stored whole for the learner."""

from __future__ import annotations

from gwc_crawler.frontier.gate import UrlGroup
from gwc_crawler.keywords import Keywords
from gwc_crawler.page import PageReader, ReadOptions
from gwc_crawler.spiders.frontier_spider import FrontierSpider
from gwc_crawler.spiders.limits import url_limits
from gwc_crawler.spiders.opening import open_workbench
from gwc_crawler.spiders.site_files import SAMPLES_DB


class PrecrawlSpider(FrontierSpider):
    """Fetches the pages that are learned from: breadth first by weight from the entry and the samples.

    Every link of the site is followed, whatever the weight (GWC, *Initialise*, step 1). It continues where it was
    interrupted, and ends after `[learn] pages` or when the site is exhausted.
    """

    name = "precrawl"

    def open_parts(self) -> None:
        """Open the store of samples, put in the start URLs and the sample pages."""
        self.workbench = open_workbench(
            self.site,
            self.settings,
            database_name=SAMPLES_DB,
            max_weight=None,
            fields=(),
            keep_html="all",
        )
        done = self.workbench.frontier.counts().complete
        self.pages_limit = max(0, self.site.learn.pages - done)
        if not self.pages_limit:
            self.workbench.stopping = True
        from gwc_crawler.learn import url_regex  # a crawl that has learned never imports the learner

        samples = [sample.url for sample in self.site.samples]
        options = ReadOptions(
            keywords=Keywords.parse(self.site.keywords) if self.site.keywords else None,
            target=url_regex(samples) if samples else None,
            limits=url_limits(self.settings, self.site),
        )
        self.reader = PageReader(None, self.site.sites, options)
        gate = self.workbench.guard(lambda _: UrlGroup())
        self.reader.on_cut = gate.tally.add
