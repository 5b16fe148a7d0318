"""Ways of running, one Scrapy settings module each: everything of `gwc_crawler.settings`, then its few differences.

`gwc` takes them where there is no project; `gwc init` copies them into a new one, as `settings_profiles/`, where they
may be changed. SCRAPY_PROJECT chooses one in both, e.g. `SCRAPY_PROJECT=polite gwc crawl ./books.toml`.

    local    one machine, one process, SQLite (the default)
    polite   for small or foreign servers: one request at a time, seconds between them
    fast     for a server of your own: many requests at once
    cluster  any number of workers that share one crawl through Redis
    cluster-mssql  the same, and pages and records of all of them in one SQL Server
    browser  for sites whose pages are made by scripts: targets go through Chromium
    mssql    pages and records also go to a SQL Server
"""
