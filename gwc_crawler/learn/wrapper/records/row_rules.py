"""Make rules for a kind of row: addresses that select its rows, their parts, and the part that tells a record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.extract.records_rule import RowRule, runs_of
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.learn.places.paths import PathMaker, turn_addresses
from gwc_crawler.learn.places.rows import RowKind
from gwc_crawler.learn.places.steps import Address, labels_in, step_name, with_test
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.wrapper.records.row_fields import (
    further_rows,
    is_always_there,
    is_read,
    is_unclear,
    keys_of,
    stands_or_falls,
    sub_field,
)

MOST_SELECTORS = 8
"""Maximum number of addresses of rows that are tried; several of them may rely on the same feature."""
WITHOUT_COST = 0.3
"""Cost of leaving out elements with a class of their own."""
MOST_ADDRESSES = 2_000
INSIDE_COST = 0.5
"""Cost of finding a head by its first child."""
ROUNDED = 1e-9
SURE = 1 - ROUNDED
"""All records of the samples come out as they are."""


def row_rules(
    kind: RowKind, contexts: Sequence[ExampleContext], keys: Sequence[str], shared: Shared, more: Sequence[LearnPage]
) -> list[RowRule]:
    """Return the rules for a kind of row: one for each way to select all sample rows; [] if no part can be read."""
    shared = shared.with_rows([row] for n in kind.nodes for row in kind.found(n))
    selectors = _selectors(kind, contexts, shared)
    if not selectors:
        return []
    scopes = _scopes(kind, contexts, selectors[0])
    further = further_rows(kind.flat, selectors[0], more)
    if kind.flat:
        shared = shared.with_rows(scope.members for row in scopes.values() for scope in row if scope is not None)
    parts = {
        key: [
            ExampleContext(contexts[n].at, record.get(key), scope)
            for n, row in scopes.items()
            for record, scope, own in zip(contexts[n].wanted, row, kind.own(n), strict=True)
            if own and not is_unclear(key, record)
        ]
        for key in keys
    }
    fields = {key: rule for key, rows in parts.items() if (rule := sub_field(rows, shared, further)) is not None}
    if not fields:
        return []
    required = tuple(key for key in fields if is_always_there(key, contexts))
    rules = list[RowRule]()
    musts = _often_there(required, RowRule(selectors[0], kind.flat, fields), contexts, more)
    for selector in selectors:
        plain = RowRule(selector, kind.flat, fields)
        variants = [plain, *(replace(plain, must=must) for must in musts)]
        rules.append(max(variants, key=lambda one: fit_of(one, contexts)))
        rules[-1].always = required
        if required and stands_or_falls(rules[-1], required[0], more):
            rules[-1].must = rules[-1].must or required[:1]
        rules[-1].fit = fit_of(rules[-1], contexts)
    return rules


def _often_there(
    required: tuple[str, ...], rule: RowRule, contexts: Sequence[ExampleContext], more: Sequence[LearnPage]
) -> list[tuple[str, ...]]:
    """Return parts that may tell a record from another row: the first one, the most frequent of the others, or all.

    If a sample says "none so far" in place of records, that is read as a record's name; but it has no price.
    """
    if len(required) < 2 or fit_of(rule, contexts) >= SURE:
        return [required[:1], required]
    times = Counter(key for page in more for record in rule.read(page.page) for key in record)
    return [required[:1], *((key,) for key in sorted(required[1:], key=lambda key: -times[key])), required]


def side_by_side(
    groups: Sequence[Sequence[RowRule]], contexts: Sequence[ExampleContext], more: Sequence[LearnPage]
) -> Sequence[RowRule]:
    """Return the rules for the smallest kind of rows side by side: the element around all rows may repeat, too."""
    means = []
    for group in groups:
        selected = (page.select(group[0].rows.path, None) for page in (*(one.at for one in contexts), *more))
        counts = [max(Counter(one.getparent() for one in rows).values()) for rows in selected if rows]
        means.append(round(sum(counts) / len(counts), 2) if counts else 0.0)
    pairs = zip(groups, means, strict=True)
    return next((group for group, mean in pairs if mean > 1 and 2 * mean >= max(means)), groups[0])


def _selectors(kind: RowKind, contexts: Sequence[ExampleContext], shared: Shared) -> list[Locator]:
    """Return addresses that select every row on every sample page; those that select little else first."""
    giver = max(kind.nodes, key=lambda n: len(kind.found(n)))
    row = kind.found(giver)
    found: dict[str, tuple[float, Locator]] = {}
    maker = PathMaker(contexts[giver].at.index, shared)
    nodes = dict.fromkeys((row[0], row[-1], row[len(row) // 2]))
    addresses = [address for node in nodes for address in _row_addresses(maker, node, flat=kind.flat)]
    by_turn = list(turn_addresses(maker, row)) if kind.flat else []
    tried = [*addresses, *by_turn]
    for address in tried:
        if address.path in found or (others := kind.others(address.path, contexts)) is None:
            continue
        extra = len(others)
        locator = Locator(address.family, address.path, cost=address.cost + 0.5 * min(extra, 8))
        found[address.path] = extra, locator
        is_bounded = address.family is Family.LABEL
        if is_bounded and (test := kind.left_out_by_class(others, shared)) and len(tried) < MOST_ADDRESSES:
            tried.append(Address(address.family, with_test(address.path, test), address.cost + WITHOUT_COST))
    first = {address.path for address in by_turn if len(row) == 1}  # what selects the single row alone finds no other
    ordered = sorted(found.values(), key=lambda one: (one[1].path not in first, min(one[0], 20), one[1].cost))
    picked: list[Locator] = []
    for _, locator in ordered:
        if sum(_relies_on(one) == _relies_on(locator) for one in picked) < SEVERAL:
            picked.append(locator)
    return picked[:MOST_SELECTORS]


def _relies_on(locator: Locator) -> tuple[str, ...]:
    """Return the features that rows are found by: if a table's columns change, each header is one that may be gone."""
    return locator.family, *(labels_in(locator.path)[:1] if locator.family is Family.LABEL else ())


def _row_addresses(maker: PathMaker, node: Any, *, flat: bool) -> Iterator[Address]:
    """Yield addresses of rows; those of heads also through their first child: the coloured cell of a plain table row.

    A node whose kind of child also stands elsewhere is not found by it: a word of code in a term, and in a paragraph.
    """
    yield from maker.addresses(node, many=True)
    first = next(child_elements(node), None) if flat else None
    if first is not None:
        for address in maker.addresses(first, many=True):
            yield Address(address.family, f"{address.path}/parent::{step_name(node)}", address.cost + INSIDE_COST)


def _scopes(kind: RowKind, contexts: Sequence[ExampleContext], selector: Locator) -> dict[int, list[Any]]:
    if not kind.flat:
        return kind.nodes
    scopes = {}
    for n, heads in kind.nodes.items():
        at, path = contexts[n].at, selector.path
        by_head = {run.head: run for run in runs_of(at.select(path, None), path, at.page)}
        scopes[n] = [by_head.get(head) for head in heads]
    return scopes


def fit_of(rule: RowRule, contexts: Sequence[ExampleContext]) -> float:
    """Return the share of the samples' records that come out right, less surplus ones; and how whole they are."""
    right, total = 0, 0
    keys = keys_of(contexts)
    for context in contexts:
        found = rule.read(context.at.page)
        wanted = context.wanted or []
        total += max(len(found), len(wanted))
        right += sum(any(is_read(one, record, rule.fields) for one in found) for record in wanted)
    whole = (1 + len(rule.fields) / max(1, len(keys))) / 2
    return whole * right / total if total else whole
