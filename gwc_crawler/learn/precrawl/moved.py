"""URLs that would be targets in another directory, until some of each place were looked at.

Filters take on a depth, or the name of a directory, because all pages looked at have it (the size principle). That is
right only if pages elsewhere were there to be looked at: where the first pages of a crawl all stand two directories
deep, the same kind of page four directories deep is refused by the filters of two. Below the directory that all URLs
share which the filters take, that is: where all stand in `/tags/`, what `/html5/` has is not looked for; where both
samples stand in `/std/ops/` and others in `/std/io/`, what `/std/os/unix/` has is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from gwc_crawler.learn.precrawl.draft import FilterDraft
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms
from gwc_crawler.learn.urls import common_start

_LOOKS = 3
"""So many pages of a place: they show the targets' kind, or do not."""
_LEAST_KNOWN = 5
"""A place is so many URLs; fewer pages are hardly missed."""
_MOST_PLACES = 10
"""The largest places are looked at."""
_DIRECTORIES = 5
"""A URL is tried in so many of the targets' directories, those with the most targets."""


def unlooked_places(
    urls: Iterable[str], samples: Sequence[str], draft: FilterDraft, seen: Collection[str]
) -> dict[Form, list[str]]:
    """Return of places that were looked at too little the URLs that bring them to enough.

    A place is the directories of a URL, as far as they tell forms apart.

    Args:
        urls: all known clean URLs.
        samples: their clean URLs.
        seen: clean URLs that were looked at, or asked for.
    Cost: each URL is matched six times at most.
    """
    targets: list[str] = []
    others: list[str] = []
    for url in urls:
        (targets if draft.is_target(url) else others).append(url)
    taken = Counter(_directory(url) for url in targets)
    directories = [one for one, _ in taken.most_common(_DIRECTORIES)]
    scope = _shared_directory([*taken, *map(_directory, samples)]) if samples else ""
    forms = UrlForms()
    moved = [
        url
        for url in others
        if url.startswith(scope) and any(draft.is_target(one + url[len(_directory(url)) :]) for one in directories)
    ]
    for url in moved:
        forms.of(url)
    places: dict[Form, list[str]] = {}
    for url in moved:
        places.setdefault(forms.of(url)[1], []).append(url)
    largest = sorted(places.items(), key=lambda place: -len(place[1]))[:_MOST_PLACES]
    found: dict[Form, list[str]] = {}
    for place, members in largest:
        waiting = [url for url in members if url not in seen]
        missing = min(_LOOKS - (len(members) - len(waiting)), len(waiting))
        if len(members) >= _LEAST_KNOWN and missing > 0:
            found[place] = [waiting[number * len(waiting) // missing] for number in range(missing)]
    return found


def _shared_directory(directories: Sequence[str]) -> str:
    """What is above all of them, with its slash.

    >>> _shared_directory(["http://a.example/std/ops", "http://a.example/std/os/unix"])
    'http://a.example/std/'
    """
    shared = common_start(f"{directory}/" for directory in directories)
    return shared[: shared.rfind("/") + 1]


def _directory(url: str) -> str:
    """The URL up to the last step of its path, scheme and host at least.

    >>> _directory("http://a.example/b/c/?d=/e"), _directory("http://a.example/b")
    ('http://a.example/b', 'http://a.example')
    """
    path = url.partition("?")[0].rstrip("/")
    directory = path.rpartition("/")[0]
    return path if directory.endswith("/") or not directory else directory
