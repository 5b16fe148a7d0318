"""The review as a whole: it adds to finished knowledge what a person should know about it.

Called by `learn_site` as its last step; questions that a person can settle are asked here, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rapidfuzz import fuzz

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage, is_empty
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.knowledge.patterns import REGEX_MARK, glob_of, read_pattern
from gwc_crawler.learn.degrees import ENOUGH, SEVERAL, SLIPS
from gwc_crawler.learn.kinds.traits import KnownTraits
from gwc_crawler.learn.review.certainty import Found, judge
from gwc_crawler.learn.review.evidence import Pages
from gwc_crawler.learn.review.left_out import ADDRESS, UNLIKE, Reviewer, refused_targets
from gwc_crawler.learn.review.mixed import doubt_of_sorts, mixed_targets, unshown_by_samples
from gwc_crawler.learn.review.odd import least_like, list_among, odd_targets, targets_elsewhere
from gwc_crawler.learn.review.sample_check import KINDS, sample_doubts
from gwc_crawler.learn.targets.decisions import SHOWN
from gwc_crawler.learn.targets.task import ALSO, EXCLUDE, LearnTask
from gwc_crawler.learn.urls.regex import class_regexes, pattern_of
from gwc_crawler.learn.urls.sessions import keys_of
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.urls import host_of, normalize_url, without_query


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
    odd, a_list = odd_targets(pages), list_among(pages)
    doubts = list(sample_doubts(pages, given, odd, a_list))
    if wrapper.fields and KINDS not in {doubt.what for doubt in doubts}:
        doubts += doubt_of_sorts(pages, given)
    reviewer = Reviewer(pages)
    left_out = reviewer.left_out() if wrapper.fields else []
    lacking = reviewer.lacking() if wrapper.fields else []
    mixed = mixed_targets(pages)
    aliases = {url: main for url in pages.inside if (main := pages.canonical(url))}
    by_hand = _count_by_hand(task, pages)
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
        odd=odd,
        elsewhere=targets_elsewhere(pages),
        doubts=[doubt.what for doubt in doubts],
        fields=evidence["fields"],
        unreached=reach["known"] - reach["reached"],
        unmet=[name for name, row in wrapper.report.items() if row.get("unmet")],
        shared=[name for name in given[0] if all(one.get(name) for one in given)] if given[1:] else [],
        refused=refused_targets(pages),
        a_list=a_list,
        waiting=_waiting(pages),
    )
    return replace(
        knowledge,
        evidence={
            **evidence,
            "warnings": [
                *(
                    f"{row['key']} {row['pattern']!r} in [learn] takes none of {len(pages.known):,} known URLs"
                    + (f"; the nearest that takes some is {row['nearest']!r}" if row["nearest"] else "")
                    for row in by_hand
                    if not row["urls"]
                ),
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
    seen, known = len(pages.by_url), len(pages.known)
    return known - seen if seen < ENOUGH and known > 2 * seen else 0


# --- Records that would be lost unseen: addresses like the targets' with another query --------------------------------


def refused_for_their_query(pages: Pages) -> list[str]:
    """Report addresses that are refused though their path has a target's form and no taken address has it; [] for none.

    A fetched page among them that shows no record is no loss.
    """
    taken = {url for url in pages.known if pages.knowledge.is_target(url)}
    paths = set(map(without_query, taken))
    if not paths:
        return []
    regexes = [regex for rows in split_into_groups(sorted(paths)) for regex in class_regexes(rows)]
    like_targets = pattern_of(regexes).fullmatch
    lost = {
        path: url
        for url in sorted(pages.known - taken)
        if (path := without_query(url)) not in paths
        and like_targets(path)
        and (url not in pages.by_url or pages.look(url).has_fields)
    }
    if not lost or not any("?" in url or ";" in url for url in (*lost.values(), *taken)):
        return []
    keys = Counter(key for url in lost.values() for key in keys_of(url))
    named = f"the keys {', '.join(key for key, _ in keys.most_common(3))}" if keys else "no query"
    told = (
        f"{len(lost)} of {len(lost) + len(paths)} addresses like the targets' have {named}, for which the filters "
        f"refuse them; their records are left out, such as that of {next(iter(lost.values()))}; a sample with such "
        "an address takes them in"
    )
    return [told]


# --- What a person has said of URLs in the site file: how many known ones each pattern takes --------------------------


def _count_by_hand(task: LearnTask, pages: Pages) -> list[dict[str, Any]]:
    """Return for each pattern its key, its text, the number of known URLs it takes, one of them; the nearest form if it
    takes none."""
    known, rows = sorted(pages.known), list[dict[str, Any]]()
    for key, patterns in task.by_hand.items():
        for one in patterns:
            taken = list(filter(re.compile(one.regex).fullmatch, known))
            row = {"key": key, "pattern": one.text, "urls": len(taken), "example": taken[0] if taken else ""}
            rows.append(row if taken else {**row, "nearest": _nearest(glob_of(one.regex), known)})
    return rows


def _nearest(glob: str, known: list[str]) -> str:
    """Return the glob of known URLs that is most like one that takes none; "" if no URL is known."""
    host = host_of(known[0]) if known else ""
    groups = split_into_groups(known) if known else []
    forms = [glob_of(regex, host) for rows in groups for regex in class_regexes(rows)]
    return max(sorted(set(forms)), key=lambda form: fuzz.ratio(form, glob), default="")


# --- What a person can settle by yes or no: doubtful groups of URLs that a pattern tells from all others --------------


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
    """Return the questions that settle the most pages, at most three; none where a person has said what a target is."""
    if found.is_given:
        return []
    asked = {one.patterns: one for one in _asked(pages, found) if one is not None}
    worth = [one for one in asked.values() if one.pages > SLIPS * len(pages.inside)]
    return sorted(worth, key=lambda one: -one.pages)[:SEVERAL]


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
    """Return the known targets that have a mark by their patterns; none if the fetched pages contradict."""
    marks = pages.marks_of_targets(ENOUGH)
    having = [url for url, some in marks.items() if mark in some]
    takes = _taking(patterns_for(having, marks.keys() - set(having)))
    return [url for url in pages.known if takes(url) and pages.knowledge.is_target(url)]


def _question(pages: Pages, some: Sequence[str], example: str, told: str) -> Question | None:
    """Return the question whether *some* known URLs are targets; None where no pattern tells them from all others."""
    patterns = patterns_for(some, pages.known.difference(some))
    if not patterns:
        return None
    fields = pages.fields(example) if example in pages.by_url else {}
    values = {name: value for name, value in fields.items() if not is_empty(value)}
    shown = dict(list(values.items())[:SHOWN])
    like = example.partition("://")[2].partition("/")[2]
    return Question(f"{len(some):,} pages like /{like} {told}", len(some), example, shown, patterns)


def patterns_for(some: Sequence[str], others: Collection[str]) -> tuple[str, ...]:
    """Return a few globs, or regexes if these are too wide, that take all of *some* URLs and none of *others*; () if
    there are none."""
    if not some:
        return ()
    found = []
    for regex in (regex for rows in split_into_groups(sorted(some)) for regex in class_regexes(rows)):
        own = list(filter(re.compile(regex).fullmatch, some))
        glob = glob_of(regex, host_of(own[0]))
        for written in (glob, f"{REGEX_MARK}{regex}"):
            takes = _taking((written,))
            if all(map(takes, own)) and not any(map(takes, others)):
                found.append(written)
                break
        else:
            return ()
    return tuple(dict.fromkeys(found)) if len(found) <= SEVERAL else ()


def _taking(patterns: Sequence[str]) -> Callable[[str], bool]:
    regexes = [re.compile(read_pattern(one).regex) for one in patterns]
    return lambda url: any(regex.fullmatch(url) for regex in regexes)
