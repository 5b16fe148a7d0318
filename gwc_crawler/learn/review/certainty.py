"""Say how sure the learning is, in one line: of the targets, of each field, and what one more sample would settle.

In: what the review found. Out: plain data; `line` is the sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gwc_crawler.extract.page_check import shown_mark
from gwc_crawler.items import is_empty
from gwc_crawler.knowledge.model import Sureness
from gwc_crawler.learn.degrees import A_HANDFUL, FEW, HALF, MANY, NEARLY_ALL, NEXT_TO_NONE, SLIPS
from gwc_crawler.learn.review.left_out import ADDRESS, UNLIKE, Lacking, LeftOut, Refused
from gwc_crawler.learn.review.mixed import Mixed, Unshown
from gwc_crawler.learn.review.odd import Elsewhere
from gwc_crawler.learn.review.sample_check import KINDS

_SAY_SO = "if they are not, say so by [learn] target, or give a field that targets alone have"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Findings of the review; a finding that did not turn up keeps its default.

    Attributes:
        targets, samples: how many target pages were fetched, how many samples are given.
        is_given: whether a person has said which URLs are targets.
        keywords: the share of the targets on which the keywords hold, if they fail on many.
        without_keywords: a target on which they fail.
        least_like: the target that is least like the samples.
        odd: targets that are built otherwise than all others.
        doubts: what is wrong with the samples, or with the entry, in few words each.
        fields: `evidence["fields"]`.
        unreached: target pages to which the learned directories do not lead.
        unmet: fields that are not read on the samples as a person gave them.
        shared: fields that all samples have, if there are several.
        a_list: a target that leads to far more targets than the others do, if nearly all pages are targets.
        waiting: known addresses that were not looked at, if hardly any page was.
    """

    targets: int
    samples: int = 2
    is_given: bool = False
    keywords: float = 1.0
    without_keywords: str = ""
    left_out: Sequence[LeftOut] = ()
    lacking: Sequence[Lacking] = ()
    mixed: Mixed | None = None
    unshown: Unshown | None = None
    least_like: str = ""
    odd: Sequence[str] = ()
    elsewhere: Elsewhere | None = None
    doubts: Sequence[str] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)
    unreached: int = 0
    unmet: Sequence[str] = ()
    shared: Sequence[str] = ()
    refused: Refused | None = None
    a_list: str = ""
    waiting: int = 0

    @property
    def shares(self) -> dict[str, float]:
        """Field → the share of unseen target pages on which it is found."""
        return {name: row["coverage"] for name, row in self.fields.items() if row["coverage"] is not None}


class _Reason(NamedTuple):
    """A reason to be less than sure; `page` is one more sample that would settle `settles`, "" for none."""

    level: Sureness
    because: str
    page: str = ""
    settles: str = ""


def judge(found: Found) -> Certainty:
    """Say how sure the decision is: the gravest reason is told, and the first sample that settles one asked for."""
    reasons = list(_reasons(found))
    gravest = min(reasons, key=lambda one: one.level is not Sureness.UNSURE, default=_Reason(Sureness.SURE, ""))
    page, settles = "", ""
    if not found.doubts:
        asking = ((one.page, one.settles) for one in reasons if one.page)
        page, settles = next(asking, None) or _where_it_stands(found)
    level, because = gravest.level, gravest.because
    return Certainty(level, because, found.shares, page, settles, _line(found, level, because, page, settles))


def _line(found: Found, level: Sureness, because: str, page: str, settles: str) -> str:
    parts = [f"{level} of the targets" + (f" ({because})" if because else "")]
    if shares := found.shares:
        told = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        parts.append(f"fields found on unseen pages: {told}")
    if found.unmet:
        parts.append(f"not all values of {', '.join(found.unmet)} are read as your samples have them, see the warnings")
    if found.doubts:
        parts.append("another sample is of use when what the warnings name is mended")
    elif page or not found.unmet:
        parts.append(f"one more sample would settle {settles}: {page}" if page else "no further sample is needed")
    return "; ".join(parts)


def _reasons(found: Found) -> Iterator[_Reason]:
    """Yield the reasons, the gravest of a level first."""
    yield from _against_the_samples(found)
    yield from _left_out(found)
    yield from _built_otherwise(found)
    yield from _little_seen(found)


def _against_the_samples(found: Found) -> Iterator[_Reason]:
    if found.doubts:
        # further samples than the two asked for are answers: if one is of another kind, it may be wanted
        is_answered = found.samples > 2 and set(found.doubts) == {KINDS}
        level = Sureness.FAIRLY if is_answered else Sureness.UNSURE
        yield _Reason(level, f"{found.doubts[0]}, see the warnings")
    if found.without_keywords:
        level = Sureness.UNSURE if found.keywords < HALF else Sureness.FAIRLY
        settles = f"whether pages without the keywords are targets; {_SAY_SO}"
        yield _Reason(level, f"your keywords hold on {found.keywords:.0%} of them", found.without_keywords, settles)
    if found.lacking:
        first = found.lacking[0]
        such = "such pages, which are left out," if first.are_refused else "such pages"
        because = f"most pages of {first.regex} lack the fields"
        yield _Reason(Sureness.UNSURE, because, first.example, f"whether {such} are targets")


def _left_out(found: Found) -> Iterator[_Reason]:
    """Yield a reason where forms left out differ in the address only, or have all fields and a list among them."""
    least = SLIPS * found.targets
    alike = [row for row in found.left_out if row.kind == ADDRESS]
    beside = sum(row.pages for row in alike)
    listed = [row for row in found.left_out if row.kind == UNLIKE and row.has_lists and row.pages > least]
    if beside > least:
        level = Sureness.UNSURE if beside > found.targets and not found.is_given else Sureness.FAIRLY
        who = "[learn] target leaves out about" if found.is_given else "about"
        which = "that look the same" if found.is_given else "that were left out look the same"
        yield _Reason(level, f"{who} {beside:,} pages {which}", *_question(found, alike[0]))
    elif listed and not found.is_given:
        because = f"about {listed[0].pages:,} pages that were left out have the fields, too: {listed[0].reason}"
        yield _Reason(Sureness.FAIRLY, because, *_question(found, listed[0]))


def _question(found: Found, row: LeftOut) -> tuple[str, str]:
    """Return a page and what it settles; nothing where a person has said which URLs are targets."""
    return ("", "") if found.is_given else (row.example, f"whether pages of its form ({row.pages:,}) are targets")


def _built_otherwise(found: Found) -> Iterator[_Reason]:
    if mixed := found.mixed:
        mark, instead = shown_mark([mixed.mark]), shown_mark([mixed.instead])
        because = f"{mixed.share:.0%} of them have {mark} where your samples have {instead}"
        yield _Reason(Sureness.FAIRLY, because, mixed.example, f"whether pages with {mark} are targets; {_SAY_SO}")
    if unshown := found.unshown:
        mark = shown_mark([unshown.mark])
        because = f"{unshown.share:.0%} of them have {mark} and more that none of your samples has"
        yield _Reason(Sureness.FAIRLY, because, unshown.example, f"whether pages with {mark} are targets; {_SAY_SO}")
    if elsewhere := found.elsewhere:
        because = f"your samples are {elsewhere.of_samples}, {elsewhere.share:.0%} of the targets are not"
        settles = f"whether pages {elsewhere.of_others} are targets, too"
        yield _Reason(Sureness.FAIRLY, because, elsewhere.example, settles)
    if odd := found.odd:
        because = f"{len(odd)} of {found.targets} are built otherwise than all others, such as {odd[0]}"
        yield _Reason(Sureness.FAIRLY, because, odd[0], "whether a page that is built like this is a target")
    if refused := found.refused:
        because = f"{refused.share:.0%} of the pages with such an address have all fields and are refused"
        settles = f"whether such pages are targets, too; each {refused.reason}"
        yield _Reason(Sureness.FAIRLY, because, refused.example, settles)


def _little_seen(found: Found) -> Iterator[_Reason]:
    if found.samples == 1:
        settles = "what pages have in common, and where each value stands"
        yield _Reason(Sureness.FAIRLY, "there is one sample alone", found.least_like, settles)
    if found.targets < A_HANDFUL:
        yield _Reason(Sureness.FAIRLY, f"only {found.targets} were seen")
    if found.a_list:
        because = f"nearly all pages are targets, and so is a list of others, {found.a_list}"
        settles = "whether a page that leads to so many others is a target"
        yield _Reason(Sureness.FAIRLY, because, found.a_list, settles)
    if found.waiting:
        because = f"{found.waiting:,} addresses were not looked at: raise [learn] pages"
        yield _Reason(Sureness.FAIRLY, because)
    if found.unreached > NEXT_TO_NONE * found.targets:
        reached = found.targets - found.unreached
        because = f"the directories lead to {reached:,} of {found.targets:,} that were seen: name others as entries"
        yield _Reason(Sureness.UNSURE if 2 * found.unreached > found.targets else Sureness.FAIRLY, because)
    seen = (name for name in found.shared if found.fields.get(name, {}).get("unseen_pages", 0) >= MANY)
    rare = min(seen, key=found.shares.__getitem__, default="")
    if rare and found.shares[rare] <= FEW:
        share = f"{found.shares[rare]:.0%}"
        because = f"all your samples have {rare}, {share} of the targets do: others may be of another kind"
        yield _Reason(Sureness.FAIRLY, because)


def _where_it_stands(found: Found) -> tuple[str, str]:
    """Return the page that lacks the most seldom found field, and the question it would settle. A field that a sample
    lacks itself does not count."""
    shares = {name: share for name, share in found.shares.items() if name in found.shared or not found.shared}
    for name, share in sorted(shares.items(), key=lambda pair: pair[1]):
        silent = next((item["url"] for item in found.fields[name]["values"] if is_empty(item["value"])), None)
        if share < NEARLY_ALL and silent:
            return silent, f"where {name} stands, if it is there"
    return "", ""
