"""Commands beside Scrapy's own, found through COMMANDS_MODULE: one module each, with the command's name.

`crawl` takes the place of Scrapy's. `command_line` holds what all of them share: which site is meant, and how errors
become exit codes; `runs` what `learn` and `crawl` share: pre-crawl, learning and crawl in one process.
"""
