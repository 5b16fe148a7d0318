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

from gwc_crawler.frontier.priority_queue import TunnelWeightQueue

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
        "SCHEDULER_PRIORITY_QUEUE": "gwc_crawler.frontier.priority_queue.TunnelWeightQueue",
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
