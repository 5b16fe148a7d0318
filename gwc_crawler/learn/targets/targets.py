"""Choose the URL groups that are targets: the samples', or without samples by keywords, links and size.

In: the pre-crawl's index and the task. Out: the target groups, the score of every group, and the doubtful ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import FieldValue, StoredPage
from gwc_crawler.learn.degrees import A_DOZEN, ALL_BUT_SLIPS, ENOUGH, FEW, MOST, NEARLY_ALL
from gwc_crawler.learn.kinds.feature_matrix import FeatureMatrix
from gwc_crawler.learn.kinds.field_witness import FieldWitness
from gwc_crawler.learn.kinds.sample_values import Sign
from gwc_crawler.learn.kinds.splits import smallest_rule
from gwc_crawler.learn.targets.decisions import compile_target, given_class
from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex
from gwc_crawler.learn.targets.sample_kind import find_kind
from gwc_crawler.learn.targets.similarity import Shape, is_alias, take_turns
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.learn.urls.regex import origin_pattern, pattern_of
from gwc_crawler.learn.urls.url_parts import common_start, row_of
from gwc_crawler.page.parse import parse_html

_LINK_DOUBT = 0.3
"""Many links speak against a class, but not absolutely: reference pages have long menus."""


@dataclass
class Targets:
    """The decision; the wrapper's findings may change it later.

    `given` is the site file's own regex.
    """

    groups: list[PatternGroup]
    given: str | None = None
    aliases: list[PatternGroup] = field(default_factory=list)
    duplicates: int = 0
    """Pages that were seen to repeat a target page at another address."""
    forwards: list[PatternGroup] = field(default_factory=list)
    """The forms of addresses that lead on to target pages."""
    warnings: list[str] = field(default_factory=list)

    @property
    def filters(self) -> list[PatternGroup]:
        """The groups whose addresses count as targets' in links."""
        return [*self.groups, *self.forwards]

    def look_for_forwards(self, index: PrecrawlIndex) -> None:
        """Take in the forms of addresses that lead on to the targets."""
        self.forwards = _take_out_leading(index, self.groups)
        for form in self.forwards:
            form.score = 1.0


def choose_targets(
    task: LearnTask,
    index: PrecrawlIndex,
    samples: Sequence[StoredPage],
    findings: FieldWitness | None = None,
    signs: Sequence[Sign] = (),
) -> Targets:
    """Choose the target groups, with *findings* once there is a wrapper.

    Raises:
        LearnError: no group can be the target class.
    """
    if pattern := compile_target(task):
        given_class(pattern, [page.url for page in index.pages])
        given = index.take_out(lambda row: pattern.fullmatch(row.url) is not None, pattern.pattern)
        return Targets([given], given=pattern.pattern)
    if not samples:
        return _by_score(task, index)
    group, aliases, duplicates = find_kind(index, samples, findings, signs)
    group.score = 1.0
    return Targets([group], aliases=aliases, duplicates=duplicates)


def _same_place(group: PatternGroup, target: PatternGroup) -> bool:
    """Do the URLs differ only in slots where the target's own URLs vary?"""
    one, two = group.rows[0], target.rows[0]
    if (one.layout[0], one.layout[2]) != (two.layout[0], two.layout[2]):
        return False
    for place, values in enumerate(zip(*(row.values for row in target.rows), strict=True)):
        distinct = set(values)
        if len(distinct) == 1 and any(row.values[place] not in distinct for row in group.rows):
            return False
        start = common_start(distinct)
        start = start[: max(start.rfind(mark) for mark in "_.-") + 1]
        if any(not row.values[place].startswith(start) for row in group.rows):
            return False
    return len(target.rows) > 1


def _by_score(task: LearnTask, index: PrecrawlIndex) -> Targets:
    """Without samples: keyword hits, few links and size together, as the paper has few links and size."""
    mean_links = sum(len(page.links) for page in index.pages) / len(index.pages)
    targets = Targets([])
    for group in index.groups:
        few_links = sum(len(page.links) < mean_links for page in group.pages) / len(group.pages)
        hits = group.relevant_share if task.keywords else 1.0
        size = sqrt(len(group.pages) / len(index.pages))
        group.score = hits * (few_links + _LINK_DOUBT) / (1 + _LINK_DOUBT) * size
    ranked = sorted(index.groups, key=lambda group: -group.score)
    if not ranked or ranked[0].score == 0:
        raise LearnError(
            f"{task.site}: no URL class has pages with the keywords and few links, so none can be the target; "
            "give samples, other keywords, or [learn] target"
        )
    shape = Shape(index, ranked[0])
    others = (one for one in index.groups[:ENOUGH] if one is not ranked[0] and shape.of_group(one) >= ALL_BUT_SLIPS)
    best = next((one for one in others if is_alias(index, ranked[0], one)), ranked[0])  # the shortest address
    targets.groups, shape = [best], Shape(index, best)
    for group in [one for one in ranked if one is not best][:ENOUGH]:
        if shape.of_group(group) < ALL_BUT_SLIPS:
            continue
        members, known = ({page.url for page in one.pages} for one in (group, best))
        if is_alias(index, group, best):
            targets.aliases.append(group)
        elif _same_place(group, best) or take_turns(index, members, known) >= 2:
            targets.groups.append(group)
    rivals = [group for group in ranked if group not in targets.groups and group not in targets.aliases]
    if rivals and rivals[0].score >= MOST * best.score:
        targets.warnings.append(
            f"two classes fit equally: {best.regexes[0]} ({len(best.pages)} pages) and {rivals[0].regexes[0]} "
            f"({len(rivals[0].pages)}); the first was taken, choose with [learn] target = …"
        )
    if not task.keywords:
        targets.warnings.append(
            f"neither samples nor keywords: the target class {best.regexes[0]} was chosen by link counts and size alone"
        )
    return targets


# --- Redirects: links have the one address of a page, its record gets the other; filters need both --------------------


def _take_out_leading(index: PrecrawlIndex, targets: Sequence[PatternGroup]) -> list[PatternGroup]:
    """Take the forms of addresses that lead on to *targets* more than to other pages out of the index's forwards.

    Each page counts once: addresses of deleted pages lead to one front page, or one login, however many there are. A
    form that also takes pages which answer by themselves is left out: they would be taken for targets. Addresses that
    *targets* take by themselves are dropped.
    """
    inside = {page.url for group in targets for page in group.pages}
    is_taken = pattern_of(regex for group in targets for regex in group.regexes).fullmatch
    leading, others = list[PatternGroup](), list[PatternGroup]()
    for form in index.forwards:
        left = form.without({page.url for page in form.pages if is_taken(page.url)})
        there = {page.links[0] for page in left.pages}
        apart = _apart(index, left, inside) if 2 * len(there & inside) > len(there) else None
        if left.pages:
            (others if apart is None else leading).append(apart or left)
    index.forwards = [*leading, *others]
    index.regroup(index.groups)
    return leading


def _apart(index: PrecrawlIndex, form: PatternGroup, inside: Collection[str]) -> PatternGroup | None:
    """Return the form, by a rule that takes no page but targets; None where no rule does."""
    takes = pattern_of(form.regexes).fullmatch
    strangers = [page.url for page in index.pages if page.url not in inside and takes(page.url)]
    if not strangers:
        return form
    rows = [row_of(page.url) for page in form.pages]
    words = [index.words(row) for row in (*rows, *map(row_of, strangers))]
    examples = (1 << len(rows)) - 1
    matrix = FeatureMatrix(words, [frozenset()] * len(words), range(len(rows)))
    rule = smallest_rule(matrix, examples, matrix.everywhere & ~examples)
    if any(map(rule.holds, words[len(rows) :])):
        return None
    return PatternGroup(form.rows, form.pages, rule.regex(origin_pattern([row.parts for row in rows])))


# --- Records that are lists inside the page: a list is wanted wherever it stands --------------------------------------


def adopt_list_groups(
    index: PrecrawlIndex, targets: Targets, wrapper: Wrapper, samples: Sequence[Mapping[str, FieldValue]]
) -> bool:
    """Add to *targets* the groups whose pages have the samples' rows; return whether there were any.

    Only where every field of every sample is a list of records. Groups that look quite like the samples are judged
    elsewhere (they may be second addresses of the same pages), very unlike ones are left alone.
    """
    parts = _parts_of(samples)
    if not parts or set(parts) != set(wrapper.fields):
        return False
    shape = Shape(index, targets.groups[0])
    adopted = [
        group
        for group in index.groups
        if group not in targets.groups
        and group not in targets.aliases
        and FEW <= shape.of_group(group) < ALL_BUT_SLIPS
        and all(_has_rows(page, wrapper, parts) for page in group.spread(A_DOZEN))
    ]
    targets.groups += adopted
    return bool(adopted)


def _parts_of(samples: Sequence[Mapping[str, FieldValue]]) -> dict[str, set[str]]:
    """Field → the parts that every row of the samples has; {} when a field is no list of records."""
    parts: dict[str, set[str]] = {}
    for name, value in (pair for sample in samples for pair in sample.items()):
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            return {}
        for row in value:
            parts[name] = parts.get(name, set(row)) & set(row)
    return parts


def _has_rows(page: StoredPage, wrapper: Wrapper, parts: Mapping[str, set[str]]) -> bool:
    fields, _ = wrapper.extract_view(PageView(parse_html(page.html, page.charset or None), page.url))
    for name, wanted in parts.items():
        rows: Any = fields[name] or ()
        whole = sum(all(row.get(part) for part in wanted) for row in rows)
        if not whole or whole < NEARLY_ALL * len(rows):
            return False
    return True
