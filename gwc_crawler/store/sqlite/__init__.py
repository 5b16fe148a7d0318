"""The embedded store: a SQLite file for a crawl: pages, links, records, small tables, beside the frontier's tables."""
