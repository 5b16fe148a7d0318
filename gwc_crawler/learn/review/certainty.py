"""How sure the learning is, in one honest line: of the targets, of each field, and what one more sample would settle.

In: what the review found. Out: plain data; `line` is the sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gwc_crawler.extract import shown_mark
from gwc_crawler.items import is_empty
from gwc_crawler.knowledge import Sureness
from gwc_crawler.learn.review.left_out import ADDRESS, UNLIKE, Lacking, LeftOut
from gwc_crawler.learn.review.mixed import Mixed
from gwc_crawler.learn.review.odd import Elsewhere
from gwc_crawler.learn.review.refused import Refused

_FEW_TARGETS = 5
_SMALL_SHARE = 0.05
"""Doubtful pages that are fewer than this share of the targets change little."""
_SELDOM = 0.34
"""A field that no more of the targets have is on two samples by chance once in nine times at most."""
_LEAST_UNSEEN = 10
_WELL_COVERED = 0.9
_UNREACHED_SHARE = 0.01
"""A greater share of targets that are not reached over directories is worth a word."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure the targets are, and `because` says why it is not more; `fields` is name → share of unseen target pages
    on which it is found; `next_sample` is a page, and `settles` what it would settle."""

    targets: Sureness
    because: str
    fields: Mapping[str, float]
    next_sample: str
    settles: str
    line: str


def judge(
    count: int,
    left_out: Sequence[LeftOut],
    lacking: Sequence[Lacking],
    mixed: Mixed | None,
    odd: Sequence[str],
    elsewhere: Elsewhere | None,
    doubts: Sequence[str],
    fields: Mapping[str, Any],
    unreached: int = 0,
    unmet: Sequence[str] = (),
    shared: Sequence[str] = (),
    refused: Refused | None = None,
    a_list: str = "",
    waiting: int = 0,
) -> Certainty:
    """Say how sure the decision is.

    Args:
        count: target pages that were fetched.
        odd: those of them that are built otherwise than all others.
        elsewhere: those of them that are not where the samples are.
        doubts: what is wrong with the samples, or with the entry, in few words each.
        fields: `evidence["fields"]`.
        unreached: target pages to which the learned directories do not lead.
        unmet: fields that are not read on the samples as a person gave them.
        shared: fields that all samples have, of several.
        refused: those with the URL of one that the page check refuses though all fields are there.
        a_list: one of the targets that leads to far more of them than they do, where nearly all pages are targets.
        waiting: so many addresses are known that nobody looked at, where hardly any page was.
    """
    like = [row for row in left_out if row.kind == ADDRESS]
    if sum(row.pages for row in like) <= _SMALL_SHARE * count:
        like = []
    level, because = _targets(count, like, lacking, mixed, odd, elsewhere, doubts)
    listed = [row for row in left_out if row.kind == UNLIKE and row.has_lists and row.pages > _SMALL_SHARE * count]
    if level is not Sureness.UNSURE and listed and not like:
        level, like = Sureness.FAIRLY, listed
        because = f"about {listed[0].pages:,} pages that were left out have the fields, too: {listed[0].reason}"
    if level is Sureness.SURE and refused:
        level = Sureness.FAIRLY
        because = f"{refused.share:.0%} of the pages with such an address have all fields and are refused"
    if level is Sureness.SURE and a_list:
        level, because = Sureness.FAIRLY, f"nearly all pages are targets, and so is a list of others, {a_list}"
    if level is Sureness.SURE and waiting:
        level, because = Sureness.FAIRLY, f"{waiting:,} addresses were not looked at: raise [learn] pages"
    if (level is Sureness.SURE and unreached > _UNREACHED_SHARE * count) or (
        level is Sureness.FAIRLY and 2 * unreached > count
    ):
        level = Sureness.UNSURE if 2 * unreached > count else Sureness.FAIRLY
        because = f"the directories lead to {count - unreached:,} of {count:,} that were seen: name others as entries"
    shares = {name: row["coverage"] for name, row in fields.items() if row["coverage"] is not None}
    seen = [name for name in shared if fields.get(name, {}).get("unseen_pages", 0) >= _LEAST_UNSEEN]
    rare = [name for name in seen if shares[name] <= _SELDOM]
    if level is Sureness.SURE and rare:
        level, name = Sureness.FAIRLY, min(rare, key=shares.__getitem__)
        because = f"all your samples have {name}, {shares[name]:.0%} of the targets do: others may be of another kind"
    page, settles = ("", "") if doubts else _next_sample(like, lacking, mixed, odd, elsewhere, a_list, refused)
    if not page and not doubts:
        page, settles = _where_it_stands(
            fields, {name: shares[name] for name in shares if name in shared or not shared}
        )
    parts = [f"{level} of the targets" + (f" ({because})" if because else "")]
    if shares:
        parts.append(
            "fields found on unseen pages: " + ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        )
    if unmet:
        parts.append(f"not all values of {', '.join(unmet)} are read as your samples have them, see the warnings")
    if doubts:
        parts.append("another sample is of use when what the warnings name is mended")
    elif page or not unmet:
        parts.append(f"one more sample would settle {settles}: {page}" if page else "no further sample is needed")
    return Certainty(level, because, shares, page, settles, "; ".join(parts))


def _targets(
    count: int,
    like: Sequence[LeftOut],
    lacking: Sequence[Lacking],
    mixed: Mixed | None,
    odd: Sequence[str],
    elsewhere: Elsewhere | None,
    doubts: Sequence[str],
) -> tuple[Sureness, str]:
    """The level, and why it is not a better one: the gravest reason alone."""
    if doubts:
        return Sureness.UNSURE, f"{doubts[0]}, see the warnings"
    if lacking:
        return Sureness.UNSURE, f"most pages of {lacking[0].regex} lack the fields"
    if like:
        beside = sum(row.pages for row in like)
        level = Sureness.UNSURE if beside > count else Sureness.FAIRLY
        return level, f"about {beside:,} pages that were left out look the same"
    if mixed:
        mark, instead = shown_mark([mixed.mark]), shown_mark([mixed.instead])
        return Sureness.FAIRLY, f"{mixed.share:.0%} of them have {mark} where your samples have {instead}"
    if elsewhere:
        return Sureness.FAIRLY, f"your samples are {elsewhere.of_samples}, {elsewhere.share:.0%} of the targets are not"
    if odd:
        return Sureness.FAIRLY, f"{len(odd)} of {count} are built otherwise than all others, such as {odd[0]}"
    if count < _FEW_TARGETS:
        return Sureness.FAIRLY, f"only {count} were seen"
    return Sureness.SURE, ""


def _next_sample(
    like: Sequence[LeftOut],
    lacking: Sequence[Lacking],
    mixed: Mixed | None,
    odd: Sequence[str],
    elsewhere: Elsewhere | None,
    a_list: str,
    refused: Refused | None,
) -> tuple[str, str]:
    """The page that one more sample is best taken from, and what it would settle."""
    if lacking:
        return lacking[0].example, "whether such pages are targets"
    if like:
        return like[0].example, f"whether pages of its form ({like[0].pages:,}) are targets"
    if mixed:
        return (
            mixed.example,
            f"whether pages with {shown_mark([mixed.mark])} are targets; if they are not, say so by [learn] target",
        )
    if elsewhere:
        return elsewhere.example, f"whether pages {elsewhere.of_others} are targets, too"
    if odd:
        return odd[0], "whether a page that is built like this is a target"
    if refused:
        return refused.example, f"whether such pages are targets, too; each {refused.reason}"
    if a_list:
        return a_list, "whether a page that leads to so many others is a target"
    return "", ""


def _where_it_stands(fields: Mapping[str, Any], shares: Mapping[str, float]) -> tuple[str, str]:
    """The page on which the most seldom found field is missing, and what it would settle; not of a field that a sample
    lacks itself."""
    for name, share in sorted(shares.items(), key=lambda pair: pair[1]):
        silent = next((item["url"] for item in fields[name]["values"] if is_empty(item["value"])), None)
        if share < _WELL_COVERED and silent:
            return silent, f"where {name} stands, if it is there"
    return "", ""
