"""Your site files: each `NAME.toml` here is a spider (`scrapy list`, `scrapy crawl NAME`).

A package, so that an egg for scrapyd carries them along.
"""
