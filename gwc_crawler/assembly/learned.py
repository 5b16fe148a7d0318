"""Where what was learned of a site lies: in its data directory, or carried beside its site file.

`scrapy learn` writes `data/<site>/knowledge.json`. Where nothing was learned, `sites/<site>.knowledge.json` serves, so
that a repository, or an egg, can bring a site with all that is needed to crawl it. A member of a family of sites is
crawled by what was learned of its template, with its own host in the place of the template's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scrapy.settings import BaseSettings

from gwc_crawler.assembly.data_files import KNOWLEDGE_FILE, site_directory
from gwc_crawler.assembly.learning import SITE_FILE_KEY
from gwc_crawler.errors import InputError, KnowledgeError
from gwc_crawler.knowledge import Knowledge, unreadable
from gwc_crawler.sites import Site, carried_knowledge, load_site, member_knowledge, read_file
from gwc_crawler.urls import host_of


def knowledge_path(settings: BaseSettings, site: Site) -> Path | None:
    """Return the file with what was learned of *site*; None if nothing was."""
    names = [site.name, *([site.template] if site.template else [])]
    paths = (site_directory(settings, name) / KNOWLEDGE_FILE for name in names)
    return next((path for path in paths if path.exists()), None) or carried_knowledge(site)


def template_first(site: Site) -> InputError:
    """Return the error that a member of a family can't be learned by itself."""
    template = site.template
    return InputError(f"{site.name} is crawled by what is learned of {template!r}; run `scrapy learn {template}` first")


def load_knowledge(settings: BaseSettings, site: Site) -> Knowledge:
    """Return what was learned of *site*.

    Raises:
        InputError: nothing is learned yet.
        KnowledgeError: the file can't be read, lacks a field that the site file names, or can't serve a member
            of the family.
    """
    path = knowledge_path(settings, site)
    if path is None:
        name = site.template or site.name
        path = site_directory(settings, name) / KNOWLEDGE_FILE
        raise InputError(f"{path}: nothing is learned about {name!r} yet; run `scrapy learn {name}` first")
    knowledge = Knowledge.from_bytes(read_knowledge_file(path), str(path))
    _require_fields(knowledge, site, path)
    if knowledge.site == site.name or not site.template:
        return knowledge
    template = load_site(site.path)
    served = member_knowledge(knowledge, host_of(template.entry[0]), site)
    evidence = {
        key: value for key, value in served.evidence.items() if key != SITE_FILE_KEY
    }  # it is about the template
    return replace(served, evidence=evidence)


def _require_fields(knowledge: Knowledge, site: Site, path: Path) -> None:
    """Raise KnowledgeError where the wrapper has no rule for a field of the site file; one that learning could find no
    rule for is named in its warnings, and stays empty.
    """
    told = " ".join(knowledge.wrapper.get("warnings", ()))
    known = knowledge.wrapper.get("fields", {})
    missing = [name for name in site.field_names if name not in known and f"field {name!r}" not in told]
    if missing:
        raise KnowledgeError(
            f"{path}: wrapper.fields: has no {', '.join(map(repr, missing))}, which {site.path} names; "
            f"`scrapy learn {site.template or site.name} --offline` learns anew"
        )


def read_knowledge_file(path: Path) -> bytes:
    """Return the bytes of a knowledge file, which may be in an egg.

    Raises:
        KnowledgeError: it can't be read.
    """
    try:
        return read_file(path)
    except OSError as error:
        raise unreadable(path, error) from error
