"""What a crawl remembers besides its pages: a module for each subject, with its tables; the only ones that read them.

All but `host_memory` and `name_memory`, which have files for all crawls (`side_file`), are in the crawl's own
`CrawlDatabase`. What the rows mean is said by the packages that use them: admission, control, politeness, dns,
assembly, the feeds.
"""
