"""Check that the samples are good: not two kinds of pages, not a list of links, not pages that nothing links to.

In: the pages of the review. Out: sentences for the person who chose them, each with a remedy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations, product
from typing import Any, NamedTuple

from gwc_crawler.extract.fields import overlap
from gwc_crawler.items import StoredPage, is_empty
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, ENOUGH, FEW, HALF, HARDLY_ANY, OFTEN, SEVERAL
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.url_parts import split_url
from gwc_crawler.page.outline import page_says_nofollow
from gwc_crawler.page.parse import parse_html

KINDS = "the samples look like pages of two kinds"


class Doubt(NamedTuple):
    """A doubt: in few words, and as a sentence with a remedy."""

    what: str
    told: str


def sample_doubts(pages: Pages, given: Sequence[Any], odd: Collection[str], a_list: str) -> Iterator[Doubt]:
    """Yield the faults of the samples, or of the way to them.

    Args:
        given: the fields of each sample.
        odd: targets that are built otherwise than all others.
        a_list: the target that is a list among targets, "" for none (`odd.list_among`).
    """
    kinds = lists = ""
    if len(pages.samples) > 1:
        kinds = _view(pages, given) or _two_kinds(pages, given) or _other_fields(pages, given)
        if not any(map(_has_records, given)):
            lists = _directory(pages) or _start_page(pages) or _among_all(pages, a_list)
        kinds = kinds or ("" if lists else _poor(pages, given, odd))
    if kinds:
        yield Doubt(KINDS, kinds)
    if lists:
        yield Doubt("a sample looks like a list, not like a record", f"{lists}; give a page that shows one record")
    for told in _second_versions(pages):
        yield Doubt("a sample is another version of a page", told)
    if not _is_linked(pages):
        forbidden = _forbidden(pages)
        what = "pages ask not to follow their links" if forbidden else "no link leads to a target"
        yield Doubt(what, forbidden or _unlinked(pages))


def _start_page(pages: Pages) -> str:
    parts = [split_url(sample.url) for sample in pages.samples]
    start = next((one.url for one in parts if not one.segments and not one.query), "")
    return f"the sample {start} is the start page of its site" if start else ""


def _among_all(pages: Pages, a_list: str) -> str:
    """A sample that leads to far more pages than the others, with which nearly all pages of the site are targets."""
    if a_list not in map(pages.clean, (one.url for one in pages.samples)):
        return ""
    return (
        f"the sample {a_list} leads to far more pages than others do, as a list does, and with it nearly all pages "
        "that were seen count as targets"
    )


def _second_versions(pages: Pages) -> Iterator[str]:
    """A sample that names another page of the site as the main one, which few others do."""
    named = Counter(main for page in pages.by_url.values() if (main := pages.named_by(page)))
    for sample in pages.samples:
        main = pages.named_by(sample)
        if main in pages.by_url and main != pages.clean(sample.url) and named[main] <= A_HANDFUL:
            yield (
                f"the sample {sample.url} says of itself that it is another version of {main}, such as one to print; "
                "give that page instead, or records are read from the other versions"
            )


def _of_two_kinds(one: str, other: str, why: str) -> str:
    return (
        f"the samples {one} and {other} look like pages of two kinds: {why}; if only one kind is wanted, replace the "
        "other sample, else make a site file for each"
    )


def _view(pages: Pages, given: Sequence[Any]) -> str:
    """A sample that shows again what a page above it shows, which has the URL form of another sample: a page of reviews
    with the title, price, and stock of its product."""
    for sample, fields in zip(pages.samples, given, strict=True):
        url = pages.clean(sample.url)
        names = [name for name, value in fields.items() if not is_empty(value) and name in pages.wrapper.fields]
        others = {one for other in pages.samples for one in pages.group_of.get(pages.clean(other.url), ())}
        above = [one for one in others - set(pages.group_of.get(url, ())) if _is_above(one, url)]
        if len(names) < 2 or not above:
            continue
        main = max(above, key=len)
        found, there = pages.fields(url), pages.fields(main)
        if all(not is_empty(found[name]) and found[name] == there[name] for name in names):
            return (
                f"the samples look like pages of two kinds: {sample.url} shows the same {', '.join(names)} as {main}, "
                "of which it is another view, so records may be taken twice; give a page of that form instead"
            )
    return ""


def _is_above(url: str, other: str) -> bool:
    return other != url and not split_url(url).query and other.startswith(url.rstrip("/") + "/")


def _other_fields(pages: Pages, given: Sequence[Any]) -> str:
    """Two samples with other fields each, in directories or forms that have these fields always and never."""
    for (sample, own), (other, names) in product(zip(pages.samples, given, strict=True), repeat=2):
        only = sorted(name for name in own if name not in names and name in pages.wrapper.fields)
        mates = [_some_beside(pages, one) for one in (sample, other)]
        if not only or min(map(len, mates)) < SEVERAL or set(mates[0]) & set(mates[1]):
            continue
        shares = {name: [_share_with(pages, urls, name) for urls in mates] for name in only}
        told = [name for name, (often, seldom) in shares.items() if often >= OFTEN and seldom <= HARDLY_ANY]
        if 2 * len(told) > len(only):
            stand = "stands" if len(told) == 1 else "stand"
            why = f"{', '.join(told)} {stand} on pages beside the first, not on those beside the second"
            return _of_two_kinds(sample.url, other.url, why)
    return ""


def _poor(pages: Pages, given: Sequence[Any], odd: Collection[str]) -> str:
    """A sample with few of another one's fields, built otherwise than all targets, or with nothing of its make-up."""
    counts = [sum(not is_empty(value) for value in fields.values()) for fields in given]
    full = pages.samples[counts.index(max(counts))]
    for sample, count in zip(pages.samples, counts, strict=True):
        is_odd = pages.clean(sample.url) in odd
        if 2 * count <= max(counts) and (is_odd or (count and _has_nothing_of(pages, sample, full))):
            why = f"the second has {count} of the {max(counts)} fields, and next to nothing of what others are made of"
            return _of_two_kinds(full.url, sample.url, why)
    return ""


def _has_nothing_of(pages: Pages, sample: StoredPage, full: StoredPage) -> bool:
    return _likeness(pages, full, sample) < HARDLY_ANY and _best_mate(pages, full, pages.samples) >= FEW


def _some_beside(pages: Pages, sample: StoredPage) -> list[str]:
    own = {pages.clean(one.url) for one in pages.samples}
    url = pages.clean(sample.url)
    above = split_url(url).segments[:-1]
    beside = [one for one in pages.group_of.get(url, ()) if one not in own and split_url(one).segments[:-1] == above]
    return spread(beside, A_DOZEN)


def _share_with(pages: Pages, urls: Sequence[str], name: str) -> float:
    return sum(not is_empty(pages.fields(url).get(name)) for url in urls) / len(urls)


def _two_kinds(pages: Pages, given: Sequence[Any]) -> str:
    """Samples that have little in common. Pages that the same wrapper reads are let be: long and short ones differ as
    much within one kind. Traits and functions in manuals shared a seventh of their marks."""
    first, *others = pages.samples
    for other, fields in zip(others, given[1:], strict=True):
        if are_read_alike(pages, first, other, given[0], fields):
            continue
        shared = _likeness(pages, first, other)
        mates = min(_best_mate(pages, sample, (first, other)) for sample in (first, other))
        few = min(len(pages.marks(sample)) for sample in (first, other)) < A_HANDFUL
        least = HALF * mates
        is_apart = not few and shared < least and not _are_both_wanted(pages, first, other, least)
        if is_apart and not _are_joined(pages, first, other, mates):
            why = f"they share {shared:.0%} of their make-up, pages beside them {mates:.0%}"
            return _of_two_kinds(first.url, other.url, why)
    return ""


def _are_both_wanted(pages: Pages, one: StoredPage, other: StoredPage, least: float) -> bool:
    """Tell whether each of two samples has another sample like it: several samples of each kind are wanted."""
    return all(
        any(_likeness(pages, sample, mate) >= least for mate in pages.samples if mate not in (one, other))
        for sample in (one, other)
    )


def are_read_alike(pages: Pages, one: StoredPage, other: StoredPage, given: Any, also: Any) -> bool:
    """Whether several fields are found on both samples in the same way; a title, and perhaps a date, stand at the same
    place on pages of all kinds."""
    names = [name for name in given if name in also and name in pages.wrapper.fields]
    if len(names) < SEVERAL:
        return False
    ways = zip(pages.ways(one, names), pages.ways(other, names), strict=True)
    return sum(bool(way) and way == same for way, same in ways) >= SEVERAL


def _are_joined(pages: Pages, one: StoredPage, other: StoredPage, mates: float) -> bool:
    """Whether pages of the same URL form lead from one sample to the other, each like the next: between long and short
    pages of one kind there are all lengths."""
    start, end = pages.clean(one.url), pages.clean(other.url)
    group = pages.group_of.get(start, ())
    if end not in group:
        return False
    least = max(HALF * mates, FEW)
    left, reached = {*spread(group, ENOUGH), end} - {start}, [start]
    while reached and end in left:
        page = pages.by_url[reached.pop()]
        near = {url for url in left if _likeness(pages, page, pages.by_url[url]) >= least}
        left -= near
        reached += sorted(near)
    return end not in left


def _best_mate(pages: Pages, sample: StoredPage, samples: Sequence[StoredPage]) -> float:
    """Return how like the sample the page is that is most like it, of those with a URL of its form."""
    known = {pages.clean(one.url) for one in samples}
    beside = [url for url in pages.group_of.get(pages.clean(sample.url), ()) if url not in known]
    return max((_likeness(pages, sample, pages.by_url[url]) for url in spread(beside, A_DOZEN)), default=0.0)


def _likeness(pages: Pages, one: StoredPage, other: StoredPage) -> float:
    return overlap(pages.marks(one), pages.marks(other))


def _has_records(fields: Any) -> bool:
    return any(isinstance(value, list) and value and isinstance(value[0], dict) for value in fields.values())


def _directory(pages: Pages) -> str:
    """A sample that leads to many pages like another sample, which itself leads to few of them."""
    for sample, other in permutations(pages.samples, 2):
        group = set(pages.group_of.get(pages.clean(other.url), ()))
        if pages.clean(sample.url) in group:
            continue
        led, own = (sum(pages.clean(link) in group for link in one.links) for one in (sample, other))
        if led >= A_HANDFUL + 2 * own:
            like = f"it leads to {led} pages like the sample {other.url}"
            return f"the sample {sample.url} looks like a directory: {like}"
    return ""


def _forbidden(pages: Pages) -> str:
    """Say so where half of all pages lead on nowhere, and most of these ask that no one follows their links."""
    leading_nowhere = [url for url, page in pages.by_url.items() if not page.links]
    looked_at = [pages.by_url[url] for url in spread(leading_nowhere, ENOUGH)]
    trees = (parse_html(page.html, page.charset or None) for page in looked_at)
    asking = [page for page, tree in zip(looked_at, trees, strict=True) if page_says_nofollow(tree, page.content_type)]
    if 2 * len(leading_nowhere) < len(pages.by_url) or 2 * len(asking) <= len(looked_at):
        return ""
    return (
        f"{len(asking)} of {len(looked_at)} pages that were looked at, such as {asking[0].url}, ask robots not to "
        "follow their links (meta robots, or the header X-Robots-Tag: nofollow), and none was followed; ask those who "
        "run the site to let you, or give the pages you want as `entry`"
    )


def _is_linked(pages: Pages) -> bool:
    """Say whether a page besides the samples leads to a target."""
    own = {pages.clean(sample.url) for sample in pages.samples}
    linked = {pages.clean(link) for url, page in pages.by_url.items() if url not in own for link in page.links}
    return not own or any(_may_be_target(pages, url) for url in linked)


def _unlinked(pages: Pages) -> str:
    form = next((page.url for page in pages.pages if b"<form" in page.html.lower()), None)
    hint = f"; {form} has a form, and what stands behind one is not reached" if form else ""
    return (
        f"no link leads to a target: of {len(pages.by_url)} pages only the samples themselves are like them"
        f"{hint}; give pages with links to targets as `entry`, such as a list, an archive or a site map"
    )


def _may_be_target(pages: Pages, url: str) -> bool:
    if not pages.knowledge.is_target(url):
        return False
    return url not in pages.by_url or not pages.wrapper.fields or not pages.look(url).missing
