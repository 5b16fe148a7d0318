"""What a page says of other pages: an href → a URL; links that no href says; what forms lead to; which are its own."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.page.links.forms import form_links
    from gwc_crawler.page.links.handlers import hidden_links
    from gwc_crawler.page.links.hrefs import MAX_URL_LENGTH, leads_to_binary, resolve_href
    from gwc_crawler.page.links.site_links import OwnLinks, SiteLinks, described_length, directories_above, link_texts
else:
    __getattr__ = face(__name__)

__all__ = [
    "MAX_URL_LENGTH",
    "OwnLinks",
    "SiteLinks",
    "described_length",
    "directories_above",
    "form_links",
    "hidden_links",
    "leads_to_binary",
    "link_texts",
    "resolve_href",
]
