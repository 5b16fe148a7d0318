"""What the TagStrip paper says and no other test shows by itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gwc_crawler.store.stripping.engine import (
    EngineOptions,
    PageKey,
    StopWatch,
    StrippedPage,
    Strippers,
    WaitingPage,
    strip_pages,
)


class Table:
    """Waiting pages, and what was stripped of them; remembers how many went in and out at once."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.read: list[int] = []
        self.written: list[int] = []
        self.most = 0

    def count(self) -> int:
        return self.pages

    def keys(self, after: PageKey | None, limit: int) -> list[PageKey]:
        first = after.place + 1 if after else 0
        return [PageKey(one, f"http://a.example/{one}") for one in range(first, min(self.pages, first + limit))]

    def fetch(self, keys: Sequence[PageKey]) -> list[WaitingPage]:
        self.read.append(len(keys))
        self.most = max(self.most, sum(self.read) - sum(self.written))
        return [WaitingPage(key.url, "", b"<p>x") for key in keys]

    def done(self, keys: Sequence[PageKey]) -> Collection[str]:
        return ()

    def write(self, pages: Sequence[StrippedPage]) -> None:
        self.written.append(len(pages))

    def close(self) -> None:
        pass


def test_rows_are_read_500_at_a_time_and_inserted_100_at_once_through_ten_blocks() -> None:
    table = Table(3000)
    assert strip_pages(table, table, Strippers(1), StopWatch(), EngineOptions()).pages == 3000
    assert table.read == [500] * 6
    assert table.written == [100] * 30
    assert 500 <= table.most <= 10 * 100


class Slow(Strippers):
    """Strippers with room for any number of blocks, that give one back at a time; remembers what was under way."""

    def __init__(self) -> None:
        super().__init__(1)
        self.sizes: list[int] = []
        self.most = 0

    def has_room(self) -> bool:
        return True

    def give(self, block: Sequence[WaitingPage]) -> None:
        super().give(block)
        self.sizes.append(len(block))
        self.most = max(self.most, self.under_way)

    def take(self) -> list[list[StrippedPage]]:
        first = next(iter(self._blocks))
        del self._blocks[first]
        return [first.result()]


def test_the_buffer_holds_ten_blocks_and_a_stripper_takes_one_of_100_pages_at_a_time() -> None:
    table, strippers = Table(3050), Slow()
    assert strip_pages(table, table, strippers, StopWatch(), EngineOptions()).pages == 3050
    assert strippers.sizes == [100] * 30 + [50]
    assert strippers.most == 10
    assert table.most == 1000
