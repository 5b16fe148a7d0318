"""Filters to edit, learning again from stored pages; what either would change, and the buttons that apply it or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from gwc_crawler import crawl, runs
from gwc_crawler.crawl import KNOWLEDGE_FILE
from gwc_crawler.dashboard.queries.records import knowledge_of
from gwc_crawler.dashboard.queries.standing import shared_look
from gwc_crawler.dashboard.queries.steering import start_command
from gwc_crawler.dashboard.web.routes import Answer, action, page, part
from gwc_crawler.dashboard.web.visit import DashboardRequest
from gwc_crawler.errors import GoneError, GwcError, InputError, StoreError
from gwc_crawler.extract import Wrapper, same_value
from gwc_crawler.frontier.sqlite import numbers_matching, state_counts
from gwc_crawler.items import FieldValue, UrlState, is_empty
from gwc_crawler.knowledge import Knowledge, PatternError, UrlClass, Verdict, check_patterns, keep_previous
from gwc_crawler.page import detect_charset
from gwc_crawler.store.sqlite import CrawlDatabase, has_tables, read_kept_pages

# --- Two states of what is known of a site → what they make of its stored URLs and pages, where they differ -----------


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


HERE = ((LookedAt.CRAWL, crawl.CRAWL_DB), (LookedAt.PRECRAWL, crawl.SAMPLES_DB))
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
        for kept in batch:
            looked_at += 1
            if read >= MOST_READ or looked_at > MOST_LOOKED_AT:
                return
            if before.verdict(kept.url) is Verdict.TARGET is after.verdict(kept.url):
                read += 1
                charset = detect_charset(kept.html, kept.content_type)
                yield kept.url, kept.html.decode(charset or "utf-8", errors="replace")


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


# --- The pages -------------------------------------------------------------------------------------------------------


DRAFT = "knowledge.draft.json"
LONGEST = 200_000
DECISIONS = ("apply", "drop")


def change(visit: DashboardRequest) -> Answer:
    """The filters as they are, and learning again."""
    return visit.show("change.html", **_values(visit))


def live(visit: DashboardRequest) -> Answer:
    """What would change, anew."""
    return visit.show("change_live.html", **_values(visit))


def try_filters(visit: DashboardRequest) -> Answer:
    """Keep edited filters as a draft."""
    known = knowledge_of(visit.place)
    if known is None:
        return visit.to_site("change", told="Nothing is learned yet", went_wrong=True)
    targets = _classes(known.targets, visit.asked("targets"))
    directories = _classes(known.directories, visit.asked("directories"))
    try:
        written = [[one.regex for one in classes] for classes in (targets, directories)]
        check_patterns(written, some_urls(visit.place, visit.project.servers))
    except PatternError as error:
        pattern, problem = visit.clipped(error.pattern), visit.say(error.problem)
        told = "{pattern} is no pattern: {problem}"
        return visit.to_site("change", told=told, went_wrong=True, pattern=pattern, problem=problem)
    if not targets:
        return visit.to_site("change", told="Without a target nothing would be read; leave one.", went_wrong=True)
    max_weight = visit.number("max_weight", known.max_weight)
    replace(known, targets=targets, directories=directories, max_weight=max(0, max_weight)).save(_draft(visit))
    return visit.to_site("change")


def learn_again(visit: DashboardRequest) -> Answer:
    """Learn from the stored pages, in a process of its own, into a draft."""
    before = visit.memory.get(f"learning {visit.site}")
    if before is not None and before.code is None:
        return visit.to_site("change", told="It runs already.", went_wrong=True)
    draft = _draft(visit)
    draft.unlink(missing_ok=True)
    options = ("--offline", "--draft", str(draft))
    visit.memory[f"learning {visit.site}"] = start_command(visit.place, visit.project.settings, "learn", *options)
    return visit.to_site("change")


def decide(visit: DashboardRequest) -> Answer:
    """Apply the draft, or throw it away."""
    draft, file = _draft(visit), visit.place.directory / KNOWLEDGE_FILE
    if not draft.exists():
        raise GoneError(visit.say("There is no draft any more."))
    what = visit.asked("what")
    if what not in DECISIONS:
        raise InputError(visit.say("There is no such choice."))
    visit.memory.pop(f"learning {visit.site}", None)
    try:
        if what == "apply":
            Knowledge.load(draft)
            keep_previous(file)
            draft.replace(file)
            return visit.to_site("change", told="Applied; the next crawl goes by it. The one before is kept.")
        draft.unlink()
    except OSError as error:
        raise StoreError(f"{draft}: {error.strerror}; mend the data directory (GWC_DATA_DIR)") from error
    return visit.to_site("change", told="Thrown away; nothing has changed.")


def read_again(visit: DashboardRequest) -> Answer:
    """Have the stored pages read by what is known now."""
    before = visit.memory.get(f"reading {visit.site}")
    if before is not None and before.code is None:
        return visit.to_site("change", told="It runs already.", went_wrong=True)
    visit.memory[f"reading {visit.site}"] = start_command(visit.place, visit.project.settings, "extract")
    return visit.to_site("change", told="The stored pages are read again.")


def _values(visit: DashboardRequest) -> dict[str, object]:
    place = visit.place
    known, draft = knowledge_of(place), _draft(visit)
    mark = draft.stat().st_mtime_ns if draft.exists() else 0
    drafted = Knowledge.load(draft) if mark else None
    found = None
    if known is not None and drafted is not None:
        servers = visit.project.servers
        key = ("comparison", place.name, mark, known.learned_at)
        found = visit.background.found(key, lambda: compare(place, servers, known, drafted), again=False)
    return {
        "knowledge": known,
        "drafted": drafted,
        "found": found,
        "learning": visit.memory.get(f"learning {visit.site}"),
        "reading": visit.memory.get(f"reading {visit.site}"),
    }


def _draft(visit: DashboardRequest) -> Path:
    return visit.place.directory / DRAFT


def _classes(known: tuple[UrlClass, ...], text: str) -> tuple[UrlClass, ...]:
    """The classes of the patterns written, a line each; what is known of those that were there stays with them."""
    by_regex = {one.regex: one for one in known}
    lines = dict.fromkeys(line.strip() for line in text[:LONGEST].splitlines() if line.strip())
    return tuple(by_regex.get(line) or UrlClass(line, evidence={"edited": True}) for line in lines)


ROUTES = (
    page("/sites/{site}/change", change, tab="Change"),
    part("/sites/{site}/change/live", live),
    action("/sites/{site}/change/filters", try_filters),
    action("/sites/{site}/change/learn", learn_again),
    action("/sites/{site}/change/decide", decide),
    action("/sites/{site}/change/read", read_again),
)
