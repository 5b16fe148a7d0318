"""Does the page check refuse pages on which all is found that the samples have? Then perhaps they are targets.

In: the pages of the review. Out: how many, and why; or None.
"""

from __future__ import annotations

from dataclasses import dataclass

from gwc_crawler.learn.review.evidence import Pages, spread

_COMPARED = 40
_LEAST = 2
_LEAST_SHARE = 0.1
_SEVERAL = 3
"""A title and a text stand on pages of all kinds."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Pages with a target's address, and all fields that every sample has, that the page check takes for no targets.

    `share` is their share of the pages with such an address that were looked at; `reason` is that of `example`.
    """

    share: float
    reason: str
    example: str


def refused_targets(pages: Pages) -> Refused | None:
    """Find the pages that the page check refuses with all fields on them, if these are more than a few."""
    if len(pages.required) < _SEVERAL:
        return None
    looks = [pages.look(url) for url in spread(pages.inside, _COMPARED)]
    whole = [look for look in looks if look.refused and not look.missing and not pages.canonical(look.url)]
    if len(whole) < max(_LEAST, _LEAST_SHARE * len(looks)):
        return None
    return Refused(len(whole) / len(looks), whole[0].refused or "", whole[0].url)
