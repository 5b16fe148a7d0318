"""Two states of what is known of a site → what they make of its stored URLs and pages, where they differ.

URLs are those of the crawl's queue (in its database, or in Redis); pages those that the crawl's database has kept.
Where there are none here (they are on a SQL Server or elsewhere, or nothing was crawled), the pre-crawl's serve.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from gwc_crawler import assembly, runs
from gwc_crawler.dashboard.queries import shared_look
from gwc_crawler.errors import GwcError
from gwc_crawler.extract import Wrapper
from gwc_crawler.extract.fields import same_value
from gwc_crawler.frontier.sqlite import numbers_matching, state_counts
from gwc_crawler.items import FieldValue, UrlState, is_empty
from gwc_crawler.knowledge import Knowledge, Verdict
from gwc_crawler.page import detect_charset
from gwc_crawler.store import CrawlDatabase, has_tables, read_kept_pages

MOST_URLS = 20_000
"""URLs looked at of those that are complete, and of those that wait."""
MOST_READ = 200
MOST_LOOKED_AT = 5_000
EXAMPLES = 5


@dataclass(slots=True)
class Turn:
    """URLs of which the filters now say something else."""

    state: str
    before: str
    after: str
    count: int = 0
    urls: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FieldTurn:
    """How a field is read on pages that are targets before and after: on so many the same, another value, lost, new."""

    name: str
    same: int = 0
    other: int = 0
    lost: int = 0
    new: int = 0
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    """Address, value before, value after."""

    @property
    def differs(self) -> bool:
        """Whether anything is read otherwise."""
        return bool(self.other or self.lost or self.new)


class LookedAt(StrEnum):
    """Whose URLs or pages were looked at; words of the dashboard."""

    CRAWL = "of the crawl"
    REDIS = "of the crawl's queue in Redis"
    PRECRAWL = "of the pre-crawl, as the crawl has none here"
    NOTHING = "as there are none here"


@dataclass(slots=True)
class FilterComparison:
    """What would change. `urls`, `pages`: how many were looked at, of whom; `more_urls`: there are more."""

    urls: int = 0
    more_urls: bool = False
    urls_of: LookedAt = LookedAt.NOTHING
    pages_of: LookedAt | None = None
    """None: no pages had to be read, as nothing would be read otherwise."""
    turns: list[Turn] = field(default_factory=list)
    pages: int = 0
    fields: list[FieldTurn] = field(default_factory=list)


HERE = ((LookedAt.CRAWL, assembly.CRAWL_DB), (LookedAt.PRECRAWL, assembly.SAMPLES_DB))
"""Where a site's URLs and pages are on this machine, the best first."""


def compare(place: runs.SiteLocation, servers: runs.Servers, before: Knowledge, after: Knowledge) -> FilterComparison:
    """Compare on what there is of a site; short reads beside a crawl that runs.

    Raises:
        StoreError: its database can't be read, or its Redis doesn't answer.
    """
    done = FilterComparison()
    turns: dict[tuple[str, str, str], Turn] = {}
    for state in (UrlState.COMPLETE, UrlState.WAITING):
        whose, urls, more = _urls(place, servers, state)
        if urls:
            done.urls_of = whose
        done.more_urls |= more
        for url in urls:
            done.urls += 1
            _note_url(turns, state, url, before.verdict(url), after.verdict(url))
    done.turns = sorted(turns.values(), key=lambda one: -one.count)
    if before.wrapper != after.wrapper:
        _compare_fields(place, before, after, done)
    return done


def some_urls(place: runs.SiteLocation, servers: runs.Servers, most: int = 1_000) -> list[str]:
    """Some URLs of a site to try patterns on.

    Raises:
        StoreError: its database can't be read, or its Redis doesn't answer.
    """
    if place.shared and (look := shared_look(place, servers)).exists():
        return [one.url for one in look.sample(most)]
    return [url for state in (UrlState.COMPLETE, UrlState.WAITING) for url in _urls(place, servers, state, most)[1]]


def _urls(
    place: runs.SiteLocation, servers: runs.Servers, state: UrlState, most: int = MOST_URLS
) -> tuple[LookedAt, list[str], bool]:
    """Where the URLs stand, at most *most* of them in *state*, and whether there are more.

    The pre-crawl's where the crawl has none.
    """
    if place.shared and (look := shared_look(place, servers)).exists():
        found = [one.url for one in look.sample(2 * most) if one.state is state][:most]
        return LookedAt.REDIS, found, len(found) < look.states()[state]
    for whose, file in HERE:
        with _opened(place, file) as database:
            if database is not None and any(state_counts(database).values()):
                urls = [url for _, url in numbers_matching(database, "*", [state], most + 1)]
                return whose, urls[:most], len(urls) > most
    return LookedAt.NOTHING, [], False


def _note_url(turns: dict[tuple[str, str, str], Turn], state: UrlState, url: str, was: Verdict, now: Verdict) -> None:
    if was is not now:
        turn = turns.setdefault((state.value, was, now), Turn(state.value, was.value, now.value))
        turn.count += 1
        turn.urls += [url] if len(turn.urls) < EXAMPLES else []


@contextmanager
def _opened(place: runs.SiteLocation, file: str) -> Iterator[CrawlDatabase | None]:
    path = place.directory / file
    with ExitStack() as stack:
        yield stack.enter_context(CrawlDatabase(path, read_only=True)) if has_tables(path) else None


def _compare_fields(place: runs.SiteLocation, before: Knowledge, after: Knowledge, done: FilterComparison) -> None:
    old, new = Wrapper.from_json(before.wrapper), Wrapper.from_json(after.wrapper)
    found: dict[str, FieldTurn] = {}
    done.pages_of = LookedAt.NOTHING
    for whose, file in HERE:
        with _opened(place, file) as database:
            for url, html in _targets(database, before, after) if database else ():
                done.pages += 1
                done.pages_of = whose
                was, now = _read(old, html, url), _read(new, html, url)
                for name in dict.fromkeys((*was, *now)):
                    _note(found.setdefault(name, FieldTurn(name)), url, was.get(name), now.get(name))
        if done.pages:
            break
    done.fields = sorted(found.values(), key=lambda one: (not one.differs, one.name))


def _targets(database: CrawlDatabase, before: Knowledge, after: Knowledge) -> Iterator[tuple[str, str]]:
    read = looked_at = 0
    for batch in read_kept_pages(database):
        for page in batch:
            looked_at += 1
            if read >= MOST_READ or looked_at > MOST_LOOKED_AT:
                return
            if before.verdict(page.url) is Verdict.TARGET is after.verdict(page.url):
                read += 1
                charset = detect_charset(page.html, page.content_type)
                yield page.url, page.html.decode(charset or "utf-8", errors="replace")


def _read(wrapper: Wrapper, html: str, url: str) -> dict[str, Any]:
    try:
        return dict(wrapper.extract(html, url))
    except GwcError:
        return {}


def _note(turn: FieldTurn, url: str, was: FieldValue | None, now: FieldValue | None) -> None:
    if same_value(was, now) or (is_empty(was) and is_empty(now)):
        turn.same += 1
        return
    turn.lost += is_empty(now)
    turn.new += is_empty(was)
    turn.other += not is_empty(was) and not is_empty(now)
    if len(turn.examples) < EXAMPLES:
        turn.examples.append((url, _short(was), _short(now)))


def _short(value: Any) -> str:
    text = "" if is_empty(value) else value if isinstance(value, str) else f"{len(value)} × {value[0]}"
    return text if len(text) <= 160 else text[:159] + "…"
