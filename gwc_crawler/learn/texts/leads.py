"""What texts begin with, hold or end with beside a value, as several pages have it: labels within a text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import chain, pairwise

from gwc_crawler.learn.texts.text_index import LABEL_PREFIX, TextIndex, prefix_ends

_BOUND = re.compile(r"(?<=\S) |(?<=[^\W\d])(?=\d)|(?<=[\u3400-\u9fff])(?=[\u3400-\u9fffA-Za-z])")
"""Where a label without a sign may end: at a blank, before a digit, behind a Chinese character."""
_LONGEST_WORDS = 30
_OTHERS = 3
"""So many different words come next behind those of a label; behind a part of a label the rest of it does."""


class Leads:
    """Counts over pages.

    Args:
        least: on so many pages what counts has to be.
        further: gives the short texts of more pages, which show what else texts go on with.
    """

    def __init__(
        self, pages: Sequence[TextIndex], least: int, further: Callable[[], Iterable[Sequence[str]]] = tuple
    ) -> None:
        self._pages, self._least, self._further = pages, least, further

    def is_prefix(self, text: str) -> bool:
        """Whether texts on several pages begin with *text*, up to a sign, and go on."""
        return self._prefixes[text] >= self._least

    @cached_property
    def _prefixes(self) -> Counter[str]:
        counts: Counter[str] = Counter()
        for page in self._pages:
            starts = (text[:LABEL_PREFIX] for text in page.said)
            counts.update({start[:end].strip() for start in starts for end in prefix_ends(start)})
        return counts

    def words_before(self, text: str) -> list[str]:
        """The words with which texts on several pages begin, as this one does, and go on in other ways; longest first.

        The variety of what follows tells where a word ends (Harris, "From Phoneme to Morpheme", 1955, of letters); here
        of words, and counted over pages: a text that all pages have says nothing.
        """
        begun = (text[: bound.end()] for bound in _BOUND.finditer(text[:_LONGEST_WORDS]))
        return [one for one in begun if len(self._followers.get(one, ())) >= _OTHERS][::-1]

    @cached_property
    def _followers(self) -> dict[str, set[str]]:
        """What texts begin with, and the next words of those that go on."""
        followers: dict[str, set[str]] = defaultdict(set)
        texts = chain.from_iterable(page.said for page in self._pages)
        for text in {*texts, *chain.from_iterable(self._further())}:
            bounds = [bound.end() for bound in _BOUND.finditer(text[:_LONGEST_WORDS])]
            for start, end in pairwise([*bounds, len(text)]):
                followers[text[:start]].add(text[start:end])
        return followers
