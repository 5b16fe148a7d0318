"""Commands beside Scrapy's own, found through COMMANDS_MODULE: `crawl` (replaces Scrapy's), `learn`.

`runs` holds what they share: pre-crawl, learning and crawl in one process, and how errors become exit codes.
"""
