"""Rows as the samples have none: replies to a comment, several in what holds a single one there, rows of other kinds.

Ways of finding the rows fit such samples equally: all items of a list, or also those of lists inside it; a section's
only item, or the section; methods, or also the types that are built as these are; list items under "Parameters", or
also the paragraph that stands there for a single one; rows under all headers of a table, or under some. Further pages
tell. Where rows inside a row have all that each sample record has, they are records. Where rows lack the first part
that all records have, and in its place stands an element that is called otherwise, they are none; where nothing is in
its place, as in a review without an author, a row is a record that lacks it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

from gwc_crawler.extract import RowRule, Run
from gwc_crawler.items import Family
from gwc_crawler.learn.places import quoted_in
from gwc_crawler.learn.texts import COUNTING, ExampleContext, LearnPage
from gwc_crawler.learn.wrapper.judging import path_of

LEAST_PAGES = 2
"""On so many further pages there must be rows inside rows, or single ones of another form."""
MOSTLY = 0.9
"""So many of the smaller rows must have all that each sample record has."""
LEAST_PARTS = 2
"""So many parts all sample records must have: a text alone is found inside each text."""
LEAST_ROWS = 2
"""So many rows must lack the part, on further pages."""
MOST_PARTS = 1
"""A row that has more of the parts that all records have is one of them, whatever an element is called."""
MOST_SEEN = 200
_SAID = "/following-sibling::dd[1]"
_NEXT_BLOCK = re.compile(r"((?:.*//)?(\w+)(\[.*\]))/following-sibling::\*\[1\]\[self::(\w+)\](.*)")
_DIGITS = re.compile(r"\d")

Rows: TypeAlias = Sequence[tuple[Any, dict[str, Any]]]
"""What a way gives of a page: each row with its record."""


def as_further_pages_show(
    chosen: Sequence[RowRule],
    fitting: Sequence[RowRule],
    contexts: Sequence[ExampleContext],
    more: Sequence[LearnPage],
) -> list[RowRule]:
    """The *chosen* ways to records, best first, or what reads the samples as well and further pages better.

    Args:
        fitting: ways that give the samples' records as well.
        contexts: the samples.
        more: further pages.
    """
    simplest = sorted(fitting, key=lambda one: one.cost)
    ways = _with_rows_inside(chosen, simplest, more)
    ways = _with_smaller_rows(ways, simplest, more)
    ways = _with_next_blocks(ways, contexts, more)
    ways = _by_fewer_headers(_with_lone_rows(ways, simplest, more), simplest, more)
    return [_without_rows_in_parts(_without_other_rows(one, contexts, more), contexts, more) for one in ways]


def _with_rows_inside(
    chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]
) -> list[RowRule]:
    """The ways, before them the first of the *fitting* ones that gives their records and those inside them."""
    best = chosen[0]
    if best.flat or best.parts or len(best.always) < LEAST_PARTS or not more:
        return list(chosen)
    known = [best.rows_with_records(page.page) for page in more]
    names = _names([[scope for scope, _ in rows] for rows in known])
    for one in fitting:
        if one not in chosen and not one.flat and not one.parts and _adds_rows_inside(one, known, names, more):
            return [one, *chosen]
    return list(chosen)


def _with_smaller_rows(
    chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]
) -> list[RowRule]:
    """The ways; or the first one whose rows are parts of theirs, several of one on some pages.

    Rather one that has no other rows; else one that has: in another section, which no sample has.
    """
    best = chosen[0]
    if best.flat or best.parts or len(best.always) < LEAST_PARTS:
        return list(chosen)
    known = [best.rows_with_records(page.page) for page in more]
    smaller = [one for one in fitting if one not in chosen and not one.flat and not one.parts]
    for beyond in (False, True):
        for one in smaller:
            if _parts_rows(one, best.always, known, more, beyond=beyond):
                return [one]
    return list(chosen)


def _parts_rows(
    one: RowRule, always: Sequence[str], known: Sequence[Rows], more: Sequence[LearnPage], *, beyond: bool
) -> bool:
    """Whether a way's rows stand in the best way's, whole, on some pages several in one, or *beyond* them as well.

    And hardly a whole row of the best way's is without one: its record would be lost.
    """
    parted = count = whole = held = wanted = among = 0
    for page, best in zip(more, known, strict=True):
        inner, outer = one.rows_with_records(page.page), {scope for scope, _ in best}
        owners = [next((row for row in (scope, *scope.iterancestors()) if row in outer), None) for scope, _ in inner]
        if None in owners and not beyond:
            return False
        inside = [owner for owner in owners if owner is not None]
        parted += len(set(inside)) < len(inside)
        count += len(inner)
        whole += sum(_is_whole(record, always) for _, record in inner)
        meant = {scope for scope, record in best if _is_whole(record, always)}
        wanted += len(meant)
        among += len(best)
        held += len(meant.intersection(owners))
    are_whole = whole * among >= MOSTLY * wanted * count  # as often as theirs are
    return parted >= LEAST_PAGES and are_whole and held >= MOSTLY * wanted


def _is_whole(record: Mapping[str, Any], always: Sequence[str]) -> bool:
    return all(key in record for key in always)


def _with_next_blocks(
    chosen: Sequence[RowRule], contexts: Sequence[ExampleContext], more: Sequence[LearnPage]
) -> list[RowRule]:
    """The ways, before them the best one with the rows of all blocks in a row behind the label, not of the first alone.

    `<h2>Input</h2><dl>…</dl><dl>…</dl>`: on the samples all rows stand in one block. On some further pages there must
    be more whole records, each in a block of its own, and none be lost.
    """
    best = chosen[0]
    path = _over_blocks(best.rows.path)
    if path is None or best.parts or len(best.always) < LEAST_PARTS:
        return list(chosen)
    wider = replace(best, rows=replace(best.rows, path=path))
    if any(wider.read(one.at.page) != best.read(one.at.page) for one in contexts):
        return list(chosen)
    added = 0
    for page in more:
        known, found = best.read(page.page), wider.read(page.page)
        further = found[len(known) :]
        if further and (len(known) > 1 or any(one in known for one in further)):
            return list(chosen)  # another list, or the same for narrow screens
        if (known and found[: len(known)] != known) or not all(_is_whole(one, best.always) for one in further):
            return list(chosen)
        added += len(found) > len(known) > 0
    return [wider, *chosen] if added >= LEAST_PAGES else list(chosen)


def _over_blocks(path: str) -> str | None:
    """The path with all siblings in a row behind a label in place of the first one; None where it has no such step.

    >>> _over_blocks('//h2[text()="In"]/following-sibling::*[1][self::dl]/dt')
    '//h2[text()="In"]/following-sibling::dl[preceding-sibling::*[not(self::dl)][1][self::h2][text()="In"]]/dt'
    """
    if (found := _NEXT_BLOCK.fullmatch(path)) is None:
        return None
    label, name, test, block, rest = found.groups()
    last = f"preceding-sibling::*[not(self::{block})][1][self::{name}]{test}"
    return f"{label}/following-sibling::{block}[{last}]{rest}"


def _by_fewer_headers(
    chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]
) -> list[RowRule]:
    """The ways, before them the first one by some of the best one's headers, if it gives whole records elsewhere."""
    best = chosen[0]
    labels = _labels(best)
    if best.rows.family is not Family.LABEL or len(labels) < 2 or best.parts or not best.always:
        return list(chosen)
    for one in fitting:
        if one.rows.family is Family.LABEL and _labels(one) < labels and _reads_on(one, best, more):
            return [one, *chosen]
    return list(chosen)


def _labels(way: RowRule) -> set[str]:
    """All labels and names that a way asks for."""
    return set(quoted_in(path_of(way)))


def _reads_on(one: RowRule, best: RowRule, more: Sequence[LearnPage]) -> bool:
    """Whether a way gives what the best one gives, and on some pages where that gives none, such records too."""
    new: list[list[dict[str, Any]]] = []
    for page in more:
        records, others = best.read(page.page), one.read(page.page)
        if records and records != others:
            return False
        new += [others] if others and not records else []
    found = [record for records in new for record in records]
    whole = sum(_is_whole(record, best.always) for record in found)
    return len(new) >= LEAST_PAGES and all(best.always[0] in one for one in found) and 2 * whole >= len(found)


def _adds_rows_inside(one: RowRule, known: Sequence[Rows], names: frozenset[str], more: Sequence[LearnPage]) -> bool:
    """Whether a way gives on all pages what the best one does, and on some more: rows of such names inside its rows."""
    added = 0
    for page, outer in zip(more, known, strict=True):
        all_rows = one.rows_with_records(page.page)
        expected = [record for _, record in outer]
        if len(all_rows) < len(outer):
            return False
        if len(all_rows) == len(outer):
            if [record for _, record in all_rows] != expected:
                return False
            continue
        scopes = [scope for scope, _ in outer]
        inside = _inside(scopes, [scope for scope, _ in all_rows])
        extra = [scope for scope, _ in all_rows if scope in inside]
        if [record for scope, record in all_rows if scope not in inside] != expected:
            return False
        if not all(names <= _words(scope) for scope in extra):
            return False
        added += 1
    return added >= LEAST_PAGES


def _with_lone_rows(chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]) -> list[RowRule]:
    """The ways, behind them the first of the *fitting* ones by a label that speaks where they are silent."""
    best = chosen[0]
    known = [best.read(page.page) for page in more]
    if best.parts or len(best.always) < LEAST_PARTS or known.count([]) < _least_lone(best):
        return list(chosen)
    for one in fitting:
        is_another = one not in chosen and not one.parts and one.rows.family is Family.LABEL
        if is_another and _adds_single_ones(one, best, known, more):
            return [*chosen, one]
    return list(chosen)


def _adds_single_ones(
    one: RowRule, best: RowRule, known: Sequence[Sequence[Mapping[str, Any]]], more: Sequence[LearnPage]
) -> bool:
    """Whether a way finds something wherever the best one does, and a single whole record on pages where that has none.

    Of an item with two paragraphs it makes two records: so it speaks last.
    """
    added = 0
    for page, records in zip(more, known, strict=True):
        found = one.read(page.page)
        if records and not found:
            return False
        if not records and found:
            if len(found) > 1 or not _is_whole(found[0], best.always):
                return False
            added += 1
    return added >= _least_lone(best)


def _least_lone(best: RowRule) -> int:
    """On so many pages there must be single records: of several parts one is found whole by no chance."""
    return 1 if len(best.always) > LEAST_PARTS else LEAST_PAGES


def _inside(outer: Sequence[Any], rows: Sequence[Any]) -> frozenset[Any]:
    """Those of the *rows* that stand inside an outer one, or beside one that is alone in its parent."""
    alone = Counter(parent for row in outer if (parent := row.getparent()) is not None)
    bounds = {*outer, *(parent for parent, count in alone.items() if count == 1 and parent.getparent() is not None)}
    return frozenset(row for row in rows if row not in bounds and any(one in bounds for one in row.iterancestors()))


def _names(known: Sequence[Sequence[Any]]) -> frozenset[str]:
    """The element name and the classes that all rows have, those apart that tell a row's turn or depth."""
    return frozenset.intersection(*[_words(row) for rows in known for row in rows] or [frozenset()])


def _words(row: Any) -> frozenset[str]:
    classes = (row.get("class") or "").split()
    lasting = (one for one in classes if not COUNTING.search(one) and not _DIGITS.search(one))
    return frozenset({f"<{row.tag}>", *lasting})


def _without_rows_in_parts(way: RowRule, contexts: Sequence[ExampleContext], more: Sequence[LearnPage]) -> RowRule:
    """The way; without rows in what is said of another one, where that is a term's text or a cell.

    It has a list or a table of its own: no sample's has one. Of tables further pages must have some: rows that stand
    elsewhere in others, as replies to a comment do, are records.
    """
    scopes = [scope for one in contexts for scope, _ in way.rows_with_records(one.at.page)]
    terms = [scope.head for scope in scopes if isinstance(scope, Run) and scope.head.tag == "dt"]
    firsts = [rule.finders[0] for rule in way.fields.values()]
    says = any(one.path.endswith(_SAID) or (one.path == "." and one.read.startswith("after:")) for one in firsts)
    if way.flat and says and 0 < len(terms) == len(scopes):
        nested = any(above.tag == "dd" for term in terms for above in term.iterancestors())
        return way if nested else replace(way, outermost=True)
    if way.flat or way.parts or any(_owners(scopes)):
        return way
    pages = [(page, [scope for scope, _ in way.rows_with_records(page.page)]) for page in more]
    owned = [(page, pair) for page, rows in pages for pair in _owners(rows)]
    inside = all(any(_is_in_cell(inner, one.path, outer, page) for one in firsts) for page, (inner, outer) in owned)
    return replace(way, outermost=True) if owned and inside else way


def _owners(rows: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Rows that stand inside another one, each with that."""
    known = set(rows)
    pairs = ((row, next((above for above in row.iterancestors() if above in known), None)) for row in rows)
    return [(row, outer) for row, outer in pairs if outer is not None]


def _is_in_cell(inner: Any, path: str, outer: Any, page: LearnPage) -> bool:
    """Whether a row stands in a cell of another one that is read there as a whole."""
    cell = next(iter(page.select(path, outer)), None)
    return getattr(cell, "tag", "") == "td" and any(above is cell for above in inner.iterancestors())


def _without_other_rows(way: RowRule, contexts: Sequence[ExampleContext], more: Sequence[LearnPage]) -> RowRule:
    """The way; it asks for the first part that all sample records have where further rows without it are of others."""
    if way.flat or way.parts or way.must or not way.always:
        return way
    key = way.always[0]
    first = way.fields[key].finders[0]
    if first.family is not Family.CLASS or first.read not in ("text", "apart"):
        return way
    named = list(_named(way, key, [one.at for one in contexts]))
    places = {_place(node, row) for row, node in named}
    if len(places) != 1 or (place := places.pop()) is None:
        return way
    steps, called = place
    known = called.union(*(_classes(one) for row, _ in named for one in _standing_at(row, steps)))
    lacking = [
        (scope, record) for page in more for scope, record in way.rows_with_records(page.page) if key not in record
    ]
    others = all(
        sum(one in record for one in way.always) <= MOST_PARTS and _is_renamed(scope, steps, known)
        for scope, record in lacking
    )
    return replace(way, must=(key,)) if len(lacking) >= LEAST_ROWS and others else way


def _named(way: RowRule, key: str, pages: Sequence[LearnPage]) -> Iterator[tuple[Any, Any]]:
    """The rows that have a part, each with the element in which it stands."""
    path = way.fields[key].finders[0].path
    for page in pages:
        for row, record in islice(way.rows_with_records(page.page), MOST_SEEN):
            nodes = page.select(path, row) if key in record else []
            if nodes and not isinstance(nodes[0], str):
                yield row, nodes[0]


def _place(node: Any, row: Any) -> tuple[tuple[str, ...], frozenset[str]] | None:
    """The names of the elements from a row down to one, and its classes; None where it is not inside the row."""
    names = []
    above = node
    while above is not row:
        if above is None:
            return None
        names.append(above.tag)
        above = above.getparent()
    return (tuple(reversed(names)), _classes(node)) if names else None


def _is_renamed(row: Any, steps: Sequence[str], known: frozenset[str]) -> bool:
    """Whether an element with a text stands where the part of a record would be, and has no class that is known there:
    of that part, or of another one beside it."""
    return any("".join(one.itertext()).strip() and known.isdisjoint(_classes(one)) for one in _standing_at(row, steps))


def _standing_at(row: Any, steps: Sequence[str]) -> list[Any]:
    """The elements that stand in a row as deep, and in the same elements, as its part."""
    found = [row]
    for name in steps:  # a name may be none of XPath's: <o:p>
        found = [child for one in found for child in one.iterchildren(name)]
    return found


def _classes(element: Any) -> frozenset[str]:
    return frozenset((element.get("class") or "").split())
