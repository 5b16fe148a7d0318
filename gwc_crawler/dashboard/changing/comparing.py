"""Two states of what is known of a site → what they make of its stored URLs and pages, where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gwc_crawler.errors import GwcError
from gwc_crawler.extract import Wrapper
from gwc_crawler.extract.fields import same_value
from gwc_crawler.frontier.sqlite import numbers_matching
from gwc_crawler.items import FieldValue, UrlState, is_empty
from gwc_crawler.knowledge import Knowledge, Verdict
from gwc_crawler.page import detect_charset
from gwc_crawler.store import CrawlDatabase, read_kept_pages

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


@dataclass(slots=True)
class FilterComparison:
    """What would change. `urls`, `pages`: how many were looked at; `more_urls`: there are more."""

    urls: int = 0
    more_urls: bool = False
    turns: list[Turn] = field(default_factory=list)
    pages: int = 0
    fields: list[FieldTurn] = field(default_factory=list)


def compare(path: Path, before: Knowledge, after: Knowledge) -> FilterComparison:
    """Compare on the crawl's database at *path*; short reads beside a crawl that runs."""
    done = FilterComparison()
    if not path.exists():
        return done
    with CrawlDatabase(path, read_only=True) as database:
        _compare_urls(database, before, after, done)
        if before.wrapper != after.wrapper:
            _compare_fields(database, before, after, done)
    return done


def _compare_urls(database: CrawlDatabase, before: Knowledge, after: Knowledge, done: FilterComparison) -> None:
    turns: dict[tuple[str, str, str], Turn] = {}
    for state in (UrlState.COMPLETE, UrlState.WAITING):
        urls = [url for _, url in numbers_matching(database, "*", [state], MOST_URLS + 1)]
        done.more_urls |= len(urls) > MOST_URLS
        for url in urls[:MOST_URLS]:
            done.urls += 1
            was, now = before.verdict(url), after.verdict(url)
            if was is not now:
                turn = turns.setdefault((state.value, was, now), Turn(state.value, was.value, now.value))
                turn.count += 1
                turn.urls += [url] if len(turn.urls) < EXAMPLES else []
    done.turns = sorted(turns.values(), key=lambda one: -one.count)


def _compare_fields(database: CrawlDatabase, before: Knowledge, after: Knowledge, done: FilterComparison) -> None:
    old, new = Wrapper.from_json(before.wrapper), Wrapper.from_json(after.wrapper)
    found: dict[str, FieldTurn] = {}
    for url, html in _targets(database, before, after):
        done.pages += 1
        was, now = _read(old, html, url), _read(new, html, url)
        for name in dict.fromkeys((*was, *now)):
            _note(found.setdefault(name, FieldTurn(name)), url, was.get(name), now.get(name))
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
