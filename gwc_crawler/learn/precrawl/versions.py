"""Query keys and path segments that may be a session's, and of which too few pages were fetched to say.

Whether a key means anything is told by pairs of pages that differ in it alone (`learn.urls.sessions`). An order of
fetching that goes for new forms rarely meets such pairs by chance; so they are named here, and fetched.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from gwc_crawler.learn.urls import split_url
from gwc_crawler.urls import drop_query_keys

_PAGES = 4
"""So many pages are looked at in two versions each."""

TOKEN = re.compile(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{6,}")


def unjudged_versions(urls: Iterable[str], judged: Collection[str]) -> dict[str, list[str]]:
    """Return query key, or "/" for path segments → URLs in pairs that differ in it alone, or in having it.

    Args:
        urls: all that are known.
        judged: keys that are left out.
    """
    known = dict.fromkeys(urls)
    groups: dict[str, dict[str, list[str]]] = {}
    for url in known:
        for key, rest in _without_each(url, judged):
            groups.setdefault(key, {}).setdefault(rest, [rest] if rest in known else []).append(url)
    found = {}
    for key, of_rest in groups.items():
        pairs = [members[:2] for members in of_rest.values() if len(members) > 1]
        if len(pairs) >= _PAGES - 1:
            found[key] = [url for pair in islice(pairs, _PAGES) for url in pair]
    return found


def _without_each(url: str, judged: Collection[str]) -> Iterator[tuple[str, str]]:
    if "?" in url:
        for key in split_url(url).query_keys:
            if key not in judged:
                yield key, drop_query_keys(url, (key,))
    if "/" not in judged:
        directories = url.partition("?")[0].rpartition("/")[0]  # what names a page is its file name
        for token in TOKEN.finditer(directories, directories.find("/", 8) + 1 or len(directories)):
            yield "/", f"{url[: token.start()]}*{url[token.end() :]}"
