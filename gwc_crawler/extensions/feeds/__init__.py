"""Scrapy's feed exports, for crawls that continue: after the last run each record is in the feed, once."""
