"""Two states of a site's knowledge → the differences in how they read its stored URLs and pages.

Shown before new knowledge replaces the present one. Short reads, beside a running crawl.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, islice
from typing import Any

from gwc_crawler.crawl.data_files import CRAWL_DB, SAMPLES_DB
from gwc_crawler.crawl.first_records import TextReader, Values
from gwc_crawler.extract.fields import same_value
from gwc_crawler.frontier.rejections import EXAMPLES
from gwc_crawler.frontier.sqlite.stats import numbers_matching, state_counts
from gwc_crawler.items import PageKind, UrlState, is_empty
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.runs.lookup import Servers, SiteLocation, opened, shared_look
from gwc_crawler.store.sqlite.stats import KeptPage, read_kept_pages

MOST_URLS = 20_000
"""URLs looked at of those that are complete, and of those that wait."""
MOST_READ = 200
MOST_LOOKED_AT = 5_000


@dataclass(slots=True)
class Turn:
    """URLs, or pages, that are now taken for something else."""

    state: str
    before: str
    after: str
    count: int = 0
    urls: list[str] = field(default_factory=list)


@dataclass(slots=True)
class FieldTurn:
    """The readings of a field before and after, on pages that are targets both times: same, other value, lost, new."""

    name: str
    same: int = 0
    other: int = 0
    lost: int = 0
    new: int = 0
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    """Address, value before, value after."""


class LookedAt(StrEnum):
    """The URLs or pages that were looked at; words of the dashboard."""

    CRAWL = "of the crawl"
    REDIS = "of the crawl's queue in Redis"
    PRECRAWL = "of those fetched to learn from, as none were stored since"
    NOTHING = "as there are none here"


@dataclass(slots=True)
class Comparison:
    """The effects of a change: `urls` looked at in `urls_of`, or not all (`more_urls`); `pages` on which one reads a
    record; `warnings` of learning that are new.
    """

    urls: int = 0
    more_urls: bool = False
    urls_of: LookedAt = LookedAt.NOTHING
    pages_of: LookedAt | None = None
    """None: no pages had to be read, as nothing would be read otherwise."""
    turns: list[Turn] = field(default_factory=list)
    pages: int = 0
    fields: list[FieldTurn] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield (label, text) lines for a terminal."""
        whose = f" {self.pages_of}" if self.pages_of else ""
        yield "looked at", f"{self.urls:,} URLs {self.urls_of}; {self.pages:,} pages{whose} with records"
        for turn in self.turns:
            yield "URLs", f"{turn.count:,} {turn.before} → {turn.after}, such as {', '.join(turn.urls)}"
        for one in self.fields:
            told = {"another value": one.other, "lost": one.lost, "newly found": one.new}
            if changes := [f"{count:,} {words}" for words, count in told.items() if count]:
                yield one.name, ", ".join([*changes, f"{one.same:,} the same"])
                yield from (("", f"{url}: {was or '–'} → {now or '–'}") for url, was, now in one.examples)
        if same := [one.name for one in self.fields if not (one.other or one.lost or one.new)]:
            yield "the same", ", ".join(same)
        yield from (("warning", one) for one in self.warnings)


HERE = ((LookedAt.CRAWL, CRAWL_DB), (LookedAt.PRECRAWL, SAMPLES_DB))


def compare(place: SiteLocation, servers: Servers, before: Knowledge, after: Knowledge) -> Comparison:
    """Compare on what there is of a site. Raises StoreError: its database, or its Redis, can't be read."""
    known = before.evidence.get("warnings", ())
    done = Comparison(warnings=[one for one in after.evidence.get("warnings", ()) if one not in known])
    turns: dict[tuple[str, str, str], Turn] = {}
    for state in (UrlState.COMPLETE, UrlState.WAITING):
        whose, urls, more = _urls(place, servers, state)
        if urls:
            done.urls_of = whose
        done.more_urls |= more
        for url in urls:
            done.urls += 1
            _note_turn(turns, url, state, before.verdict(url), after.verdict(url))
    if (before.wrapper, before.page_check) != (after.wrapper, after.page_check):
        _compare_pages(place, before, after, done, turns)
    done.turns = sorted(turns.values(), key=lambda one: -one.count)
    return done


def some_urls(place: SiteLocation, servers: Servers, most: int = 1_000) -> list[str]:
    """Some URLs of a site to try patterns on. Raises StoreError: its database, or its Redis, can't be read."""
    if place.shared and (look := shared_look(place, servers)).exists():
        return [one.url for one in look.sample(most)]
    return [url for state in (UrlState.COMPLETE, UrlState.WAITING) for url in _urls(place, servers, state, most)[1]]


def _urls(
    place: SiteLocation, servers: Servers, state: UrlState, most: int = MOST_URLS
) -> tuple[LookedAt, list[str], bool]:
    """Return the place, at most *most* URLs in *state*, and whether there are more; else those of the pre-crawl."""
    if place.shared and (look := shared_look(place, servers)).exists():
        found = [one.url for one in look.sample(2 * most) if one.state is state][:most]
        return LookedAt.REDIS, found, len(found) < look.states()[state]
    for whose, file in HERE:
        with opened(place.directory / file) as database:
            if database is not None and any(state_counts(database).values()):
                urls = [url for _, url in numbers_matching(database, "*", [state], most + 1)]
                return whose, urls[:most], len(urls) > most
    return LookedAt.NOTHING, [], False


def _note_turn(turns: dict[tuple[str, str, str], Turn], url: str, state: str, was: str, now: str) -> None:
    if was != now:
        turn = turns.setdefault((state, was, now), Turn(str(state), str(was), str(now)))
        turn.count += 1
        turn.urls += [url] if len(turn.urls) < EXAMPLES else []


def _compare_pages(
    place: SiteLocation, before: Knowledge, after: Knowledge, done: Comparison, turns: dict[tuple[str, str, str], Turn]
) -> None:
    old, new = TextReader(before), TextReader(after)
    found: dict[str, FieldTurn] = {}
    done.pages_of = LookedAt.NOTHING
    for whose, kept in _targets(place, before, after):
        done.pages_of = whose
        was, now = old.read(kept), new.read(kept)
        done.pages += was is not None or now is not None
        if was is not None and now is not None:
            _note_values(found, kept.url, was, now)
        kinds = (PageKind.LOOKALIKE if values is None else PageKind.TARGET for values in (was, now))
        _note_turn(turns, kept.url, UrlState.COMPLETE, *kinds)
    done.fields = sorted(found.values(), key=lambda one: (not (one.other or one.lost or one.new), one.name))


def _targets(place: SiteLocation, *known: Knowledge) -> Iterator[tuple[LookedAt, KeptPage]]:
    """Yield pages that are targets in all *known* states, from the first place that has any."""
    for whose, file in HERE:
        with opened(place.directory / file) as database:
            pages = (kept for batch in read_kept_pages(database) for kept in batch) if database else iter(())
            looked_at = islice(pages, MOST_LOOKED_AT)
            both = (one for one in looked_at if all(what.verdict(one.url) is Verdict.TARGET for what in known))
            if (first := next(both, None)) is not None:
                yield from ((whose, kept) for kept in islice(chain([first], both), MOST_READ))
                return


def some_targets(place: SiteLocation, knowledge: Knowledge) -> list[KeptPage]:
    """Return stored target pages of a site, as many as are compared."""
    return [kept for _, kept in _targets(place, knowledge)]


def _note_values(found: dict[str, FieldTurn], url: str, before: Values, after: Values) -> None:
    for name in dict.fromkeys((*before, *after)):
        turn, was, now = found.setdefault(name, FieldTurn(name)), before.get(name), after.get(name)
        if same_value(was, now):
            turn.same += 1
            continue
        turn.lost += is_empty(now)
        turn.new += is_empty(was)
        turn.other += not is_empty(was) and not is_empty(now)
        if len(turn.examples) < EXAMPLES:
            turn.examples.append((url, short(was), short(now)))


def short(value: Any, most: int = 160) -> str:
    """Return a value in *most* characters: of many items their number and the first."""
    if isinstance(value, list) and value:
        first = value[0] if isinstance(value[0], str) else " / ".join(map(str, value[0].values()))
        return short(f"{len(value)} × {first}", most)
    text = "" if is_empty(value) else str(value)
    return text if len(text) <= most else text[: most - 1] + "…"
