"""Knowledge + page → record: what a crawl needs at run time."""
