"""What a person can settle by yes or no: groups of URLs that are doubtful, and that a pattern tells from all others.

In: what the review found. Out: a few questions as plain data. An answer is written into the site file, under `also` or
`exclude` of [learn], and the same is asked no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.items import is_empty
from gwc_crawler.knowledge.patterns import REGEX_MARK, glob_of, read_pattern
from gwc_crawler.learn.review.certainty import SMALL_SHARE, Found
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.left_out import ADDRESS, UNLIKE
from gwc_crawler.learn.review.mixed import COMPARED
from gwc_crawler.learn.targets.task import ALSO, EXCLUDE
from gwc_crawler.learn.urls.regex import class_regexes, pattern_of
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.urls import host_of

_MOST = 3
"""Questions, and patterns of one."""
_SHOWN_VALUES = 6


@dataclass(frozen=True, slots=True)
class Question:
    """Whether `pages` known pages are targets: `told` asks it, `example` is one with its `values`.

    `patterns` go under the key `yes` or `no` of [learn], as the answer is.
    """

    told: str
    pages: int
    example: str
    values: dict[str, Any]
    patterns: tuple[str, ...]
    yes: str = ALSO
    no: str = EXCLUDE


def questions(pages: Pages, found: Found) -> list[Question]:
    """The questions that settle the most pages, at most three; none where a person has said what a target is."""
    if found.is_given:
        return []
    asked = {one.patterns: one for one in _asked(pages, found) if one is not None}
    worth = [one for one in asked.values() if one.pages > SMALL_SHARE * len(pages.inside)]
    return sorted(worth, key=lambda one: -one.pages)[:_MOST]


def _asked(pages: Pages, found: Found) -> Iterator[Question | None]:
    for row in found.left_out:
        if row.kind in (ADDRESS, UNLIKE) and row.is_whole:
            takes = pattern_of(row.regex.split(" | ")).fullmatch
            some = [url for url in pages.known if takes(url) and not pages.knowledge.is_target(url)]
            yield _question(pages, some, row.example, "have all your fields, too. Take them?")
    if place := found.elsewhere:
        told = f"are {place.of_others}, your samples are {place.of_samples}. Keep them?"
        yield _question(pages, place.urls, place.example, told)
    for doubt in (found.mixed, found.unshown):
        if doubt is not None:
            some = _with_mark(pages, doubt.mark)
            yield _question(pages, some, doubt.example, "are built otherwise than your samples. Keep them?")
    if found.odd:
        yield _question(pages, found.odd, found.odd[0], "are built otherwise than all others. Keep them?")


def _with_mark(pages: Pages, mark: str) -> list[str]:
    """The known targets that patterns tell to have a mark; none where the pages that were looked at contradict."""
    marks = pages.marks_of_targets(COMPARED)
    having = [url for url, some in marks.items() if mark in some]
    takes = _taking(patterns_for(having, marks.keys() - set(having)))
    return [url for url in pages.known if takes(url) and pages.knowledge.is_target(url)]


def _question(pages: Pages, some: Sequence[str], example: str, told: str) -> Question | None:
    """The question whether *some* known URLs are targets; None where no pattern tells them from all others."""
    patterns = patterns_for(some, pages.known.difference(some))
    if not patterns:
        return None
    fields = pages.fields(example) if example in pages.by_url else {}
    values = {name: value for name, value in fields.items() if not is_empty(value)}
    shown = dict(list(values.items())[:_SHOWN_VALUES])
    like = example.partition("://")[2].partition("/")[2]
    return Question(f"{len(some):,} pages like /{like} {told}", len(some), example, shown, patterns)


def patterns_for(some: Sequence[str], others: Collection[str]) -> tuple[str, ...]:
    """A few globs, or where these are too wide regexes, that take all of *some* URLs and none of *others*; () where
    there are none."""
    if not some:
        return ()
    found = []
    for regex in (regex for rows in split_into_groups(sorted(some)) for regex in class_regexes(rows)):
        own = list(filter(re.compile(regex).fullmatch, some))
        glob = glob_of(regex, host_of(own[0]))
        written = [one for one in (glob, f"{REGEX_MARK}{regex}") if _fits(one, own, others)]
        if not written:
            return ()
        found.append(written[0])
    return tuple(dict.fromkeys(found)) if len(found) <= _MOST else ()


def _fits(pattern: str, own: Sequence[str], others: Collection[str]) -> bool:
    takes = _taking((pattern,))
    return all(map(takes, own)) and not any(map(takes, others))


def _taking(patterns: Sequence[str]) -> Callable[[str], bool]:
    regexes = [re.compile(read_pattern(one).regex) for one in patterns]
    return lambda url: any(regex.fullmatch(url) for regex in regexes)
