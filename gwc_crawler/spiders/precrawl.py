"""The pre-crawl: N pages of the site, best weights first, stored whole for the learner."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response

from gwc_crawler.crawl.data_files import learn_task, learning_digest
from gwc_crawler.crawl.limits import read_options, run_limit
from gwc_crawler.crawl.opening import open_precrawl
from gwc_crawler.crawl.precrawl import PrecrawlLeases, Settling
from gwc_crawler.errors import StoreError
from gwc_crawler.frontier.rejections import EXAMPLES, RejectionRow, rejections_text
from gwc_crawler.frontier.sampling import SamplingAdmission, fair_share
from gwc_crawler.items import Page, RejectionReason
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.reader import PageReader
from gwc_crawler.sites.schema import Site
from gwc_crawler.spiders.crawler import LOOK_SECONDS
from gwc_crawler.spiders.due_pages import Sitemaps
from gwc_crawler.spiders.frontier_spider import FrontierSpider

if TYPE_CHECKING:
    from gwc_crawler.knowledge.model import Knowledge

logger = logging.getLogger(__name__)

GLIMPSE_SECONDS = 5.0
"""Seconds after which a waiting person sees the first records; on a faster site the crawl begins right after."""

SITEMAPS = 5
"""Maximum number of sitemaps from index files that are read, spread over all parts of these."""

LINKS_OF_A_PAGE = 20_000
"""Maximum number of links of a page that are taken in, from each form of addresses alike."""


class PrecrawlSpider(FrontierSpider):
    """Fetches the pages for learning: the entry and the samples, then others in three turns.

    One page of three is fetched breadth first by weight, as the paper has it, one for being near the samples, one for
    having the URL form that was seen least. Every link of the site is followed, whatever the weight (GWC, *Initialise*,
    step 1). It ends when more pages would hardly change what is learned (`[learn] stop`), after `[learn] pages` or
    max_pages at the latest, or when the site is exhausted; in paper mode it goes by weight alone. Pages that an earlier
    run stored count, unless they are older than GWC_REUSE_SAMPLES_SECONDS. Classes of URLs that give nothing but errors
    are left.
    """

    name = "precrawl"
    enough = "enough pages"
    leases: PrecrawlLeases
    admission: SamplingAdmission
    settling: Settling | None = None
    learned: Knowledge | None = None
    """The knowledge learned from exactly the stored pages, if it is known already."""
    _looking: asyncio.Future[None] | None = None
    _began = 0.0

    def open_parts(self) -> None:
        self._began = time.monotonic()
        context = open_precrawl(self)
        self.take(context)
        learn = self.site.learn
        self.pages_wanted = min(learn.most_pages, run_limit(self.settings, self.site) or learn.most_pages)
        if learn.ends_early:
            task, digest = learn_task(self.site), learning_digest(self.site)
            self.settling = Settling(context.common.database, task, digest, self.pages_wanted)
        self._look_what_is_missing()
        from gwc_crawler.learn.precrawl.sampling_order import DirectedOrder
        from gwc_crawler.learn.precrawl.versions import BareForms  # a crawl with knowledge never imports the learner
        from gwc_crawler.learn.urls.regex import url_regex

        samples = [sample.url for sample in self.site.samples]
        reading = read_options(self.settings, self.site)
        limits = reading.sitemaps
        options = replace(
            reading,
            keywords=self.site.keywords,
            target=url_regex(samples) if samples else None,
            sitemaps=limits and replace(limits, files=min(limits.files, SITEMAPS)),
            follows_file=None,
        )
        self.sitemaps = Sitemaps(options.sitemaps, self.leases, self.looks)
        self._like_samples = re.compile(options.target).fullmatch if options.target else None
        self.admission = admission = self.leases.sample(self.pages_wanted, self.renders)
        if learn.is_directed:
            self.leases.direct(DirectedOrder(samples))
        self._bare_forms = BareForms(samples if learn.is_directed else ())
        admission.max_depth = self.settings.getint("DEPTH_LIMIT") or None
        self.reader = PageReader(None, self.site.sites, options, admission.tally.add)

    def renders(self, url: str) -> bool:
        """Say whether a URL is like the samples': a browser that renders targets does so with its page."""
        return self._like_samples is not None and bool(self._like_samples(url))

    def _look_what_is_missing(self) -> None:
        """Let pages that are too old wait again, and count how many are still to be fetched."""
        fresh_since = time.time() - self.settings.getfloat("GWC_REUSE_SAMPLES_SECONDS")
        leases = self.leases
        stored, old, starts = leases.look_what_is_missing(self.pages_wanted, fresh_since)
        if self.settling is not None and old:
            self.settling.forget()
        if self.settling is not None and self.settling.is_settled:
            self.pages_wanted, leases.missing = stored, 0
        if leases.missing:
            self._set_limit(stored, at_least=starts)
        if stored or old:
            logger.info(
                "learning goes on site=%s pages_stored=%d too_old=%d starts_missing=%d pages_wanted=%d",
                *(self.site.name, stored, old, starts, self.pages_wanted),
            )

    def _set_limit(self, stored: int, at_least: int = 1) -> None:
        upto = self.pages_wanted
        if self.settling is not None:
            upto = min(upto, self.settling.next_at(stored))
        self.pages_limit = self.pages_done + max(upto - stored, at_least)
        self.leases.pages_left = self.pages_limit - self.pages_done

    # --- looks ------------------------------------------------------------------------------------------------------

    def reached_limit(self) -> None:
        """Look at the pages, if more of them are wanted; nothing is asked for meanwhile."""
        if self.settling is None or self.pages_done >= self.leases.missing:
            super().reached_limit()
        elif self._looking is None:
            self._looking = asyncio.ensure_future(self._look(self.settling))

    async def _look(self, settling: Settling) -> None:
        try:
            scraper = self.crawler.engine.scraper
            while scraper.slot is not None and not scraper.slot.is_idle():  # pages are on their way to the store
                await asyncio.sleep(LOOK_SECONDS)
            if not self._is_ending():
                self.store.commit()
                await (self._glimpse(settling) if settling.takes_glimpse() else self._go_on_or_end(settling))
        except StoreError as error:
            self.end_crawl(error)
        except Exception:
            logger.exception("the pages could not be looked at, so all are fetched site=%s", self.site.name)
            self.settling, self.pages_limit = None, self.leases.missing
            self.leases.pages_left = self.pages_limit - self.pages_done
            self.leases.wake()
        finally:
            self._looking = None

    async def _glimpse(self, settling: Settling) -> None:
        """Show the records that the pages fetched so far give, to a person who has been waiting for them."""
        if time.monotonic() - self._began > GLIMPSE_SECONDS:
            first = await settling.glimpse()
            name, pages = self.site.name, first.pages
            if first.refused:
                logger.info("nothing can be learned yet site=%s pages=%d because=%r", name, pages, first.refused)
            else:
                lines = "".join(f"\n  {line}" for line in islice(first.lines(), EXAMPLES))
                logger.info("first records site=%s pages=%d records=%d%s", name, pages, len(first.records), lines)
        if not self._is_ending():
            self._set_limit(self.leases.stored)
            self.leases.wake()

    async def _go_on_or_end(self, settling: Settling) -> None:
        verdict = await settling.look()
        if self._is_ending():
            return
        pages = verdict.draft.pages
        if not verdict.doubt:
            self.learned = verdict.knowledge
            logger.info("the pages settle what is learned site=%s pages=%d", self.site.name, pages)
            self.stop(self.enough)
            return
        logger.info("more pages are needed site=%s pages=%d because=%r", self.site.name, pages, verdict.doubt)
        self.leases.want(verdict.wanted)
        self._set_limit(pages)
        self.leases.wake()

    def _is_ending(self) -> bool:
        return self.control.stopping or self.is_closed

    # --- one page -----------------------------------------------------------------------------------------------------

    def read(self, response: Response) -> Page:
        """Read the response; of a page with very many links, a share of each form of addresses is taken in.

        Where keys of a query may mean nothing, a few pages without them are asked for.
        """
        page = super().read(response)
        page.admitted += tuple(self._bare_forms.of(page.url, page.links))
        if len(page.links) > LINKS_OF_A_PAGE:
            kept, tally = tuple(fair_share(page.links, LINKS_OF_A_PAGE)), self.admission.tally
            tally.add_many(RejectionReason.LINKS, len(page.links) - len(kept), page.url)
            page.links = kept
            page.admitted = tuple(fair_share(page.admitted, LINKS_OF_A_PAGE))
        return page

    def on_idle(self) -> None:
        """Keep the spider open while a batch waits for its commit, and while put-off URLs are left."""
        super().on_idle()
        if self._looking is not None:
            raise DontCloseSpider
        if not self.control.stopping and self.leases.take_up():
            raise DontCloseSpider

    def on_closed(self) -> None:
        """Log the URLs that the pre-crawl did not fetch, then close."""
        leases = self.leases
        if self.control.fatal is None and self.pages_done < leases.missing and leases.asks_left <= 0:
            logger.warning(
                "learning has asked for as many URLs as it may site=%s pages_wanted=%d pages=%d; most gave errors",
                *(self.site.name, leases.missing, self.pages_done),
            )
        if told := self.admission.rejected:
            rows = [RejectionRow(reason, "", count) for reason, count in told.items()]
            logger.info("not asked for while learning site=%s %s", self.site.name, rejections_text(rows))
        super().on_closed()


def precrawl_for(site: Site, mode: LearnMode | None = None) -> type[PrecrawlSpider]:
    """Make the class of a site's pre-crawl; *mode* overrides the site file's."""
    if mode is not None:
        site = replace(site, learn=replace(site.learn, mode=mode))
    return type("SitePrecrawlSpider", (PrecrawlSpider,), {"site": site, "custom_settings": dict(site.settings)})
