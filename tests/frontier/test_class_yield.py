"""When classes of URLs are closed, and when they open again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gwc_crawler.errors import OutageError
from gwc_crawler.frontier.admission import Admission, UrlGroup
from gwc_crawler.frontier.rejections import (
    ClassYield,
    Event,
    LimitsBook,
    LimitsState,
    RejectionRow,
    RejectionTally,
    YieldLimits,
    merge,
    read_limits,
    rejections_text,
)
from gwc_crawler.items import Done, Lease, PageKind, RejectionReason
from gwc_crawler.store.sqlite.database import CrawlDatabase

LIMITS = YieldLimits(fruitless=5)


def read(name: str, count: int = 1, leads: str = "") -> list[Event]:
    return [Event(name, read=1, leads=frozenset(leads))] * count


def yielded(name: str) -> list[Event]:
    return [Event(name, read=1, yielded=True)]


def test_a_class_closes_after_so_many_pages_in_vain() -> None:
    class_yield = ClassYield(LIMITS)
    class_yield.apply([*read("A", 4), *yielded("A"), *read("A", 4)])
    assert not class_yield.any_closed
    class_yield.apply(read("A"))
    assert class_yield.closed("A") is RejectionReason.FRUITLESS
    assert class_yield.closed("B") is None


def test_categories_wait_for_the_lists_they_lead_to() -> None:
    class_yield = ClassYield(LIMITS)
    class_yield.apply(read("C", 100, leads="L"))
    assert class_yield.closed("C") is None, "no list was read yet"
    class_yield.apply(read("L", 4))
    class_yield.apply([*yielded("L"), *read("C", 4)])
    assert class_yield.closed("C") is None
    class_yield.apply([*read("L", 5), *read("C", 8)])
    assert (class_yield.closed("L"), class_yield.closed("C")) == (RejectionReason.FRUITLESS,) * 2


def test_months_and_days_close_together() -> None:
    class_yield = ClassYield(LIMITS)
    for _ in range(5):
        class_yield.apply([*read("M", leads="MD"), *read("D", leads="M")])
    assert (class_yield.closed("M"), class_yield.closed("D")) == (RejectionReason.FRUITLESS,) * 2


def test_fruit_opens_what_led_there() -> None:
    class_yield = ClassYield(LIMITS)
    class_yield.apply([*read("A", 1, leads="B"), *read("B", 1, leads="C"), *read("X", 9), *read("C", 5)])
    class_yield.apply([*read("B", 9), *read("A", 9)])
    assert all(class_yield.closed(name) for name in "ABCX")
    assert class_yield.apply(yielded("C")) == {"A", "B", "C"}
    assert class_yield.closed("X")


def test_a_class_with_many_good_pages_has_more_patience() -> None:
    class_yield = ClassYield(LIMITS)
    class_yield.apply([*yielded("A") * 90, *read("A", 9)])
    assert class_yield.closed("A") is None
    class_yield.apply(read("A"))
    assert class_yield.closed("A") is RejectionReason.FRUITLESS


def test_targets_close_when_all_was_shown_twice_at_other_addresses() -> None:
    recalled: list[str] = []
    admission = admission_of(Shared(), recalled)
    for number in range(19):
        admission.showed(f"x/t{number}", number % 10)
    assert admission.admit(["x/t99"], 1) == ["x/t99"]
    assert admission.tally.total == {}
    admission.showed("x/t19", 9)
    used, cut = admission.screen([lease(f"x/t{number}") for number in range(20, 30)])
    assert (len(used), list(cut)) == (1, ["limit: class closed (GWC_FRUITLESS_PAGES): t"])
    for number in range(5):
        admission.entered(page(f"x/m{number}"), ["x/t30"])
    assert admission.screen([lease("x/m9")])[0] == [], "what a closed class gives is no yield"
    admission.showed("x/t21", 77)
    admission.settle()
    assert "limit: class closed (GWC_FRUITLESS_PAGES): t" in recalled
    assert len(admission.screen([lease("x/t22")])[0]) == 1


def test_a_budget_is_not_opened_by_fruit_but_by_a_higher_one() -> None:
    class_yield = ClassYield(YieldLimits(fruitless=5, pages=3))
    class_yield.apply(yielded("A") * 3)
    assert class_yield.closed("A") is RejectionReason.BUDGET
    assert class_yield.apply(yielded("A")) == set()
    later = ClassYield(YieldLimits(fruitless=5, pages=9), class_yield.classes)
    assert later.relax() == {"A"}
    assert ClassYield(YieldLimits(0, 4), later.classes).relax() == set()


class Shared:
    """A state that several workers change, and that may be out of reach."""

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


def admission_of(book: Shared, recalled: list[str] | None = None, limits: YieldLimits = LIMITS) -> Admission:
    def recall(reason: str) -> int:
        if recalled is not None:
            recalled.append(reason)
        return 1

    return Admission(book, group_of, recall, limits=limits)


def page(url: str) -> Done:
    return Done(lease(url), url, PageKind.DIRECTORY, relevant=True)


def lease(url: str, depth: int = 1) -> Lease:
    return Lease(url, 1, 0, depth, 1, "me", 1, 0.0)


def test_workers_add_up_what_they_saw() -> None:
    book = Shared()
    one, two = admission_of(book), admission_of(book)
    for admission in (one, two):
        for number in range(3):
            admission.entered(page(f"x/m{number}"), [])
        admission.settle()
    one.entered(page("x/-"), ["x/m9"])
    one.tally.add(RejectionReason.KEYS, "x/k")
    one.settle()
    for admission in (one, two):
        assert admission.admit(["x/m4", "x/t4"], 1) == ["x/m4", "x/t4"], "a closed class takes in some more"
        used, cut = admission.screen([lease("x/m5"), lease("x/m6", depth=0), lease("x/t5")])
        assert [one.url for one in used] == ["x/m6", "x/t5"]
        assert list(cut) == ["limit: class closed (GWC_FRUITLESS_PAGES): m"]


def test_one_in_ten_is_tried_and_its_fruit_recalls_the_rest() -> None:
    recalled: list[str] = []
    admission = admission_of(Shared(), recalled)
    for number in range(5):
        admission.entered(page(f"x/m{number}"), [])
    used, _ = admission.screen([lease(f"x/m{number}") for number in range(100)])
    assert len(used) == 10
    admission.entered(page(used[0].url), ["x/t1"])
    admission.settle()
    assert "limit: class closed (GWC_FRUITLESS_PAGES): m" in recalled
    assert len(admission.screen([lease("x/m1")])[0]) == 1


def test_what_was_given_up_after_another_worker_had_opened_the_class_waits_again() -> None:
    book = Shared()
    recalled: list[str] = []
    other, late = admission_of(book), admission_of(book, recalled)
    for admission in (other, late):
        for number in range(5):
            admission.entered(page(f"x/m{number}"), [])
        admission.settle()
    other.entered(page("x/m9"), ["x/t1"])
    other.settle()
    _, cut = late.screen([lease("x/m5")])
    assert list(cut) == ["limit: class closed (GWC_FRUITLESS_PAGES): m"], "it doesn't know yet"
    late.settle()
    assert "limit: class closed (GWC_FRUITLESS_PAGES): m" in recalled
    assert not late.screen([lease("x/m6")])[1]


def test_a_closed_class_keeps_only_so_many() -> None:
    admission = admission_of(Shared())
    for number in range(5):
        admission.entered(page(f"x/m{number}"), [])
    offered = [f"x/m{number}" for number in range(100)]
    assert len(admission.admit(offered, 1)) == 50
    assert admission.tally.total == {RejectionReason.FRUITLESS: 50}


def test_what_could_not_be_written_is_written_later() -> None:
    book = Shared()
    admission = admission_of(book)
    book.away = True
    admission.tally.add(RejectionReason.KEYS, "x/k")
    admission.entered(page("x/m1"), [])
    admission.settle()
    book.away = False
    admission.tally.add(RejectionReason.KEYS, "x/l")
    admission.settle()
    state = LimitsState.from_json(book.text)
    assert [(row.reason, row.count, row.examples) for row in state.rejections.values()] == [
        (RejectionReason.KEYS, 2, ["x/k", "x/l"])
    ]
    assert state.classes["m"].pages == 1


def test_the_file_has_each_page_once(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        for run in range(2):
            admission = Admission(LimitsBook(database), group_of, lambda _: 0, limits=LIMITS)
            for number in range(3):
                admission.entered(page(f"x/m{number}"), ["x/d1"])
                admission.failed("x/m7", "HTTP 503")
                admission.tally.add(RejectionReason.KEYS, f"x/k{run}{number}")
                admission.settle()
        state = read_limits(database)
        assert (state.classes["m"].pages, state.classes["m"].leads) == (6, {"d"})
        assert rejections_text(state.rejections.values()) == "6 URLs: 6 query keys"


def test_the_tally_counts_a_url_once() -> None:
    tally = RejectionTally()
    for url in ("x/1", "x/2", "x/1"):
        tally.add(RejectionReason.DEPTH, url)
    (row,) = tally.take().values()
    assert (row.count, row.examples, tally.take()) == (2, ["x/1", "x/2"], {})


def test_the_book_keeps_it_in_the_file(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        assert read_limits(database).rejections == {}, "a file from before there were limits"

        def step(state: LimitsState) -> None:
            merge(state.rejections, [RejectionRow(RejectionReason.KEYS, "", 2, ["a", "b", "c", "d"])])
            class_yield = ClassYield(LIMITS, state.classes)
            class_yield.apply(read("A", 3))
            state.classes = class_yield.classes

        for _ in range(2):
            LimitsBook(database).change(step)
        state = read_limits(database)
        (row,) = state.rejections.values()
        assert (row.count, row.examples) == (4, ["a", "b", "c"])
        assert state.classes["A"].closed is RejectionReason.FRUITLESS
        assert rejections_text(state.rejections.values()) == "4 URLs: 4 query keys"
