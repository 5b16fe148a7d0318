"""A large pre-crawl → the pages that stand for all of it: a share of each URL form, and beside each what repeats it.

What tells kinds of pages apart shows on some hundred pages as on some thousand; the URL rule that is found on them is
applied to all.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.degrees import A_HANDFUL, LABEL_LENGTH, OFTEN, SEVERAL
from gwc_crawler.learn.kinds.near_duplicates import canonical_of
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.page.walks import walk

MOST_COMPARED = 800
"""Pages that are compared, second versions apart. All of a smaller pre-crawl are."""
_LEAST_SINGLES = 100
_STEPS = 1000
"""Steps between 0 and 1 in which the share is tried."""
_TEXT = re.compile(rb">([^<>]{%d,})<" % LABEL_LENGTH)


def draw_stand_ins(
    pages: Sequence[StoredPage],
    forms: Sequence[Sequence[StoredPage]],
    clean: Callable[[str], str],
    most: int = MOST_COMPARED,
) -> list[StoredPage]:
    """Draw about *most* pages, in the order of *pages*, and their second versions; all if there are no more.

    The same share of each form is drawn, evenly spread; of a small one a few pages in any case; forms of a single page
    count as one. With each page comes one that repeats it, or that it repeats, so that second versions are seen.

    Cost: .1 ms a page of 115 KB, in Python .2 ms; nothing is parsed.
    """
    if len(pages) <= most:
        return list(pages)
    singles = [page for form in forms if len(form) == 1 for page in form]
    parts = [(singles, _LEAST_SINGLES), *((form, SEVERAL) for form in forms if len(form) > 1)]
    share = _share([(len(part), least) for part, least in parts], most)
    drawn = {page.url for part, least in parts for page in spread(part, max(least, ceil(share * len(part))))}
    drawn.update(_counterparts(pages, drawn, clean))
    return [page for page in pages if page.url in drawn]


def _share(parts: Sequence[tuple[int, int]], most: int) -> float:
    """Return the largest share that draws *most* pages at most from parts, each given by its size and least number.

    If the least numbers take up most of that, the share is half of what it would be without them.
    """

    def drawn(step: int) -> int:
        return sum(min(size, max(least, ceil(step / _STEPS * size))) for size, least in parts)

    even = most / sum(size for size, _ in parts)
    return max(even / 2, bisect_right(range(1, _STEPS + 1), most, key=drawn) / _STEPS)


def _counterparts(pages: Sequence[StoredPage], drawn: set[str], clean: Callable[[str], str]) -> Iterator[str]:
    known = {page.url for page in pages}
    named = {page.url: clean(url) for page in pages if (url := canonical_of(page))}
    naming = {main: url for url, main in named.items() if url != main}
    texts = {page.url: long_texts(page.html) for page in pages}
    places: dict[int, list[str]] = defaultdict(list)
    for url, lengths in texts.items():
        for text in lengths:
            places[text].append(url)
    for url in list(drawn):
        found = named.get(url), naming.get(url), _like_in_text(url, texts[url], places)
        yield from (other for other in found if other in known and other is not None)


def _like_in_text(url: str, lengths: Mapping[int, int], places: Mapping[int, list[str]]) -> str | None:
    """Return the page that shares most of a page's rare texts, if it is most of them."""
    rare = {text: length for text, length in lengths.items() if len(places[text]) <= A_HANDFUL}
    shared: Counter[str] = Counter()
    for text, length in rare.items():
        for other in places[text]:
            shared[other] += length if other != url else 0
    other, most = max(shared.items(), key=lambda pair: pair[1], default=("", 0))
    return other if most and most >= OFTEN * sum(rare.values()) else None


def long_texts(html: bytes) -> dict[int, int]:
    """Return the long texts between two tags as the bytes have them: hash → length."""
    found = _TEXT.findall(html) if walk is None else walk.long_texts(html, LABEL_LENGTH)
    folded = (b" ".join(text.split()) for text in found)
    return {hash(text): len(text) for text in folded}
