"""Addresses that only lead on: which forms of them lead to target pages, so that links of these forms are followed.

In: a survey and its target groups. Out: the forms, as groups of addresses. A redirect says that two addresses are one
page; the filters need the one that links have as well as the one that the record gets.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gwc_crawler.learn.kinds import Board, smallest_rule
from gwc_crawler.learn.targets.survey import PatternGroup, Survey, pattern_of
from gwc_crawler.learn.urls import origin_pattern, row_of


def take_out_leading(survey: Survey, targets: Sequence[PatternGroup]) -> list[PatternGroup]:
    """Take the forms of addresses that lead on to *targets* more than to other pages out of the survey's forwards.

    Each page counts once: what is gone leads to one front page, or one login, however many addresses do. A form that
    takes other pages as well, which answer by themselves, is none: they would be taken for targets. Of what *targets*
    take by themselves nothing is kept.
    """
    inside = {page.url for group in targets for page in group.pages}
    is_taken = pattern_of(regex for group in targets for regex in group.regexes).fullmatch
    leading, others = list[PatternGroup](), list[PatternGroup]()
    for form in survey.forwards:
        left = form.without({page.url for page in form.pages if is_taken(page.url)})
        there = {page.links[0] for page in left.pages}
        apart = _apart(survey, left, inside) if 2 * len(there & inside) > len(there) else None
        if left.pages:
            (others if apart is None else leading).append(apart or left)
    survey.forwards = [*leading, *others]
    survey.regroup(survey.groups)
    return leading


def _apart(survey: Survey, form: PatternGroup, inside: Collection[str]) -> PatternGroup | None:
    """The form, by a rule that takes no page but targets; None where no rule does."""
    takes = pattern_of(form.regexes).fullmatch
    strangers = [page.url for page in survey.pages if page.url not in inside and takes(page.url)]
    if not strangers:
        return form
    rows = [row_of(page.url) for page in form.pages]
    words = [survey.words(row) for row in (*rows, *map(row_of, strangers))]
    examples = (1 << len(rows)) - 1
    board = Board(words, [frozenset()] * len(words), range(len(rows)))
    rule = smallest_rule(board, examples, board.everywhere & ~examples)
    if any(map(rule.holds, words[len(rows) :])):
        return None
    return PatternGroup(form.rows, form.pages, rule.regex(origin_pattern([row.parts for row in rows])))
