"""Pages for the review: whether the URL is a target's, what the wrapper finds, which marks the page has.

In: stored pages and knowledge. Out: a `Pages`, which looks each answer up once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gwc_crawler.extract.page_check import page_agrees
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import Extracted, StoredPage, is_empty
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.degrees import A_DOZEN, A_HANDFUL, ENOUGH, HALF
from gwc_crawler.learn.kinds.near_duplicates import canonical_of
from gwc_crawler.learn.kinds.traits import KnownTraits
from gwc_crawler.learn.lookalikes.probes import MANY_FIELDS
from gwc_crawler.learn.texts.context import spread
from gwc_crawler.learn.urls.regex import pattern_of
from gwc_crawler.learn.urls.tree import split_into_groups
from gwc_crawler.learn.urls.url_parts import SlottedUrl

_USUAL_OF_ITS_BUILD = 0.75
"""Share of the target pages, the fullest ones: pages that pass the page check may lack as many fields as these."""
_FIRST_WORD = re.compile(r"[^\W\d_]+(?=[-_.~])")


@dataclass(frozen=True, slots=True)
class PageFindings:
    """The wrapper's findings on one page; `refused`: why the page check takes it for no target, None if it passes."""

    url: str
    fields: Mapping[str, Extracted]
    missing: tuple[str, ...]
    """Required fields without a value."""
    refused: str | None
    has_fields: bool
    """Whether as many of the required fields are there as on half of the targets (or, if it passes the page check, on
    three quarters), and two where there are several."""


@dataclass
class Pages:
    """The pre-crawl's pages by clean URL, parted by the target filters."""

    pages: Sequence[StoredPage]
    knowledge: Knowledge
    wrapper: Wrapper
    samples: Sequence[StoredPage]
    traits: KnownTraits = field(default_factory=KnownTraits)
    _looks: dict[str, PageFindings] = field(default_factory=dict)
    _fields: dict[str, Mapping[str, Extracted]] = field(default_factory=dict)

    @cached_property
    def by_url(self) -> dict[str, StoredPage]:
        """Each page once, by its URL without what is of a session."""
        return {self.clean(page.url): page for page in reversed(self.pages)}

    @cached_property
    def by_address(self) -> dict[str, StoredPage]:
        """The pages by all their addresses."""
        return {self.clean(one): page for page in reversed(self.pages) for one in page.addresses} | self.by_url

    @cached_property
    def inside(self) -> list[str]:
        """URLs that pass a target filter."""
        return [url for url in self.by_url if self.knowledge.is_target(url)]

    @cached_property
    def found_inside(self) -> list[str]:
        """Return the URLs inside that no person has called targets."""
        return [url for url in self.inside if not self.knowledge.is_given(url, Verdict.TARGET)]

    @cached_property
    def forms(self) -> list[list[SlottedUrl]]:
        """The URLs that pass none, by form, the largest first; those beside target pages in a directory are a form, and
        those that a person has excluded are left out."""
        knowledge = self.knowledge
        outside = [url for url in self.by_url if not knowledge.is_target(url) and not knowledge.is_excluded(url)]
        groups = split_into_groups(outside) if outside else []
        targets = {url.rpartition("/")[0] for url in self.inside}

        def directory(row: SlottedUrl) -> str:
            above = row.url.partition("?")[0].rpartition("/")[0]
            return above if above in targets else ""

        parts = (part for rows in groups for part in _parted(rows, directory))
        return sorted(parts, key=lambda rows: -len(rows))

    def by_first_word(self, rows: Sequence[SlottedUrl]) -> list[list[SlottedUrl]]:
        """Return the URLs of a form in groups whose names share a first word, and the rest; [] if no names do."""

        def first_word(row: SlottedUrl) -> str:
            found = _FIRST_WORD.match(row.parts.segments[-1]) if row.parts.segments else None
            return found[0] if found else ""

        parts = _parted(rows, first_word)
        return parts if len(parts) > 1 else []

    @cached_property
    def group_of(self) -> dict[str, list[str]]:
        """URL → the fetched URLs of its form, whatever the filters say."""
        groups = [[row.url for row in rows] for rows in split_into_groups(list(self.by_url))]
        return {url: group for group in groups for url in group}

    @cached_property
    def known(self) -> set[str]:
        """All URLs of the site, those that were only seen as links included; of a page its own alone."""
        links = {self.clean(link) for page in self.by_url.values() for link in page.links}
        return set(self.by_url) | links.difference(self.by_address)

    def known_like(self, regexes: Sequence[str], *, inside: bool) -> int:
        """Count the known URLs of a form that are targets' (*inside*), or that are not."""
        matches = pattern_of(regexes).fullmatch
        return sum(bool(matches(url)) and self.knowledge.is_target(url) == inside for url in self.known)

    def clean(self, url: str) -> str:
        """Return a URL without what says nothing of the page."""
        return self.knowledge.clean(url)

    def look(self, url: str) -> PageFindings:
        """Try the wrapper, and the page check, on a page."""
        if url not in self._looks:
            view, is_given = self._view(url), self.knowledge.is_given(url, Verdict.TARGET)
            check = {} if is_given else self.knowledge.page_check
            fields = self._fields[url] = self.wrapper.extract_view(view)[0]
            missing = tuple(name for name in self.required if is_empty(fields[name]))
            refused = page_agrees(view.tree, None, fields, check) if check else None
            main = self.canonical(url)
            refused = f"is another address of {main}" if main else refused
            found = sum(not is_empty(value) for value in fields.values())
            is_built_alike = check and not refused
            share = _USUAL_OF_ITS_BUILD if is_built_alike else HALF
            most = self._missing[int(share * (len(self._missing) - 1))] if self._missing else 0
            if is_built_alike and len(self.required) >= MANY_FIELDS:
                most = max(most, 1)
            has_fields = len(missing) <= most and found >= min(2, len(fields))
            self._looks[url] = PageFindings(url, fields, missing, refused, has_fields)
        return self._looks[url]

    def canonical(self, url: str) -> str | None:
        """Return the target that a target's page names as its canonical address, if that is another one."""
        knowledge = self.knowledge
        if not knowledge.has_canonicals or not knowledge.is_target(url) or knowledge.is_given(url, Verdict.TARGET):
            return None
        main = self.named_by(self.by_url[url])
        return main if main != url and self.knowledge.is_target(main) else None

    def named_by(self, page: StoredPage) -> str:
        """Return the URL that a page names as its canonical address, "" for none."""
        named = canonical_of(page)
        return self.clean(named) if named else ""

    def fields(self, url: str) -> Mapping[str, Extracted]:
        """Return the fields that the wrapper reads on a page, without the page check: it is half the cost of `look`."""
        if url not in self._fields:
            self._fields[url] = self.wrapper.extract_view(self._view(url))[0]
        return self._fields[url]

    def ways(self, page: StoredPage, names: Sequence[str]) -> list[str]:
        """Return the way of reading that gives each field on a page; "" for none."""
        views = self.traits.views
        view = views.of(page)
        return [self.wrapper.rules[name].source(view) for name in names]

    def _view(self, url: str) -> PageView:
        views = self.traits.views
        return views.of(self.by_url[url], url)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The fields that every sample has, or all where none has."""
        names = tuple(self.wrapper.fields)
        return tuple(name for name in names if name not in self.wrapper.optional) or names

    @cached_property
    def _missing(self) -> list[int]:
        """How many of the required fields some target pages lack, in order."""
        urls = spread(self.inside, A_DOZEN)
        return sorted(sum(is_empty(self.fields(url)[name]) for name in self.required) for url in urls)

    def marks(self, page: StoredPage) -> frozenset[str]:
        """Return the marks of a page less those that all samples and pages of most URL forms have."""
        return self.traits.of(page).marks - self._common

    def marks_of_targets(self, count: int) -> dict[str, frozenset[str]]:
        """Return URL → marks of *count* pages that pass a target filter and the page check, evenly spread."""
        looks = [self.look(url) for url in spread(self.found_inside, count)]
        return {look.url: self.marks(self.by_url[look.url]) for look in looks if not look.refused}

    def marks_and_body(self, page: StoredPage) -> frozenset[str]:
        """Return the same marks, and the body's name even if most pages have it: it may tell the kind."""
        return self.marks(page) | {mark for mark in self.traits.of(page).marks if mark.startswith(">>body")}

    @cached_property
    def _common(self) -> frozenset[str]:
        groups = sorted({id(group): group for group in self.group_of.values()}.values(), key=len, reverse=True)
        shown = [self.by_url[group[0]] for group in groups[:ENOUGH]]
        counts = Counter(mark for page in shown for mark in self.traits.of(page).marks)
        common = frozenset(mark for mark, count in counts.items() if count > HALF * len(shown) and len(shown) > 2)
        return common.intersection(*(self.traits.of(page).marks for page in self.samples))


def _parted(rows: Sequence[SlottedUrl], name_of: Callable[[SlottedUrl], str]) -> list[list[SlottedUrl]]:
    """Group the rows by name, if several have it, and the rest."""
    named: dict[str, list[SlottedUrl]] = {}
    for row in rows:
        named.setdefault(name_of(row), []).append(row)
    parts = [alike for name, alike in named.items() if name and len(alike) >= A_HANDFUL]
    taken = {row.url for alike in parts for row in alike}
    rest = [row for row in rows if row.url not in taken]
    return [*parts, rest] if rest else parts
