"""The pre-crawl: N pages of the site, best weights first, stored whole for the learner."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import replace

from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response

from gwc_crawler.admission import RejectionRow, SamplingAdmission, fair_share, rejections_text
from gwc_crawler.assembly import open_precrawl, read_options, run_limit, whole_number
from gwc_crawler.crawl import PrecrawlLeases
from gwc_crawler.items import Page, RejectionReason
from gwc_crawler.keywords import Keywords
from gwc_crawler.page import PageReader
from gwc_crawler.sites import Site
from gwc_crawler.spiders.frontier_spider import FrontierSpider
from gwc_crawler.spiders.sitemaps import Sitemaps

logger = logging.getLogger(__name__)


SITEMAPS = 5
"""Of the sitemaps that index files list only so many are read, from all parts of them."""

LINKS_OF_A_PAGE = 20_000
"""Of a page with more links only so many are taken in, of each form of addresses alike."""


class PrecrawlSpider(FrontierSpider):
    """Fetches the pages that are learned from: breadth first by weight from the entry and the samples.

    Every link of the site is followed, whatever the weight (GWC, *Initialise*, step 1). It continues where it was
    interrupted, and ends after `[learn] pages`, or max_pages if those are fewer, or when the site is exhausted. Pages
    that an earlier run stored count, unless they are older than GWC_REUSE_SAMPLES_SECONDS; start URLs and samples that
    are missing are always fetched.

    What it asks for is bounded by the pages it wants: where a class of URLs gives nothing but errors, it asks for no
    more of them, and the links of a page that lead to errors wait until nothing else is left.
    """

    name = "precrawl"
    enough = "enough pages"
    leases: PrecrawlLeases
    admission: SamplingAdmission

    def open_parts(self) -> None:
        """Open the store of samples, put in the start URLs and the sample pages."""
        self.take(open_precrawl(self, self.settings))
        pages = self.site.learn.pages
        self.pages_wanted = min(pages, run_limit(self.settings, self.site) or pages)
        self._look_what_is_missing()
        from gwc_crawler.learn.urls import url_regex  # a crawl that has learned never imports the learner

        samples = [sample.url for sample in self.site.samples]
        reading = read_options(self.settings, self.site)
        limits = reading.sitemaps
        options = replace(
            reading,
            keywords=Keywords.parse(self.site.keywords) if self.site.keywords else None,
            target=url_regex(samples) if samples else None,
            sitemaps=limits and replace(limits, files=min(limits.files, SITEMAPS)),
        )
        self.sitemaps = Sitemaps(options.sitemaps, self.leases, self.looks)
        self.reader = PageReader(None, self.site.sites, options)
        looks_wanted = re.compile(options.target).fullmatch if options.target else None
        self.admission = admission = self.leases.sample(
            self.pages_wanted, lambda url: looks_wanted is not None and bool(looks_wanted(url))
        )
        admission.max_depth = whole_number(self.settings, "DEPTH_LIMIT") or None
        self.reader.on_rejection = admission.tally.add

    def _look_what_is_missing(self) -> None:
        """Let pages that are too old wait again, and count how many are still to be fetched."""
        fresh_since = time.time() - self.settings.getfloat("GWC_REUSE_SAMPLES_SECONDS")
        leases = self.leases
        stored, old, starts = leases.look_what_is_missing(self.pages_wanted, fresh_since)
        self.pages_limit = max(leases.missing, starts) if leases.missing else 0
        if stored or old:
            logger.info(
                "pre-crawl goes on site=%s pages_stored=%d too_old=%d starts_missing=%d pages_wanted=%d",
                *(self.site.name, stored, old, starts, self.pages_wanted),
            )

    def read(self, response: Response) -> Page:
        """Read the response; of a page with very many links, a share of each form of addresses is taken in."""
        page = super().read(response)
        if len(page.links) > LINKS_OF_A_PAGE:
            kept, tally = tuple(fair_share(page.links, LINKS_OF_A_PAGE)), self.admission.tally
            tally.add_many(RejectionReason.LINKS, len(page.links) - len(kept), page.url)
            page.links = kept
            page.admitted = tuple(fair_share(page.admitted, LINKS_OF_A_PAGE))
        return page

    def on_idle(self) -> None:
        """Keep the spider open while a batch waits for its commit, and for what was put off."""
        super().on_idle()
        if not self.control.stopping and self.leases.take_up():
            raise DontCloseSpider

    def on_closed(self) -> None:
        """Say what the pre-crawl did not ask for, then close."""
        leases = self.leases
        if self.control.fatal is None and self.pages_done < leases.missing and leases.asks_left <= 0:
            logger.warning(
                "the pre-crawl has asked for as many URLs as it may site=%s pages_wanted=%d pages=%d; most gave errors",
                *(self.site.name, leases.missing, self.pages_done),
            )
        if told := self.admission.rejected:
            rows = [RejectionRow(reason, "", count) for reason, count in told.items()]
            logger.info("not asked for in the pre-crawl site=%s %s", self.site.name, rejections_text(rows))
        super().on_closed()


def precrawl_for(site: Site) -> type[PrecrawlSpider]:
    """Make the class of a site's pre-crawl."""
    return type("SitePrecrawlSpider", (PrecrawlSpider,), {"site": site, "custom_settings": dict(site.settings)})
