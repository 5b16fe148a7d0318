"""Knowledge + page → record: the part of extraction that a crawl needs at run time."""
