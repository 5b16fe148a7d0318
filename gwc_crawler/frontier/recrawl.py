"""Pure decisions on when to look at a page again: a look's result goes in, a `Revisit` with the next time comes out.

A frontier keeps it in the step that ends the lease: a crawl that is killed while it looks again goes on where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from gwc_crawler.errors import InputError, did_you_mean
from gwc_crawler.items import PageKind, Revisit

SOONER, LATER = 0.5, 1.5  # factors of `next_interval`


class Recrawl(StrEnum):
    """The pages that `-a recrawl=…` looks at again; never those that a person dropped."""

    DUE = "due"
    """Pages that are due, or that a sitemap reports as changed; always also starts and sitemaps, as they lead to new
    pages (but not within the least interval)."""
    ALL = "all"
    """Every page."""
    ERRORS = "errors"
    """URLs in error, but those that a limit cut off."""


def recrawl_choice(text: str) -> Recrawl:
    """Read the value of `-a recrawl=…`. Raises InputError: there is no such word; says which there are."""
    try:
        return Recrawl(text)
    except ValueError:
        known = "it can be due (what is due by now), all, or errors (what failed)"
        hint = did_you_mean(text, [one.value for one in Recrawl], cutoff=0.5)
        raise InputError(f"recrawl={text}: {known}{hint and f'; {hint}'}") from None


@dataclass(frozen=True, slots=True)
class Intervals:
    """Seconds between two looks at a page: at the beginning, at least, at most."""

    start_seconds: float = 86_400.0
    min_seconds: float = 3_600.0
    max_seconds: float = 30 * 86_400.0

    def __post_init__(self) -> None:
        if not 0 < self.min_seconds <= self.start_seconds <= self.max_seconds:
            raise InputError(
                f"GWC_RECRAWL_MIN_SECONDS ({self.min_seconds:g}), _START_SECONDS ({self.start_seconds:g}) and "
                f"_MAX_SECONDS ({self.max_seconds:g}) have to be over 0, each no more than the next"
            )


@dataclass(frozen=True, slots=True)
class RevisitResult:
    """The result of one look at a page; fields as in `Revisit`."""

    signature: int
    kind: PageKind
    relevant: bool
    etag: str = ""
    last_modified: str = ""


def next_interval(old_seconds: float, passed_seconds: float, *, changed: bool, limits: Intervals) -> float:
    """Return the seconds to wait before the next look at a page.

    If changed: no more than before (*old_seconds*), half of the shorter of that and the time since the last look. If
    unchanged: no less than before; 1.5 times the passed time, if that is more: an early look proves little, a late one
    much. Within *limits*.
    Source:
        T-Spider's repetitive spider comes back to fetched pages. Growing and shrinking an interval by a factor, as each
        look finds, is the rule of Nutch's AdaptiveFetchSchedule (by a fifth either way, whatever has passed). A missed
        change costs more than a look in vain, which mostly is a 304: so we shrink faster than we grow, and settle where
        37 % of the looks find a change (p · ln 2 = (1 − p) · ln 1.5). The lower limit follows Cho and Garcia-Molina,
        Effective Page Refresh Policies for Web Crawlers, TODS 28(4), 2003: chasing pages that change faster than they
        can be fetched makes the collection as a whole less fresh.

    >>> day, limits = 86400.0, Intervals()
    >>> next_interval(day, day, changed=True, limits=limits) / day
    0.5
    >>> next_interval(day, day, changed=False, limits=limits) / day
    1.5
    >>> next_interval(day, 60.0, changed=False, limits=limits) / day
    1.0
    """
    seconds = SOONER * min(old_seconds, passed_seconds) if changed else max(old_seconds, LATER * passed_seconds)
    return min(max(seconds, limits.min_seconds), limits.max_seconds)


def look_again(old: Revisit | None, look: RevisitResult, now: float, limits: Intervals) -> Revisit:
    """Return the data to keep of a page that was read; *old* is the earlier `Revisit`, None at the first look."""
    if old is None:
        seconds, due_at = limits.start_seconds, now + limits.start_seconds
        return Revisit(
            look.signature, look.kind, look.relevant, seconds, now, now, due_at, look.etag, look.last_modified
        )
    changed = look.signature != old.signature or old.gone_at is not None
    return replace(
        _checked(old, now, limits, changed=changed),
        signature=look.signature,
        kind=look.kind,
        relevant=look.relevant,
        etag=look.etag,
        last_modified=look.last_modified,
        gone_at=None,
    )


def has_changed_since(old: Revisit, changed_at: float | None, now: float, limits: Intervals) -> bool:
    """Say whether a page is due because its sitemap says that it changed last at a time, after the last look at it.

    A time that is more than a day ahead says nothing, and no page is due before the least interval is over.

    >>> seen = Revisit(1, PageKind.TARGET, True, 9e9, checked_at=1e9, changed_at=1e9, due_at=9e9)
    >>> [has_changed_since(seen, when, 1e9 + 7200, Intervals()) for when in (1e9 - 1, 1e9 + 60, 2e9, None)]
    [False, True, False, False]
    """
    if changed_at is None or changed_at > now + 86_400:
        return False
    return old.checked_at < changed_at and old.checked_at + limits.min_seconds <= now


def not_modified(old: Revisit, now: float, limits: Intervals, etag: str = "", last_modified: str = "") -> Revisit:
    """Return the data to keep of a page that the server reports as unchanged (304)."""
    kept = _checked(old, now, limits, changed=False)
    return replace(kept, etag=etag or old.etag, last_modified=last_modified or old.last_modified, gone_at=None)


def gone(old: Revisit, now: float, limits: Intervals) -> Revisit:
    """Return the `Revisit` of a page that is gone: it may come back, and is fetched ever more rarely."""
    kept = _checked(old, now, limits, changed=False)
    if old.gone_at is not None:
        return kept
    return replace(kept, gone_at=now, changed_at=now, changes=old.changes + 1)


def missed(old: Revisit, now: float) -> Revisit:
    """Return the `Revisit` of a page whose fetch failed: its interval stays, since nothing was learned."""
    return replace(old, due_at=now + old.interval_seconds)


def _checked(old: Revisit, now: float, limits: Intervals, *, changed: bool) -> Revisit:
    passed = max(0.0, now - old.checked_at)
    seconds = next_interval(old.interval_seconds, passed, changed=changed, limits=limits)
    return replace(
        old,
        interval_seconds=seconds,
        checked_at=now,
        changed_at=now if changed else old.changed_at,
        due_at=now + seconds,
        checks=old.checks + 1,
        changes=old.changes + changed,
    )


# --- The data kept of a page → the headers of a conditional GET. The spiders ask for each Request ---------------------
CONDITIONS = ("If-None-Match", "If-Modified-Since")


def conditions_of(revisit: Revisit) -> dict[str, str]:
    """Return the headers by which a server may say that nothing has changed (RFC 9110 §13.1.2, §13.1.3).

    They are sent back as they came. A page that was gone is asked for unconditionally: that it is back is news.

    >>> from gwc_crawler.items import PageKind
    >>> conditions_of(Revisit(1, PageKind.TARGET, True, 60.0, 0.0, 0.0, 60.0, etag='W/"7"'))
    {'If-None-Match': 'W/"7"'}
    """
    if revisit.gone_at is not None:
        return {}
    values = zip(CONDITIONS, (revisit.etag, revisit.last_modified), strict=True)
    return {name: value for name, value in values if value}
