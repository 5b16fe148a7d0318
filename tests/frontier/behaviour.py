"""What every frontier must do. A test module subclasses `FrontierBehaviour` and says how its frontier is opened.

The whole suite runs twice: as it stands, and with the frontier closed and opened anew at each `world.settle()`.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest

from gwc_crawler.frontier.admission import PageLimits
from gwc_crawler.frontier.protocol import Frontier
from gwc_crawler.frontier.queues import RoleQueues, queue_policy
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, RejectionReason, UrlState

HOME = "http://shop.example/"


def first_letter(url: str) -> str:
    """A user's own policy."""
    return url.rpartition("/")[2][:1]


POLICIES = pytest.mark.parametrize("policy", ["host", "bkdr", "column", f"{__name__}.first_letter"])


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    """A frontier, its clock, and the way to open it again."""

    open: Callable[[World], Frontier]
    close: Callable[[World], None]
    reopens: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.frontier = self.open(self)

    def settle(self, **options: Any) -> None:
        """Close and open anew where the suite runs that way (or where options change); nothing is leased now."""
        if self.reopens or options:
            self.close(self)
            self.options.update(options)
            self.frontier = self.open(self)

    def start(self, *urls: str) -> None:
        self.frontier.add([Link(url) for url in urls or (HOME,)])

    def lease(self, n: int = 1) -> list[Lease]:
        return self.frontier.lease(n, "worker")

    def lease_one(self) -> Lease:
        (lease,) = self.lease()
        return lease

    def finish(self, lease: Lease, links: Iterable[str] = (), *, relevant: bool = False, url: str = "") -> None:
        self.frontier.complete([done(lease, links, relevant=relevant, url=url)])

    def alias(self, lease: Lease, main: str) -> None:
        """The page is an alias, and names *main* as its canonical address."""
        self.frontier.complete([replace(done(lease, [main], kind=PageKind.ALIAS), main=main)])

    def state(self, url: str) -> str | None:
        info = self.frontier.find(url)
        return info.state if info else None

    def weight(self, url: str) -> int:
        info = self.frontier.find(url)
        assert info is not None
        return info.weight


def done(
    lease: Lease, links: Iterable[str] = (), *, relevant: bool = False, url: str = "", kind: PageKind = PageKind.INDEX
) -> Done:
    return Done(lease, url or lease.url, kind, relevant, tuple(links))


def page(n: int | str) -> str:
    return f"{HOME}p/{n}"


def urls(leases: Iterable[Lease]) -> list[str]:
    return [lease.url for lease in leases]


class NothingRefused:
    """An admission that keeps no links for a later day."""

    forbidden: ClassVar[list[Link]] = []

    def forget_forbidden(self) -> None:
        pass


class RefusesForNow(NothingRefused):
    """Admission that keeps some links for a later day, as robots.txt does."""

    def admit(self, urls: Sequence[str], depth: int, weight: int) -> list[str]:
        self.forbidden += [Link(url, weight, depth) for url in urls if "no/" in url]
        return [url for url in urls if "no/" not in url]

    def cut_off(self, reason: RejectionReason, url: str) -> None:
        raise AssertionError(url)

    def entered(self, page: Done, urls: Sequence[str]) -> None:
        pass


class FrontierBehaviour:
    """The suite. `world` is a fixture of the subclass."""

    # --- adding and leasing ---------------------------------------------------------------------------------------

    def test_add_counts_what_is_new(self, world: World) -> None:
        assert world.frontier.add([Link(HOME), Link(page(1)), Link(HOME)]) == 2
        world.settle()
        assert world.frontier.add([Link(page(1)), Link(page(2))]) == 1
        assert world.frontier.counts().waiting == 3

    def test_a_lease_tells_all_about_its_url(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        assert (lease.url, lease.weight, lease.depth, lease.attempt, lease.owner) == (HOME, 0, 0, 1, "worker")
        assert lease.expires_at == world.clock() + 600
        info = world.frontier.find(HOME)
        assert info is not None
        assert (info.state, info.owner, info.lease_until, info.attempts) == ("R", "worker", lease.expires_at, 1)

    def test_a_url_is_leased_once(self, world: World) -> None:
        world.start()
        assert len(world.lease(10)) == 1
        assert world.lease(10) == []

    def test_an_empty_frontier_leases_nothing(self, world: World) -> None:
        assert world.lease(10) == []
        assert world.lease(0) == []
        counts = world.frontier.counts()
        assert (counts.waiting, counts.ready_now, counts.next_ready_at, counts.finished) == (0, False, None, True)

    def test_low_weight_comes_first_then_first_come_first_served(self, world: World) -> None:
        weights = [2, 0, 1, 0, 2, 1]
        world.frontier.add([Link(page(i), weight, 1) for i, weight in enumerate(weights)])
        world.settle()
        assert urls(world.lease(3)) == [page(1), page(3), page(2)]
        assert urls(world.lease(9)) == [page(5), page(0), page(4)]

    def test_a_better_weight_moves_a_waiting_url_up(self, world: World) -> None:
        world.frontier.add([Link(page(1), 1, 1), Link(page(2), 3, 3)])
        world.settle()
        world.frontier.add([Link(page(2), 0, 1), Link(page(1), 2, 1)])
        assert urls(world.lease(2)) == [page(2), page(1)]
        assert world.weight(page(1)) == 1

    def test_hosts_of_equal_weight_take_turns(self, world: World) -> None:
        for host in "abc":
            world.frontier.add([Link(f"http://{host}.example/{i}", 1, 1) for i in range(4)])
        world.settle()
        leases = [*world.lease(3), *world.lease(6)]
        hosts = [lease.url[7] for lease in leases]
        assert [sorted(hosts[i : i + 3]) for i in (0, 3, 6)] == [["a", "b", "c"]] * 3
        assert [lease.url for lease in leases if lease.url[7] == "b"] == [f"http://b.example/{i}" for i in range(3)]

    def test_busy_hosts_are_passed_over_and_keep_their_turns(self, world: World) -> None:
        world.start(*(f"http://{host}.example/{n}" for host in "ab" for n in (1, 2)))
        first = world.frontier.lease(3, "worker", ["a.example"])
        assert urls(first) == ["http://b.example/1", "http://b.example/2"]
        assert world.frontier.lease(3, "worker", ["a.example", "never.seen"]) == []
        assert urls(world.lease(3)) == ["http://a.example/1", "http://a.example/2"]

    def test_turns_hold_across_single_leases(self, world: World) -> None:
        for host in "abc":
            world.frontier.add([Link(f"http://{host}.example/{i}", 1, 1) for i in range(3)])
        hosts = [world.lease_one().url[7] for _ in range(9)]
        assert [sorted(hosts[i : i + 3]) for i in (0, 3, 6)] == [["a", "b", "c"]] * 3

    def test_what_waits_of_a_host_counts_once_wherever_it_stood_before(self, world: World) -> None:
        world.frontier.add([Link(page(number), 2, 1) for number in range(3)])
        world.frontier.add([Link(page(0), 1, 1)])
        world.frontier.drop(page(1))
        assert world.frontier.waiting_of(["shop.example"]) == 2

    def test_a_start_has_no_way_that_led_to_it(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1)])
        world.finish(world.lease_one(), [page(2)])
        world.start(page(2))
        info = world.frontier.find(page(2))
        assert info is not None
        assert (info.weight, info.depth, info.through) == (0, 0, ())

    def test_retry_of_no_state_moves_nothing(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one())
        assert world.frontier.retry("*", []) == 0

    def test_weight_goes_before_turns(self, world: World) -> None:
        world.frontier.add([Link(f"http://a.example/{i}", 0, 1) for i in range(3)])
        world.frontier.add([Link("http://b.example/", 1, 1)])
        assert [url[7] for url in urls(world.lease(4))] == ["a", "a", "a", "b"]

    # --- completing -----------------------------------------------------------------------------------------------

    def test_links_of_a_page_enter_when_it_is_complete(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1), page(2), HOME])
        world.settle()
        assert world.state(HOME) == UrlState.COMPLETE
        counts = world.frontier.counts()
        assert (counts.waiting, counts.running, counts.complete) == (2, 0, 1)
        assert [(lease.url, lease.depth) for lease in world.lease(5)] == [(page(1), 1), (page(2), 1)]

    def test_weight_counts_the_irrelevant_pages_on_the_way(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1)])
        for i, relevant in ((1, False), (2, False), (3, True), (4, False)):
            world.settle()
            world.finish(world.lease_one(), [page(i + 1)], relevant=relevant)
        assert [world.weight(page(i)) for i in range(1, 6)] == [1, 2, 0, 1, 1]

    def test_kind_and_way_are_kept(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1)])
        world.frontier.complete([done(world.lease_one(), kind=PageKind.TARGET)])
        world.settle()
        info = world.frontier.find(page(1))
        assert info is not None
        assert (info.kind, info.depth, info.through) == (PageKind.TARGET, 1, ((HOME, 0),))

    def test_an_unknown_url_is_not_found(self, world: World) -> None:
        assert world.frontier.find(page(1)) is None

    def test_an_outdated_token_has_no_effect(self, world: World) -> None:
        world.start()
        late = world.lease_one()
        world.clock.now += 601
        world.settle()
        current = world.lease_one()
        assert current.token > late.token
        world.finish(late, [page(1)])
        world.frontier.fail(late, Failure("late"))
        world.frontier.release([late])
        assert world.state(HOME) == UrlState.RUNNING
        assert world.frontier.find(page(1)) is None
        assert world.frontier.counts().outdated == 3
        world.finish(current, [page(2)])
        assert world.state(HOME) == UrlState.COMPLETE

    def test_only_the_outdated_page_of_a_batch_is_left_out(self, world: World) -> None:
        world.start(page(1), page(2))
        late, good = world.lease(2)
        world.frontier.release([late])
        world.frontier.complete([done(late, [page(3)]), done(good, [page(4)])])
        world.settle()
        assert [world.state(page(i)) for i in (1, 2, 3, 4)] == ["U", "C", None, "U"]

    def test_completing_twice_counts_once(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        world.frontier.complete([done(lease), done(lease)])
        counts = world.frontier.counts()
        assert (counts.complete, counts.running, counts.outdated) == (1, 0, 1)

    def test_tokens_grow(self, world: World) -> None:
        world.start(*(page(i) for i in range(6)))
        tokens = [lease.token for lease in world.lease(3)]
        world.frontier.release(world.lease(1))
        tokens += [lease.token for lease in world.lease(2)]
        assert tokens == sorted(set(tokens))

    # --- threshold and improvement --------------------------------------------------------------------------------

    def test_pages_at_the_threshold_are_kept_but_not_followed(self, world: World) -> None:
        world.settle(max_weight=2)
        world.start()
        world.finish(world.lease_one(), [page(1)])
        world.finish(world.lease_one(), [page(2)])
        world.finish(world.lease_one(), [page(3)])
        world.settle()
        assert world.weight(page(2)) == 2
        assert world.lease() == []
        assert world.frontier.counts().finished

    def test_a_better_way_releases_held_links(self, world: World) -> None:
        world.settle(max_weight=2)
        world.start()
        world.finish(world.lease_one(), [page(1), page("hub")])
        one, hub = world.lease(2)
        world.finish(one, [page(2)])
        two = world.lease_one()
        world.finish(two, [page(3), page(4)])
        assert world.state(page(3)) is None
        world.finish(hub, [page(2)], relevant=True)
        world.settle()
        assert world.weight(page(2)) == 1
        assert urls(world.lease(5)) == [page(3), page(4)]

    def test_improvement_is_passed_on_through_complete_pages(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1), page("late")])
        one, late = world.lease(2)
        world.finish(one, [page(2)])
        for i in range(2, 5):
            world.finish(world.lease_one(), [page(i + 1)])
        assert [world.weight(page(i)) for i in range(1, 6)] == [1, 2, 3, 4, 4]
        world.frontier.release([late])
        world.settle()
        late = next(lease for lease in world.lease(2) if lease.url == page("late"))
        world.finish(late, [page(3)], relevant=True)
        assert [world.weight(page(i)) for i in range(1, 6)] == [1, 2, 1, 2, 2]

    def test_a_better_way_to_a_leased_url_counts_at_its_completion(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1), page(2)])
        one, two = world.lease(2)
        world.finish(one, [page(3)])
        three = world.lease_one()
        assert three.weight == 1
        world.finish(two, [page(3)], relevant=True)
        world.finish(three, [page(4)])
        assert world.weight(page(3)) == 1
        assert world.weight(page(4)) == 1

    def test_a_page_added_as_a_start_later_gets_weight_zero(self, world: World) -> None:
        world.settle(max_weight=1)
        world.start()
        world.finish(world.lease_one(), [page(1)])
        world.finish(world.lease_one(), [page(2)])
        assert world.lease() == []
        world.settle()
        world.start(page(1))
        assert world.weight(page(1)) == 0
        assert urls(world.lease()) == [page(2)]

    # --- ends of leases -------------------------------------------------------------------------------------------

    def test_an_expired_lease_returns(self, world: World) -> None:
        world.start()
        world.lease_one()
        world.clock.now += 599
        assert world.lease() == []
        world.clock.now += 1
        world.settle()
        again = world.lease_one()
        assert (again.url, again.attempt) == (HOME, 2)

    def test_extending_starts_the_lease_anew(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        world.clock.now += 500
        world.frontier.extend([lease])
        world.clock.now += 500
        assert world.lease() == []
        world.finish(lease)
        assert world.state(HOME) == UrlState.COMPLETE

    def test_a_released_url_waits_again_and_the_attempt_does_not_count(self, world: World) -> None:
        world.start()
        world.frontier.release([world.lease_one()])
        world.settle()
        counts = world.frontier.counts()
        assert (counts.waiting, counts.running) == (1, 0)
        assert world.lease_one().attempt == 1

    def test_a_failure_for_good_is_an_error_with_its_reason(self, world: World) -> None:
        world.start()
        world.frontier.fail(world.lease_one(), Failure("HTTP 404"))
        world.settle()
        info = world.frontier.find(HOME)
        assert info is not None
        assert (info.state, info.reason, info.attempts) == (UrlState.ERROR, "HTTP 404", 1)
        counts = world.frontier.counts()
        assert (counts.error, counts.running, counts.finished) == (1, 0, True)

    def test_a_retry_waits_for_its_time(self, world: World) -> None:
        world.start()
        world.frontier.fail(world.lease_one(), Failure("HTTP 503", retry_at=world.clock() + 30))
        world.settle()
        assert world.lease() == []
        counts = world.frontier.counts()
        assert (counts.waiting, counts.ready_now, counts.next_ready_at) == (1, False, world.clock() + 30)
        world.clock.now += 30
        assert world.frontier.counts().ready_now
        assert world.lease_one().attempt == 2

    def test_a_url_whose_leases_are_lost_again_and_again_is_an_error(self, world: World) -> None:
        world.settle(max_lost_leases=3)
        world.start()
        for _ in range(3):
            world.lease_one()
            world.clock.now += 601
        assert world.lease() == []
        world.settle()
        info = world.frontier.find(HOME)
        assert info is not None
        assert (info.state, info.reason) == (UrlState.ERROR, "3 leases lost without a word")

    def test_a_page_clears_its_url_of_lost_leases(self, world: World) -> None:
        world.start()
        world.lease_one()
        world.clock.now += 601
        again = world.lease_one()
        suspect = world.frontier.find(HOME)
        assert suspect is not None
        assert suspect.lost == 1
        world.frontier.complete([done(again)])
        cleared = world.frontier.find(HOME)
        assert cleared is not None
        assert cleared.lost == 0

    def test_suspects_come_back_in_small_groups(self, world: World) -> None:
        world.start(*(page(number) for number in range(20)))
        for _ in range(2):
            assert len(world.lease(30)) == 20
            world.clock.now += 601
        assert [len(world.lease(30)), len(world.lease(30))] == [8, 0]
        world.clock.now += 10
        assert len(world.lease(30)) == 12

    def test_a_death_among_many_convicts_nobody(self, world: World) -> None:
        world.settle(max_lost_leases=2)
        world.start(page(1), page(2))
        for _ in range(3):
            assert len(world.lease(9)) == 2
            world.clock.now += 601
        assert len(world.lease(9)) == 2

    # --- hosts ----------------------------------------------------------------------------------------------------

    def test_a_paused_host_gives_nothing_until_its_time(self, world: World) -> None:
        world.start(HOME, "http://other.example/")
        world.frontier.pause_host("shop.example", world.clock() + 60)
        world.settle()
        assert urls(world.lease(5)) == ["http://other.example/"]
        counts = world.frontier.counts()
        assert (counts.waiting, counts.ready_now, counts.next_ready_at) == (1, False, world.clock() + 60)
        world.frontier.add([Link(page(1), 0, 1)])
        assert world.lease(5) == []
        world.clock.now += 60
        assert world.frontier.counts().ready_now
        assert urls(world.lease(5)) == [HOME, page(1)]

    def test_a_longer_pause_wins(self, world: World) -> None:
        world.start()
        world.frontier.pause_host("shop.example", world.clock() + 60)
        world.frontier.pause_host("shop.example", world.clock() + 10)
        world.clock.now += 30
        world.settle()
        assert world.lease() == []

    # --- queues ---------------------------------------------------------------------------------------------------

    @POLICIES
    def test_everything_is_given_once_whatever_the_policy(self, world: World, policy: str) -> None:
        world.settle(queue_of=queue_policy(policy, queues=4))
        urls_of_two_hosts = {f"http://{host}.example/{part}/{n}" for host in "ab" for part in "xy" for n in range(10)}
        world.start(*sorted(urls_of_two_hosts))
        world.settle()
        leases = [lease for _ in range(6) for lease in world.lease(9)]
        assert len(leases) == len(set(urls(leases))) == 40
        assert set(urls(leases)) == urls_of_two_hosts

    @POLICIES
    def test_a_paused_host_keeps_no_other_waiting_whatever_the_policy(self, world: World, policy: str) -> None:
        world.settle(queue_of=queue_policy(policy, queues=4))
        start = [f"http://{host}.example/{part}/{n}" for host in "ab" for part in "xy" for n in range(10)]
        world.start(*start)
        world.frontier.pause_host("a.example", world.clock() + 60)
        later = [f"http://a.example/found-later{n}/" for n in range(8)]
        world.start(*later)
        world.settle()
        assert set(urls(world.lease(100))) == set(start[20:])
        world.clock.now += 61
        assert set(urls(world.lease(100))) == {*start[:20], *later}

    @POLICIES
    def test_a_busy_host_is_passed_over_whatever_the_policy(self, world: World, policy: str) -> None:
        world.settle(queue_of=queue_policy(policy, queues=4))
        start = [f"http://{host}.example/{part}/{n}" for host in "ab" for part in "xy" for n in range(10)]
        world.start(*start)
        assert set(urls(world.frontier.lease(100, "worker", {"a.example"}))) == set(start[20:])
        assert set(urls(world.lease(100))) == set(start[:20])

    @POLICIES
    def test_what_changes_while_a_host_is_busy_counts_when_it_is_free(self, world: World, policy: str) -> None:
        world.settle(queue_of=queue_policy(policy))
        busy = {"a.example"}
        world.frontier.add([Link(f"http://a.example/c{n}/x", 3, 1) for n in range(5)])
        world.frontier.add([Link(f"http://b.example/c{n}/x", 3, 1) for n in range(9)])
        for _ in range(2):
            assert {url[7] for url in urls(world.frontier.lease(2, "worker", busy))} == {"b"}
        world.frontier.add([Link("http://a.example/c4/x", 1, 1), Link("http://a.example/new/x", 2, 1)])
        world.frontier.add([Link("http://b.example/c8/x", 2, 1)])
        assert urls(world.frontier.lease(1, "worker", busy)) == ["http://b.example/c8/x"]
        world.frontier.drop("http://a.example/c0/x")
        assert urls(world.lease(2)) == ["http://a.example/c4/x", "http://a.example/new/x"]
        assert len(world.frontier.lease(99, "worker", {"b.example"})) == 3
        assert len(world.lease(99)) == 4

    @POLICIES
    def test_targets_and_directories_of_one_weight_take_turns(self, world: World, policy: str) -> None:
        queues = RoleQueues(queue_policy(policy, queues=1))
        queues.is_target = lambda url: "/item/" in url
        world.settle(queue_of=queues)
        items = [f"{HOME}item/z{n}" for n in range(20)]
        lists = [f"{HOME}list/z{n}" for n in range(3)]
        world.start(*items, *lists)
        world.settle()
        leased = urls(world.lease(4)) + urls(world.lease(1)) + urls(world.lease(1))
        assert set(leased) == {*items[:3], *lists}, "the listings do not wait for all that was found before"
        assert [url for url in leased if "/item/" in url] == items[:3], "first come, first served"
        assert set(urls(world.lease(100))) == set(items[3:])

    def test_another_policy_leaves_waiting_urls_where_they_are(self, world: World) -> None:
        for name in ("host", "bkdr", "column"):
            world.settle(queue_of=queue_policy(name))
            world.start(*(f"http://a.example/{name}/{n}" for n in range(5)))
        world.settle(queue_of=None)
        world.frontier.pause_host("a.example", world.clock() + 60)
        assert world.lease(100) == []
        world.frontier.retry("*")
        assert world.frontier.counts().waiting == 15

    def test_how_many_wait_of_some_hosts(self, world: World) -> None:
        for name in ("host", "bkdr"):
            world.settle(queue_of=queue_policy(name))
            world.start(*(f"http://{host}.example/{name}/{n}" for n in range(5) for host in "abc"))
        world.lease(3)
        counts = [world.frontier.waiting_of(hosts) for hosts in ([], ["a.example"], ["b.example", "x.example"])]
        assert counts[0] == 0
        assert counts[1:] == [9, 9]
        assert world.frontier.waiting_of([f"{host}.example" for host in "abc"]) == world.frontier.counts().waiting == 27

    # --- limits ---------------------------------------------------------------------------------------------------

    def test_admission_is_asked_for_new_links_and_told_what_a_page_brought(self, world: World) -> None:
        class Admission(NothingRefused):
            asked: ClassVar[list[tuple[list[str], int]]] = []
            told: ClassVar[list[tuple[str, list[str]]]] = []

            def admit(self, urls: Sequence[str], depth: int, weight: int) -> list[str]:
                self.asked.append((list(urls), depth))
                return [url for url in urls if "trap" not in url]

            def cut_off(self, reason: RejectionReason, url: str) -> None:
                raise AssertionError(url)

            def entered(self, page: Done, urls: Sequence[str]) -> None:
                self.told.append((page.url, list(urls)))

        world.start(HOME, page(1))
        world.frontier.admission = admission = Admission()
        home, one = world.lease(2)
        trap = f"{HOME}trap/1"
        world.frontier.complete([done(home, [page(2), trap, page(1)]), done(one, [page(2), page(3)])])
        assert admission.told == [(HOME, [page(2)]), (page(1), [page(3)])]
        assert [(trap in urls, depth) for urls, depth in admission.asked] == [(True, 1), (False, 1)]
        assert world.state(trap) is None
        leases = world.lease(9)
        assert sorted(urls(leases)) == [page(2), page(3)]
        world.finish(leases[0], [trap, page(4)])
        assert admission.asked[-1] == ([trap, page(4)], 2), "what was cut is looked at again"
        assert world.frontier.counts().waiting == 1

    def test_links_that_are_refused_for_now_enter_when_they_may(self, world: World) -> None:
        no = [page(f"no/{number}") for number in range(4)]
        world.start()
        world.frontier.admission = admission = RefusesForNow()
        world.finish(world.lease_one(), [page(1), *no])
        assert admission.forbidden == []
        assert [world.state(url) for url in no] == [None] * 4
        world.finish(world.lease_one(), [page(2)])
        world.settle()
        assert world.frontier.retry(f"{HOME}*", [UrlState.COMPLETE], count_only=True) == 2
        assert world.frontier.retry(page("no/*"), count_only=True) == 4
        assert world.frontier.readmit(page("no/*"), lambda url: url not in no[:2]) == 2
        assert [world.state(url) for url in no] == ["U", "U", None, None]
        found = world.frontier.find(no[0])
        assert found is not None
        assert (found.weight, found.depth) == (0, 1)
        assert world.frontier.readmit("*", lambda url: True) == 0
        assert world.frontier.retry(glob.escape(no[2])) == 1
        assert world.frontier.retry() == 1
        assert [world.state(url) for url in no] == ["U"] * 4
        assert world.frontier.retry() == 0
        assert world.frontier.counts().waiting == 5

    def test_of_a_link_that_is_refused_for_now_the_least_weight_counts(self, world: World) -> None:
        world.start()
        world.frontier.admission = RefusesForNow()
        world.finish(world.lease_one(), [page(1), page("no/1")])
        world.finish(world.lease_one(), [page("no/1"), page("no/2")])
        assert world.frontier.readmit("*") == 2
        found = [world.frontier.find(page(f"no/{number}")) for number in (1, 2)]
        assert [(info.weight, info.depth) for info in found if info] == [(0, 1), (1, 2)]

    def test_what_admission_refuses_stays_out_when_the_weight_falls(self, world: World) -> None:
        class Admission(NothingRefused):
            def admit(self, urls: Sequence[str], depth: int, weight: int) -> list[str]:
                return [url for url in urls if url != page(9)]

            def cut_off(self, reason: RejectionReason, url: str) -> None:
                raise AssertionError(url)

            def entered(self, page: Done, urls: Sequence[str]) -> None:
                pass

        world.start()
        world.frontier.admission = Admission()
        world.finish(world.lease_one(), [page(1), page("hub")])
        one, hub = world.lease(2)
        world.finish(one, [page(9), page(2)])
        assert world.weight(page(1)) == 1
        world.finish(hub, [page(1)], relevant=True)
        assert world.weight(page(2)) == 1
        assert world.state(page(9)) is None

    def test_refused_leases_are_errors_and_can_be_recalled_by_their_reason(self, world: World) -> None:
        world.start(*map(page, range(5)))
        leases = world.lease(5)
        world.frontier.cut_off(leases[:2], "limit: a")
        world.frontier.cut_off(leases[2:4], "limit: b")
        world.frontier.cut_off(leases[:1], "late")
        world.frontier.fail(leases[4], Failure("HTTP 404"))
        world.settle()
        counts = world.frontier.counts()
        assert (counts.error, counts.running, counts.finished) == (5, 0, True)
        info = world.frontier.find(page(2))
        assert info is not None
        assert (info.state, info.reason) == (UrlState.ERROR, "limit: b")
        assert world.frontier.recall("limit: b") == 2
        assert world.frontier.recall("limit: c") == 0
        again = world.lease(9)
        assert sorted(urls(again)) == [page(2), page(3)]
        assert {lease.attempt for lease in again} == {1}

    def test_a_host_gives_no_more_pages_than_its_limit(self, world: World) -> None:
        world.settle(page_limits=PageLimits(host=3))
        world.start(*map(page, range(6)), "http://other.example/1", "http://other.example/2")
        leases = sorted(world.lease(9), key=lambda lease: lease.url)
        assert urls(leases)[2:] == [page(0), page(1), page(2)]
        assert world.lease(9) == []
        world.frontier.fail(leases[2], Failure("HTTP 404"))
        world.finish(leases[3])
        assert urls(world.lease(9)) == [page(3)], "a page that failed does not count"
        assert (world.lease(9), world.frontier.counts().waiting) == ([], 2)
        world.frontier.release(leases[4:])
        (last,) = world.lease(9)
        assert last.url == page(2)

    def test_what_is_over_a_limit_is_an_error_until_it_is_raised(self, world: World) -> None:
        world.settle(page_limits=PageLimits(host=2))
        world.start(*map(page, range(5)))
        for _ in range(2):
            for lease in world.lease(9):
                world.finish(lease, [page(9)])
        world.settle()
        assert world.lease(9) == []
        assert [world.state(page(n)) for n in range(5)] == ["C", "C", "E", "E", "E"]
        info = world.frontier.find(page(4))
        assert info is not None
        assert info.reason == "limit: 2 pages of shop.example (GWC_MAX_PAGES_PER_HOST)"
        assert world.frontier.counts().finished
        world.settle(page_limits=PageLimits(host=3))
        assert world.frontier.retry("*") == 4
        assert urls(world.lease(9)) == [page(2)]

    def test_a_site_gives_no_more_pages_than_its_limit(self, world: World) -> None:
        world.settle(page_limits=PageLimits(site=4))
        world.start(*(f"http://{host}.example/{n}" for host in "abc" for n in range(3)))
        first = world.lease(3)
        (fourth,) = world.lease(9)
        assert world.lease(9) == []
        for lease in first:
            world.finish(lease)
        assert world.lease(9) == []
        world.frontier.fail(fourth, Failure("HTTP 404"))
        world.settle()
        (again,) = world.lease(9)
        world.finish(again)
        assert world.lease(9) == []
        counts = world.frontier.counts()
        assert (counts.complete, counts.error, counts.waiting) == (4, 5, 0)

    def test_a_page_fetched_again_counts_once_and_is_never_cut_off(self, world: World) -> None:
        world.settle(page_limits=PageLimits(site=2, host=2))
        world.start(page(1), page(2))
        for lease in world.lease(2):
            world.finish(lease)
        assert world.frontier.retry("*", [UrlState.COMPLETE]) == 2
        world.start(page(3))
        assert sorted(urls(world.lease(9))) == [page(1), page(2)]

    # --- redirects ------------------------------------------------------------------------------------------------

    def test_a_redirect_carries_the_lease_along(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        assert world.frontier.redirect(lease, page("home"))
        assert world.state(page("home")) == UrlState.RUNNING
        world.finish(lease, [page(1)], url=page("home"))
        world.settle()
        found = [world.frontier.find(url) for url in (HOME, page("home"))]
        assert [(info.state, info.kind, info.weight) for info in found if info] == [
            ("C", PageKind.REDIRECT, 0),
            ("C", PageKind.INDEX, 0),
        ]
        assert urls(world.lease(5)) == [page(1)]
        assert world.frontier.counts().running == 1

    def test_a_redirect_to_a_known_page_is_refused(self, world: World) -> None:
        world.start(page(1), page(2), page(3))
        one, two = world.lease(2)
        assert not world.frontier.redirect(two, page(1))
        world.finish(one)
        assert not world.frontier.redirect(two, page(1))
        world.frontier.complete([done(two, url=page(1), kind=PageKind.REDIRECT)])
        world.settle()
        assert [world.state(page(i)) for i in (1, 2, 3)] == ["C", "C", "U"]
        assert world.frontier.counts().complete == 2

    def test_links_of_a_page_that_is_anothers_enter_where_they_are_met_again(self, world: World) -> None:
        world.start(page(1), page(2))
        one, two = world.lease(2)
        world.finish(one)
        world.frontier.complete([done(two, [page("met twice")], url=page(1))])
        world.settle()
        assert world.frontier.find(page("met twice")) is None
        assert world.frontier.add([Link(page("met twice"), 0, 1)]) == 1

    def test_a_waiting_target_of_a_redirect_is_not_leased_again(self, world: World) -> None:
        world.start(page(1), page(2))
        one = world.lease_one()
        assert world.frontier.redirect(one, page(2))
        assert world.lease() == []
        world.finish(one, url=page(2))
        counts = world.frontier.counts()
        assert (counts.complete, counts.waiting, counts.running) == (2, 0, 0)

    def test_a_chain_of_redirects_is_complete_as_a_whole(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        assert world.frontier.redirect(lease, page(1))
        assert world.frontier.redirect(lease, page(2))
        world.finish(lease, url=page(2))
        world.settle()
        assert [world.state(url) for url in (HOME, page(1), page(2))] == ["C", "C", "C"]
        assert world.frontier.counts().running == 0

    def test_a_redirect_to_a_dropped_page_is_refused(self, world: World) -> None:
        world.start(page(1), page(2), page(3))
        one, two = world.lease(2)
        world.frontier.drop(page(3))
        assert not world.frontier.redirect(one, page(3))
        world.finish(one, url=page(3))
        world.finish(two, [page(3)], relevant=True)
        world.settle()
        assert (world.state(page(1)), world.state(page(3))) == ("C", "E")
        counts = world.frontier.counts()
        assert (counts.waiting, counts.running, counts.complete, counts.error) == (0, 0, 2, 1)
        assert world.frontier.retry(page(3)) == 1
        assert urls(world.lease(9)) == [page(3)]

    def test_a_redirect_back_to_the_same_url_holds(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        assert world.frontier.redirect(lease, page(1))
        assert world.frontier.redirect(lease, page(1))
        world.finish(lease)
        assert world.state(HOME) == UrlState.COMPLETE
        assert world.frontier.counts().running == 0

    def test_a_page_that_leads_back_to_itself_through_a_start_is_a_start(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1)])
        lease = world.lease_one()
        world.start(HOME)
        assert world.frontier.redirect(lease, HOME)
        world.finish(lease)
        world.settle()
        info = world.frontier.find(page(1))
        assert info is not None
        assert (info.state, info.depth, info.weight) == ("C", 0, 0)

    def test_a_failed_redirect_fails_as_a_whole(self, world: World) -> None:
        world.start()
        lease = world.lease_one()
        world.frontier.redirect(lease, page(1))
        world.frontier.fail(lease, Failure("HTTP 500"))
        world.settle()
        assert [world.state(url) for url in (HOME, page(1))] == ["E", "E"]
        assert world.frontier.counts().finished

    def test_a_redirect_hands_its_weight_on(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1)])
        one = world.lease_one()
        world.finish(one, [page("moved")])
        moved = world.lease_one()
        assert world.frontier.redirect(moved, page("new"))
        world.finish(moved, [page(9)], url=page("new"))
        assert (world.weight(page("moved")), world.weight(page("new")), world.weight(page(9))) == (1, 2, 2)

    @pytest.mark.parametrize("end_is_known", [False, True])
    def test_each_url_of_a_chain_of_redirects_hears_of_a_better_way_to_the_first(
        self, world: World, end_is_known: bool
    ) -> None:
        world.frontier.add([Link(page("end"), 4, 4)] * end_is_known)
        if end_is_known:
            world.finish(world.lease_one(), [page(9)])
        world.frontier.add([Link(page("b"), 3, 3), Link(page("hub"), 0, 1)])
        hub, first = world.lease(2)
        for url in (page("m"), page("a")):  # in no order that a sort would give
            assert world.frontier.redirect(first, url)
        assert world.frontier.redirect(first, page("end")) is not end_is_known
        kind = PageKind.REDIRECT if end_is_known else PageKind.INDEX
        world.frontier.complete([done(first, [page(9)], url=page("end"), kind=kind)])
        assert [world.weight(page(name)) for name in ("b", "m", "a", "end", 9)] == [3, 3, 3, 4, 4]
        world.finish(hub, [page("b")])
        assert [world.weight(page(name)) for name in ("b", "m", "a", "end", 9)] == [1, 1, 1, 2, 2]

    def test_a_better_way_found_while_a_chain_is_leased_counts_for_all_of_it(self, world: World) -> None:
        world.frontier.add([Link(page("b"), 3, 3), Link(page("hub"), 0, 1)])
        hub, first = world.lease(2)
        for url in (page("m"), page("end")):
            assert world.frontier.redirect(first, url)
        world.finish(hub, [page("b")])
        world.finish(first, url=page("end"))
        assert [world.weight(page(name)) for name in ("b", "m", "end")] == [1, 1, 2]

    def test_a_redirect_keeps_the_better_weight_of_its_target(self, world: World) -> None:
        world.frontier.add([Link(page(1), 1, 3), Link(page(2), 2, 4)])
        one, two = world.lease(2)
        world.frontier.release([one])
        assert world.frontier.redirect(two, page(1))
        world.finish(two, url=page(1))
        world.settle()
        assert (world.weight(page(2)), world.weight(page(1))) == (2, 2)

    # --- operations -----------------------------------------------------------------------------------------------

    def test_select_lists_by_pattern_and_state(self, world: World) -> None:
        world.start(HOME, page(1), page(2))
        world.finish(world.lease_one())
        world.settle()
        assert [info.url for info in world.frontier.select(f"{HOME}p/*")] == [page(1), page(2)]
        assert [info.url for info in world.frontier.select(states=[UrlState.COMPLETE])] == [HOME]
        assert len(world.frontier.select(limit=2)) == 2

    def test_a_pattern_can_mean_one_url(self, world: World) -> None:
        query = f"{HOME}?id=1"
        world.start(query, f"{HOME}xid=1", f"{HOME}?id=12")
        world.settle()
        assert [info.url for info in world.frontier.select(glob.escape(query))] == [query]
        assert [info.url for info in world.frontier.select(query)] == [query, f"{HOME}xid=1"]
        assert world.frontier.select(glob.escape(query), [UrlState.ERROR]) == []
        assert world.frontier.drop(f"{HOME}xid=1") == 1

    def test_dropped_urls_are_not_fetched(self, world: World) -> None:
        world.start(HOME, page(1), page(2))
        assert world.frontier.drop("*/p/*", count_only=True) == 2
        assert world.frontier.drop("*/p/*") == 2
        world.settle()
        assert urls(world.lease(5)) == [HOME]
        info = world.frontier.find(page(1))
        assert info is not None
        assert (info.state, info.reason) == (UrlState.ERROR, "dropped")
        world.frontier.add([Link(page(1))])
        assert world.lease() == []

    def test_errors_can_be_tried_again(self, world: World) -> None:
        world.start(HOME, page(1))
        home, one = world.lease(2)
        world.frontier.fail(home, Failure("HTTP 500"))
        world.finish(one)
        assert world.frontier.retry(count_only=True) == 1
        assert world.frontier.retry() == 1
        world.settle()
        assert (world.lease_one().attempt, world.frontier.counts().error) == (1, 0)

    def test_complete_pages_can_be_fetched_again(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1)])
        assert world.frontier.retry(HOME, [UrlState.COMPLETE]) == 1
        world.settle()
        world.finish(world.lease_one(), [page(1), page(2)])
        counts = world.frontier.counts()
        assert (counts.waiting, counts.complete) == (2, 1)

    def test_an_alias_waits_again_when_what_it_names_gives_no_page(self, world: World) -> None:
        main, first, second = page("main"), page("first"), page("second")
        world.start(HOME)
        world.finish(world.lease_one(), [first, second, main])
        leases = {lease.url: lease for lease in world.lease(3)}
        world.alias(leases[first], main)
        world.alias(leases[second], main)
        assert world.frontier.stands_in(first, main) is False
        world.frontier.fail(leases[main], Failure("HTTP 500", world.clock()))
        world.settle()
        assert (world.state(first), world.state(second)) == ("C", "C")
        world.frontier.fail(world.lease_one(), Failure("HTTP 404"))
        world.settle()
        again = world.lease_one()
        assert (again.url, again.attempt, again.weight) == (first, 1, leases[first].weight)
        assert world.frontier.stands_in(first, main)
        assert not world.frontier.stands_in(second, main)
        world.frontier.complete([done(again, kind=PageKind.TARGET)])
        world.settle()
        assert world.frontier.counts().finished
        assert world.frontier.counts().complete == 3

    def test_an_alias_that_comes_after_the_error_stands_in_for_what_it_names(self, world: World) -> None:
        main, first, second = page("main"), page("first"), page("second")
        world.start(main, first, second)
        leases = {lease.url: lease for lease in world.lease(3)}
        assert not world.frontier.stands_in(first, main)
        world.frontier.fail(leases[main], Failure("HTTP 404"))
        world.alias(leases[first], main)  # read while the other was under way
        assert world.state(first) == "U"
        assert not world.frontier.stands_in(second, main)
        world.alias(leases[second], main)
        world.settle()
        assert urls(world.lease(3)) == [first]
        assert world.frontier.stands_in(first, main)

    def test_nothing_stands_in_for_a_page_that_was_there(self, world: World) -> None:
        main, alias = page("main"), page("alias")
        world.start(main, alias)
        leases = {lease.url: lease for lease in world.lease(2)}
        world.finish(leases[main])
        world.alias(leases[alias], main)
        assert world.frontier.retry(main, [UrlState.COMPLETE]) == 1
        world.frontier.fail(world.lease_one(), Failure("HTTP 404"))
        world.settle()
        assert world.lease() == []
        assert not world.frontier.stands_in(alias, main)

    def test_fetching_again_keeps_the_weight(self, world: World) -> None:
        world.start()
        world.finish(world.lease_one(), [page(1)])
        world.finish(world.lease_one(), [page(2)])
        world.finish(world.lease_one(), [])
        assert [world.weight(page(i)) for i in (1, 2)] == [1, 2]
        assert world.frontier.retry(states=[UrlState.COMPLETE]) == 3
        world.settle()
        for lease in world.lease(3):
            world.finish(lease, [])
        assert [world.weight(url) for url in (HOME, page(1), page(2))] == [0, 1, 2]
