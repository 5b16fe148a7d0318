"""What `make bench` runs: one generated catalogue, crawled by us and by Scrapy's CrawlSpider, measured side by side.

catalogue    the site: every page and every record, computed from its number
server       serves it from a process of its own and counts what was asked for
measure      one command's CPU time and peak memory
contenders   the two crawls, and the check that each did its whole work
__main__     rounds, medians, table
"""
