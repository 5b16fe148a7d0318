"""Learning: pre-crawled pages → knowledge about one site.

`learn_site` finds URL classes, chooses targets and directories among them, sets the weight threshold, has the wrapper
learned and keeps the evidence for every decision; `render_report` shows it. `cluster_urls` and `url_regex` work alone.
"""

from gwc_crawler.learn.cluster import UrlCluster, cluster_urls
from gwc_crawler.learn.regex import url_regex
from gwc_crawler.learn.report import learning_report, render_report
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.task import LearnTask

__all__ = ["LearnTask", "UrlCluster", "cluster_urls", "learn_site", "learning_report", "render_report", "url_regex"]
