"""Load site files as spiders: those that `scrapy list` shows and `scrapy crawl NAME` runs.

A path to a site file elsewhere works, too, a host that a [template] serves, and spiders written in Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from traceback import extract_tb
from typing import Any

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import SpiderLoader

from gwc_crawler.crawl.data_files import own_site_file, remembered_site_file
from gwc_crawler.errors import InputError, SiteFileError
from gwc_crawler.sites.family import member_host, member_of
from gwc_crawler.sites.schema import Site
from gwc_crawler.sites.site_files import find_site_files, load_site, suggest_site_name
from gwc_crawler.urls import same_site
from gwc_crawler.wiring.options import data_directory, sites_directory
from gwc_crawler.wiring.own_settings import known_names

GENERIC = frozenset({"site", "precrawl"})
"""Our spider classes that need a site file and so are no spiders of their own."""


class SiteSpiderLoader(SpiderLoader):
    """Finds site files without reading them; reads one, whole, when its spider is loaded."""

    def __init__(self, settings: BaseSettings) -> None:
        try:
            super().__init__(settings)
        except Exception as error:  # in a module of the project's own spiders
            last = extract_tb(error.__traceback__)[-1]
            spared = isinstance(error, (ImportError, SyntaxError))  # by Scrapy's loader, no others
            helps = "mend it, or set SPIDER_LOADER_WARN_ONLY = True to go without it" if spared else "mend it"
            raise InputError(
                f"setting SPIDER_MODULES names {', '.join(settings.getlist('SPIDER_MODULES'))}, which can't be "
                f"imported: {type(error).__name__}: {error} ({last.filename}, line {last.lineno}); {helps}"
            ) from error
        self.site_files = _site_files(sites_directory(settings))
        self._known_settings = known_names(settings)
        self._data = data_directory(settings)

    def list(self) -> list[str]:
        return sorted({*self.site_files, *(name for name in self._spiders if name not in GENERIC)})

    def load(self, spider_name: str) -> type[Spider]:
        """Return the spider class of a site, or a path. KeyError: none such; UsageError: the file has mistakes."""
        if spider_name in self._spiders and spider_name not in GENERIC:
            return super().load(spider_name)
        try:
            return spider_for(self.site(spider_name))
        except SiteFileError as error:
            raise UsageError(str(error), print_help=False) from error

    def site(self, name: str) -> Site:
        """Return the site that *name* means: file, path, or member. KeyError: none such; SiteFileError: mistakes."""
        try:
            return load_site(self.path_of(name), self._known_settings)
        except KeyError:
            host = member_host(name)
            members = (member_of(template, host) for template in self._readable() if template.family)
            for member in filter(None, members):
                return member
            raise

    def _readable(self) -> Iterator[Site]:
        for path in self.site_files.values():
            with suppress(SiteFileError):
                yield load_site(path, self._known_settings)

    def path_of(self, name: str) -> Path:
        """Return the site file that *name* means, also a path or address that was crawled. KeyError: there is none."""
        if "://" in name:
            name = suggest_site_name(name)
        if name in self.site_files:
            return self.site_files[name]
        if name.endswith(".toml") or "/" in name:
            return Path(name)
        data = self._data / name
        here = Path(f"{name}.toml")
        if here.is_file() and data.is_dir():
            return here
        if (own := own_site_file(data, name)).is_file():
            return own
        if (remembered := remembered_site_file(data)) and remembered.is_file():
            return remembered
        raise KeyError(f"Spider not found: {name}")

    def find_by_request(self, request: Request) -> Any:
        """Return the names of the sites that this request's URL belongs to (used by `scrapy shell` and `fetch`)."""
        found = list(super().find_by_request(request))
        found += [site.name for site in self._readable() if same_site(request.url, site.sites)]
        return [name for name in found if name not in GENERIC]


def spider_for(site: Site) -> type[Spider]:
    """Make the spider class of one site."""
    from gwc_crawler.spiders.site import SiteSpider  # a cycle otherwise: spiders see every stage

    return type(
        "".join(part.title() for part in site.name.replace("-", "_").split("_")) + "Spider",
        (SiteSpider,),
        {
            "name": site.name,
            "site": site,
            "custom_settings": dict(site.settings) or None,
            "__module__": SiteSpider.__module__,
        },
    )


def _site_files(directory: Path) -> dict[str, Path]:
    """Return the site files of *directory*; if it does not exist (a deployed egg), those of the package `sites`."""
    if directory.is_dir():
        return find_site_files(directory)
    package = find_spec("sites")
    places = (package and package.submodule_search_locations) or ()  # none if only paths are crawled
    return {name: path for place in places for name, path in find_site_files(place).items()}
