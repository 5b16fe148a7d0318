"""Pages of all kinds under one form of URL, told from the samples' kind by the only fields that others lack.

In: a `Split`. Out: the same without these, and the fields that tell, for the page check. A title and a text stand on
each page of a manual; if hardly one of those taken has the table that both samples have, the table is what is wanted,
and so it is if the manual lists the pages with it apart from the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, median

from gwc_crawler.learn.marks.board import ProbeBoard, list_links
from gwc_crawler.learn.marks.listings import ListsOn, lists_of, lists_with_both
from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_ALWAYS = 0.9
"""A field that more of the pages have tells nothing."""
_EXAMPLES = 10
"""So many pages with the fields, without them, and beside the targets have to be known."""
_SELDOM = 0.25
"""No more of the pages taken may have them: two samples would have them by chance once in sixteen times."""
_EVERYWHERE = 0.9
"""The samples' other fields are found on so many of the pages that are no targets."""
_ALL_PAGES = 0.7
"""Where so much of a site is taken, chapters and lists are among it: no site has records alone."""
_APART = 0.2
"""Of the lists that would have pages of both kinds if pages were drawn at random, so many may."""
_LEAST_EXPECTED = 15
_LESS_LIKE = 0.4
"""The others have no more of what tells the samples than this share of what those with the field have."""
_RATHER_LIKE, _TOGETHER = 0.6, 3
"""The same share where they lack half of the fields, of which the others have so many together."""
_BARELY_LIKE = 0.2
"""The same where not nearly all of the site is taken."""
_SURELY, _MANY, _FEW = 0.97, 4, 0.25
"""So many fields, each on nearly all other pages, tell a record from the few pages that have none of them."""
_SEVERAL = 2
_STATES, _HARDLY_LIKE = 3, 0.1
"""Of these few none states so many fields that pages beside the targets never do, nor is more like the samples."""
_MOST, _LEAST_UNLIKE = 2 / 3, 5
"""A page with so many of the fields has them; so many pages that have them, and that do not, must be known."""
_AS_LIKE, _HARDLY_ALIKE, _MEAN_ALIKE, _BETWEEN = 0.6, 0.35, 0.2, 0.1
"""How like those with the fields are, and how like the others: hardly a page may be between, as a sparse one is."""
_BY_CHANCE = 1 / 3
"""If more of the pages have them, two samples may have them by chance, and the others be sparse records."""
_RARELY = 0.1
_STRANGE = 0.8
"""So many of the others have a mark of their own."""
_OWN, _COMMON = 0.05, 0.1
"""That is one which no sample has, no more of those with the field, and so many of the others: no value of a record."""


def set_lacking_apart(split: Split, beside: Sequence[Probe]) -> tuple[Split, list[str]]:
    """Take the pages out of *split* that lack all fields which tell the samples' kind; and these fields, [] for none.

    Where anything else tells the samples from pages of other kinds, what lacks these fields is a sparse target; and so
    it is if it has nothing of its own instead.

    Args:
        beside: some pages that are no targets.
    """
    known = [probe for probe in split.good if probe.found is not None]
    samples = [probe.shown for probe in known if probe.is_sample]
    if not samples or len(beside) < _EXAMPLES:
        return split, []
    counts = Counter(name for probe in known for name in probe.shown)
    shared = frozenset.intersection(*samples)
    told = sorted(name for name in shared if counts[name] < _ALWAYS * len(known))
    without = [probe for probe in known if probe.shown.isdisjoint(told)]
    having = len(known) - len(without)
    everywhere = all(sum(name in one.shown for one in beside) >= _EVERYWHERE * len(beside) for name in shared - {*told})
    if not told or not everywhere or having > _SELDOM * len(known) or min(having, len(without)) < _EXAMPLES:
        return split, []
    if not _have_own(ProbeBoard(split.good, {}), without):
        return split, []
    reason = f"{', '.join(told)} not there, and nothing else tells the samples from pages of other kinds"
    return without_pages(split, without, reason), told


def set_listed_apart(split: Split, lists_on: ListsOn, taken: float) -> tuple[Split, list[str]]:
    """Take the pages out of *split* that lack a field of all samples, if the site lists those with it apart; and the
    fields that hardly one of them has, [] for none.

    Only where nearly all of a site is taken, so that pages of other kinds are surely among them, or where they lack
    several fields that the others have together and have hardly anything of what tells the samples: the genus beside
    its species. Elsewhere a sort of records that has a list of its own may lack a field, such as what a method takes.

    Args:
        lists_on: tells in which lists on a page its links stand.
        taken: the share of the site's pages that the target filters take.
    """
    samples = [probe.shown for probe in split.good if probe.is_sample and probe.found is not None]
    if not samples:
        return split, []
    shared = sorted(frozenset.intersection(*samples))
    board = ProbeBoard(split.good, {})
    found: list[tuple[float, list[Probe]]] = []
    for name in shared:
        having, without = ([one for one in split.good if (name in one.shown) is has] for has in (True, False))
        if min(len(having), len(without)) < _EXAMPLES:
            continue
        lack_several, lack_half = _lack_together(shared, having, without)
        usual = [one for one in shared if sum(one in probe.shown for probe in split.good) < _ALWAYS * len(split.good)]
        rich = sum(2 * len(one.shown.intersection(usual)) >= len(usual) for one in without)
        if not lack_several and len(usual) >= _STATES and 2 * rich > len(without):
            continue  # records: both samples have a rare field
        others = taken >= _ALL_PAGES and (lack_half or _have_own(board, without))
        is_other = others and are_unlike(board, without, _RATHER_LIKE if lack_half else _LESS_LIKE)
        if not is_other and not (lack_several and are_unlike(board, without, _BARELY_LIKE)):
            continue
        both, expected = lists_with_both(*lists_of((without, having), lists_on))
        if expected >= _LEAST_EXPECTED and both <= _APART * expected:
            found.append((both / expected, without))
    if not found:
        return split, []
    without = min(found, key=lambda one: one[0])[1]
    told = [name for name in shared if sum(name in one.shown for one in without) <= _RARELY * len(without)]
    reason = f"{', '.join(told)} not there, and the site lists these pages apart from those with it"
    return without_pages(split, without, reason), told


def set_unlike_apart(split: Split) -> tuple[Split, list[str]]:
    """Take pages out of *split* that have hardly one of the many fields which the others have together, and hardly
    anything of what tells the samples; and these fields, [] for none.

    A title, a lead and categories stand on every article of a wiki: on characters as well, where both samples are
    weapons, with nine more fields. Sparse records are fewer, or lack some of them, or have others that tell records.
    """
    known = [probe for probe in split.good if probe.found is not None]
    samples = [probe.shown for probe in known if probe.is_sample]
    shared = frozenset.intersection(*samples) if samples else frozenset[str]()
    counts = Counter(name for probe in known for name in probe.shown)
    told = sorted(name for name in shared if counts[name] < _ALWAYS * len(known))
    if len(told) < _MANY or len(told) < 2 * len(shared.difference(told)):
        return split, []
    board = ProbeBoard(split.good, {})
    likeness = {probe.url: board.likeness(board.mask([probe])) for probe in known}
    stated = {probe.url: len(probe.shown.intersection(told)) for probe in known}
    full = [probe for probe in known if stated[probe.url] >= _MOST * len(told)]
    usual = fmean(likeness[probe.url] for probe in full or known)
    having = [probe for probe in full if likeness[probe.url] >= _AS_LIKE * usual]
    bare = [probe for probe in known if probe not in full and likeness[probe.url] <= _HARDLY_ALIKE * usual]
    if min(len(bare), len(having)) < _LEAST_UNLIKE or len(having) > _BY_CHANCE * len(known):
        return split, []
    if len(known) > len(bare) + (1 + _BETWEEN) * len(having):
        return split, []
    if fmean(likeness[probe.url] for probe in bare) > _MEAN_ALIKE * usual or any(probe.is_sample for probe in bare):
        return split, []
    told = [name for name in told if sum(name in probe.shown for probe in bare) <= _RARELY * len(bare)]
    if not told:
        return split, []
    return without_pages(split, bare, f"{', '.join(told)} not there, nor what else the samples have in common"), told


def set_blank_apart(split: Split, beside: Sequence[Probe]) -> tuple[Split, list[str]]:
    """Take pages out of *split* that have none of several fields which all others have; and these fields, [] for none.

    Where records come in several templates, or share theirs with the whole site, no mark tells them from a list: what
    they state does. Only lists, pages of the menus, and what has nothing of the samples but something of its own: what
    lacks as much may be a sparse target, and what states as much that no other page does is one in another template. Of
    several pages two such fields are enough, if they have none of the rarer ones either.

    Args:
        beside: some pages that are no targets.
    """
    known = [probe for probe in split.good if probe.found is not None]
    for least in (_MANY, _SEVERAL):
        blank, told, rare = _blank(known, beside, least)
        rest = [probe for probe in known if probe not in blank]
        if len(told) < least or len(rest) < _EXAMPLES or any(probe.is_sample for probe in blank):
            continue
        if least < _MANY and (len(blank) < _LEAST_UNLIKE or len(told) + rare < _MANY):
            continue
        is_list = least == _MANY and _are_lists_or_in_menus(blank, rest)
        if is_list or _are_strange(ProbeBoard(split.good, {}), blank):
            return without_pages(split, blank, f"{', '.join(told)} not there, on the other pages always"), told
    return split, []


def _blank(known: Sequence[Probe], beside: Sequence[Probe], least: int) -> tuple[list[Probe], list[str], int]:
    """The pages that lack so many of the usual fields; the fields that none of them has but nearly all others; and how
    many others some of these have."""
    counts, others = (Counter(name for probe in some for name in probe.shown) for some in (known, beside))
    usual = {name for name, count in counts.items() if count >= (1 - _FEW) * len(known)}
    blank = [
        probe
        for probe in known
        if len(usual - probe.shown) >= least and sum(not others[name] for name in probe.shown) < _STATES
    ]
    rest = [probe for probe in known if probe not in blank]
    lacking = set(counts).difference(*(probe.shown for probe in blank)) if blank else set[str]()
    told = sorted(n for n in usual & lacking if sum(n in probe.shown for probe in rest) >= _SURELY * len(rest))
    return blank, told, sum(counts[name] >= _SELDOM * len(known) for name in lacking - set(told))


def _are_lists_or_in_menus(blank: Sequence[Probe], rest: Sequence[Probe]) -> bool:
    """Whether each page leads to far more pages than the *rest*, or is led to by most pages, as these are not."""
    least_links = list_links(median(len(probe.leads_to) for probe in rest))
    half = len(frozenset[str]().union(*(probe.linked_from for probe in (*blank, *rest)))) / 2
    have_menus = median(len(probe.linked_from) for probe in rest) <= half
    return all(len(one.leads_to) >= least_links or (have_menus and len(one.linked_from) > half) for one in blank)


def _are_strange(board: ProbeBoard, blank: Sequence[Probe]) -> bool:
    """Whether pages have hardly anything of what tells the samples, and something of their own."""
    return are_unlike(board, blank, _HARDLY_LIKE) and _have_own(board, blank)


def _lack_together(names: Sequence[str], having: Sequence[Probe], without: Sequence[Probe]) -> tuple[bool, bool]:
    """Whether pages lack several fields that the others have together; and whether these are half of all *names*.

    No sparse record lacks these: so do the news beside documents that state number, agency and date.
    """
    lacking = [name for name in names if sum(name in one.shown for one in without) <= _RARELY * len(without)]
    together = sum(sum(name in one.shown for one in having) >= _ALWAYS * len(having) for name in lacking)
    return together >= _TOGETHER, together >= _TOGETHER and 2 * len(lacking) >= len(names)


def are_unlike(board: ProbeBoard, probes: Sequence[Probe], most: float) -> bool:
    """Whether pages have no more than the share *most* of what tells the samples, beside what the others have."""
    mask = board.mask(probes)
    others = board.likeness(board.everywhere & ~mask)
    return others > 0 and board.likeness(mask) <= most * others


def _have_own(board: ProbeBoard, probes: Sequence[Probe]) -> bool:
    """Whether nearly all of some pages have something that the others have not: a sparse record only lacks things."""
    return share_with_own(board, probes) >= _STRANGE


def share_with_own(board: ProbeBoard, probes: Sequence[Probe]) -> float:
    """The share of some pages with something that the others have not."""
    return board.with_own(board.mask(probes), _OWN, _COMMON).bit_count() / max(1, len(probes))


def without_pages(split: Split, probes: list[Probe], reason: str) -> Split:
    """The split with some of its good pages as a further group of another kind."""
    reasons = [*split.reasons[: len(split.foreign)], reason, *split.reasons[len(split.foreign) :]]
    good = [probe for probe in split.good if probe not in probes]
    return replace(split, good=good, foreign=[*split.foreign, probes], reasons=reasons)
