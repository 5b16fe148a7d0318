"""Single pages among the targets that are none: written by hand, they lack what tells a record, or show another's.

In: the probes of a `Split` that are target pages. Out: those to leave out, and a part of `Knowledge.page_check`. Kinds
of which several pages were met are told apart by `probes`; a page alone needs better evidence than that it looks odd.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from itertools import chain, islice
from statistics import median

from gwc_crawler.items import Extracted
from gwc_crawler.learn.marks.board import LOST_MARKS, list_links
from gwc_crawler.learn.marks.probe import Probe
from gwc_crawler.learn.marks.probes import Split

_EXAMPLES = 10
_ALWAYS = 0.97
"""A field that so many of the other pages have is expected on each of them."""
_USUAL = 0.9
"""Marks that so many have are a part of the template."""
_EVERYWHERE = 0.5
"""A field, or a mark, that more of the pages unlike the samples have tells nothing."""
_FRAMES = (0.5, 0.8)
"""Marks on more of the site's URL groups are its frame, and tell no template: the first where one kind is the most of a
site, the second where several kinds share a template."""
_REST = 1 / 3
"""Beside pages built otherwise so many, as a share of them, may lack the telling fields in the others' template."""
_FEW = 0.25
"""More pages without the telling fields: they may be sparse targets, and the report says what they lack."""
_OTHER_TEMPLATE = 0.75
"""Pages that lack this share of the marks that tell the template are built otherwise; a second sort of targets that
lacks all fields (w3school's pseudo-classes) was seen to lack .55."""
_SEVERAL = 2
"""Fields that together tell a record; a single one may stand elsewhere in another layout."""
_SEVERAL_OWN = 3
"""A page with so many of the fields that are the targets' own is one, in another template."""
_MANY = 4
"""A page with all but one of so many usual fields is a sparse target: where one field alone tells, what else the others
have may be no more than the elements that it stands in (the tags of a post)."""
_MOST_IN_MENUS = 0.1
"""Menus that lead to more of the target pages are lists of them."""
_UNLIKE = 0.5
"""Pages that are no targets serve for comparison where they lack this share of the template."""
_OWN = 0.05
"""An element that no greater share of the target pages has is a page's own."""
_FEW_OWN = 3
"""The same where there are few pages: so many of them may have it."""
_BUILT_ALIKE = 0.02
"""A page that lacks no more of the template is built as records are: two may say the same of different things."""
_LONG = 24
"""Characters of a text that two records don't share by chance."""
_COMPARED = 20
"""A value that none of so many pages has tells a record."""
_MOST_LED_TO = 40
"""Of so many target pages that a page leads to it is looked whether it shows their values."""

_LEAD_ON = "they lead to far more pages than the others, and lack what these have"

Values = Callable[[str], dict[str, Extracted]]
Marks = Callable[[str], Set[str]]


def set_bare_apart(
    split: Split,
    beside: Sequence[Probe],
    common: Mapping[str, float],
    start: Set[str] = frozenset(),
    of_fields: Callable[[Set[str]], Set[str]] = lambda names: frozenset(),
) -> Split:
    """Take pages out of the target pages of *split* that lack all that tells a record: fields, and most of the marks.

    A page that leads to far more pages than the others do is a list: of the fields it may have some. One that lacks
    no more of the template than comes with the fields themselves is a sparse record.

    Args:
        beside: some pages that are no targets.
        common: mark → in which share of the site's URL groups it stands.
        start: the marks of the site's start page; empty where there is none.
        of_fields: gives the marks that some fields bring with them.
    """
    known = [probe for probe in split.good if probe.found is not None]
    if len(known) < _EXAMPLES:
        return split
    names = _usual_fields(known)
    frames: list[Set[str]] = [{mark for mark, share in common.items() if share > most} for most in _FRAMES]
    telling = [{name for name in names if _tells(known, beside, frame, name)} for frame in frames]
    least_links = list_links(median(len(probe.leads_to) for probe in known))
    odd: dict[str, set[str]] = {}
    for frame in frames:
        for blank, lacking in (_blank(known, beside, frame), _without_all(known, beside, frame)):
            for probe in blank:
                odd.setdefault(probe.url, set()).update(lacking)
    for frame, told in zip(frames, telling, strict=True):
        for name in sorted(set().union(*telling)):
            for probe in _bare(known, frame, name):
                is_whole = len(names) >= _MANY and len(probe.shown.intersection(names)) >= len(names) - 1
                if (probe.shown.isdisjoint(told) and not is_whole) or len(probe.leads_to) >= least_links:
                    odd.setdefault(probe.url, set()).add(name)
    for url in _sparse([probe for probe in known if probe.url in odd], known, least_links, of_fields):
        del odd[url]
    for frame in [*frames, start] if start else frames:
        for probe in _leading_on(known, frame, least_links):
            odd.setdefault(probe.url, set())
    for name in names if start else ():
        for probe in (*_stripped(known, start, name), *_in_menus(known, start, name)):
            odd.setdefault(probe.url, set()).add(name)
    bare = [probe for probe in split.good if probe.url in odd]
    if not bare:
        return split
    names = sorted(set().union(*odd.values()))
    reason = f"{', '.join(names)} not there, nor what else the other pages have" if names else _LEAD_ON
    good = [probe for probe in split.good if probe not in bare]
    return replace(split, good=good, foreign=[*split.foreign, bare], reasons=_with(split, reason))


def _sparse(
    odd: Sequence[Probe], known: Sequence[Probe], least_links: float, of_fields: Callable[[Set[str]], Set[str]]
) -> list[str]:
    """Those of the *odd* pages, no lists, that lack hardly more than the fields they lack bring with them."""
    names = frozenset[str]().union(*(probe.fields for probe in known))
    usual = _usual([probe for probe in known if probe not in odd])
    return [
        probe.url
        for probe in odd
        if len(probe.leads_to) < least_links and len(usual - probe.marks - of_fields(names - probe.shown)) < _SEVERAL
    ]


def _usual_fields(known: Sequence[Probe]) -> list[str]:
    """The fields that most target pages have."""
    counts = Counter(name for probe in known for name in probe.fields)
    return sorted(name for name, count in counts.items() if count >= (1 - _FEW) * len(known))


def _tells(known: Sequence[Probe], beside: Sequence[Probe], frame: Set[str], name: str) -> bool:
    """Whether few pages that lack much of what the pages with a field have in common have the field."""
    template = _usual([probe for probe in known if name in probe.shown]) - frame
    least = max(LOST_MARKS, _UNLIKE * len(template))
    unlike = _lacking(beside, template, least)
    return len(unlike) >= LOST_MARKS and sum(name in probe.fields for probe in unlike) <= _EVERYWHERE * len(unlike)


def _bare(known: Sequence[Probe], frame: Set[str], name: str) -> list[Probe]:
    """The pages without a field, and without most of the template: [] if others lack the field, too."""
    without = [probe for probe in known if name not in probe.shown and not probe.is_sample]
    rest = [probe for probe in known if probe not in without]
    template = _usual(rest) - frame
    least = max(LOST_MARKS, _OTHER_TEMPLATE * len(template))
    bare = _lacking(without, template, least)
    return bare if _are_few(len(without) - len(bare), len(known) - len(bare), len(bare)) else []


def _leading_on(known: Sequence[Probe], frame: Set[str], least_links: float) -> list[Probe]:
    """The pages that lead to far more pages than the others and lack most of the template: lists, whatever is found."""
    leading = [probe for probe in known if len(probe.leads_to) >= least_links and not probe.is_sample]
    template = _usual([probe for probe in known if probe not in leading]) - frame
    return _lacking(leading, template, max(LOST_MARKS, _OTHER_TEMPLATE * len(template)))


def _stripped(known: Sequence[Probe], start: Set[str], name: str) -> list[Probe]:
    """The pages without a field, and without anything of the template that the start page has not: [] as in `_bare`.

    A heading and a paragraph stand on `/about/` where records have theirs, and pages of other kinds may share the
    rest; a record has some of its template, however little is known of it.
    """
    without = [probe for probe in known if name not in probe.shown and not probe.is_sample]
    rest = [probe for probe in known if probe not in without]
    template = _usual(rest) - start
    bare = _lacking(without, template, max(LOST_MARKS, len(template)))
    return bare if len(without) - len(bare) <= (1 - _ALWAYS) * len(rest) else []


def _in_menus(known: Sequence[Probe], start: Set[str], name: str) -> list[Probe]:
    """The few pages to which most pages lead, without a field and without most of the template: `/about.html`.

    [] where menus lead to many of the pages: then these are lists of records.
    """
    linking = frozenset[str]().union(*(probe.linked_from for probe in known))
    menu = [probe for probe in known if 2 * len(probe.linked_from) > len(linking) and not probe.is_sample]
    rest = [probe for probe in known if probe not in menu]
    without = [probe for probe in menu if name not in probe.shown]
    if len(menu) > _MOST_IN_MENUS * len(known) or sum(name in probe.shown for probe in rest) < _USUAL * len(rest):
        return []
    template = _usual(rest) - start
    return _lacking(without, template, max(_SEVERAL, _OTHER_TEMPLATE * len(template)))


def _blank(known: Sequence[Probe], beside: Sequence[Probe], frame: Set[str]) -> tuple[list[Probe], list[str]]:
    """The pages without any of several telling fields, and without most of the template, however many; which fields.

    None if others lack all of them, too: then the samples have more than their kind has.
    """
    names = sorted(frozenset[str]().union(*(probe.fields for probe in known)))
    told = [name for name in names if _tells(known, beside, frame, name)]
    own = _own_fields(known, beside)
    without = [
        probe
        for probe in known
        if probe.shown.isdisjoint(told) and len(probe.shown & own) < _SEVERAL_OWN and not probe.is_sample
    ]
    rest = [probe for probe in known if probe not in without]
    usual = [name for name in told if 2 * sum(name in probe.fields for probe in rest) >= len(rest)]
    if len(usual) < _SEVERAL or len(rest) < _EXAMPLES:
        return [], []
    template = _usual(rest) - frame
    least = max(LOST_MARKS, _OTHER_TEMPLATE * len(template))
    return _unless_others(without, _lacking(without, template, least), rest, usual)


def _own_fields(known: Sequence[Probe], beside: Sequence[Probe]) -> set[str]:
    """The fields that neither all target pages have nor pages beside them: an older template may have these alone."""
    counts, others = (Counter(name for probe in some for name in probe.shown) for some in (known, beside))
    return {name for name, count in counts.items() if count < _USUAL * len(known) and not others[name]}


def _without_all(known: Sequence[Probe], beside: Sequence[Probe], frame: Set[str]) -> tuple[list[Probe], list[str]]:
    """Few pages without any of several fields that nearly all others have, and without most of the template; which.

    So is `/about/` told from `/red-kettle/` in one design, where pages of other kinds have these fields as well.
    """
    usual = [name for name in _usual_fields(known) if any(name not in probe.shown for probe in known)]
    without = [probe for probe in known if probe.shown.isdisjoint(usual) and not probe.is_sample]
    rest = [probe for probe in known if probe not in without]
    template = _usual(rest) - frame
    least = max(_SEVERAL, _OTHER_TEMPLATE * len(template))
    unlike = _lacking(beside, template, least)
    always = [
        name
        for name in usual
        if sum(name in probe.shown for probe in rest) >= _ALWAYS * len(rest)
        and sum(name in probe.fields for probe in unlike) <= _EVERYWHERE * len(unlike)
    ]
    if len(always) < _SEVERAL or len(rest) < _EXAMPLES:
        return [], []
    return _unless_others(without, _lacking(without, template, least), rest, always)


def _unless_others(
    without: Sequence[Probe], bare: list[Probe], rest: Sequence[Probe], names: list[str]
) -> tuple[list[Probe], list[str]]:
    """The *bare* pages and the fields, or nothing where others than these are *without* the fields."""
    return (bare, names) if _are_few(len(without) - len(bare), len(rest), len(bare)) else ([], [])


def _are_few(sparse: int, rest: int, bare: int) -> bool:
    """Whether pages that lack the telling fields in the template are few beside the others, or beside the *bare*."""
    return sparse <= max((1 - _ALWAYS) * rest, _REST * bare)


def _lacking(probes: Sequence[Probe], template: Set[str], least: float) -> list[Probe]:
    """The pages that lack so many marks of a template."""
    return [probe for probe in probes if len(template - probe.marks) >= least]


def _usual(probes: Sequence[Probe]) -> frozenset[str]:
    """The marks that nearly all of them have."""
    counts = Counter(chain.from_iterable(probe.marks for probe in probes))
    return frozenset(mark for mark, count in counts.items() if count >= _USUAL * len(probes))


def set_quoting_apart(split: Split, links: Callable[[str], Sequence[str]], values: Values, marks: Marks) -> Split:
    """Take pages out of the target pages of *split* that lead to another one and show its values, in other places.

    A page that lacks a field which most have may show a single value, if it is of that other page alone. With them go
    those that are built as they are, and show too little for a quotation to be known.

    Args:
        links: the target pages, of *split* or others, that a page links to.
        values: what the wrapper finds on a page.
        marks: those of a page.
    """
    if len(split.good) < _EXAMPLES:
        return split
    values = cache(values)
    usual = _usual(split.good)
    counts = Counter(mark for probe in split.good for mark in probe.marks)
    most = max(_FEW_OWN, _OWN * len(split.good))
    rare = {mark for mark, count in counts.items() if ">" in mark and count <= most}
    strangers = {probe.url for group in split.others for probe in group}
    always = _usual_fields(split.good)
    odd = []
    for probe in split.good:
        lost = usual - probe.marks
        if probe.is_sample or len(lost) <= _BUILT_ALIKE * len(usual) or rare.isdisjoint(probe.marks):
            continue
        shown = values(probe.url)
        near = [url for url in links(probe.url) if url != probe.url and url not in strangers][:_MOST_LED_TO]
        quoted = [values(url) for url in near if len(usual - marks(url)) < len(lost)]
        alone: dict[str, Extracted] = {}
        if quoted and not all(map(shown.get, always)):
            apart = (one.url for one in split.good if one.url not in {probe.url, *near})
            alone = _of_one(shown, list(map(values, islice(apart, _COMPARED))))
        if any(_quotes(shown, other) or _holds(other, alone) for other in quoted):
            odd.append(probe)
    if not odd:
        return split
    built = [(usual - probe.marks, rare & probe.marks) for probe in odd]
    odd += [
        probe
        for probe in split.good
        if probe not in odd
        and not probe.is_sample
        and any(lost.isdisjoint(probe.marks) and own <= probe.marks for lost, own in built)
    ]
    rest = [probe for probe in split.good if probe not in odd]
    reason = "they lead to a target page and show its values"
    return replace(split, good=rest, foreign=[*split.foreign, odd], reasons=_with(split, reason))


def _quotes(one: dict[str, Extracted], other: dict[str, Extracted]) -> bool:
    """Whether all values of a page but one are another's, a long text among them."""
    found = {name: value for name, value in one.items() if value}
    same = [value for name, value in found.items() if other.get(name) == value]
    return len(same) >= max(2, len(found) - 1) and any(isinstance(value, str) and len(value) >= _LONG for value in same)


def _holds(other: dict[str, Extracted], values: dict[str, Extracted]) -> bool:
    """Whether a page has all these values, if there are some."""
    return bool(values) and all(other.get(name) == value for name, value in values.items())


def _of_one(shown: dict[str, Extracted], others: Sequence[dict[str, Extracted]]) -> dict[str, Extracted]:
    """The values of a page, where one of them is on none of the other pages, enough to say so: else {}."""
    found: dict[str, Extracted] = {name: value for name, value in shown.items() if value}
    tells = any(all(other.get(name) != value for other in others) for name, value in found.items())
    return found if tells and len(others) >= _EXAMPLES else {}


def _with(split: Split, reason: str) -> list[str]:
    """The reasons with one more group of other categories; the last is that of the lists."""
    place = len(split.foreign)
    return [*split.reasons[:place], reason, *split.reasons[place:]]
