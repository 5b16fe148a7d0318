"""Reading processes: what they say is what this process would say, and no page is lost or read for ever."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.extract.condenser import Condenser
from gwc_crawler.extract.reading import readers
from gwc_crawler.extract.reading.orders import Order, ReadAnswer, ReadPlan, plan_of
from gwc_crawler.extract.reading.process import PageWork
from gwc_crawler.extract.reading.readers import ReaderDied, Readers, worker_count
from gwc_crawler.items import RejectionReason
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.modes import LearnMode, MainText, Strip
from gwc_crawler.page.reader import ReadOptions
from gwc_crawler.store.kept_files import FileChoice

URL = "http://a.example"


def body(number: int, more: str = "") -> bytes:
    links = "".join(f'<a href="/p/{number + step}">{step}</a>' for step in range(5))
    loop = "/x" * 9
    text = f"<title>Seite {number} ü</title><p>Ein Text über {number} Dinge, lang genug für einen Absatz.</p>"
    return f'<html>{text}{links}<a href="{loop}">{more}</a><a href="http://b.example/">b</a></html>'.encode()


KNOWLEDGE = Knowledge(
    site="a",
    mode=LearnMode.BEST,
    targets=(UrlClass(URL + "/p/[0-9]+"),),
    directories=(UrlClass(r".*"),),
    max_weight=9,
    wrapper=learn_wrapper(
        [Sample(f"{URL}/p/{number}", body(number), {"title": f"Seite {number} ü"}) for number in (1, 22)]
    ).to_json(),
)


def plan(**changes: Any) -> ReadPlan:
    condenser = Condenser(Strip.ALL, MainText.INFORMATION)
    some = plan_of(KNOWLEDGE, ["a.example"], ReadOptions(), FileChoice(), condenser, makes_records=True, signs=True)
    return type(some)(**{**{name: getattr(some, name) for name in some.__struct_fields__}, **changes})


def run_with(count: int, work: Callable[[Readers], Coroutine[Any, Any, Any]]) -> tuple[Any, list[str]]:
    """Run *work* with so many processes; returns what it returns, and the links that were left out."""
    left_out: list[str] = []

    def note(reason: RejectionReason, url: str) -> None:
        left_out.append(url)

    async def main() -> Any:
        some = Readers(count, plan(), note)
        some.start()
        try:
            return await asyncio.wait_for(work(some), 60)
        finally:
            some.close()

    return asyncio.run(main()), left_out


async def read(some: Readers, number: int, more: str = "") -> ReadAnswer | None:
    return await some.read(f"{URL}/p/{number}", 200, "text/html", 1e9, body(number, more))


def test_what_a_process_says_of_a_page_is_what_this_one_says() -> None:
    async def work(some: Readers) -> list[ReadAnswer | None]:
        return await asyncio.gather(*(read(some, number) for number in range(40)))

    answers, left_out = run_with(2, work)
    here = PageWork(plan())
    for number, answer in enumerate(answers):
        own = here.read(Order(answer.number, f"{URL}/p/{number}", 200, "text/html", 1e9, body(number)))
        answer.left_out = own.left_out = []
        assert answer == own
    assert answers[3].record.fields == {"title": "Seite 3 ü"}
    page = answers[0].whole_page(body(0))
    assert page.links[:2] == (f"{URL}/p/0", f"{URL}/p/1")
    assert page.admitted == page.links[:5], "what looks like a trap is not admitted"
    assert page.outside == ("http://b.example/",)
    assert left_out == [URL + "/x" * 9], "both processes met it, and it counts once"


def test_a_killed_process_loses_no_page() -> None:
    async def work(some: Readers) -> list[ReadAnswer | None]:
        reading = [asyncio.ensure_future(read(some, number)) for number in range(60)]
        await asyncio.sleep(0)  # they are handed out
        os.kill(some.processes[0], signal.SIGKILL)
        return await asyncio.gather(*reading)

    answers, _ = run_with(2, work)
    assert [answer.page.url for answer in answers] == [f"{URL}/p/{number}" for number in range(60)]


def test_a_page_that_kills_is_given_up_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "PROGRAM", "tests.extract.deadly_process")

    async def work(some: Readers) -> list[Any]:
        pages = [read(some, number, "deadly" if number == 5 else "") for number in range(12)]
        return await asyncio.gather(*pages, return_exceptions=True)

    answers, _ = run_with(1, work)
    assert isinstance(answers[5], ReaderDied)
    assert "SIGKILL" in str(answers[5])
    assert all(isinstance(answer, ReadAnswer) for number, answer in enumerate(answers) if number != 5)


def test_a_page_that_can_not_be_read_is_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "PROGRAM", "tests.extract.deadly_process")

    async def work(some: Readers) -> list[ReadAnswer | None]:
        return await asyncio.gather(read(some, 1, "broken"), read(some, 2))

    answers, _ = run_with(1, work)
    assert answers[0] is None
    assert answers[1].page.url == f"{URL}/p/2"


def test_processes_that_do_not_start_leave_all_to_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "PROGRAM", "tests.extract.nothing_of_that_name")

    async def work(some: Readers) -> list[Any]:
        return await asyncio.gather(*(read(some, number) for number in range(3)))

    answers, _ = run_with(1, work)
    assert answers == [None] * 3


@pytest.mark.parametrize("value", ["0", "-3", "many", "1.5", "", 1000])
def test_what_is_no_number_of_processes_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="auto: one for each core"):
        worker_count(value, f"-a workers={value}")
