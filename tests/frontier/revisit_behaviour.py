"""What every frontier must do for looking at pages again; run as `FrontierBehaviour` is."""

from __future__ import annotations

import pytest

from gwc_crawler.frontier.admission import LIMIT
from gwc_crawler.frontier.recrawl import Intervals, Recrawl, RevisitResult, gone, look_again, missed, not_modified
from gwc_crawler.items import Done, Failure, Lease, Link, PageKind, Revisit, UrlState
from tests.frontier.behaviour import HOME, World, page, urls

DAY = 86_400.0
LIMITS = Intervals()


def look(
    signature: int = 1, kind: PageKind = PageKind.INDEX, *, relevant: bool = False, etag: str = '"e"'
) -> RevisitResult:
    return RevisitResult(signature, kind, relevant, etag, "Tue, 01 Sep 2026 10:00:00 GMT")


def read(
    world: World, lease: Lease, links: tuple[str, ...] = (), found: RevisitResult | None = None, url: str = ""
) -> Revisit:
    """Complete a page that was read, with what is kept of it."""
    found = found or look()
    where = url or lease.url
    kept = look_again(world.frontier.revisits([where]).get(where), found, world.clock(), LIMITS)
    world.frontier.complete([Done(lease, where, found.kind, found.relevant, links, kept)])
    return kept


def answered_304(world: World, lease: Lease) -> None:
    kept = not_modified(world.frontier.revisits([lease.url])[lease.url], world.clock(), LIMITS)
    world.frontier.complete([Done(lease, lease.url, kept.kind, kept.relevant, revisit=kept, unread=True)])


class RevisitBehaviour:
    """The suite. `world` is a fixture of the subclass."""

    def test_what_is_kept_comes_back_as_it_was(self, world: World) -> None:
        world.start()
        kept = read(world, world.lease_one(), found=look(-(2**63), PageKind.TARGET, relevant=True, etag='W/"ü\\"'))
        world.settle()
        assert world.frontier.revisits([HOME, page(1)]) == {HOME: kept}
        assert world.frontier.revisits([]) == {}

    def test_a_page_is_due_after_its_interval_and_not_before(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1)])
        read(world, world.lease_one())
        world.clock.now += DAY - 1
        world.settle()
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 0
        world.clock.now += 1
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1
        world.settle()
        counts = world.frontier.counts()
        assert (counts.waiting, counts.complete) == (1, 0)
        lease = world.lease_one()
        assert (lease.url, lease.attempt, lease.depth) == (page(1), 1, 1)

    def test_starts_are_due_sooner_because_they_lead_to_what_is_new(self, world: World) -> None:
        world.start()
        read(world, world.lease_one(), (page(1),))
        read(world, world.lease_one())
        world.clock.now += LIMITS.min_seconds - 1
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 0
        world.clock.now += 1
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1
        assert world.lease_one().url == HOME

    def test_a_page_of_which_nothing_was_kept_is_due_too(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1)])
        world.finish(world.lease_one())
        world.clock.now += DAY - 2
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 0
        world.clock.now += 2
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1

    def test_an_unread_page_leaves_everything_as_it_was(self, world: World) -> None:
        world.start()
        read(world, world.lease_one(), (page(1),))
        read(world, world.lease_one(), (page(2), page(3)), look(kind=PageKind.DIRECTORY))
        for _ in range(2):
            read(world, world.lease_one())
        before = {url: world.frontier.find(url) for url in (HOME, page(1), page(2))}
        world.clock.now += DAY
        assert world.frontier.recrawl(Recrawl.ALL, LIMITS) == 4
        world.settle()
        for lease in world.lease(9):
            answered_304(world, lease)
        world.settle()
        assert world.frontier.counts().finished
        for url, old in before.items():
            new = world.frontier.find(url)
            assert old is not None
            assert new is not None
            assert (new.state, new.kind, new.weight, new.depth, new.through) == (
                old.state, old.kind, old.weight, old.depth, old.through,
            )  # fmt: skip
        kept = world.frontier.revisits([page(1)])[page(1)]
        assert (kept.checks, kept.changes, kept.due_at) == (1, 0, world.clock() + 1.5 * DAY)

    def test_links_held_back_by_an_unread_page_enter_when_its_weight_falls(self, world: World) -> None:
        world.settle(max_weight=2)
        world.start()
        read(world, world.lease_one(), (page(1), page("hub")))
        one, hub = world.lease(2)
        read(world, one, (page(2),))
        read(world, world.lease_one(), (page(3),))
        read(world, hub)
        assert world.state(page(3)) is None
        world.frontier.recrawl(Recrawl.ALL, LIMITS)
        leases = {lease.url: lease for lease in world.lease(9)}
        answered_304(world, leases[page(2)])
        assert world.state(page(3)) is None
        world.frontier.recrawl(Recrawl.ALL, LIMITS)
        read(world, leases[page("hub")], (page(2),), look(2, relevant=True))
        assert world.state(page(3)) == "U"

    def test_new_links_of_a_page_that_has_changed_enter(self, world: World) -> None:
        world.start()
        read(world, world.lease_one(), (page(1),))
        read(world, world.lease_one())
        world.clock.now += DAY
        world.frontier.recrawl(Recrawl.DUE, LIMITS)
        world.settle()
        home = next(lease for lease in world.lease(9) if lease.url == HOME)
        kept = read(world, home, (page(1), page(2)), look(2))
        assert (kept.checks, kept.changes, kept.interval_seconds) == (1, 1, DAY / 2)
        assert urls(world.lease(9)) == [page(2)]

    def test_a_round_that_was_broken_off_is_gone_on_with(self, world: World) -> None:
        world.start(*(page(number) for number in range(4)))
        for lease in world.lease(4):
            read(world, lease)
        world.clock.now += 10
        assert world.frontier.recrawl(Recrawl.ALL, LIMITS) == 4
        world.clock.now += 10
        for lease in world.lease(2):
            answered_304(world, lease)
        world.settle()
        assert world.frontier.recrawl(Recrawl.ALL, LIMITS) == 0
        assert world.frontier.counts().waiting == 2
        for lease in world.lease(2):
            answered_304(world, lease)
        assert world.frontier.recrawl(Recrawl.ALL, LIMITS) == 4

    def test_a_round_that_is_over_is_not_gone_on_with_because_something_else_waits(self, world: World) -> None:
        world.start(page(1))
        read(world, world.lease_one())
        world.frontier.recrawl(Recrawl.ALL, LIMITS)
        answered_304(world, world.lease_one())
        world.close(world)
        world.frontier = world.open(world)
        world.clock.now += 100
        world.start(page(2))
        assert world.frontier.recrawl(Recrawl.ALL, LIMITS) == 1

    def test_a_round_that_found_nothing_is_over_though_nothing_was_leased(self, world: World) -> None:
        assert world.frontier.recrawl(Recrawl.ERRORS, LIMITS) == 0
        world.close(world)
        world.frontier = world.open(world)
        world.clock.now += 100
        world.start(page(1), page(2))
        world.frontier.fail(world.lease_one(), Failure("HTTP 500"))
        assert world.frontier.recrawl(Recrawl.ERRORS, LIMITS) == 1

    def test_a_page_that_is_gone_is_an_error_and_due_again_later(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1)])
        kept = read(world, world.lease_one())
        world.clock.now += DAY
        world.frontier.recrawl(Recrawl.DUE, LIMITS)
        lost = gone(kept, world.clock(), LIMITS)
        world.frontier.fail(world.lease_one(), Failure("gone: HTTP 404", revisit=lost))
        world.settle()
        assert world.state(page(1)) == "E"
        assert world.frontier.revisits([page(1)])[page(1)].gone_at == world.clock()
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 0
        world.clock.now += 1.5 * DAY
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1
        back = read(world, world.lease_one())
        assert (back.gone_at, back.checks, back.changes) == (None, 2, 2)
        counts = world.frontier.counts()
        assert (counts.complete, counts.error) == (1, 0)

    def test_errors_are_asked_for_again_but_not_what_was_dropped_or_cut_off(self, world: World) -> None:
        world.start(page(1), page(2), page("cut"), page(3))
        one, two, cut = world.lease(3)
        world.frontier.cut_off([cut], f"{LIMIT}depth over 3")
        world.frontier.fail(one, Failure("HTTP 500"))
        read(world, two)
        world.frontier.drop("*")
        world.clock.now += 10
        assert world.frontier.recrawl(Recrawl.ERRORS, LIMITS) == 1
        world.settle()
        assert world.frontier.recrawl(Recrawl.ERRORS, LIMITS) == 0
        assert urls(world.lease(9)) == [page(1)]

    @pytest.mark.parametrize("which", Recrawl)
    def test_what_is_dropped_while_it_waits_to_be_looked_at_again_stays_dropped(
        self, world: World, which: Recrawl
    ) -> None:
        world.start(page(1), page(2))
        for lease in world.lease(2):
            read(world, lease)
        world.clock.now += DAY
        world.frontier.recrawl(Recrawl.ALL, LIMITS)
        assert world.frontier.drop(page(1)) == 1
        world.clock.now += 10
        world.frontier.recrawl(which, LIMITS)
        world.settle()
        answered_304(world, world.lease_one())
        world.clock.now += 9 * DAY
        world.frontier.recrawl(which, LIMITS)
        assert page(1) not in urls(world.lease(9))
        assert world.frontier.retry(page(1)) == 1
        assert urls(world.lease(9)) == [page(1)]

    def test_a_page_that_could_not_be_had_is_due_again(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1)])
        kept = read(world, world.lease_one())
        world.clock.now += DAY
        world.frontier.recrawl(Recrawl.DUE, LIMITS)
        world.frontier.fail(world.lease_one(), Failure("HTTP 500", revisit=missed(kept, world.clock())))
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 0
        world.clock.now += DAY
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1

    def test_a_page_that_has_become_a_redirect_is_forgotten_and_comes_up_again(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1), Link(page(2), 0, 1)])
        for lease in world.lease(2):
            read(world, lease)
        world.clock.now += DAY
        world.frontier.recrawl(Recrawl.DUE, LIMITS)
        one, two = sorted(world.lease(2), key=lambda lease: lease.url)
        answered_304(world, two)
        world.frontier.complete([Done(one, page(2), PageKind.REDIRECT, relevant=False)])
        world.settle()
        assert set(world.frontier.revisits([page(1), page(2)])) == {page(2)}
        world.clock.now += DAY
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1
        assert world.lease_one().url == page(1)

    def test_a_complete_page_that_is_retried_is_fetched_as_if_for_the_first_time(self, world: World) -> None:
        world.start(page(1), page(2))
        for lease in world.lease(2):
            kept = read(world, lease)
        world.frontier.recrawl(Recrawl.ALL, LIMITS)
        one, two = sorted(world.lease(2), key=lambda lease: lease.url)
        answered_304(world, one)
        world.frontier.fail(two, Failure("gone", revisit=kept))
        world.settle()
        world.frontier.retry("*", [UrlState.COMPLETE, UrlState.ERROR])
        assert set(world.frontier.revisits([page(1), page(2)])) == {page(2)}

    def test_an_outdated_lease_keeps_nothing(self, world: World) -> None:
        world.start()
        late = world.lease_one()
        world.clock.now += 601
        current = world.lease_one()
        read(world, late)
        assert world.frontier.revisits([HOME]) == {}
        read(world, current)
        assert HOME in world.frontier.revisits([HOME])

    def test_pages_that_are_hastened_wait_again_with_what_is_kept_of_them_and_others_stay(self, world: World) -> None:
        world.start(page(1), page(2))
        for lease in world.lease(2):
            read(world, lease)
        world.settle()
        assert world.frontier.hasten([page(1), page(3), "http://never.example/"]) == 1
        assert page(1) in world.frontier.revisits([page(1)])
        assert world.frontier.hasten([page(1)]) == 0, "it waits already"
        assert urls(world.lease(9)) == [page(1)]

    def test_a_sitemap_is_looked_at_in_every_round_of_what_is_due(self, world: World) -> None:
        world.frontier.add([Link(page(1), 0, 1), Link(page(2), 0, 1)])
        one, two = sorted(world.lease(2), key=lambda lease: lease.url)
        read(world, one, found=look(kind=PageKind.SITEMAP))
        read(world, two)
        world.clock.now += LIMITS.min_seconds + 1
        assert world.frontier.recrawl(Recrawl.DUE, LIMITS) == 1
        assert world.lease_one().url == page(1)
