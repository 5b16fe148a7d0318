"""When classes of URLs are closed, and when they open again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gwc_crawler.database import Database
from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.cuts import CutRow, CutTally, LimitsBook, LimitsState, cuts_text, merge, read_limits
from gwc_crawler.frontier.gate import Gate, UrlGroup
from gwc_crawler.frontier.harvest import Event, Harvest, HarvestLimits
from gwc_crawler.items import CutReason, Done, Lease, PageKind

LIMITS = HarvestLimits(fruitless=5)


def read(name: str, count: int = 1, leads: str = "") -> list[Event]:
    return [Event(name, read=1, leads=frozenset(leads))] * count


def fruit(name: str) -> list[Event]:
    return [Event(name, read=1, fruit=True)]


def test_a_class_closes_after_so_many_pages_in_vain() -> None:
    harvest = Harvest(LIMITS)
    harvest.apply([*read("A", 4), *fruit("A"), *read("A", 4)])
    assert not harvest.any_closed
    harvest.apply(read("A"))
    assert harvest.closed("A") is CutReason.FRUITLESS
    assert harvest.closed("B") is None


def test_categories_wait_for_the_lists_they_lead_to() -> None:
    harvest = Harvest(LIMITS)
    harvest.apply(read("C", 100, leads="L"))
    assert harvest.closed("C") is None, "no list was read yet"
    harvest.apply(read("L", 4))
    harvest.apply([*fruit("L"), *read("C", 4)])
    assert harvest.closed("C") is None
    harvest.apply([*read("L", 5), *read("C", 8)])
    assert (harvest.closed("L"), harvest.closed("C")) == (CutReason.FRUITLESS,) * 2


def test_months_and_days_close_together() -> None:
    harvest = Harvest(LIMITS)
    for _ in range(5):
        harvest.apply([*read("M", leads="MD"), *read("D", leads="M")])
    assert (harvest.closed("M"), harvest.closed("D")) == (CutReason.FRUITLESS,) * 2


def test_fruit_opens_what_led_there() -> None:
    harvest = Harvest(LIMITS)
    harvest.apply([*read("A", 1, leads="B"), *read("B", 1, leads="C"), *read("X", 9), *read("C", 5)])
    harvest.apply([*read("B", 9), *read("A", 9)])
    assert all(harvest.closed(name) for name in "ABCX")
    assert harvest.apply(fruit("C")) == {"A", "B", "C"}
    assert harvest.closed("X")


def test_a_class_with_many_good_pages_has_more_patience() -> None:
    harvest = Harvest(LIMITS)
    harvest.apply([*fruit("A") * 90, *read("A", 9)])
    assert harvest.closed("A") is None
    harvest.apply(read("A"))
    assert harvest.closed("A") is CutReason.FRUITLESS


def test_targets_close_when_all_was_shown_twice_at_other_addresses() -> None:
    recalled: list[str] = []
    gate = gate_of(Shared(), recalled)
    for number in range(19):
        gate.showed(f"x/t{number}", number % 10)
    assert gate.admit(["x/t99"], 1) == ["x/t99"]
    assert gate.tally.total == {}
    gate.showed("x/t19", 9)
    used, cut = gate.screen([lease(f"x/t{number}") for number in range(20, 30)])
    assert (len(used), list(cut)) == (1, ["limit: class closed (GWC_FRUITLESS_PAGES): t"])
    for number in range(5):
        gate.entered(page(f"x/m{number}"), ["x/t30"])
    assert gate.screen([lease("x/m9")])[0] == [], "what a closed class gives is no fruit"
    gate.showed("x/t21", 77)
    gate.settle()
    assert "limit: class closed (GWC_FRUITLESS_PAGES): t" in recalled
    assert len(gate.screen([lease("x/t22")])[0]) == 1


def test_a_budget_is_not_opened_by_fruit_but_by_a_higher_one() -> None:
    harvest = Harvest(HarvestLimits(fruitless=5, pages=3))
    harvest.apply(fruit("A") * 3)
    assert harvest.closed("A") is CutReason.BUDGET
    assert harvest.apply(fruit("A")) == set()
    later = Harvest(HarvestLimits(fruitless=5, pages=9), harvest.classes)
    assert later.relax() == {"A"}
    assert Harvest(HarvestLimits(0, 4), later.classes).relax() == set()


class Shared:
    """A state that several gates change, and that may be out of reach."""

    def __init__(self) -> None:
        self.text = LimitsState().as_json()
        self.away = False

    def change(self, step: Callable[[LimitsState], None]) -> LimitsState:
        if self.away:
            raise OutageError("away")
        for _ in range(2):  # others may have been quicker
            state = LimitsState.from_json(self.text)
            step(state)
        self.text = state.as_json()
        return state


def group_of(url: str) -> UrlGroup:
    kind = url.rpartition("/")[2][0]
    return UrlGroup(wanted=kind == "t", name=None if kind == "-" else kind)


def gate_of(book: Shared, recalled: list[str] | None = None, limits: HarvestLimits = LIMITS) -> Gate:
    def recall(reason: str) -> int:
        if recalled is not None:
            recalled.append(reason)
        return 1

    return Gate(book, group_of, recall, limits=limits)


def page(url: str) -> Done:
    return Done(lease(url), url, PageKind.DIRECTORY, relevant=True)


def lease(url: str, depth: int = 1) -> Lease:
    return Lease(url, 1, 0, depth, 1, "me", 1, 0.0)


def test_workers_add_up_what_they_saw() -> None:
    book = Shared()
    one, two = gate_of(book), gate_of(book)
    for gate in (one, two):
        for number in range(3):
            gate.entered(page(f"x/m{number}"), [])
        gate.settle()
    one.entered(page("x/-"), ["x/m9"])
    one.tally.add(CutReason.KEYS, "x/k")
    one.settle()
    for gate in (one, two):
        assert gate.admit(["x/m4", "x/t4"], 1) == ["x/m4", "x/t4"], "a closed class takes in some more"
        used, cut = gate.screen([lease("x/m5"), lease("x/m6", depth=0), lease("x/t5")])
        assert [one.url for one in used] == ["x/m6", "x/t5"]
        assert list(cut) == ["limit: class closed (GWC_FRUITLESS_PAGES): m"]


def test_one_in_ten_is_tried_and_its_fruit_recalls_the_rest() -> None:
    recalled: list[str] = []
    gate = gate_of(Shared(), recalled)
    for number in range(5):
        gate.entered(page(f"x/m{number}"), [])
    used, _ = gate.screen([lease(f"x/m{number}") for number in range(100)])
    assert len(used) == 10
    gate.entered(page(used[0].url), ["x/t1"])
    gate.settle()
    assert "limit: class closed (GWC_FRUITLESS_PAGES): m" in recalled
    assert len(gate.screen([lease("x/m1")])[0]) == 1


def test_what_was_given_up_after_another_worker_had_opened_the_class_waits_again() -> None:
    book = Shared()
    recalled: list[str] = []
    other, late = gate_of(book), gate_of(book, recalled)
    for gate in (other, late):
        for number in range(5):
            gate.entered(page(f"x/m{number}"), [])
        gate.settle()
    other.entered(page("x/m9"), ["x/t1"])
    other.settle()
    _, cut = late.screen([lease("x/m5")])
    assert list(cut) == ["limit: class closed (GWC_FRUITLESS_PAGES): m"], "it doesn't know yet"
    late.settle()
    assert "limit: class closed (GWC_FRUITLESS_PAGES): m" in recalled
    assert not late.screen([lease("x/m6")])[1]


def test_a_closed_class_keeps_only_so_many() -> None:
    gate = gate_of(Shared())
    for number in range(5):
        gate.entered(page(f"x/m{number}"), [])
    offered = [f"x/m{number}" for number in range(100)]
    assert len(gate.admit(offered, 1)) == 50
    assert gate.tally.total == {CutReason.FRUITLESS: 50}


def test_what_could_not_be_written_is_written_later() -> None:
    book = Shared()
    gate = gate_of(book)
    book.away = True
    gate.tally.add(CutReason.KEYS, "x/k")
    gate.entered(page("x/m1"), [])
    gate.settle()
    book.away = False
    gate.tally.add(CutReason.KEYS, "x/l")
    gate.settle()
    state = LimitsState.from_json(book.text)
    assert [(row.reason, row.count, row.examples) for row in state.cuts.values()] == [
        (CutReason.KEYS, 2, ["x/k", "x/l"])
    ]
    assert state.classes["m"].pages == 1


def test_the_file_has_each_page_once(tmp_path: Path) -> None:
    with Database(tmp_path / "crawl.db") as database:
        for run in range(2):
            gate = Gate(LimitsBook(database), group_of, lambda _: 0, limits=LIMITS)
            for number in range(3):
                gate.entered(page(f"x/m{number}"), ["x/d1"])
                gate.failed("x/m7", "HTTP 503")
                gate.tally.add(CutReason.KEYS, f"x/k{run}{number}")
                gate.settle()
        state = read_limits(database)
        assert (state.classes["m"].pages, state.classes["m"].leads) == (6, {"d"})
        assert cuts_text(state.cuts.values()) == "6 URLs: 6 query keys"


def test_the_tally_counts_a_url_once() -> None:
    tally = CutTally()
    for url in ("x/1", "x/2", "x/1"):
        tally.add(CutReason.DEPTH, url)
    (row,) = tally.take().values()
    assert (row.count, row.examples, tally.take()) == (2, ["x/1", "x/2"], {})


def test_the_book_keeps_it_in_the_file(tmp_path: Path) -> None:
    with Database(tmp_path / "crawl.db") as database:
        assert read_limits(database).cuts == {}, "a file from before there were limits"

        def step(state: LimitsState) -> None:
            merge(state.cuts, [CutRow(CutReason.KEYS, "", 2, ["a", "b", "c", "d"])])
            harvest = Harvest(LIMITS, state.classes)
            harvest.apply(read("A", 3))
            state.classes = harvest.classes

        for _ in range(2):
            LimitsBook(database).change(step)
        state = read_limits(database)
        (row,) = state.cuts.values()
        assert (row.count, row.examples) == (4, ["a", "b", "c"])
        assert state.classes["A"].closed is CutReason.FRUITLESS
        assert cuts_text(state.cuts.values()) == "4 URLs: 4 query keys"
