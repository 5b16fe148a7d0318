"""The experiments of the GWC paper, over sites stored on disk: `python -m benchmarks.gwc`.

stored_site   a site on disk as its server serves it, with the records that are to be found on it
simulation    pre-crawl and crawl of a stored site, page by page, without a network
similarity    the threshold of the URL similarity against precision and recall of the classes
crawls        the weight threshold against completeness and pages fetched; completeness and time
tables        what came out, as Markdown, beside the paper's figures
"""
