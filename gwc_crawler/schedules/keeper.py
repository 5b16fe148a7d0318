"""Whose moment has come: it is started once, by whoever sees it first, or it is said why not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from gwc_crawler.errors import GwcError
from gwc_crawler.modes import Missed
from gwc_crawler.schedules.book import Last, Schedule, ScheduleBook

LATE_SECONDS = 300.0
"""What is seen later than this was missed: nobody was there at its moment."""

MOST_WAIT_SECONDS = 15.0
"""So often it is looked at what others have changed, and whether the clock has been put on."""


@dataclass(frozen=True)
class Keeper:
    """Keeps the schedules of a book.

    Args:
        start: begins the crawl of a schedule. Its answer says in words why it did not ("" where it did).
    """

    book: ScheduleBook
    start: Callable[[Schedule], str]
    clock: Callable[[], float] = time.time

    def look(self) -> list[Schedule]:
        """Start what is due, each moment once, whoever else looks; return those whose moment had come."""
        now = self.clock()
        with self.book.changing() as kept:
            for name, one in kept.items():
                if one.since > now + MOST_WAIT_SECONDS:  # the clock has been put back
                    kept[name] = replace(one, since=now)
            due = [one for one in kept.values() if one.is_on and one.timing.last_until(now) > one.since]
            for one in due:
                kept[one.id] = replace(one, since=now)
        done = [self._done(one, now) for one in due]
        if done:
            with self.book.changing() as kept:
                for one in done:
                    if one.id in kept:
                        kept[one.id] = replace(kept[one.id], last=one.last)
        return done

    def wait_seconds(self) -> float:
        """How long nothing is due, at most a quarter of a minute."""
        now = self.clock()
        moments = [one.timing.next_after(now) - now for one in self.book.all() if one.is_on]
        return max(0.2, min([MOST_WAIT_SECONDS, *moments]))

    def _done(self, one: Schedule, now: float) -> Schedule:
        moment = one.timing.last_until(now)
        if now - moment > LATE_SECONDS and one.missed is Missed.SKIP:
            return replace(one, last=Last(moment, now, "missed: nobody was there", went_wrong=True))
        try:
            why_not = self.start(one)
        except (GwcError, OSError) as error:
            return replace(one, last=Last(moment, now, str(error), went_wrong=True))
        late = "started late: nobody was there" if now - moment > LATE_SECONDS else "started"
        return replace(one, last=Last(moment, now, why_not or late, went_wrong=bool(why_not)))
