"""Parts of the known URLs, and whether enough of each was looked at: pages to learn from as the site has them.

What is fetched first stands near the starts, and near the samples. Another kind of page with addresses of the same
form may be most of a site, and hardly be among what was fetched: then nothing shows that it is another kind. So the
URLs known from links are parted, by the words of their addresses and by which pages link to them, and of each part
some have to be looked at. So have some of each place elsewhere that the filters refuse for its depth, or the name of
a directory, alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gwc_crawler.learn.kinds.words import WordKind, words_of
from gwc_crawler.learn.precrawl.draft import FilterDraft, Links
from gwc_crawler.learn.precrawl.url_forms import Form, UrlForms
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.slots import row_of
from gwc_crawler.learn.urls.url_parts import common_start

_LEAST = 5
"""So many pages of a part have to be looked at: with fewer, words of addresses do not count, and kinds do not show."""
_LEAST_LINKED = 20
"""So many of a part that differs in who links to it: nothing else says that its pages are alike."""
_SHARE = 0.02
"""A part is so much of what is taken, or it changes little."""
_MOST_READ = 3000
"""Of more URLs that are taken some are read, evenly spread, and with them all that were looked at."""
_LOOKS = 3
"""So many pages of a place: they show the targets' kind, or do not."""
_LEAST_KNOWN = 5
"""A place is so many URLs; fewer pages are hardly missed."""
_MOST_PLACES = 10
"""The largest places are looked at."""
_DIRECTORIES = 5
"""A URL is tried in so many of the targets' directories, those with the most targets."""


def missing_looks(
    taken: Collection[str], samples: Iterable[str], links: Links, clean: Mapping[str, str], seen: Collection[str]
) -> dict[str, list[str]]:
    """Return for parts of which too few URLs were looked at, called by an example, URLs that bring it to enough.

    Args:
        taken: clean URLs of all that the filters take.
        samples: clean URLs; a word that one of them has makes no part.
        clean: URL as a link has it → clean URL.
        seen: clean URLs that were looked at, or asked for.
    """
    drawn = set(spread(sorted(taken), _MOST_READ))
    urls = sorted(drawn.union(url for url in taken if url in seen))
    found: dict[str, list[str]] = {}
    done = set(seen)
    for members, least in _parts(urls, samples, links, clean):
        if len(drawn.intersection(members)) < max(_LEAST, _SHARE * len(drawn)):
            continue
        waiting = [url for url in members if url not in done]
        if (missing := least - (len(members) - len(waiting))) > 0 and waiting:
            named = spread(waiting, missing)
            found[named[0]] = named
            done.update(named)
    return found


def _parts(
    urls: Sequence[str], samples: Iterable[str], links: Links, clean: Mapping[str, str]
) -> Iterator[tuple[list[str], int]]:
    """The parts by words of their URLs, the largest first, then by who links to them; how many looks each needs."""
    usual = frozenset[object]().union(*(words_of(row_of(url)) for url in samples))
    by_word: dict[object, list[str]] = {}
    for url in urls:
        for word in words_of(row_of(url)):
            if word.may_be_refused and word.kind is not WordKind.NUMBER and word not in usual:
                by_word.setdefault(word, []).append(url)
    yield from ((members, _LEAST) for members in sorted(by_word.values(), key=lambda members: -len(members)))
    by_source: dict[frozenset[bool], list[str]] = {}
    sources = _sources(urls, links, clean)
    for url in urls:
        by_source.setdefault(frozenset(sources.get(url, ())), []).append(url)
    yield from ((members, _LEAST_LINKED) for members in by_source.values())


def _sources(urls: Sequence[str], links: Links, clean: Mapping[str, str]) -> dict[str, set[bool]]:
    """URL → whether pages that are taken link to it, whether others do."""
    wanted = set(urls)
    found: dict[str, set[bool]] = {}
    for address, page in links.pages.items():
        if address == page.url:
            own = clean[page.url]
            for link in page.links:
                if (url := clean[link]) in wanted and url != own:
                    found.setdefault(url, set()).add(own in wanted)
    return found


# --- Places: filters take on a depth or a directory because all pages looked at have it -------------------------------


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
