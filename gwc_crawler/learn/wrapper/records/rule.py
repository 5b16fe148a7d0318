"""Records inside a page (comments, rows of a table): learn which nodes are records, then each field inside them.

Rows are found by an address without a position where they repeat; their fields by addresses relative to a row, tested
on the rows of all samples at once. Where records are no elements of their own (dt + dd, h3 + p + p) a row is the run
of siblings from one head to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, TypeAlias

from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.extract.page_view import PART
from gwc_crawler.extract.records_rule import RecordsRule, RowRule, runs_of
from gwc_crawler.items import Family
from gwc_crawler.learn.degrees import A_HANDFUL, HALF, MANY, SEVERAL
from gwc_crawler.learn.places.paths import PathMaker, turn_addresses
from gwc_crawler.learn.places.record_places import LocatedRecords, locate_records
from gwc_crawler.learn.places.rows import RULED, RowKind, members_of, row_kinds, ruled_forms, ways_of_parting
from gwc_crawler.learn.places.steps import Address, labels_in, step_name, with_test
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.wrapper.ranking.rank import choose
from gwc_crawler.learn.wrapper.records.row_fields import (
    further_rows,
    gives_more,
    heading_rule,
    is_always_there,
    is_read,
    is_unclear,
    keys_of,
    stands_or_falls,
    sub_field,
    without_part,
)

_Rows: TypeAlias = Sequence[tuple[Any, dict[str, Any]]]
"""The rows of a page, each with the record that a rule reads from it."""
Learned: TypeAlias = tuple[RecordsRule, dict[str, Any]]
"""A rule with its evidence."""


class RecordsLearner:
    """Learns the rule for a field of records from pages as they come, or as they are parted.

    Args:
        contexts: as `told` gives them.
        doubt: as in `choose`.
    """

    def __init__(
        self,
        contexts: Sequence[ExampleContext],
        shared: Shared,
        more: Sequence[LearnPage],
        doubt: Callable[[Any, int], bool] | None = None,
    ) -> None:
        self.contexts, self.shared, self.more, self.doubt = contexts, shared, more, doubt
        self.keys = keys_of(contexts)

    def learn(self) -> Learned | None:
        """Return the best rule with its evidence; None where no rule gives the samples' records.

        Where rules or line breaks set the records apart it is one for parted pages.
        """
        found = self._with_headings(self._whole_or_part())
        if found is not None and self.share(found) >= SURE:
            return self._parted_further(found)
        best = self.share(found)
        for how in self._ways_of_parting():
            at = self._parted(how)
            parted = at._with_headings(at._whole_or_part())
            if parted is not None and (share := self.share(said := _said(parted, how))) > best:
                found, best = said, share
            if best >= SURE:
                break
        return found

    def _whole_or_part(self) -> Learned | None:
        """Return the rule for whole records; else for all parts but one, or for records that share rows.

        A part whose text is not on the page, but stands by chance inside other texts ("4" in a date), makes records
        seem to stand elsewhere: so if not all whole records come out, it is checked whether they do without it.
        """
        whole = self.rule_of(self.contexts)
        if len(self.keys) == 1 or self.share(whole) >= SURE:
            return whole
        without = [without_part(key, self.contexts) for key in self.keys] if whole is None else []
        best = max(filter(None, map(self.rule_of, without)), key=lambda part: part[1]["exact"], default=None)
        return whole or best or self.rule_of(self.contexts, most_shared=HALF)

    def share(self, found: Learned | None) -> float:
        """Return how many of the samples' records a rule gives, and how whole."""
        return 0.0 if found is None else fit_of(found[0].ways[0], self.contexts)

    def _ways_of_parting(self) -> list[tuple[str, ...]]:
        views = [self.contexts, *(without_part(key, self.contexts) for key in self.keys if len(self.keys) > 1)]
        boxes = [row for view in views for located in locate_records(view) for row in located.boxes.values()]
        return list(islice(dict.fromkeys(ways_of_parting(boxes)), A_HANDFUL))

    def _parted(self, how: tuple[str, ...]) -> RecordsLearner:
        at = [replace(one, at=one.at.parted(how)) for one in self.contexts]
        return RecordsLearner(at, self.shared, [page.parted(how) for page in self.more], self.doubt)

    def _parted_further(self, found: Learned) -> Learned:
        """Return the rule; where rules stand within its rows on further pages, one that gives a record for each part.

        The samples happen to have one in each row. It must give theirs, too, and as whole ones on the further pages.
        """
        way = found[0].ways[0]
        tops = [one for page in self.more for scope, _ in way.rows_with_records(page) for one in members_of(scope)]
        for container in ruled_forms(tops):
            how = (container, *RULED)
            at = self._parted(how)
            for some in (without_part(key, at.contexts) for key in ("", *self.keys)):
                parted = at._with_headings(at.rule_of(some, rows=PART)) if keys_of(some) else None
                if parted and at.share(parted) >= SURE and gives_more(_said(parted, how)[0].ways[0], way, self.more):
                    return _said(parted, how)
        return found

    def _with_headings(self, found: Learned | None) -> Learned | None:
        """Add the parts left out of a rule: those that rows do have, and those that stand before several of them."""
        if found is None:
            return None
        rule, evidence = found
        for key in self.keys:
            if key not in rule.ways[0].fields and (part := self._left_out(key, rule.ways[0])):
                rule = RecordsRule(tuple(replace(way, fields={**way.fields, key: part}) for way in rule.ways))
        return rule, evidence

    def _left_out(self, key: str, way: RowRule) -> BestRule | None:
        """Return the rule of a part that was looked for in other places than the rows, now that they are known."""
        examples = [row for one in self.contexts if not one.empty for row in _rows_of(key, way, one)]
        further = further_rows(way.flat, way.rows, self.more)
        of_rows = self.shared.with_rows([members_of(one.scope) for one in examples])
        return sub_field(examples, of_rows, further) or heading_rule(examples, self.shared, further)

    def rule_of(
        self, contexts: Sequence[ExampleContext], *, most_shared: float = 0.0, rows: str = ""
    ) -> Learned | None:
        """Return the rule that gives most of the records, from where they seem to stand on the sample pages.

        *rows*: the name of the elements that rows are, "" for any.
        """
        best: list[list[RowRule]] = []
        for located in locate_records(contexts):
            groups = self._groups(located, keys_of(contexts), most_shared, rows)
            if groups and (not best or groups[0][0].fit > best[0][0].fit):
                best = groups
            if best and best[0][0].fit >= SURE:
                break
        if not best:
            return None
        candidates, pages = [one for group in best for one in group], self.more
        wanted = [one.wanted for one in contexts]
        choice = choose(candidates, lambda one, n: one.read(pages[n]), len(pages), wanted, self.doubt)
        ways = _with_rows_inside(choice.locators, sorted(candidates, key=lambda one: one.cost), self.more)
        fit = {"samples": len(contexts), "of": len(contexts), "exact": round(candidates[0].fit, 3)}
        return RecordsRule(tuple(ways)), choice.evidence | fit

    def _groups(self, located: LocatedRecords, keys: Sequence[str], shares: float, name: str) -> list[list[RowRule]]:
        """Return for each kind of row the rules that give as many records as any."""
        if not located.boxes:
            return []
        kinds = list(islice(row_kinds(located.contexts, located.boxes, shares), MANY))
        if name:
            kinds = [one for one in kinds if not one.flat and one.names == {name}]
        groups = [row_rules(kind, located.contexts, keys, self.shared, self.more) for kind in kinds]
        best = max((one.fit for group in groups for one in group), default=0.0)
        groups = [fitting for group in groups if (fitting := [one for one in group if one.fit >= best - ROUNDED])]
        if groups and all(len(row) == 1 for row in located.boxes.values()):
            groups = [list(side_by_side(groups, located.contexts, self.more))]
        return groups


def _said(found: Learned, how: tuple[str, ...]) -> Learned:
    """Return the rule for pages as they come."""
    rule, evidence = found
    return RecordsRule(tuple(replace(way, parts=how) for way in rule.ways)), evidence


def _rows_of(key: str, way: RowRule, context: ExampleContext) -> list[ExampleContext]:
    """Return the rows of a sample page that give wanted records, each with the value that *key* should have there."""
    free = list(context.wanted)
    found = []
    for scope, record in way.rows_with_records(context.at):
        place = next((n for n, wanted in enumerate(free) if is_read(record, wanted, way.fields)), None)
        wanted = free.pop(place) if place is not None else None
        if wanted is not None and not is_unclear(key, wanted):
            found.append(ExampleContext(context.at, wanted.get(key), scope))
    return found


# --- Rows inside rows, which no sample may have: replies. Further pages tell whether they are records -----------------


def _with_rows_inside(
    chosen: Sequence[RowRule], fitting: Sequence[RowRule], more: Sequence[LearnPage]
) -> list[RowRule]:
    """Return the ways, before them the first of the *fitting* ones that gives their records and those inside them.

    Of records with a single part there is none: a text alone is found inside each text.
    """
    best = chosen[0]
    if best.flat or len(best.always) < 2:
        return list(chosen)
    known = [best.rows_with_records(page) for page in more]
    for one in fitting:
        if one not in chosen and not one.flat and _adds_rows_inside(one, known, more):
            return [one, *chosen]
    return list(chosen)


def _adds_rows_inside(one: RowRule, known: Sequence[_Rows], more: Sequence[LearnPage]) -> bool:
    """Say whether a way gives the best one's records on all pages, and more inside them on some."""
    added = 0
    for page, outer in zip(more, known, strict=True):
        all_rows = one.rows_with_records(page)
        has_more = len(all_rows) > len(outer)
        inside = _inside([scope for scope, _ in outer], [scope for scope, _ in all_rows]) if has_more else ()
        if [record for scope, record in all_rows if scope not in inside] != [record for _, record in outer]:
            return False
        added += has_more
    return added > 1


def _inside(outer: Sequence[Any], rows: Sequence[Any]) -> frozenset[Any]:
    """Return the *rows* that stand inside an outer one, or beside one that is alone in its parent."""
    alone = Counter(parent for row in outer if (parent := row.getparent()) is not None)
    bounds = {*outer, *(parent for parent, count in alone.items() if count == 1 and parent.getparent() is not None)}
    return frozenset(row for row in rows if row not in bounds and any(one in bounds for one in row.iterancestors()))


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
    times = Counter(key for page in more for record in rule.read(page) for key in record)
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
        by_head = {run.head: run for run in runs_of(at.select(path, None), path, at)}
        scopes[n] = [by_head.get(head) for head in heads]
    return scopes


def fit_of(rule: RowRule, contexts: Sequence[ExampleContext]) -> float:
    """Return the share of the samples' records that come out right, less surplus ones; and how whole they are."""
    right, total = 0, 0
    keys = keys_of(contexts)
    for context in contexts:
        found = rule.read(context.at)
        wanted = context.wanted or []
        total += max(len(found), len(wanted))
        right += sum(any(is_read(one, record, rule.fields) for one in found) for record in wanted)
    whole = (1 + len(rule.fields) / max(1, len(keys))) / 2
    return whole * right / total if total else whole
