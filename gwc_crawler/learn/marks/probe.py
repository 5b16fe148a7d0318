"""One page as it is judged: its marks, what the wrapper finds there, and which pages link to it.

In: what `learn.best` looked up. Out: plain data for all that parts target pages from others.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Probe:
    """One page of a target group.

    `marks` are its page features, `keywords` tells whether they hold outside links (None: there are none), `found` the
    share of the samples' fields that the wrapper finds (None: no wrapper), `fields` which these are, `several` those
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
