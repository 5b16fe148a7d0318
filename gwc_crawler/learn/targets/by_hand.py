"""URLs that a person has decided on: `[learn] target`, `also`, `exclude`, `listing` of a site file.

In: the task's patterns and the pre-crawl's URLs. Out: classes for the knowledge, and a group of target pages to learn
from, too. No page overrules such a decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gwc_crawler.errors import LearnError
from gwc_crawler.knowledge.model import UrlClass
from gwc_crawler.knowledge.patterns import PatternError, check_patterns
from gwc_crawler.learn.degrees import VERY_MANY
from gwc_crawler.learn.targets.decisions import examples
from gwc_crawler.learn.targets.precrawl_index import PatternGroup, PrecrawlIndex
from gwc_crawler.learn.targets.targets import Targets
from gwc_crawler.learn.targets.task import ALSO, EXCLUDE, LISTING, LearnTask
from gwc_crawler.learn.urls.regex import pattern_of


def check_by_hand(task: LearnTask, urls: Sequence[str]) -> None:
    """Check that a crawl can use the patterns.

    Raises:
        LearnError: a pattern takes too long, or `exclude` leaves no URL that `target` takes.
    """
    written = {one.regex: (key, one.text) for key, some in task.by_hand.items() for one in some}
    if not written:
        return
    try:
        check_patterns([list(written)], urls[:: max(1, len(urls) // VERY_MANY)])
    except PatternError as error:
        key, text = written.get(error.pattern, ("a pattern", error.pattern))
        raise LearnError(f"{task.site}: {key} {text!r} in [learn] can't be used: {error.problem}") from error
    excluded, taken = is_excluded(task), pattern_of([task.target or "(?!)"]).fullmatch
    left = [url for url in urls if taken(url)]
    if left and all(map(excluded, left)):
        raise LearnError(f"{task.site}: exclude in [learn] takes all {len(left)} pages that target takes; mend one")


def is_excluded(task: LearnTask) -> Callable[[str], bool]:
    """Return a predicate for URLs that a person has excluded as targets."""
    pattern = pattern_of(one.regex for one in task.by_hand.get(EXCLUDE, ()))
    return lambda url: pattern.fullmatch(url) is not None


def classes_by_hand(task: LearnTask, key: str, urls: Sequence[str]) -> tuple[UrlClass, ...]:
    """Return the class of each pattern, with the number and examples of the *urls* it covers."""
    found = []
    for one in task.by_hand.get(key, ()):
        members = [url for url in urls if pattern_of([one.regex]).fullmatch(url)]
        told = {"chosen_by": f"[learn] {key}"}
        found.append(UrlClass(one.regex, len(members), examples(members), 1.0, told, given=key in (ALSO, LISTING)))
    return tuple(found)


def with_also(task: LearnTask, targets: Sequence[UrlClass], urls: Sequence[str]) -> tuple[UrlClass, ...]:
    """Return the target classes, with one for each pattern of `also` instead of the group that was learned from."""
    whole = _also_pattern(task).pattern
    return (*(one for one in targets if one.regex != whole), *classes_by_hand(task, ALSO, urls))


def _also_pattern(task: LearnTask) -> re.Pattern[str]:
    return pattern_of(one.regex for one in task.by_hand.get(ALSO, ()))


def take_also(task: LearnTask, index: PrecrawlIndex, targets: Targets) -> None:
    """Make a target group of the pages that `also` takes from other groups."""
    pattern, excluded = _also_pattern(task), is_excluded(task)
    others = [group for group in index.groups if group not in targets.groups]
    pages = [page for group in others for page in group.pages if pattern.fullmatch(page.url)]
    taken = {page.url for page in pages if not excluded(page.url)}
    if not taken:
        return
    rows = [row for group in others for row in group.rows if row.url in taken]
    also = PatternGroup(rows, [page for page in pages if page.url in taken], pattern.pattern)
    rest = {id(group): group.without(taken) for group in others}
    targets.aliases = [one for group in targets.aliases if (one := rest.get(id(group), group)).pages]
    index.regroup([*targets.groups, *(group for group in rest.values() if group.pages), also])
    targets.groups.append(also)
