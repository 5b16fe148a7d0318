"""What a page says of other pages: an href → a URL; links that no href says; what forms lead to."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.page.links.forms import form_links
    from gwc_crawler.page.links.handlers import hidden_links
    from gwc_crawler.page.links.hrefs import MAX_URL_LENGTH, leads_to_binary, resolve_href
else:
    __getattr__ = face(__name__)

__all__ = ["MAX_URL_LENGTH", "form_links", "hidden_links", "leads_to_binary", "resolve_href"]
