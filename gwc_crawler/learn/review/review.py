"""The review as a whole: finished knowledge → the same, with what a person should know about it.

Called by `learn_site` as its last step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from gwc_crawler.extract import Wrapper
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge import Knowledge
from gwc_crawler.learn.review.by_hand import count_by_hand, warnings_by_hand
from gwc_crawler.learn.review.certainty import Found, judge
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.left_out import Reviewer
from gwc_crawler.learn.review.mixed import mixed_targets
from gwc_crawler.learn.review.odd import least_like, list_among, odd_targets, targets_elsewhere
from gwc_crawler.learn.review.other_keys import refused_for_their_query
from gwc_crawler.learn.review.questions import questions
from gwc_crawler.learn.review.refused import refused_targets
from gwc_crawler.learn.review.sample_check import KINDS, sample_doubts
from gwc_crawler.learn.review.sorts import doubt_of_sorts
from gwc_crawler.learn.review.unshown import unshown_by_samples
from gwc_crawler.learn.targets import LearnTask
from gwc_crawler.learn.traits import KnownTraits
from gwc_crawler.urls import normalize_url

_HARDLY_ANY = 50
"""Of fewer pages, where links lead to more than twice as many others, the decision is not sure."""


def reviewed(
    task: LearnTask, stored: Sequence[StoredPage], knowledge: Knowledge, wrapper: Wrapper, traits: KnownTraits
) -> Knowledge:
    """Add to the evidence what the fields are found on besides, where they are missing, and how sure all is.

    New keys: "groups", "left_out" and "lacking" (rows, see `left_out`), "by_hand" and "questions" (see there), "mixed"
    and "aliases" if there is something, "certainty".
    Doubts about the samples come first among the "warnings".
    Cost: some 200 pages are read, whatever the size of the pre-crawl.
    """
    pages = Pages(stored, knowledge, wrapper, (), traits)
    asked = [pages.clean(normalize_url(url) or url) for url, _ in task.samples]
    pages.samples = [pages.by_address[url] for url in asked if url in pages.by_address]
    given = [fields for _, fields in task.samples]
    doubts = list(sample_doubts(pages, given))
    if wrapper.fields and KINDS not in {doubt.what for doubt in doubts}:
        doubts += doubt_of_sorts(pages, given)
    reviewer = Reviewer(pages)
    left_out = reviewer.left_out() if wrapper.fields else []
    lacking = reviewer.lacking() if wrapper.fields else []
    mixed = mixed_targets(pages)
    aliases = {url: main for url in pages.inside if (main := pages.canonical(url))}
    by_hand = count_by_hand(task, pages)
    evidence = knowledge.evidence
    reach = evidence.get("targets_reached", {"reached": 0, "known": 0})
    failing = evidence.get("failing_keywords", {})
    found = Found(
        targets=len(pages.inside),
        samples=len(pages.samples),
        is_given=task.target is not None,
        keywords=failing.get("hold", 1.0),
        without_keywords=failing.get("fail_on", ""),
        left_out=left_out,
        lacking=lacking,
        mixed=mixed,
        unshown=unshown_by_samples(pages),
        least_like=least_like(pages),
        odd=odd_targets(pages),
        elsewhere=targets_elsewhere(pages),
        doubts=[doubt.what for doubt in doubts],
        fields=evidence["fields"],
        unreached=reach["known"] - reach["reached"],
        unmet=[name for name, row in wrapper.report.items() if row.get("unmet")],
        shared=_shared(given),
        refused=refused_targets(pages),
        a_list=list_among(pages),
        waiting=_waiting(pages),
    )
    return replace(
        knowledge,
        evidence={
            **evidence,
            "warnings": [
                *warnings_by_hand(by_hand, len(pages.known)),
                *(doubt.told for doubt in doubts),
                *refused_for_their_query(pages),
                *evidence["warnings"],
            ],
            **({"by_hand": by_hand} if by_hand else {}),
            "questions": [asdict(one) for one in questions(pages, found)],
            "groups": [asdict(row) for row in reviewer.groups(left_out, lacking)],
            "left_out": [asdict(row) for row in left_out],
            "lacking": [asdict(row) for row in lacking],
            **({"mixed": asdict(mixed)} if mixed else {}),
            **({"aliases": {"pages": len(aliases), "examples": list(aliases.items())[:3]}} if aliases else {}),
            "certainty": asdict(judge(found)),
        },
    )


def _waiting(pages: Pages) -> int:
    """How many addresses are known that were not looked at, where these are most, and hardly any were; else 0."""
    seen, known = len(pages.by_url), len(pages.known)
    return known - seen if seen < _HARDLY_ANY and known > 2 * seen else 0


def _shared(samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """The fields that all of several samples have a value for."""
    return [name for name in samples[0] if all(one.get(name) for one in samples)] if samples[1:] else []
