"""A site file as the learner's task, and what of it the knowledge depends on: the step from `sites` to `learn`."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING

from gwc_crawler.modes import LearnMode
from gwc_crawler.sites import Site

if TYPE_CHECKING:
    from gwc_crawler.learn.targets import LearnTask

SITE_FILE_KEY = "site_file"
"""Key of `learning_digest` in the knowledge's evidence."""


def learn_task(site: Site, mode: LearnMode | None = None) -> LearnTask:
    """Return what `learn_site` needs to know of a site file; *mode* overrides the file's."""
    from gwc_crawler.learn.targets import LearnTask  # a crawl that has learned never imports the learner

    return LearnTask(
        site=site.name,
        entry=site.entry,
        keywords=site.keywords,
        samples=tuple((sample.url, sample.fields) for sample in site.samples),
        mode=mode or site.learn.mode,
        target=site.learn.target,
        max_weight=site.crawl.max_weight,
        types=site.types,
        paging=site.paging,
    )


def learning_digest(site: Site) -> str:
    """Return 16 hex digits that change when the site file changes in what is learned from.

    Kept in the knowledge's evidence as `site_file`, so that a crawl can say that the knowledge is out of date.
    """
    samples = [(sample.url, sorted(sample.fields.items())) for sample in site.samples]
    learn = {key: value for key, value in asdict(site.learn).items() if key != "stop"}  # says how long, not what
    parts: tuple[object, ...] = (site.entry, site.keywords, samples, sorted(site.hosts), learn)
    parts += (sorted(site.types.items()), *([sorted(site.paging.items())] if site.paging else ()))
    parts += (site.browser,) if site.browser else ()
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
