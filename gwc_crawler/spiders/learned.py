"""Where what was learned of a site lies: in its data directory, or carried beside its site file.

`scrapy learn` writes `data/<site>/knowledge.json`. Where nothing was learned, `sites/<site>.knowledge.json` serves, so
that a repository, or an egg, can bring a site with all that is needed to crawl it.
"""

from __future__ import annotations

import json
from pathlib import Path

from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError, KnowledgeError
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.sites import Site, carried_knowledge, read_file
from gwc_crawler.spiders.workbench import KNOWLEDGE_FILE, site_directory


def knowledge_path(settings: BaseSettings, site: Site) -> Path | None:
    """Return the file with what was learned of *site*; None if nothing was."""
    path = site_directory(settings, site.name) / KNOWLEDGE_FILE
    return path if path.exists() else carried_knowledge(site)


def load_knowledge(settings: BaseSettings, site: Site) -> Knowledge:
    """Return what was learned of *site*.

    Raises:
        InputError: nothing is learned yet.
        KnowledgeError: the file can't be read.
    """
    path = knowledge_path(settings, site)
    if path is None:
        path = site_directory(settings, site.name) / KNOWLEDGE_FILE
        raise InputError(f"{path}: nothing is learned about {site.name!r} yet; run `scrapy learn {site.name}` first")
    if path.is_file():
        return Knowledge.load(path)
    try:
        return Knowledge.from_json(json.loads(read_file(path)), str(path))
    except ValueError as error:
        raise KnowledgeError(f"{path}: can't be read as JSON ({error}); mend it or learn again") from error
