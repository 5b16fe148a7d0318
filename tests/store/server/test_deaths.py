"""Writers' processes that end at a batch, or at a page: each is told from what is well, and nothing waits behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gwc_crawler.errors import StoreError
from gwc_crawler.store.server import outlet, writer
from gwc_crawler.store.server.config import OutletConfig, ServerConfig
from gwc_crawler.store.server.outlet import DIED, DOUBT_TRIES, Outlet, WriterProcess
from gwc_crawler.store.server.staged import Head, Unit
from gwc_crawler.store.server.units import decode

SERVER = ServerConfig("server", 1, "user", "", "crawls")
SECONDS = 60.0
UNREADABLE, DEADLY = "unreadable", "deadly"


class Death(Exception):
    """A process ends."""


class Writer:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.urls: set[str] = set()

    def check(self) -> None: ...

    def close(self) -> None: ...

    def write(self, head: Head, units: Sequence[Unit]) -> None:
        if any(DEADLY in unit["url"] for unit in units):
            raise Death
        self.urls.update(unit["url"] for unit in units)


class Process(WriterProcess):
    """Works in the test's own process, and ends by a word."""

    writer = Writer()

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        self.at = None

        def tell(answer: Any) -> None:
            self.at = answer["at"]

        try:
            answer = writer.answer_to(self.writer, order, tell)  # type: ignore[arg-type]
        except Death:
            self.deaths += 1
            return DIED
        self.deaths = 0
        return answer


def read(body: bytes) -> Any:
    head, units = decode(body)
    if any(UNREADABLE in unit["url"] for unit in units):
        raise Death
    return head, units


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The tries of batches before which it was waited."""
    found: list[int] = []

    def pause(attempt: int, _: float) -> float:
        found.append(attempt)
        return 0.0

    monkeypatch.setattr(outlet, "pause_seconds", pause)
    return found


@pytest.fixture
def way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attempts: list[int]) -> Iterator[Outlet]:
    monkeypatch.setattr(outlet, "WriterProcess", Process)
    monkeypatch.setattr(writer, "decode", read)
    monkeypatch.setattr(Process, "writer", Writer())
    opened = Outlet(OutletConfig(SERVER, writers=1), tmp_path)
    yield opened
    with suppress(StoreError):
        opened.close()


def put(way_out: Outlet, *urls: str) -> None:
    units = [{"url": url, "record": {}} for url in urls]
    way_out.put({"form": "items", "site": "books"}, lambda: units).result(SECONDS)


def test_a_batch_at_whose_reading_the_writer_ends_is_put_aside_and_the_next_one_comes(
    way_out: Outlet, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(way_out, "a", UNREADABLE)
    put(way_out, "b")
    assert way_out.is_empty_within(SECONDS)
    assert Process.writer.urls == {"b"}
    assert len(list(tmp_path.glob("1/*.damaged"))) == 1
    assert "reason=the writer's process ends at it" in caplog.text


def test_of_many_deadly_pages_none_counts_as_a_try_of_the_others(way_out: Outlet, attempts: list[int]) -> None:
    put(way_out, *(f"{DEADLY} {number}" for number in range(9)), "a")
    assert way_out.is_empty_within(SECONDS)
    assert Process.writer.urls == {"a"}
    assert way_out.state.refused == 9
    assert max(attempts) < DOUBT_TRIES


def test_no_page_is_blamed_where_the_writer_ends_while_it_keeps_what_is_refused(
    way_out: Outlet, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep: Callable[..., str] = writer.Batch._keep
    deaths = iter([Death] * 5)

    def dies_at_first(*args: Any) -> str:
        if next(deaths, None):
            raise Death
        return keep(*args)

    monkeypatch.setattr(writer.Batch, "_keep", dies_at_first)
    put(way_out, DEADLY, "a")
    assert way_out.is_empty_within(SECONDS)
    assert (way_out.state.written, way_out.state.refused) == (1, 1)


def test_no_order_is_given_behind_the_end(way_out: Outlet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    way_out._stop.set()
    monkeypatch.setattr(Process, "ask", pytest.fail)
    assert not way_out._wrote(Process(SERVER), tmp_path, Counter(), doubt=False)
