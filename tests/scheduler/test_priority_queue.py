"""The tunnel-weight queue: order, fair turns, and its place under Scrapy's own scheduler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.squeues import FifoMemoryQueue, LifoMemoryQueue
from scrapy.utils.test import get_crawler

from gwc_crawler.scheduler.priority_queue import TunnelWeightQueue

CRAWLER = get_crawler(Spider)


def queue(downstream: Any = FifoMemoryQueue) -> TunnelWeightQueue:
    return TunnelWeightQueue.from_crawler(CRAWLER, downstream, "")


def request(path: str, weight: int = 0, host: str = "a.example", **options: Any) -> Request:
    return Request(f"http://{host}/{path}", meta={"weight": weight}, **options)


def drain(pending: TunnelWeightQueue) -> list[str]:
    found = []
    while (one := pending.pop()) is not None:
        found.append(one.url.removeprefix("http://"))
    return found


def test_lower_weight_first_then_first_in_first_out() -> None:
    pending = queue()
    for path, weight in (("c", 2), ("a", 0), ("d", 2), ("b", 1)):
        pending.push(request(path, weight))
    assert [url[-1] for url in drain(pending)] == ["a", "b", "c", "d"]


def test_breadth_first_even_over_scrapys_default_stack() -> None:
    pending = queue(LifoMemoryQueue)
    for path in "abc":
        pending.push(request(path))
    assert [url[-1] for url in drain(pending)] == ["a", "b", "c"]


def test_hosts_take_turns() -> None:
    pending = queue()
    for path in "123":
        pending.push(request(path, host="big.example"))
    pending.push(request("1", host="small.example"))
    assert drain(pending) == ["big.example/1", "small.example/1", "big.example/2", "big.example/3"]


def test_priority_counts_against_weight() -> None:
    pending = queue()
    pending.push(request("late", 1))
    pending.push(request("soon", 1, priority=5))
    assert drain(pending) == ["a.example/soon", "a.example/late"]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a.example", "b.example"])), max_size=40))
def test_nothing_is_lost_and_weights_never_fall(rows: list[tuple[int, str]]) -> None:
    pending = queue()
    for number, (weight, host) in enumerate(rows):
        pending.push(request(str(number), weight, host))
    assert len(pending) == len(rows)
    weights = []
    while (first := pending.peek()) is not None:
        popped = pending.pop()
        assert popped is first
        weights.append(first.meta["weight"])
    assert weights == sorted(row[0] for row in rows)
    assert len(pending) == 0


def scheduler(jobdir: Path | None) -> Scheduler:
    settings = {
        "SCHEDULER_PRIORITY_QUEUE": "gwc_crawler.scheduler.priority_queue.TunnelWeightQueue",
        "JOBDIR": str(jobdir) if jobdir else None,
    }
    crawler = get_crawler(Spider, settings)
    crawler.spider = Spider("test")
    built = Scheduler.from_crawler(crawler)
    built.open(crawler.spider)
    return built


def test_it_works_under_scrapys_scheduler() -> None:
    own = scheduler(None)
    for path, weight in (("c", 2), ("a", 0), ("b", 1)):
        own.enqueue_request(request(path, weight))
    popped = [own.next_request() for _ in range(3)]
    assert [one.url[-1] for one in popped if one] == ["a", "b", "c"]
    own.close("finished")


def test_it_continues_from_a_job_directory(tmp_path: Path) -> None:
    first = scheduler(tmp_path)
    for path, weight, host in (("c", 2, "x.example"), ("a", 0, "y.example"), ("b", 1, "x.example")):
        first.enqueue_request(request(path, weight, host))
    assert first.next_request() is not None
    first.close("shutdown")
    second = scheduler(tmp_path)
    popped = [second.next_request() for _ in range(2)]
    assert [one.url[-1] for one in popped if one] == ["b", "c"]
    assert second.next_request() is None
    second.close("finished")


class Doors:
    """A limiter whose doors the test opens: host → when it may start something; a host that has none may at once."""

    def __init__(self) -> None:
        self.now = 0.0
        self.shut: dict[str, float] = {}
        self.counted: list[str] = []
        self.asked = 0

    def clock(self) -> float:
        return self.now

    def key_of(self, url: str) -> str:
        return url.split("/")[2]

    def may_start(self, key: str) -> bool:
        self.asked += 1
        return self.next_at(key) <= self.now

    def next_at(self, key: str) -> float:
        return self.shut.get(key, 0.0)

    def started(self, key: str) -> None:
        self.counted.append(key)


def limited() -> tuple[TunnelWeightQueue, Doors]:
    pending, doors = queue(), Doors()
    pending.limiter = doors
    return pending, doors


def test_a_host_that_may_not_start_lets_the_others_pass() -> None:
    pending, doors = limited()
    for host in ("a.example", "b.example"):
        for path in "12":
            pending.push(request(path, host=host))
    pending.push(request("3", 1, host="b.example"))
    doors.shut["a.example"] = 5.0
    assert drain(pending) == ["b.example/1", "b.example/2", "b.example/3"]
    assert (len(pending), pending.ready, pending.next_at()) == (2, 0, 5.0)
    pending.push(request("0", 3, host="a.example"))
    assert (pending.pop(), pending.ready, pending.backlog("a.example")) == (None, 0, 3)
    doors.now = 5.0
    assert drain(pending) == ["a.example/1", "a.example/2", "a.example/0"]
    assert doors.counted == ["b.example"] * 3 + ["a.example"] * 3
    assert (len(pending), pending.ready, pending.next_at()) == (0, 0, None)


def test_a_host_that_may_start_at_no_known_time_is_looked_at_again() -> None:
    pending, doors = limited()
    pending.push(request("1"))
    doors.shut["a.example"] = float("inf")
    assert (pending.pop(), pending.next_at()) == (None, None)
    doors.shut["a.example"] = 7.0
    pending.look_again("a.example")
    assert (pending.pop(), pending.next_at()) == (None, 7.0)
    del doors.shut["a.example"]
    pending.look_again("a.example")
    assert drain(pending) == ["a.example/1"]


def test_the_surplus_of_a_host_is_its_worst() -> None:
    pending, doors = limited()
    for number in range(4):
        pending.push(request(str(number), number % 2))
    pending.push(request("x", host="b.example"))
    doors.shut["a.example"] = 5.0
    assert drain(pending) == ["b.example/x"]
    assert [one.url[-1] for one in pending.take_surplus("a.example", 1)] == ["2", "1", "3"]
    pending.push(request("9", 1))
    assert (len(pending), pending.backlog("a.example")) == (2, 2)
    doors.now = 5.0
    assert drain(pending) == ["a.example/0", "a.example/9"]


def test_draining_asks_no_limiter() -> None:
    pending, doors = limited()
    pending.push(request("1"))
    pending.push(request("2", host="b.example"))
    doors.shut["a.example"] = 5.0
    pending.pop()
    assert [one.url for one in pending.drain()] == ["http://a.example/1"]


def test_the_cost_of_a_pop_does_not_grow_with_resting_hosts() -> None:
    pending, doors = limited()
    for number in range(2000):
        host = f"h{number}.example"
        doors.shut[host] = 5.0
        pending.push(request("1", host=host))
    pending.pop()
    doors.asked = 0
    for number in range(100):
        pending.push(request(str(number)))
        assert pending.pop() is not None
    assert doors.asked == 100


@given(
    st.lists(
        st.tuples(st.sampled_from(["push", "pop", "shut", "wait", "cut"]), st.integers(0, 2), st.sampled_from("abc")),
        max_size=60,
    )
)
def test_nothing_is_lost_where_hosts_rest(events: list[tuple[str, int, str]]) -> None:
    pending, doors = limited()
    inside: set[str] = set()
    for number, (event, weight, name) in enumerate(events):
        host = f"{name}.example"
        if event == "push":
            pending.push(request(str(number), weight, host))
            inside.add(f"http://{host}/{number}")
        elif event == "shut":
            doors.shut[host] = doors.now + weight + 1
            pending.look_again(host)
        elif event == "wait":
            doors.now += weight
        elif event == "cut" and pending.backlog(host):
            inside -= {one.url for one in pending.take_surplus(host, weight)}
        elif event == "pop":
            popped = pending.pop()
            open_now = {url for url in inside if doors.next_at(url.split("/")[2]) <= doors.now}
            assert (popped is None) == (not open_now)
            inside -= {popped.url} if popped else set()
        assert len(pending) == len(inside)
    doors.now += 10
    assert {f"http://{url}" for url in drain(pending)} == inside
