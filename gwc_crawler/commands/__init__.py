"""Commands beside Scrapy's own, found through COMMANDS_MODULE: one module each, with the command's name.

`crawl` takes the place of Scrapy's. A module here has a command's options, its help, and what it does. Scrapy loads
them all, whichever is meant; so they import others of our packages inside functions. What `status`, `why`, `queue` and
`parse` show of a crawl is in `operate`, in modules of these names; what several commands need is in `runs`.
"""
