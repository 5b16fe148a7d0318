"""Say how sure the learning is, in one line: of the targets, of each field, and what one more sample would settle.

In: what the review found. Out: plain data; `line` is the sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
        targets: target pages that were fetched.
        samples: the number of samples.
        is_given: whether a person has said which URLs are targets.
        keywords: the share of the targets on which the keywords hold, if they fail on many.
        without_keywords: a target on which they fail.
        unshown: marks that most targets have, and no sample.
        least_like: the target that is least like the samples.
        odd: targets that are built otherwise than all others.
        elsewhere: targets that are not where the samples are.
        doubts: what is wrong with the samples, or with the entry, in few words each.
        fields: `evidence["fields"]`.
        unreached: target pages to which the learned directories do not lead.
        unmet: fields that are not read on the samples as a person gave them.
        shared: fields that all samples have, if there are several.
        refused: pages with a target's URL that the page check refuses though all fields are there.
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
    def are_many_unreached(self) -> bool:
        """Whether the directories lead to less than half of the targets."""
        return 2 * self.unreached > self.targets

    @property
    def alike(self) -> list[LeftOut]:
        """Return the forms whose pages differ from a target's only in the URL, if they have enough pages."""
        rows = [row for row in self.left_out if row.kind == ADDRESS]
        return rows if sum(row.pages for row in rows) > SLIPS * self.targets else []

    @property
    def listed(self) -> list[LeftOut]:
        """Forms of pages that are built otherwise, and have all fields and a list among them."""
        rows = [row for row in self.left_out if row.kind == UNLIKE and row.has_lists and not self.is_given]
        return [row for row in rows if row.pages > SLIPS * self.targets]

    @property
    def shares(self) -> dict[str, float]:
        """Field → the share of unseen target pages on which it is found."""
        return {name: row["coverage"] for name, row in self.fields.items() if row["coverage"] is not None}


def judge(found: Found) -> Certainty:
    """Say how sure the decision is."""
    beside = found.alike
    level, because = _at_first(found, beside)
    if level is not Sureness.UNSURE and not beside and found.listed:
        level, beside = Sureness.FAIRLY, found.listed
        because = f"about {beside[0].pages:,} pages that were left out have the fields, too: {beside[0].reason}"
    if level is Sureness.SURE and (second_look := _second_look(found)):
        level, because = Sureness.FAIRLY, second_look
    if (level is Sureness.SURE and found.unreached > NEXT_TO_NONE * found.targets) or (
        level is Sureness.FAIRLY and found.are_many_unreached
    ):
        level = Sureness.UNSURE if found.are_many_unreached else Sureness.FAIRLY
        reached = found.targets - found.unreached
        because = f"the directories lead to {reached:,} of {found.targets:,} that were seen: name others as entries"
    if level is Sureness.SURE and (rare := _rarest(found)):
        level = Sureness.FAIRLY
        share = found.shares[rare]
        because = f"all your samples have {rare}, {share:.0%} of the targets do: others may be of another kind"
    page, settles = ("", "") if found.doubts else _next_sample(found, beside)
    if not page and not found.doubts:
        page, settles = _where_it_stands(found)
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


def _at_first(found: Found, alike: Sequence[LeftOut]) -> tuple[Sureness, str]:
    """Return the level, and why it is not a better one: the gravest reason alone."""
    if found.doubts:
        # further samples than the two asked for are answers: if one is of another kind, it may be wanted
        is_answered = found.samples > 2 and set(found.doubts) == {KINDS}
        return Sureness.FAIRLY if is_answered else Sureness.UNSURE, f"{found.doubts[0]}, see the warnings"
    if found.without_keywords:
        level = Sureness.UNSURE if found.keywords < HALF else Sureness.FAIRLY
        return level, f"your keywords hold on {found.keywords:.0%} of them"
    if found.lacking:
        return Sureness.UNSURE, f"most pages of {found.lacking[0].regex} lack the fields"
    if alike:
        beside = sum(row.pages for row in alike)
        if found.is_given:
            return Sureness.FAIRLY, f"[learn] target leaves out about {beside:,} pages that look the same"
        level = Sureness.UNSURE if beside > found.targets else Sureness.FAIRLY
        return level, f"about {beside:,} pages that were left out look the same"
    told = ""
    if mixed := found.mixed:
        mark, instead = shown_mark([mixed.mark]), shown_mark([mixed.instead])
        told = f"{mixed.share:.0%} of them have {mark} where your samples have {instead}"
    elif unshown := found.unshown:
        told = f"{unshown.share:.0%} of them have {shown_mark([unshown.mark])} and more that none of your samples has"
    elif elsewhere := found.elsewhere:
        told = f"your samples are {elsewhere.of_samples}, {elsewhere.share:.0%} of the targets are not"
    elif odd := found.odd:
        told = f"{len(odd)} of {found.targets} are built otherwise than all others, such as {odd[0]}"
    elif found.samples == 1:
        told = "there is one sample alone"
    elif found.targets < A_HANDFUL:
        told = f"only {found.targets} were seen"
    return (Sureness.FAIRLY if told else Sureness.SURE), told


def _second_look(found: Found) -> str:
    """Return a reason to be less than sure of a decision that looks good at first, "" for none."""
    if found.refused:
        return f"{found.refused.share:.0%} of the pages with such an address have all fields and are refused"
    if found.a_list:
        return f"nearly all pages are targets, and so is a list of others, {found.a_list}"
    return f"{found.waiting:,} addresses were not looked at: raise [learn] pages" if found.waiting else ""


def _rarest(found: Found) -> str:
    seen = (name for name in found.shared if found.fields.get(name, {}).get("unseen_pages", 0) >= MANY)
    rare = min(seen, key=found.shares.__getitem__, default="")
    return rare if rare and found.shares[rare] <= FEW else ""


def _next_sample(found: Found, beside: Sequence[LeftOut]) -> tuple[str, str]:
    if found.lacking:
        such = "such pages, which are left out," if found.lacking[0].are_refused else "such pages"
        return found.lacking[0].example, f"whether {such} are targets"
    if found.without_keywords:
        return found.without_keywords, f"whether pages without the keywords are targets; {_SAY_SO}"
    if beside and not found.is_given:
        return beside[0].example, f"whether pages of its form ({beside[0].pages:,}) are targets"
    if mixed := found.mixed:
        mark = shown_mark([mixed.mark])
        return mixed.example, f"whether pages with {mark} are targets; {_SAY_SO}"
    if unshown := found.unshown:
        return unshown.example, f"whether pages with {shown_mark([unshown.mark])} are targets; {_SAY_SO}"
    if found.elsewhere:
        return found.elsewhere.example, f"whether pages {found.elsewhere.of_others} are targets, too"
    if found.odd:
        return found.odd[0], "whether a page that is built like this is a target"
    if found.refused:
        return found.refused.example, f"whether such pages are targets, too; each {found.refused.reason}"
    if found.samples == 1 and found.least_like:
        return found.least_like, "what pages have in common, and where each value stands"
    if found.a_list:
        return found.a_list, "whether a page that leads to so many others is a target"
    return "", ""


def _where_it_stands(found: Found) -> tuple[str, str]:
    """Return the page that lacks the most seldom found field, and the question it would settle. A field that a sample
    lacks itself does not count."""
    shares = {name: share for name, share in found.shares.items() if name in found.shared or not found.shared}
    for name, share in sorted(shares.items(), key=lambda pair: pair[1]):
        silent = next((item["url"] for item in found.fields[name]["values"] if is_empty(item["value"])), None)
        if share < NEARLY_ALL and silent:
            return silent, f"where {name} stands, if it is there"
    return "", ""
