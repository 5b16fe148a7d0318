"""Parts of the URLs that are taken, and whether enough of each was looked at: pages to learn from as the site has them.

What is fetched first stands near the starts, and near the samples. Another kind of page with addresses of the same
form may be most of a site, and hardly be among what was fetched: then nothing shows that it is another kind. So the
URLs known from links are parted, by the words of their addresses and by which pages link to them, and of each part
some have to be looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from gwc_crawler.learn.kinds import WordKind, words_of
from gwc_crawler.learn.precrawl.links import Links
from gwc_crawler.learn.urls import row_of

_LEAST = 5
"""So many pages of a part have to be looked at: with fewer, words of addresses do not count, and kinds do not show."""
_LEAST_LINKED = 20
"""So many of a part that differs in who links to it: nothing else says that its pages are alike."""
_SHARE = 0.02
"""A part is so much of what is taken, or it changes little."""
_MOST_READ = 3000
"""Of more URLs that are taken some are read, evenly spread, and with them all that were looked at."""


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
    drawn = set(_spread(sorted(taken), _MOST_READ))
    urls = sorted(drawn.union(url for url in taken if url in seen))
    found: dict[str, list[str]] = {}
    done = set(seen)
    for members, least in _parts(urls, samples, links, clean):
        if len(drawn.intersection(members)) < max(_LEAST, _SHARE * len(drawn)):
            continue
        waiting = [url for url in members if url not in done]
        if (missing := least - (len(members) - len(waiting))) > 0 and waiting:
            named = _spread(waiting, missing)
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


def _spread(urls: Sequence[str], count: int) -> list[str]:
    step = max(1.0, len(urls) / count)
    return [urls[int(place * step)] for place in range(min(count, len(urls)))]
