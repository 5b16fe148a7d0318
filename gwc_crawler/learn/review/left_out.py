"""URL forms that were left out though their pages show the samples' fields, and target classes whose pages don't.

In: the pages of the review. Out: rows for the report, each with numbers, an example and the reason in words; and
the groups of URLs, taken and left out, with the number of fields found on their pages."""

from __future__ import annotations

import re
import statistics
from collections import Counter, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from gwc_crawler.extract.page_check import shown_mark
from gwc_crawler.items import is_empty
from gwc_crawler.knowledge.model import Verdict
from gwc_crawler.learn.degrees import A_HANDFUL, ENOUGH, HARDLY_ANY, MANY, SEVERAL
from gwc_crawler.learn.kinds.near_duplicates import title_of
from gwc_crawler.learn.review.evidence import PageFindings, Pages
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.regex import class_regexes
from gwc_crawler.learn.urls.url_parts import SlottedUrl

_TRIED_PAGES = 4
_TRIED_TARGETS = 8

LIST, COPY, UNLIKE, ADDRESS = "list", "copy", "unlike", "address"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """URLs of one form that are not taken, though pages of it show the samples' fields.

    `kind` is "list" (a list of targets; the wrapper reads its first), "copy" (second addresses of targets),
    "unlike" (built otherwise), or "address" (only the URL differs). `has_lists`: all pages that were tried have a list
    that every sample has, which pages of another kind seldom do; `is_whole`: they have all fields of the samples.
    """

    regex: str
    pages: int
    tried: int
    found: int
    kind: str
    reason: str
    example: str
    has_lists: bool = False
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """URLs of one form, or of a target class: `urls` counts the known ones, `fields` is the mean number of values that
    the wrapper found on the pages tried. `is_doubtful`: a person should look at it."""

    is_taken: bool
    is_doubtful: bool
    regex: str
    urls: int
    fields: float
    example: str


@dataclass(frozen=True, slots=True)
class Lacking:
    """A target class most of whose pages lack the fields; `are_refused`: the page check refuses all of these pages."""

    regex: str
    pages: int
    tried: int
    lacking: int
    reason: str
    example: str
    are_refused: bool = False


class Reviewer:
    """Tries the wrapper on a few pages of each form."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.knowledge, self.wrapper = pages.knowledge, pages.wrapper
        self._is_target = self.knowledge.is_target

    def left_out(self) -> list[LeftOut]:
        """Return the forms on which half of the tried pages show the fields; those with most pages first.

        If fewer do, the pages whose names share a first word are tried separately.
        """
        rows = [row for form, looks in self._tried if (row := self._row(form, looks)) is not None]
        return sorted(rows, key=lambda row: -row.pages)

    def groups(self, left_out: Sequence[LeftOut], lacking: Sequence[Lacking]) -> list[Group]:
        """Return the target classes, and the forms left out that are doubtful or no directories; doubtful ones first,
        then by size."""
        doubtful = {row.regex for row in lacking} | {row.regex for row in left_out if row.kind in (ADDRESS, UNLIKE)}
        rows = [
            self._group(doubtful, one.regex, [url for url in self.pages.inside if re.fullmatch(one.regex, url)])
            for one in self.knowledge.targets
        ]
        forms = [(" | ".join(class_regexes(form)), [row.url for row in form]) for form, _ in self._tried]
        rows += [
            self._group(doubtful, regex, urls)
            for regex, urls in forms
            if regex in doubtful or self.knowledge.verdict(urls[0]) is Verdict.NEITHER
        ]
        return sorted((row for row in rows if row), key=lambda row: (not row.is_doubtful, not row.is_taken, -row.urls))

    def _group(self, doubtful: Collection[str], regex: str, urls: Sequence[str]) -> Group | None:
        if not urls:
            return None
        is_taken = self._is_target(urls[0])
        looks = [self.pages.look(url) for url in spread(urls, _TRIED_TARGETS if is_taken else _TRIED_PAGES)]
        looks = [look for look in looks if not look.refused] or looks
        found = statistics.mean(sum(not is_empty(value) for value in look.fields.values()) for look in looks)
        known = self.pages.known_like(regex.split(" | "), inside=is_taken)
        return Group(is_taken, regex in doubtful, regex, known, round(found, 1), looks[0].url)

    @cached_property
    def _tried(self) -> list[tuple[list[SlottedUrl], list[PageFindings]]]:
        tried: list[tuple[list[SlottedUrl], list[PageFindings]]] = []
        forms = deque(self.pages.forms)
        while forms and len(tried) < ENOUGH:
            form = forms.popleft()
            looks = [self.pages.look(url) for url in spread([row.url for row in form], _TRIED_PAGES)]
            parts = [] if _have_fields(looks) else self.pages.by_first_word(form)
            forms.extend(parts)
            tried += [] if parts else [(form, looks)]
        return tried

    def _row(self, form: Sequence[SlottedUrl], looks: Sequence[PageFindings]) -> LeftOut | None:
        """Return the row of a form with these *looks* at it; None where few have the fields, or a title is all."""
        found = [look for look in looks if look.has_fields]
        if not _have_fields(looks):
            return None
        kind, reason = Counter(self._reason(look) for look in found).most_common(1)[0][0]
        if kind == ADDRESS and (lost := self._lost_mark(looks)):
            kind, reason = UNLIKE, f"none of them has {shown_mark([lost])}, which all target pages have"
            if all(self._links_to_targets(look.url) >= self._target_links + A_HANDFUL for look in looks):
                kind, reason = LIST, "they are lists of targets"
        if kind == UNLIKE and len(self.wrapper.fields) == 1:  # a title is on every page
            return None
        regexes = class_regexes(form)
        counts = self.pages.known_like(regexes, inside=False), len(looks), len(found)
        listed = [any(isinstance(look.fields[name], list) for name in self.pages.required) for look in found]
        has_lists = len(found) == len(looks) and all(listed)
        is_whole = not any(look.missing for look in looks)
        return LeftOut(" | ".join(regexes), *counts, kind, reason, found[0].url, has_lists, is_whole)

    def lacking(self) -> list[Lacking]:
        """Return the target classes most of whose pages lack the fields."""
        rows = []
        for one in self.knowledge.targets:
            matches = re.compile(one.regex).fullmatch
            urls = [url for url in self.pages.inside if matches(url)]
            looks = [self.pages.look(url) for url in spread(urls, _TRIED_TARGETS)]
            poor = [look for look in looks if look.refused or 2 * len(look.missing) > len(self.pages.required)]
            if len(looks) > 2 and 2 * len(poor) > len(looks):
                refused, missing = poor[0].refused, ", ".join(poor[0].missing)
                told = _told(refused) if refused else f"no {missing}", poor[0].url, all(look.refused for look in poor)
                rows.append(Lacking(one.regex, len(urls), len(looks), len(poor), *told))
        return rows

    def _reason(self, look: PageFindings) -> tuple[str, str]:
        if self._repeats(look):
            return COPY, "they show the same values as target pages: second addresses of them"
        if look.refused:
            return UNLIKE, _told(look.refused)
        return ADDRESS, "they look like your samples, but their addresses do not"

    def _lost_mark(self, looks: Sequence[PageFindings]) -> str | None:
        seen = frozenset[str]().union(*(self.pages.marks(self.pages.by_url[look.url]) for look in looks))
        return min(self._target_marks - seen, key=lambda mark: (">" in mark, mark), default=None)

    def _repeats(self, look: PageFindings) -> bool:
        """Say whether a target page with the same title, or one that it links to, shows the same values."""
        page = self.pages.by_url[look.url]
        near = [url for url in map(self.pages.clean, page.links) if url in self.pages.by_url and self._is_target(url)]
        near = [*self._titles.get(title_of(page), ()), *near]
        shown = map(self.pages.fields, dict.fromkeys(near[:MANY]))
        return any(all(other.get(name) == value for name, value in look.fields.items()) for other in shown)

    @cached_property
    def _titles(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for url in self.pages.inside:
            found.setdefault(title_of(self.pages.by_url[url]), []).append(url)
        return {title: urls for title, urls in found.items() if title and len(urls) < MANY}

    @cached_property
    def _target_links(self) -> float:
        counts = [self._links_to_targets(url) for url in spread(self.pages.inside, _TRIED_TARGETS)]
        return statistics.median(counts) if counts else 0.0

    def _links_to_targets(self, url: str) -> int:
        return sum(self._is_target(self.pages.clean(link)) for link in self.pages.by_url[url].links)

    @cached_property
    def _target_marks(self) -> frozenset[str]:
        beside = [self.pages.by_url[url] for url in spread(self.pages.inside, _TRIED_TARGETS)]
        beside = [page for page in beside if not self.pages.look(self.pages.clean(page.url)).refused]
        pages = [*self.pages.samples, *beside]
        return frozenset.intersection(*(self.pages.marks(page) for page in pages)) if pages else frozenset()


def _have_fields(looks: Sequence[PageFindings]) -> bool:
    return 2 * sum(look.has_fields for look in looks) >= len(looks)


def _told(refused: str) -> str:
    """Return the reason why the page check refuses pages, as a sentence."""
    return f"such a page {refused}" if refused.partition(" ")[0] in {"lacks", "has", "is"} else refused


# --- Pages that the page check refuses though all is found on them that the samples have ------------------------------


@dataclass(frozen=True, slots=True)
class Refused:
    """Pages with a target's address, and all fields that every sample has, that the page check refuses.

    `share` is their share of the pages with such an address that were looked at; `reason` is that of `example`.
    """

    share: float
    reason: str
    example: str


def refused_targets(pages: Pages) -> Refused | None:
    """Find the pages that the page check refuses with all fields on them, if these are more than a few."""
    if len(pages.required) < SEVERAL:  # a title and a text stand on pages of all kinds
        return None
    looks = [pages.look(url) for url in spread(pages.inside, ENOUGH)]
    whole = [look for look in looks if look.refused and not look.missing and not pages.canonical(look.url)]
    if len(whole) < max(2, HARDLY_ANY * len(looks)):
        return None
    return Refused(len(whole) / len(looks), whole[0].refused or "", whole[0].url)
