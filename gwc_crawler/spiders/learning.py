"""A site file as the learner's task: the one step from `sites` to `learn`."""

from __future__ import annotations

from gwc_crawler.learn import LearnTask
from gwc_crawler.sites import Site


def learn_task(site: Site, mode: str | None = None) -> LearnTask:
    """Return what `learn_site` needs to know of a site file; *mode* overrides the file's."""
    return LearnTask(
        site=site.name,
        entry=site.entry,
        keywords=site.keywords,
        samples=tuple((sample.url, sample.fields) for sample in site.samples),
        mode=mode or site.learn.mode,
        target=site.learn.target,
        max_weight=site.crawl.max_weight,
        types=site.types,
    )
