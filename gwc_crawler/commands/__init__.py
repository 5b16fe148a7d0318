"""Commands beside Scrapy's own, found through COMMANDS_MODULE: one module each, with the command's name.

`crawl` takes the place of Scrapy's. A module here says what can be said on the command line and what `--help` tells;
Scrapy loads them all, whichever is meant. What a command does is in the module of the same name in `actions`.
"""
