"""Pre-crawl and crawl as Scrapy spiders fed from a frontier, and site files as spiders."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.spiders.crawler import SiteCrawler
    from gwc_crawler.spiders.fleet.learning import SharedLearning, together
    from gwc_crawler.spiders.fleet.worker import Worker, WorkOptions, fleet_channel
    from gwc_crawler.spiders.frontier_spider import FrontierSpider
    from gwc_crawler.spiders.hosts import content_type_of
    from gwc_crawler.spiders.loader import SiteSpiderLoader
    from gwc_crawler.spiders.precrawl import PrecrawlSpider, precrawl_for
    from gwc_crawler.spiders.single_page import LookingLoader, looking
    from gwc_crawler.spiders.site import SiteSpider, check_arguments
else:
    __getattr__ = face(__name__)
