"""One or two pages of a site → a whole site file to look over: samples, fields with names and values, keywords."""

from gwc_crawler.propose.fetching import Fetched, FetchOptions, PageFetcher
from gwc_crawler.propose.fields import learnable, propose_fields, samples_of
from gwc_crawler.propose.guessing.others import shape_of
from gwc_crawler.propose.links import links_of
from gwc_crawler.propose.site import AS_SECOND, Proposal, propose_from, propose_site
from gwc_crawler.propose.toml_form import site_text
