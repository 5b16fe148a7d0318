"""One or two pages of a site → a whole site file to look over: samples, fields with names and values, keywords."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.propose.fetching import Fetched, FetchOptions, PageFetcher
    from gwc_crawler.propose.fields import learnable, propose_fields, samples_of
    from gwc_crawler.propose.links import links_of, shape_of
    from gwc_crawler.propose.site import AS_SECOND, Proposal, propose_from, propose_site
    from gwc_crawler.propose.toml_form import site_text
else:
    __getattr__ = face(__name__)
