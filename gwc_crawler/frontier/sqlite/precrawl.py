"""The frontier of a pre-crawl: start URLs before all others, and pages that have become too old wait again."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gwc_crawler.admission import LIMIT
from gwc_crawler.frontier.protocol import DROPPED
from gwc_crawler.frontier.sqlite.frontier import SqliteFrontier
from gwc_crawler.items import Lease, PageKind, UrlState
from gwc_crawler.urls import url_key


class PrecrawlFrontier(SqliteFrontier):
    """A `SqliteFrontier` with the questions that only a pre-crawl asks."""

    def lease_first(self, urls: Sequence[str], owner: str) -> list[Lease]:
        """Lease those of *urls* that are ready, whatever else waits."""
        with self._queue_state.step():
            now = self._clock()
            self._states.lose(now, self._max_lost_leases)
            self._states.wake(now)
            rows = self._sql.execute(
                "SELECT u.id, u.url, u.weight, u.depth, u.attempts FROM urls AS u JOIN queues AS q ON q.id = u.queue "
                "WHERE u.md5 IN (SELECT value FROM json_each(?)) AND u.state = 'U' AND u.due_at IS NULL "
                "AND q.not_before IS NULL ORDER BY u.id",
                (json.dumps([url_key(url) for url in urls]),),
            ).fetchall()
            return self._grant(rows, owner, now)

    def unsettled(self, urls: Sequence[str]) -> int:
        """How many of *urls* wait or are leased."""
        infos = [self.find(url) for url in urls]
        return sum(info is not None and info.state in (UrlState.WAITING, UrlState.RUNNING) for info in infos)

    def pages(self) -> int:
        """How many pages are complete; redirects and sitemaps are none. Cost: walks the whole table."""
        with self._database.errors():
            query = "SELECT count(*) FROM urls WHERE state = 'C' AND kind NOT IN (?, ?)"
            return int(self._sql.execute(query, (PageKind.REDIRECT.value, PageKind.SITEMAP.value)).fetchone()[0])

    def let_old_wait(self, before: float) -> int:
        """Let wait again, as if for the first time, what ended before that time (epoch seconds); returns how much.

        Cost: walks the whole table.
        """
        with self._queue_state.step():
            rows = self._sql.execute(
                "SELECT id, state FROM urls WHERE state IN ('C', 'E') AND done_at < ? AND reason IS NOT ?",
                (before, DROPPED),
            ).fetchall()
            complete = [number for number, state in rows if state == UrlState.COMPLETE]
            self._states.recall_arrival_weight(complete)
            self._revisits.forget(complete)
            self._queue_state.count("C", -len(complete))
            self._queue_state.count("E", len(complete) - len(rows))
            self._states.wait_again([number for number, _ in rows])
            return len(rows)

    def asked(self) -> int:
        """How many requests were begun; redirects and robots.txt don't count. Cost: walks the whole table."""
        with self._database.errors():
            query = "SELECT coalesce(sum(attempts), 0) FROM urls WHERE coalesce(reason, '') NOT GLOB ?"
            return int(self._sql.execute(query, (f"{LIMIT}*",)).fetchone()[0])

    def outcomes(self) -> list[tuple[str, int | None, bool]]:
        """What came of the URLs that were asked for: URL, number of the page it was found on, whether it is a page."""
        with self._database.errors():
            rows = self._sql.execute(
                "SELECT url, parent, state = 'C' AND kind NOT IN (?, ?) FROM urls "
                "WHERE state = 'C' OR (state = 'E' AND reason NOT GLOB ? AND reason <> ?)",
                (PageKind.REDIRECT.value, PageKind.MISSING.value, f"{LIMIT}*", DROPPED),
            )
            return [(url, parent, bool(good)) for url, parent, good in rows.fetchall()]

    def found_on(self, numbers: Sequence[int]) -> dict[int, int]:
        """Numbers of URLs → the number of the page that each was found on, where it was."""
        with self._database.errors():
            rows = self._sql.execute(
                "SELECT id, parent FROM urls WHERE parent IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
                (json.dumps(numbers),),
            )
            return dict(rows.fetchall())

    def take_up_again(self) -> int:
        """Let wait again what an earlier run had left for its errors; returns how much. Cost: walks the whole table."""
        with self._queue_state.step():
            query = "SELECT id FROM urls WHERE state = 'E' AND reason GLOB ?"
            rows = self._sql.execute(query, (f"{LIMIT}*",)).fetchall()
            self._queue_state.count("E", -len(rows))
            self._states.wait_again([number for (number,) in rows])
            return len(rows)

    def take_up_linked(self, reason: str) -> list[int]:
        """Let wait again what was left for *reason* and stands on several pages, as a site's own navigation does.

        Returns their numbers. Cost: walks the tables of URLs and of links.
        """
        with self._queue_state.step():
            rows = self._sql.execute(
                "SELECT dst FROM link_ids WHERE dst IN (SELECT id FROM urls WHERE state = 'E' AND reason = ?) "
                "GROUP BY dst HAVING count(*) > 1",
                (reason,),
            ).fetchall()
            numbers = [number for (number,) in rows]
            self._queue_state.count("E", -len(numbers))
            self._states.wait_again(numbers)
            return numbers
