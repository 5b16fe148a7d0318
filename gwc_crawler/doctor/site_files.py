"""Site files and what was learned: each is read whole, as a crawl would read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from gwc_crawler import runs
from gwc_crawler.doctor.findings import Finding, fail, ok, warn
from gwc_crawler.errors import InputError, KnowledgeError
from gwc_crawler.sites import Site
from gwc_crawler.spiders import SiteSpider


@dataclass(frozen=True, slots=True)
class SitePlan:
    """A site whose file can be read, with the settings that hold for it."""

    site: Site
    settings: BaseSettings


def read_sites(command: ScrapyCommand, names: Sequence[str]) -> tuple[list[SitePlan], list[Finding]]:
    """Read the site files called *names* (or at these paths); those with mistakes are findings."""
    plans: list[SitePlan] = []
    found: list[Finding] = []
    for name in names:
        try:
            if not issubclass(runs.spider_class_of(command, name), SiteSpider):
                continue  # written in Python: there is no file to read
            files = runs.site_files_of(command, name)
        except (UsageError, InputError) as error:
            found += [fail(f"site {name}", line, "mend it there") for line in str(error).splitlines()]
            continue
        plans.append(SitePlan(files.site, files.settings))
        found += _findings(files)
    if not names:
        found.append(warn("sites", "there are no site files", "`scrapy new URL` writes one"))
    return plans, found


def _findings(files: runs.SiteFiles) -> Iterator[Finding]:
    site = files.site
    name = f"site {site.name}"
    problems = {(one.name, one.line): one.problem for one in site.access.variables if one.problem}
    for (_, line), problem in problems.items():
        yield fail(name, f"{site.path}:{line}: {problem}", "set it where the crawl is started (docs/access.md)")
    for warning in site.warnings:
        yield warn(name, str(warning), "mend it there")
    try:
        knowledge = files.learned()
    except KnowledgeError as error:
        yield fail(name, str(error), f"`scrapy learn {site.name}` writes it anew")
        return
    if not problems and not site.warnings:
        learned = f"learned {knowledge.learned_at}" if knowledge else "nothing learned yet"
        yield ok(name, f"{site.path}: {len(site.samples)} samples, {learned}")
