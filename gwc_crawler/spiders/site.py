"""The crawl of one site: what was learned decides which links to follow and what is on a page."""

from __future__ import annotations

from typing import Any

from scrapy.http import Response

from gwc_crawler.errors import InputError
from gwc_crawler.extract import extract_record
from gwc_crawler.items import PageKind, Record
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.page import PageReader
from gwc_crawler.spiders.frontier_spider import FrontierSpider, lease_of
from gwc_crawler.spiders.workbench import CRAWL_DB, KNOWLEDGE_FILE, open_workbench, site_directory


class SiteSpider(FrontierSpider):
    """Brings every record of one site home. The loader makes one subclass for each site file."""

    name = "site"
    knowledge: Knowledge

    def open_parts(self) -> None:
        """Load the knowledge, open the store, put in the start URLs."""
        path = site_directory(self.settings, self.site.name) / KNOWLEDGE_FILE
        if not path.exists():
            raise InputError(
                f"{path}: nothing is learned about {self.site.name!r} yet; run `scrapy learn {self.site.name}` first"
            )
        self.knowledge = Knowledge.load(path)
        crawl = self.site.crawl
        self.pages_limit = self.settings.getint("GWC_MAX_PAGES") or crawl.max_pages or 0
        self.workbench = open_workbench(
            self.site,
            self.settings,
            database_name=CRAWL_DB,
            max_weight=crawl.max_weight if crawl.max_weight is not None else self.knowledge.max_weight,
            fields=self.site.field_names,
            keep_html=self.settings["GWC_KEEP_HTML"],
            reuse_samples=True,
        )
        self.reader = PageReader(self.knowledge, sites=self.site.sites)

    def parse(self, response: Response, **_: Any) -> list[Any]:
        """Read a page, extract its record where it is a target, and send both to the store."""
        if response.status >= 400:
            return super().parse(response)
        lease = lease_of(response)
        page = self.read(response)
        record = extract_record(page, self.knowledge) if page.kind is PageKind.TARGET else None
        if record is not None and record.rejected:
            page.kind = PageKind.LOOKALIKE
        self._count(page.kind, record)
        return [self.visit(lease, page, record)]

    def _count(self, kind: PageKind, record: Record | None) -> None:
        stats = self.crawler.stats
        stats.inc_value(f"gwc/pages/{kind.value}")
        if record is not None and not record.rejected:
            stats.inc_value("gwc/records")
            if record.problems:
                stats.inc_value("gwc/exceptions", len(record.problems))
