"""Commands beside Scrapy's own, found through COMMANDS_MODULE: one module each, with the command's name.

`crawl` replaces Scrapy's. A module here has a command's options, its help, and its action. Scrapy loads them all,
whichever is run; so they import our other packages inside functions. The output of `status`, `why`, `queue` and
`parse` is made in `operate`, in modules of these names; helpers of several commands are in `runs`.
"""
