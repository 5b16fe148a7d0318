"""Records inside a page (comments, rows of a table): learn which nodes are records, then each field inside them.

Rows are found by an address without a position where they repeat; their fields by addresses relative to a row, tested
on the rows of all samples at once. Where records are no elements of their own (dt + dd, h3 + p + p) a row is the run
of siblings from one head to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from gwc_crawler.extract import BestRule, Finder, RecordsRule, RowRule, child_elements, runs_of
from gwc_crawler.extract.fields import is_empty, same_value
from gwc_crawler.learn.places import (
    Address,
    Context,
    LearnPage,
    LocatedRecords,
    PathMaker,
    RowKind,
    Shared,
    locate_records,
    row_kinds,
)
from gwc_crawler.learn.wrapper.cuts import mended
from gwc_crawler.learn.wrapper.lists import list_finders
from gwc_crawler.learn.wrapper.rank import choose
from gwc_crawler.learn.wrapper.scalars import reading_on, scalar_finders, stopping_short

MOST_SELECTORS = 8
MOST_KINDS = 10
MOST_LAYOUTS = 3
MOST_SHARED = 0.5
"""At most this share of the records may have no row of their own (two entries in one cell)."""
MOST_WRONG = 0.2
"""A sub-field may stay unread in this share of the sample rows."""
INSIDE_COST = 0.5
"""What it costs to find a head by its first child."""
ROUNDED = 1e-9
SURE = 1 - ROUNDED
"""All records of the samples come out as they are."""
MOST_ROWS = 24
"""Rows that a sub-field's candidates are tested on."""


def learn_records_rule(
    contexts: Sequence[Context],
    shared: Shared,
    more: Sequence[LearnPage],
    doubt: Callable[[Any, int], bool] | None = None,
) -> tuple[RecordsRule, dict[str, Any]] | None:
    """The rule for a field of records with its evidence; None where no rule gives the sample records.

    Args:
        doubt: as in `choose`.
    """
    keys = list(dict.fromkeys(key for one in contexts if not one.empty for row in one.wanted for key in row))
    if (whole := _learn(contexts, keys, shared, more, doubt)) is not None or len(keys) == 1:
        return whole
    parts = (_learn(_without(key, contexts), [one for one in keys if one != key], shared, more, doubt) for key in keys)
    best = max((part for part in parts if part is not None), key=lambda part: part[1]["exact"], default=None)
    return best or _learn(contexts, keys, shared, more, doubt, most_shared=MOST_SHARED)


def _without(key: str, contexts: Sequence[Context]) -> list[Context]:
    """The same records without a part that stands elsewhere on the page than they do."""
    return [
        one
        if one.empty
        else Context(
            one.at, [{name: part for name, part in row.items() if name != key} for row in one.wanted], one.scope
        )
        for one in contexts
    ]


def _learn(
    contexts: Sequence[Context],
    keys: Sequence[str],
    shared: Shared,
    more: Sequence[LearnPage],
    doubt: Callable[[Any, int], bool] | None,
    *,
    most_shared: float = 0.0,
) -> tuple[RecordsRule, dict[str, Any]] | None:
    """The rule that gives most of the records, from where they seem to stand on the sample pages."""
    best: list[list[RowRule]] = []
    for located in locate_records(contexts):
        groups = _groups(located, keys, shared, more, most_shared)
        if groups and (not best or groups[0][0].fit > best[0][0].fit):
            best = groups
        if best and best[0][0].fit >= SURE:
            break
    return _chosen(best, contexts, more, doubt) if best else None


def _groups(
    located: LocatedRecords, keys: Sequence[str], shared: Shared, more: Sequence[LearnPage], most_shared: float
) -> list[list[RowRule]]:
    """For each kind of row the rules that give as many records as any."""
    if not located.boxes:
        return []
    kinds = islice(row_kinds(located.contexts, located.boxes, most_shared), MOST_KINDS)
    groups = [_row_rules(kind, located.contexts, keys, shared, more) for kind in kinds]
    best = max((one.fit for group in groups for one in group), default=0.0)
    groups = [fitting for group in groups if (fitting := [one for one in group if one.fit >= best - ROUNDED])]
    if groups and all(len(row) == 1 for row in located.boxes.values()):
        groups = [max(groups, key=lambda group: _likes(group[0], located.contexts, more))]
    return groups


def _chosen(
    groups: Sequence[Sequence[RowRule]],
    contexts: Sequence[Context],
    more: Sequence[LearnPage],
    doubt: Callable[[Any, int], bool] | None,
) -> tuple[RecordsRule, dict[str, Any]]:
    candidates = [one for group in groups for one in group]
    wanted = [one.wanted for one in contexts]
    choice = choose(candidates, lambda one, n: one.read(more[n].page), len(more), wanted, doubt)
    exact = round(candidates[0].fit, 3)
    return RecordsRule(tuple(choice.finders)), choice.evidence | {
        "samples": len(contexts),
        "of": len(contexts),
        "exact": exact,
    }


# -- from a kind to rules --------------------------------------------------------------------------------------------


def _row_rules(
    kind: RowKind, contexts: Sequence[Context], keys: Sequence[str], shared: Shared, more: Sequence[LearnPage]
) -> list[RowRule]:
    shared = shared.with_rows([row] for rows in kind.nodes.values() for row in rows)
    selectors = _selectors(kind, contexts, shared)
    if not selectors:
        return []
    scopes = _scopes(kind, contexts, selectors[0])
    further = _further_rows(kind.flat, selectors[0], more)
    if kind.flat:
        shared = shared.with_rows(scope.members for row in scopes.values() for scope in row)
    fields: dict[str, BestRule] = {}
    for key in keys:
        examples = [
            Context(contexts[n].at, record.get(key), scope)
            for n, row in scopes.items()
            for record, scope, own in zip(contexts[n].wanted, row, kind.own(n), strict=True)
            if own
        ]
        rule = _sub_field(examples, shared, further)
        if rule is not None:
            fields[key] = rule
    if not fields:
        return []
    required = tuple(key for key in fields if _always(key, contexts))
    rules = []
    for selector in selectors:
        variants = [RowRule(selector, kind.flat, fields, must) for must in ((), required[:1], required)]
        rules.append(max(variants, key=lambda one: _fit(one, contexts)))
        rules[-1].always = required
        rules[-1].fit = _fit(rules[-1], contexts)
    return rules


def _likes(rule: RowRule, contexts: Sequence[Context], more: Sequence[LearnPage]) -> float:
    """How many rows stand side by side where there is one: what tells a row from what holds all rows.

    Asked when every sample page has a single record; of equals the first (smallest) kind is taken.
    """
    counts = []
    for page in (*(context.at for context in contexts), *more):
        rows = page.select(rule.rows.path, None)
        if rows:
            parent = rows[0].getparent()
            counts.append(sum(one.getparent() is parent for one in rows))
    return round(sum(counts) / len(counts), 2) if counts else 0.0


def _selectors(kind: RowKind, contexts: Sequence[Context], shared: Shared) -> list[Finder]:
    """Addresses that select every row on every sample page; those that select little else first."""
    giver = max(kind.nodes, key=lambda n: len(kind.nodes[n]))
    row = kind.nodes[giver]
    found: dict[str, tuple[float, Finder]] = {}
    for node in dict.fromkeys((row[0], row[-1], row[len(row) // 2])):
        for address in _row_addresses(PathMaker(contexts[giver].at.index, shared), node, flat=kind.flat):
            if address.path in found:
                continue
            extra = _extra_rows(address.path, kind, contexts)
            if extra is not None:
                finder = Finder(address.family, address.path, cost=address.cost + 0.5 * min(extra, 8))
                found[address.path] = extra, finder
    ordered = sorted(found.values(), key=lambda one: (one[0] > 0, min(one[0], 20), one[1].cost))
    picked: list[Finder] = []
    for _, finder in ordered:
        if sum(one.family == finder.family for one in picked) < 3:
            picked.append(finder)
    return picked[:MOST_SELECTORS]


def _row_addresses(maker: PathMaker, node: Any, *, flat: bool) -> Iterator[Address]:
    """Addresses of rows; those of heads also through their first child: the coloured cell of a plain table row."""
    yield from maker.addresses(node, many=True)
    first = next(child_elements(node), None) if flat else None
    if first is not None:
        for address in maker.addresses(first, many=True):
            yield Address(address.family, f"{address.path}/..", address.cost + INSIDE_COST)


def _extra_rows(path: str, kind: RowKind, contexts: Sequence[Context]) -> int | None:
    """How many nodes besides the rows *path* selects; None where it misses a row."""
    extra = 0
    for n, context in enumerate(contexts):
        selected = context.at.select(path, None)
        wanted = kind.nodes.get(n, [])
        if len(selected) > 40 + 6 * len(wanted) or not set(wanted) <= set(selected):
            return None
        extra += len(selected) - len(set(wanted))
    return extra


def _scopes(kind: RowKind, contexts: Sequence[Context], selector: Finder) -> dict[int, list[Any]]:
    if not kind.flat:
        return kind.nodes
    scopes = {}
    for n, heads in kind.nodes.items():
        by_head = {run.head: run for run in runs_of(contexts[n].at.select(selector.path, None))}
        scopes[n] = [by_head[head] for head in heads]
    return scopes


def _further_rows(flat: bool, selector: Finder, more: Sequence[LearnPage]) -> list[tuple[LearnPage, Any]]:
    rows: list[tuple[LearnPage, Any]] = []
    for page in more:
        selected = page.select(selector.path, None)
        rows += [(page, scope) for scope in islice(runs_of(selected) if flat else selected, 4)]
    return rows[:MOST_ROWS]


def _sub_field(
    examples: Sequence[Context], shared: Shared, further: Sequence[tuple[LearnPage, Any]]
) -> BestRule | None:
    tested = _spread(examples, MOST_ROWS)
    present = [one for one in tested if not one.empty]
    if not present:
        return None
    shape = "text" if isinstance(present[0].wanted, str) else "list"
    make = scalar_finders if shape == "text" else list_finders
    finders = make(tested, shared) or make(present, shared)
    if not finders:
        return _in_parts(shape, present, shared)

    def read(finder: Finder, number: int) -> Any:
        page, scope = further[number]
        return finder.first(page.page, scope) if shape == "text" else finder.every(page.page, scope)

    choice = choose(finders, read, len(further), [one.wanted for one in tested])
    chosen = choice.finders
    if shape == "text":
        chosen = [stopping_short(chosen[0], finders, tested, further), *chosen[1:]]
        chosen = [reading_on(one, tested, further) for one in chosen]
        chosen = mended(chosen, tested, [(page.page, scope) for page, scope in further])
    return BestRule(shape, tuple(chosen))


def _in_parts(shape: str, present: Sequence[Context], shared: Shared) -> BestRule | None:
    """Rows of several layouts: finders that are right on some rows and find nothing on those before them."""
    make = scalar_finders if shape == "text" else list_finders
    chosen: list[Finder] = []
    left = list(present)
    while left and len(chosen) < MOST_LAYOUTS:
        finders = make(left, shared, silent=True)
        if not finders:
            break
        rights = {finder: _rights(finder, shape, left) for finder in finders}
        best = max(finders, key=lambda one: (sum(rights[one]), -one.cost))
        chosen.append(best)
        left = [one for one, right in zip(left, rights[best], strict=True) if not right]
    return BestRule(shape, tuple(chosen)) if len(left) <= MOST_WRONG * len(present) else None


def _rights(finder: Finder, shape: str, contexts: Sequence[Context]) -> list[bool]:
    read = finder.first if shape == "text" else finder.every
    return [same_value(read(one.at.page, one.scope), one.wanted) for one in contexts]


def _spread(examples: Sequence[Context], most: int) -> list[Context]:
    step = max(1.0, len(examples) / most)
    return [examples[int(n * step)] for n in range(min(most, len(examples)))]


def _always(key: str, contexts: Sequence[Context]) -> bool:
    return all(not is_empty(row.get(key)) for one in contexts if not one.empty for row in one.wanted)


def _fit(rule: RowRule, contexts: Sequence[Context]) -> float:
    """The share of the samples' records that come out right, less what comes out besides; and how whole they are."""
    right, total = 0, 0
    keys = {key for one in contexts if not one.empty for row in one.wanted for key in row}
    for context in contexts:
        found = rule.read(context.at.page)
        wanted = context.wanted or []
        total += max(len(found), len(wanted))
        parts = ({key: part for key, part in record.items() if key in rule.fields} for record in wanted)
        right += sum(any(same_value(one, part) for one in found) for part in parts)
    whole = (1 + len(rule.fields) / max(1, len(keys))) / 2
    return whole * right / total if total else whole
