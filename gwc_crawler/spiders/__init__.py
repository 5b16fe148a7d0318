"""Where the stages meet: the pre-crawl and the crawl, as Scrapy spiders fed from a frontier."""
