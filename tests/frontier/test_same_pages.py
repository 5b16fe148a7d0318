"""Which texts are the same but for what changes from request to request; what becomes of addresses that have one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.frontier.rejections import LimitsBook, LimitsState, read_limits
from gwc_crawler.frontier.same_pages import LEAST, SamePage, SamePages, key_of, plain_text
from gwc_crawler.store.sqlite.database import CrawlDatabase

HOST = "a.example"
WALLS = {
    "cloudflare": "Just a moment... Ray ID: {hex} Performance & security",
    "with the url": "Checking your browser before accessing https://a.example{path} at {time}",
    "chinese, captcha": "请完成安全验证 请求编号：{hex}",
    "chinese, frequency": "访问过于频繁，您的IP {ip} 已被限制，时间 {time}",
    "login": "Please log in to see {path} (session {key})",
    "too many": "Too many requests. Try again in {number} seconds.",
    "denied": "Access Denied. Reference #18.{hex}.{number} {ip}",
    "maintenance": "Wartung bis {time}",
    "token": "Verify you are human token={key}=={hex}",
    "nothing": "",
}
UNLIKE = [
    ("Event 7 is over", "/p/7", "Event 8 is over", "/p/8"),
    ("Garden fair", "/p/7", "Music fair", "/p/8"),
    ("活动一已结束", "/p/1", "活动二已结束", "/p/2"),
    ("No. #12: sold", "/p?id=12", "No. #13: sold", "/p?id=13"),
]

hexes = st.integers(2**40, 2**64).map("{:x}".format).filter(lambda text: any(one.isdigit() for one in text))
numbers = st.integers(1000, 10**9)


def of_file(database: CrawlDatabase) -> SamePages:
    book = LimitsBook(database)
    return SamePages(lambda step: book.change(lambda state: step(state.pages)).pages, lambda urls: [])


@pytest.mark.parametrize("wall", WALLS.values(), ids=WALLS)
@given(data=st.data())
def test_what_changes_from_request_to_request_makes_no_other_text(wall: str, data: st.DataObject) -> None:
    def text(path: str) -> str:
        number = data.draw(numbers)
        return wall.format(
            hex=data.draw(hexes),
            path=path,
            time=f"12:{number % 60:02}:07",
            ip=f"203.0.113.{number % 256}",
            key=f"aB{data.draw(hexes)}Zz",
            number=number,
        )

    assert plain_text(text("/p/7"), f"https://{HOST}/p/7") == plain_text(text("/p/amber-lamp"), f"https://{HOST}/p/x")


@pytest.mark.parametrize(("one", "its", "other", "others"), UNLIKE)
def test_what_a_page_says_of_itself_makes_it_another(one: str, its: str, other: str, others: str) -> None:
    assert plain_text(one, f"https://{HOST}{its}") != plain_text(other, f"https://{HOST}{others}")


class Shared:
    """A state that several workers share, and the complete URLs that they let wait again."""

    def __init__(self) -> None:
        self.state = LimitsState()
        self.waiting: list[str] = []
        self.running: set[str] = set()

    def change(self, step: Callable[[dict[str, SamePage]], None]) -> dict[str, SamePage]:
        self.state = LimitsState.from_json(self.state.as_json())
        step(self.state.pages)
        return self.state.pages

    def put_back(self, urls: list[str]) -> list[str]:
        self.waiting += [url for url in urls if url not in self.running]
        return [url for url in urls if url in self.running]

    def worker(self) -> SamePages:
        return SamePages(self.change, self.put_back)


KEY = key_of(HOST, "just a moment")


def store(worker: SamePages, url: str, key: str = KEY, *, is_target: bool = True) -> None:
    worker.stored(key, HOST, "just a moment", url, is_target=is_target)
    worker.settle()


def test_workers_that_see_a_part_each_recognise_it_together() -> None:
    shared = Shared()
    for number in range(LEAST):
        store(shared.worker(), f"/p/{number}")
    assert shared.waiting == [f"/p/{number}" for number in range(LEAST)]
    assert shared.worker().recognised(KEY) is not None


def test_lists_alone_do_not_make_it_recognised_and_come_back_with_it() -> None:
    shared, urls = Shared(), [f"/list/{number}" for number in range(2 * LEAST)]
    worker = shared.worker()
    for url in urls:
        store(worker, url, is_target=False)
    assert worker.recognised(KEY) is None
    for number in range(LEAST):
        store(worker, f"/p/{number}")
    assert set(urls) < set(shared.waiting)


def test_one_address_that_is_looked_at_again_and_again_is_one() -> None:
    worker = Shared().worker()
    for _ in range(2 * LEAST):
        store(worker, "/p/1")
    assert worker.recognised(KEY) is None


def test_what_is_on_its_way_to_the_store_is_put_back_when_it_is_there() -> None:
    shared = Shared()
    shared.running = {"/p/2"}
    worker = shared.worker()
    for number in range(LEAST):
        store(worker, f"/p/{number}")
    assert "/p/2" not in shared.waiting
    shared.running.clear()
    worker.settle()
    assert shared.waiting.count("/p/2") == 1


def test_texts_that_differ_are_forgotten_in_time_and_none_is_recognised() -> None:
    shared = Shared()
    worker = shared.worker()
    for number in range(300):
        store(worker, f"/p/{number}", key_of(HOST, f"event {number}"))
    assert not shared.state.recognised
    assert len(shared.state.pages) <= 50


def test_it_is_a_kind_of_page_when_it_stays_beside_records_and_none_when_one_comes() -> None:
    shared = Shared()
    worker = shared.worker()
    for number in range(LEAST):
        store(worker, f"/p/{number}")
    found = worker.recognised(KEY)
    assert found is not None
    worker.beside_records.add(KEY)
    for number in range(LEAST):
        assert not worker.stays(KEY, found)
        worker.again(KEY, HOST, f"/p/{number}", 0.0)
    assert worker.stays(KEY, found)
    worker.other(HOST, "/p/0")
    assert not worker.stays(KEY, found)


def test_rests_part_the_rounds() -> None:
    worker = Shared().worker()
    assert [worker.again(KEY, HOST, "/p/1", at) for at in (0.0, 1.0)] == [1, 2]
    worker.rest(HOST, 10.0)
    assert worker.again(KEY, HOST, "/p/2", 9.0) == 2
    assert worker.again(KEY, HOST, "/p/2", 10.0) == 3
    worker.other(HOST, "")
    assert worker.rounds(HOST) == 0


def test_the_file_of_a_crawl_keeps_it(tmp_path: Path) -> None:
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        worker = of_file(database)
        for number in range(LEAST):
            store(worker, f"/p/{number}")
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        assert [page.excerpt for page in read_limits(database).recognised] == ["just a moment"]
        assert of_file(database).recognised(KEY) is not None
