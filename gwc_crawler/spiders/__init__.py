"""Pre-crawl and crawl as Scrapy spiders fed from a frontier, and site files as spiders."""
