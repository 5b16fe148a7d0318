"""One href of a page → an absolute, normalised URL, or None for what leads to no page; `reader` judges it."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import quote

from gwc_crawler.urls import join_url

MAX_URL_LENGTH = 2083
"""Longer URLs are no links: no browser of the time took them, and traps grow them."""

_LEADS_NOWHERE = re.compile(r"\s*(?:#|$|(?!https?:)[a-z][a-z0-9+.-]*:)", re.IGNORECASE)
"""A place on the page itself, nothing at all, or a scheme that is not the web's."""
_BINARY = re.compile(
    r"\.(?:jpe?g|png|gif|webp|bmp|ico|svg|tiff?|mp[34g]|mpe?g|avi|mov|wmv|wav|flv|swf|webm|ogg|m4[av]|"
    r"zip|rar|7z|gz|tgz|bz2|xz|tar|iso|exe|msi|dmg|apk|ipa|deb|rpm|jar|bin|"
    r"pdf|docx?|xlsx?|pptx?|ps|epub|mobi|chm|css|js|json|woff2?|ttf|eot)$",
    re.IGNORECASE,
)


def resolve_href(base: str, href: str, charset: str = "utf-8") -> str | None:
    """Make one href absolute and normalised as a browser would; None for what leads to no page.

    Backslashes are slashes; characters of the query that need escapes are escaped in the page's charset.
    """
    if _LEADS_NOWHERE.match(href) or len(href) > MAX_URL_LENGTH:
        return None
    if "\\" in href:
        path, question, query = href.partition("?")
        href = path.replace("\\", "/") + question + query
    if not href.isascii() and "?" in href:
        path, _, query = href.partition("?")
        query, hash_, fragment = query.partition("#")
        written_in = sent_charset(charset)
        escaped = "".join(one if one.isascii() else quote(one, encoding=written_in, errors="replace") for one in query)
        href = f"{path}?{escaped}{hash_}{fragment}"
    url = join_url(base, href)
    return url if url and len(url) <= MAX_URL_LENGTH else None


@cache
def sent_charset(charset: str) -> str:
    """Return the charset in which a page of *charset* has its queries sent: UTF-8 where it is none that can be written.

    Source:
        WHATWG, Encoding Standard, *get an output encoding*: UTF-16 and what browsers don't read become UTF-8.
    """
    try:
        "".encode(charset)
        "-".encode(charset)
    except (LookupError, UnicodeError):
        return "utf-8"
    return "utf-8" if charset.lower().startswith(("utf-16", "utf-32")) else charset


def leads_to_binary(url: str) -> bool:
    """Say whether the path of a URL ends like that of an image, archive, document or other file that is no page."""
    return _BINARY.search(url.partition("?")[0]) is not None
