"""The files of a site, and its knowledge: reads it, and checks whether it still fits the site file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from gwc_crawler.errors import InputError, KnowledgeError, unwritten
from gwc_crawler.knowledge.model import Knowledge, unreadable
from gwc_crawler.knowledge.patterns import UrlPattern
from gwc_crawler.modes import LearnMode
from gwc_crawler.sites.family import member_knowledge
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import carried_knowledge, load_site, read_file
from gwc_crawler.urls import host_of
from gwc_crawler.wiring.options import data_directory

if TYPE_CHECKING:
    from gwc_crawler.learn.targets.task import LearnTask


# --- Where the files of one site's crawl stand: its directory in GWC_DATA_DIR, and their names ------------------------


CRAWL_DB = "crawl.db"
SAMPLES_DB = "samples.db"
KNOWLEDGE_FILE = "knowledge.json"
SITE_FILE = "site-file"
"""Holds the path of a site file that lies outside the sites directory, so that commands find it by its site's name."""


def site_directory(settings: BaseSettings, site: str) -> Path:
    """Return the directory that holds everything of one site's crawl."""
    return data_directory(settings) / site


def make_site_directory(directory: Path) -> None:
    """Make the directory of a site if there is none. Raises StoreError: it can't be made."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritten(directory, error, "set GWC_DATA_DIR to a directory you can write") from error


def own_site_file(directory: Path, name: str) -> Path:
    """Return where the site file of a site lies that was crawled by its address alone."""
    return directory / f"{name}.toml"


def remember_site_file(directory: Path, file: Path) -> None:
    """Write down in the site's *directory* where its site file lies. Raises StoreError: it can't be written."""
    place, text = directory / SITE_FILE, f"{file.resolve()}\n"
    try:
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritten(place, error, "make it writable") from error


def remembered_site_file(directory: Path) -> Path | None:
    """Return the path of the site file at the last crawl; None if it was not noted."""
    try:
        return Path((directory / SITE_FILE).read_text(encoding="utf-8").strip())
    except (OSError, ValueError):
        return None


# --- A site file as the learner's task, and the parts of it that the knowledge depends on -----------------------------


SITE_FILE_KEY = "site_file"
"""Key of `learning_digest` in the knowledge's evidence."""


def learn_task(site: Site, mode: LearnMode | None = None) -> LearnTask:
    """Return the `LearnTask` of a site file, for `learn_site`; *mode* overrides the file's."""
    from gwc_crawler.learn.targets.task import LearnTask  # a crawl that has learned never imports the learner

    targets = [one.regex for one in site.learn.target]
    targets = [f"(?:{regex})" for regex in targets] if len(targets) > 1 else targets
    return LearnTask(
        site=site.name,
        entry=site.entry,
        keywords=site.keywords,
        samples=tuple((sample.url, sample.fields) for sample in site.samples),
        mode=mode or site.learn.mode,
        target="|".join(targets) or None,
        max_weight=site.crawl.max_weight,
        types=site.types,
        paging=site.paging,
        fields=site.fields,
        by_hand=site.learn.by_hand,
    )


def learning_digest(site: Site) -> str:
    """Return 16 hex digits that change with what is learned from; knowledge keeps them as `site_file`."""
    samples = [(sample.url, sorted(sample.fields.items())) for sample in site.samples]
    learn = {"pages": site.learn.pages or 4000, "mode": site.learn.mode}
    learn |= {"target": None, **{key: _told(patterns) for key, patterns in site.learn.by_hand.items()}}
    parts: tuple[object, ...] = (site.entry, site.keywords, samples, sorted(site.hosts), learn)
    parts += (sorted(site.types.items()), *([sorted(site.paging.items())] if site.paging else ()))
    parts += (site.browser,) if site.browser else ()
    parts += (sorted(site.fields.items()),) if site.fields else ()
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _told(patterns: Sequence[UrlPattern]) -> str | list[str]:
    """Return the texts of patterns; a single one in the form it always had in the digest."""
    return patterns[0].text if len(patterns) == 1 else [one.text for one in patterns]


# --- Where what was learned of a site lies: in its data directory, or carried beside its site file --------------------


def knowledge_path(settings: BaseSettings, site: Site) -> Path | None:
    """Return the knowledge file of *site*; None if it has none, or shall have none."""
    if site.is_whole:
        return None
    names = [site.name, *([site.template] if site.template else [])]
    paths = (site_directory(settings, name) / KNOWLEDGE_FILE for name in names)
    return next((path for path in paths if path.exists()), None) or carried_knowledge(site)


def template_first(site: Site) -> InputError:
    """Return the error that a member of a family can't be learned by itself."""
    template = site.template
    return InputError(f"{site.name} is crawled by what is learned of {template!r}; run `scrapy learn {template}` first")


def load_knowledge(settings: BaseSettings, site: Site) -> Knowledge:
    """Return the knowledge of *site*; for one that is crawled as a whole, empty knowledge that says so.

    InputError: nothing is learned yet. KnowledgeError: the file can't be read, lacks a field that the site file names,
    or can't serve a member of the family.
    """
    if site.is_whole:
        return Knowledge(site.name, site.learn.mode, (), (), max_weight=1, is_whole=True, is_json=True)
    path = knowledge_path(settings, site)
    if path is None:
        name = site.template or site.name
        path = site_directory(settings, name) / KNOWLEDGE_FILE
        raise InputError(f"{path}: nothing is learned about {name!r} yet; run `scrapy learn {name}` first")
    knowledge = Knowledge.from_bytes(read_knowledge_file(path), str(path)).with_selectors(site.fields)
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
    """Raise KnowledgeError where a field has no rule, but for those that learning found none for, as it has warned."""
    told = [one for one in knowledge.wrapper.get("warnings", ()) if one.endswith("it stays empty")]
    known = knowledge.wrapper.get("fields", {})
    missing = [name for name in site.field_names if name not in known and f"field {name!r}:" not in " ".join(told)]
    if missing:
        raise KnowledgeError(
            f"{path}: wrapper.fields: has no {', '.join(map(repr, missing))}, which {site.path} names; "
            f"`scrapy learn {site.template or site.name} --offline` learns anew"
        )


def read_knowledge_file(path: Path) -> bytes:
    """Return the bytes of a knowledge file, which may be in an egg. Raises KnowledgeError: it can't be read."""
    try:
        return read_file(path)
    except OSError as error:
        raise unreadable(path, error) from error
