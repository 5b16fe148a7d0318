"""Site files: what to crawl, written by a person, one small TOML file for each site."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.sites.editing import add_url_patterns, put_samples, site_with_samples
    from gwc_crawler.sites.family import member_host, member_knowledge, member_of
    from gwc_crawler.sites.samples import shape_of, value_fault
    from gwc_crawler.sites.schema import Site
    from gwc_crawler.sites.site_files import (
        carried_knowledge,
        find_site_files,
        key_place,
        load_site,
        read_file,
        site_template,
        suggest_site_name,
    )
    from gwc_crawler.sites.toml_text import near_miss, suggest, toml_key, toml_string, toml_value
    from gwc_crawler.sites.validation import SITE_NAME_RULE, is_site_name
else:
    __getattr__ = face(__name__)
