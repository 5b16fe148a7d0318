"""The frontier in the crawl's own file: for one process, the default."""
