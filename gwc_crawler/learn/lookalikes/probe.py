"""One probed page as plain data: its marks, the fields that the wrapper finds, the pages that link to it.

In: what `learn.best` looked up. Out: `Probe`s for all modules that part target pages from others, and list statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TypeAlias


@dataclass(frozen=True)
class Probe:
    """One page of a target group.

    `marks` are its page features, `keywords` tells whether they hold outside links (None: there are none), `found` the
    share of the samples' fields that the wrapper finds (None: no wrapper), `fields` their names, `several` the fields
    that stand on it several times, as in a list, `linked_from` the pages that link to it, `leads_to` the pages that
    it links to, less those that most of the others link to as well.
    """

    url: str
    marks: frozenset[str]
    is_sample: bool
    keywords: bool | None = None
    found: float | None = None
    fields: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()
    linked_from: frozenset[str] = frozenset()
    leads_to: frozenset[str] = frozenset()

    @property
    def shown(self) -> frozenset[str]:
        """The fields that stand on it, once or several times."""
        return self.fields | self.several


# --- Whether the site itself tells two sets of pages apart: which of its lists have pages of both ---------------------


_APART = 1 / 3
"""Maximum number of strangers in lists, as a share of that expected by chance, if these are few."""
_OFTEN_APART = 0.55
"""The same share, less one page, if these are many: chance makes less of a difference."""

ListsOn: TypeAlias = Callable[[str], Mapping[str, Collection[int]]]
"""Gives for the URL of a page: URL of each page that it links to → the lists there in which the links stand."""


def no_lists(_: str) -> Mapping[str, Collection[int]]:
    """Return no lists: nothing is known of the lists on pages."""
    return {}


def lists_of(sets: Sequence[Sequence[Probe]], lists_on: ListsOn) -> Iterator[list[list[str]]]:
    """Return for the probes of each set the pages that list them, and on pages that link to all sets the single lists.

    A page on a module has its functions in one table, its classes in another.
    """
    shared = frozenset.intersection(*(frozenset[str]().union(*(one.linked_from for one in some)) for some in sets))
    known = {page: lists_on(page) for page in shared}

    def listing(probe: Probe) -> list[str]:
        numbers = ((page, known.get(page, {}).get(probe.url, (0,))) for page in probe.linked_from)
        return [f"{page} {number}" for page, some in numbers for number in some]

    return ([listing(probe) for probe in some] for some in sets)


def lists_with_both(ones: Sequence[Collection[str]], others: Sequence[Collection[str]]) -> tuple[int, float]:
    """Return how many lists have pages of both sets, and how many would if pages were drawn at random.

    Args:
        ones: for each page of the one set the lists that it is on, and so for the *others*.
    """
    counts, more, share = _counted(ones, others)
    links = [both for page in counts | more if (both := counts[page] + more[page]) > 1]
    return len(counts.keys() & more.keys()), sum(1 - share**count - (1 - share) ** count for count in links)


def are_apart(ones: Sequence[Collection[str]], others: Sequence[Collection[str]], least: float) -> bool:
    """Say whether lists mix the two sets far less than if they knew no difference; few lists say nothing.

    Args:
        least: the number of lists that must be expected to have pages of both sets if pages were drawn at random.
    """
    if lists_with_both(ones, others)[1] < least:
        return False
    strangers, expected = strangers_in_lists(ones, others)
    return strangers <= max(_APART * expected, _OFTEN_APART * expected - 1)


def strangers_in_lists(ones: Sequence[Collection[str]], others: Sequence[Collection[str]]) -> tuple[int, float]:
    """Count the pages in lists that mostly hold pages of the other set, and how many would be there by chance.

    A list of sixteen pages of one kind says more than a list of two.
    """
    counts, more, share = _counted(ones, others)
    sizes = Counter(counts[page] + more[page] for page in counts | more)
    expected = sum(number * _mean_minority(size, share) for size, number in sizes.items())
    return sum(min(counts[page], more[page]) for page in counts | more), expected


def _counted(
    ones: Sequence[Collection[str]], others: Sequence[Collection[str]]
) -> tuple[Counter[str], Counter[str], float]:
    """List → how many pages of the one set are on it, and of the other; and the share of the one among all pages."""
    counts, more = (Counter(page for pages in some for page in pages) for some in (ones, others))
    return counts, more, len(ones) / (len(ones) + len(others))


def _mean_minority(size: int, share: float) -> float:
    """Return the mean number, of *size* pages, in the set that has fewer of them, if one set has a *share* of all."""
    chances = (comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(size + 1))
    return sum(min(k, size - k) * chance for k, chance in enumerate(chances))
