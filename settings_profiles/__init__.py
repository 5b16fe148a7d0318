"""Ways of running, one Scrapy settings module each: everything of `gwc_crawler.settings`, then its few differences.

`scrapy.cfg` names them; choose one with SCRAPY_PROJECT, e.g. `SCRAPY_PROJECT=polite scrapy crawl books`.

    local    one machine, one process, SQLite (the default)
    polite   for small or foreign servers: one request at a time, seconds between them
    fast     for a server of your own: many requests at once, no delay
    cluster  any number of workers that share one crawl through Redis
"""
