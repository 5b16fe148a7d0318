"""Site files: what to crawl, written by a person, one small TOML file for each site.

In comes `sites/x.toml`, out goes a `Site` that was validated whole; `loader` makes spiders of them. What can stand in a
site file is told in `schema`, what is checked in `validation`.
"""

from gwc_crawler.sites.egg import read_file
from gwc_crawler.sites.family import member_host, member_knowledge, member_of
from gwc_crawler.sites.files import carried_knowledge, find_site_files, load_site
from gwc_crawler.sites.schema import (
    FIELD_TYPES,
    LEARN_MODES,
    CrawlOptions,
    LearnOptions,
    SampleSpec,
    Site,
)
from gwc_crawler.sites.template import site_template, suggest_site_name
from gwc_crawler.sites.validation import SITE_NAME_RULE, is_site_name

__all__ = [
    "FIELD_TYPES",
    "LEARN_MODES",
    "SITE_NAME_RULE",
    "CrawlOptions",
    "LearnOptions",
    "SampleSpec",
    "Site",
    "carried_knowledge",
    "find_site_files",
    "is_site_name",
    "load_site",
    "member_host",
    "member_knowledge",
    "member_of",
    "read_file",
    "site_template",
    "suggest_site_name",
]
