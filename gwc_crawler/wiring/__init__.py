"""Wire the components of our spiders, read each setting of Scrapy's, and refuse impossible ones with the reason."""
