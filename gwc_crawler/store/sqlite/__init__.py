"""The embedded store: one SQLite file for a crawl, with its pages, links and records, beside the frontier's tables."""
