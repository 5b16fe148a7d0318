"""The ways of running of this checkout, named in scrapy.cfg: those of `gwc_crawler.profiles`, and your changes.

Choose one with SCRAPY_PROJECT, e.g. `SCRAPY_PROJECT=polite scrapy crawl books`. What stands below a file's import holds
here alone; `gwc init` makes a project whose files have all their differences written out.
"""
