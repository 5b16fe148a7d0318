"""Query keys and path segments that may be a session's, while too few pages were fetched to tell.

Pairs of pages that differ only in a key tell whether it means anything (`learn.urls.sessions`). An order of
fetching that goes for new forms rarely meets such pairs by chance; so they are named here, and fetched. If every
link has a key, no page without it is ever met; so a few URLs without the key are asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice

from gwc_crawler.learn.degrees import A_DOZEN, SEVERAL
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms
from gwc_crawler.learn.urls.regex import url_regex
from gwc_crawler.learn.urls.sessions import TOKEN, keys_of, value_of
from gwc_crawler.learn.urls.url_parts import split_url
from gwc_crawler.urls import drop_query_keys, with_path, without_query

_PAGES = 4
"""Pages that are looked at in two versions each."""

_OF_A_FORM = 6
"""Pages of one form of addresses, as values differ: `?page=1` may say nothing, and `?page=2` does."""


def unjudged_versions(urls: Iterable[str], judged: Collection[str]) -> dict[str, list[str]]:
    """Return query key, or "/" for path segments → URLs in pairs that differ only in its value, or only in having it.

    Args:
        urls: all known URLs.
        judged: keys to leave out.
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


class BareForms:
    """Names the addresses that a page may have without one of its keys, or without a segment that samples lack,
    or that comes first and looks like a session's.

    Args:
        samples: their URLs.
    """

    def __init__(self, samples: Sequence[str]) -> None:
        paths = [without_query(url) for url in samples]
        beside = {rf"{re.escape(path.rstrip('/').rpartition('/')[0])}/[^/]+/?" for path in paths}
        self._like_samples = re.compile("|".join((url_regex(paths), *beside)) if paths else "(?!)").fullmatch
        self._forms = UrlForms()
        self._keys: set[str] = set()
        self._seen: set[str] = set(samples)
        self._named: Counter[Form] = Counter()

    def of(self, url: str, links: Iterable[str]) -> list[str]:
        """Return the versions of *url* to fetch, after a page there with *links*."""
        for one in (url, *links):
            if ("?" in one or ";" in one) and self._like_samples(without_query(one)):
                self._keys.update(keys_of(one))
        named = [*self._without_keys(url), *self._without_segments(url)]
        self._seen.update((url, *named))
        return named

    def _without_keys(self, url: str) -> Iterator[str]:
        form = self._forms.of(without_query(url))[1]
        for key in self._keys.intersection(keys_of(url)):
            bare = drop_query_keys(url, (key,))
            if bare not in self._seen and self._may_be_asked(key, form, value_of(url, key)):
                yield bare

    def _without_segments(self, url: str) -> Iterator[str]:
        path, sign, query = url.partition("?")
        is_like_samples, steps = self._like_samples(path), path.split("/")
        for place in range(3, len(steps) - 1):
            bare = with_path("/".join((*steps[:place], *steps[place + 1 :])) + sign + query)
            is_session = place == 3 and TOKEN.search(steps[3])
            may_be = is_session if is_like_samples else self._like_samples(without_query(bare))
            if may_be and bare not in self._seen and self._may_be_asked("/", (), steps[place]):
                yield bare

    def _may_be_asked(self, key: str, form: Form, value: str) -> bool:
        """Count an address of a key, a form and a value; False where enough were named."""
        counted = {(key,): A_DOZEN, (key, form): _OF_A_FORM, (key, form, value): SEVERAL}
        if any(self._named[one] >= most for one, most in counted.items()):
            return False
        self._named.update(counted.keys())
        return True
