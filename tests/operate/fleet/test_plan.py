"""Who works on which site: the decisions alone, without Redis and without a clock."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gwc_crawler.items import UrlState
from gwc_crawler.operate.fleet.plan import (
    FRESH,
    LOST_WORKERS,
    SiteEntry,
    beat,
    end,
    expire,
    join,
    leave,
    need,
    next_expiry,
    reopen,
)

SHARE = 100


def worked_on(*owners: str, waiting: tuple[int, ...] = (), until: float = 60.0) -> SiteEntry:
    entry = SiteEntry("books", waiting=waiting)
    for owner in owners:
        entry = join(entry, owner, until)
    return entry


def test_a_site_nobody_works_on_comes_before_all_others() -> None:
    fresh = need(SiteEntry("books"), SHARE)
    full = need(worked_on("a", waiting=(10**9,)), SHARE)
    assert fresh is not None
    assert full is not None
    assert fresh == FRESH
    assert fresh > full


def test_a_big_site_wants_workers_while_each_has_its_share() -> None:
    entry, joined = worked_on("a", waiting=(150, 150, 150)), 1
    while need(entry, SHARE) is not None:
        joined += 1
        entry = join(entry, f"w{joined}", 60.0)
    assert joined == 4
    assert need(worked_on("a", waiting=(199,)), SHARE) is None


@pytest.mark.parametrize("state", [UrlState.COMPLETE, UrlState.ERROR])
def test_an_ended_site_wants_nobody(state: UrlState) -> None:
    assert need(end(worked_on("a", waiting=(900, 900)), 1, state), SHARE) is None


def test_nobody_is_wanted_where_a_site_is_being_learned() -> None:
    assert need(replace(worked_on("a", waiting=(900, 900)), learning=True), SHARE) is None


def test_where_parts_are_owned_no_more_workers_are_wanted_than_there_are_parts_to_own() -> None:
    """A big host in one queue is one worker's, however many URLs wait."""
    one_queue, two_queues = (beat(worked_on("a"), 1, 60.0, waiting, (1,)) for waiting in ((0, 900), (600, 300)))
    assert need(one_queue, SHARE) is None
    assert need(two_queues, SHARE) == 450
    assert need(beat(one_queue, 1, 60.0, (0, 900)), SHARE) == 450, "nobody owns any"


def test_a_site_that_the_last_worker_leaves_waits() -> None:
    entry = leave(worked_on("a", "b", "c", waiting=(6, 6, 6)), 2)
    assert [one.owner for one in entry.holders] == ["a", "c"]
    entry = leave(leave(entry, 1), 3, rest_until=99.0)
    assert (entry.state, entry.rest_until) == (UrlState.WAITING, 99.0)


def test_silence_returns_a_site_and_who_was_silent_holds_nothing() -> None:
    entry = expire(worked_on("a", until=60.0), 60.0)
    assert (entry.state, entry.holders) == (UrlState.WAITING, ())
    assert beat(entry, 1, 90.0, (5,)) == entry
    assert leave(entry, 1) == entry
    assert end(entry, 1, UrlState.COMPLETE) == entry
    assert join(entry, "b", 120.0).token == 2


def test_one_silent_worker_of_two_leaves_the_site_to_the_other() -> None:
    entry = worked_on("a", "b", waiting=(5, 5))
    entry = expire(beat(entry, 2, 100.0, (5, 5), (0,)), 61.0)
    assert [(one.owner, one.parts) for one in entry.holders] == [("b", (0,))]
    assert next_expiry(entry) == 100.0


def test_a_site_that_kills_its_workers_is_given_up_unless_they_gave_a_sign_of_life() -> None:
    entry = SiteEntry("books")
    for _ in range(LOST_WORKERS):
        entry = expire(beat(join(entry, "a", 60.0), entry.token + 1, 60.0, ()), 61.0)
    assert entry.state == UrlState.WAITING
    for _ in range(LOST_WORKERS - entry.lost):
        entry = expire(join(entry, "a", 60.0), 61.0)
    assert entry.state == UrlState.ERROR
    assert "vanished" in entry.reason
    assert reopen(entry).state == UrlState.WAITING


def test_the_end_of_a_site_sends_all_its_workers_elsewhere() -> None:
    entry = end(worked_on("a", "b", waiting=(5, 5)), 2, UrlState.COMPLETE)
    assert (entry.state, entry.holders, entry.waiting) == (UrlState.COMPLETE, (), ())
    assert beat(entry, 1, 99.0, ()).holder(1) is None


def test_an_entry_is_the_same_after_it_was_written_and_read() -> None:
    entry = worked_on("a", "b", waiting=(5, 6))
    assert SiteEntry.from_json(entry.to_json()) == entry


@pytest.mark.parametrize(
    "newer", [{"mood": "good"}, {"holders": [{"owner": "a", "token": 1, "until": 2.0, "mood": 3}]}]
)
def test_an_entry_of_a_newer_version_is_refused_so_that_its_facts_stay(newer: dict[str, object]) -> None:
    told = json.loads(worked_on("a").to_json())
    with pytest.raises(ValueError, match="newer version's entry, with mood"):
        SiteEntry.from_json(json.dumps({**told, **newer}))
