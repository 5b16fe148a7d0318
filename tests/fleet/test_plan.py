"""Who works on which site: the decisions alone, without Redis and without a clock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gwc_crawler.fleet.plan import (
    FRESH,
    LOST_WORKERS,
    SiteEntry,
    beat,
    deal,
    end,
    expire,
    join,
    leave,
    need,
    next_expiry,
    reopen,
)
from gwc_crawler.items import UrlState

SHARE = 100


def worked_on(*owners: str, waiting: tuple[int, ...] = (), until: float = 60.0) -> SiteEntry:
    entry = SiteEntry("books", waiting=waiting)
    for owner in owners:
        entry = join(entry, owner, until)
    return entry


def parts_of(entry: SiteEntry) -> list[tuple[int, ...]]:
    return [one.parts for one in entry.holders]


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


def test_one_worker_has_the_whole_site_and_two_share_it_by_what_waits() -> None:
    assert parts_of(worked_on("a", waiting=(5, 5, 5, 5))) == [()]
    hands = parts_of(worked_on("a", "b", waiting=(90, 30, 30, 30)))
    assert hands == [(0,), (1, 2, 3)]


def test_each_part_is_dealt_once_and_nobody_has_only_empty_ones() -> None:
    waiting = (7, 0, 3, 9, 0, 1, 4, 2)
    for workers in range(2, 7):
        hands = deal(waiting, range(workers))
        assert sorted(part for parts in hands.values() for part in parts) == list(range(8))
        assert all(sum(waiting[part] for part in parts) for parts in hands.values())
    assert () in deal((9, 0, 0), [1, 2]).values()


def test_who_leaves_gives_its_parts_to_the_others() -> None:
    entry = worked_on("a", "b", "c", waiting=(6, 6, 6))
    entry = leave(entry, 2)
    assert [one.owner for one in entry.holders] == ["a", "c"]
    assert sorted(sum(parts_of(entry), ())) == [0, 1, 2]
    entry = leave(leave(entry, 1), 3, rest_until=99.0)
    assert (entry.state, entry.rest_until) == (UrlState.WAITING, 99.0)


def test_empty_parts_are_dealt_anew_while_much_waits_elsewhere() -> None:
    entry = worked_on("a", "b", waiting=(50, 50))
    idle = entry.holders[0]
    assert idle.parts == (0,)
    assert beat(entry, idle.token, 90.0, (0, 99), SHARE).holder(idle.token) == replace(idle, until=90.0)
    entry = beat(entry, idle.token, 90.0, (0, 60, 60), SHARE)
    assert sorted(parts_of(entry)) == [(0, 1), (2,)]


def test_silence_returns_a_site_and_who_was_silent_holds_nothing() -> None:
    entry = expire(worked_on("a", until=60.0), 60.0)
    assert (entry.state, entry.holders) == (UrlState.WAITING, ())
    assert beat(entry, 1, 90.0, (5,), SHARE) == entry
    assert leave(entry, 1) == entry
    assert end(entry, 1, UrlState.COMPLETE) == entry
    assert join(entry, "b", 120.0).token == 2


def test_one_silent_worker_of_two_leaves_its_parts_to_the_other() -> None:
    entry = worked_on("a", "b", waiting=(5, 5))
    entry = expire(beat(entry, 2, 100.0, (5, 5), SHARE), 61.0)
    assert [(one.owner, one.parts) for one in entry.holders] == [("b", ())]
    assert next_expiry(entry) == 100.0


def test_a_site_that_kills_its_workers_is_given_up_unless_they_gave_a_sign_of_life() -> None:
    entry = SiteEntry("books")
    for _ in range(LOST_WORKERS):
        entry = expire(beat(join(entry, "a", 60.0), entry.token + 1, 60.0, (), SHARE), 61.0)
    assert entry.state == UrlState.WAITING
    for _ in range(LOST_WORKERS - entry.lost):
        entry = expire(join(entry, "a", 60.0), 61.0)
    assert entry.state == UrlState.ERROR
    assert "vanished" in entry.reason
    assert reopen(entry).state == UrlState.WAITING


def test_the_end_of_a_site_sends_all_its_workers_elsewhere() -> None:
    entry = end(worked_on("a", "b", waiting=(5, 5)), 2, UrlState.COMPLETE)
    assert (entry.state, entry.holders, entry.waiting) == (UrlState.COMPLETE, (), ())
    assert beat(entry, 1, 99.0, (), SHARE).holder(1) is None


def test_an_entry_is_the_same_after_it_was_written_and_read() -> None:
    entry = worked_on("a", "b", waiting=(5, 6))
    assert SiteEntry.from_json(entry.to_json()) == entry
