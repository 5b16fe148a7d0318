"""Are the samples what they should be? Two kinds of pages, a list of links, pages that nothing links to.

In: the pages of the review. Out: sentences for the person who chose them, each with what helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.review.evidence import Pages, spread
from gwc_crawler.similarity import overlap

_MATES = 12
_KINDS_APART = 0.5
"""Samples less like each other than this share of how like they are to pages beside them are of two kinds."""
_OWN_MARKS = 5
"""Pages with fewer marks that are not those of most pages say nothing of their kind."""
_LIST_LINKS = 5


def sample_doubts(pages: Pages, given: Sequence[Any]) -> Iterator[str]:
    """Say what is wrong with the samples; nothing where all is well.

    Args:
        given: the fields of each sample.
    """
    if len(pages.samples) > 1:
        yield from _two_kinds(pages)
    if not any(_has_records(fields) for fields in given):
        yield from _directories(pages)
    yield from _unlinked(pages)


def _two_kinds(pages: Pages) -> Iterator[str]:
    first, *others = pages.samples
    for other in others:
        shared = _likeness(pages, first, other)
        mates = min(_best_mate(pages, sample, (first, other)) for sample in (first, other))
        few = min(len(pages.marks(sample)) for sample in (first, other)) < _OWN_MARKS
        if not few and mates > 0 and shared < _KINDS_APART * mates:
            yield (
                f"the samples {first.url} and {other.url} look like pages of two kinds: they share {shared:.0%} of "
                f"their make-up, pages beside them {mates:.0%}; if only one kind is wanted, replace the other sample, "
                "else make a site file for each"
            )


def _best_mate(pages: Pages, sample: StoredPage, samples: Sequence[StoredPage]) -> float:
    """How like the sample the page is that is most like it, of those with a URL of its form."""
    known = {pages.clean(one.url) for one in samples}
    beside = [url for url in pages.group_of.get(pages.clean(sample.url), ()) if url not in known]
    return max((_likeness(pages, sample, pages.by_url[url]) for url in spread(beside, _MATES)), default=0.0)


def _likeness(pages: Pages, one: StoredPage, other: StoredPage) -> float:
    """The share of marks that two pages have in common, of all that either has."""
    return overlap(pages.marks(one), pages.marks(other))


def _has_records(fields: Any) -> bool:
    return any(isinstance(value, list) and value and isinstance(value[0], dict) for value in fields.values())


def _directories(pages: Pages) -> Iterator[str]:
    """A sample that leads to many pages like another sample, which itself leads to few of them."""
    for sample in pages.samples:
        for other in pages.samples:
            group = set(pages.group_of.get(pages.clean(other.url), ()))
            if pages.clean(sample.url) in group:
                continue
            led, own = (sum(pages.clean(link) in group for link in one.links) for one in (sample, other))
            if led >= _LIST_LINKS + 2 * own:
                yield (
                    f"the sample {sample.url} looks like a directory: it leads to {led} pages like the sample "
                    f"{other.url}; give a page that shows one record, as the other does"
                )


def _unlinked(pages: Pages) -> Iterator[str]:
    """Targets that nothing leads to: behind a form, or a script."""
    own = {pages.clean(sample.url) for sample in pages.samples}
    others = [page for url, page in pages.by_url.items() if url not in own]
    linked = {pages.clean(link) for page in others for link in page.links}
    if not own or any(_may_be_target(pages, url) for url in linked):
        return
    form = next((page.url for page in pages.pages if _has_form(page)), None)
    hint = f"; {form} has a form, and what stands behind one is not reached" if form else ""
    yield (
        f"no link leads to a target: of {len(pages.by_url)} pages only the samples themselves are like them"
        f"{hint}; give pages with links to targets as `entry`, such as a list, an archive or a site map"
    )


def _may_be_target(pages: Pages, url: str) -> bool:
    """Whether a URL has the form of a target, and its page, where it was fetched, does not lack the fields."""
    if not pages.knowledge.is_target(url):
        return False
    return url not in pages.by_url or not pages.wrapper.fields or not pages.look(url).missing


def _has_form(page: StoredPage) -> bool:
    return b"<form" in page.html.lower()
