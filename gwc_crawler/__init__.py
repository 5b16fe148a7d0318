"""GWC Crawler: give it a site, two example pages and the values you see there; it brings home every record.

The packages, in the data's order:

    sites      site files: validated whole, loaded as spiders
    learn      pre-crawled pages → knowledge: URL classes, target, directories, weight threshold
    frontier   a URL's life U/R/C/E in SQLite or Redis: leases, tunnel weights, hosts' limits, the Scrapy scheduler
    download   what stands between a lease and its response: politeness, robots.txt, redirects that keep the lease
    page       bytes → Page: charset, links, kind, relevance, stripping
    extract    Page → Record: wrapper learning and extraction
    store      pages, links, records and exceptions into a database, in one commit with the frontier
    spiders    where the stages meet: pre-crawl and crawl
    ops        progress, summary, status, why, drift, extraction from stored pages
    commands   what is added to the `scrapy` command line: words, options, help
    actions    what these commands do, one module each
    demo       the bundled mall: a site with known graph and records

`errors`, `items`, `urls`, `keywords`, `knowledge` and `database` are the foundation every stage may use.
"""
