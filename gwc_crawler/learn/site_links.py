"""A surveyed pre-crawl → what it says of the site's links: which are on every page, how large the classes of URLs are.

A crawl tells index from information pages with it (`page.SiteLinks`). Of pages only the links are looked at.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.targets.survey import Survey
from gwc_crawler.page.classify import directories_above

_LEAST_PAGES = 5
"""Directories with fewer pages say nothing of what their pages share."""
_SHARED = 0.3
"""A link is common that stands on more than this share of a directory's pages, and on more than two."""
_DIRECTORIES = 60
_LINKS = 200
_CLASSES = 200
"""The most that is kept: of directories those with the most pages, of links the commonest, of classes the largest."""
_LEAST_URLS = 5


def learn_site_links(survey: Survey) -> dict[str, Any]:
    """Return the form that `page.SiteLinks.of` takes."""
    sizes = [(len({row.url for row in group.rows}), group.regexes) for group in survey.groups]
    largest = sorted((one for one in sizes if one[0] >= _LEAST_URLS), key=lambda one: -one[0])[:_CLASSES]
    return {
        "common": _common_links(survey.pages, {page.url: set(map(survey.clean, page.links)) for page in survey.pages}),
        "classes": [{"regex": _one_of(regexes), "size": size} for size, regexes in largest],
    }


def _common_links(pages: Sequence[StoredPage], links: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """Directory → the links its pages share, without those that are common above it."""
    inside: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for directory in directories_above(page.url):
            inside[directory].append(page.url)
    common: dict[str, list[str]] = {}
    large = sorted((one for one in inside if len(inside[one]) >= _LEAST_PAGES), key=lambda one: -len(inside[one]))
    for directory in sorted(large[:_DIRECTORIES], key=len):
        above = {url for one in directories_above(directory)[:-1] for url in common.get(one, ())}
        counts = Counter(link for url in inside[directory] for link in links[url])
        least = max(2.0, _SHARED * len(inside[directory]))
        ranked = sorted((-count, link) for link, count in counts.items() if count > least and link not in above)
        if ranked:
            common[directory] = [link for _, link in ranked[:_LINKS]]
    return common


def _one_of(regexes: Sequence[str]) -> str:
    return regexes[0] if len(regexes) == 1 else "|".join(f"(?:{regex})" for regex in regexes)
