"""Batches whose outcome is known, written while something goes wrong: a balance sheet says what is there of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gwc_crawler.items import KeptFile, PageKind, Record, Visit
from gwc_crawler.knowledge.model import RecordShape
from gwc_crawler.store.server.sink import ServerSink
from tests.postgres_server import PostgresServer
from tests.store.server.conftest import url_of, visit_of
from tests.tds_server import Hook, TdsServer

SECONDS = 30.0

JOINED = RecordShape(
    ("title", "tags", "reviews", "cover", "cover_file"),
    paged={"reviews": ("reviews",)},
    files=("cover", "reviews.photo"),
)


class Books:
    """Writes batches of two pages with records, links and exceptions, and knows what has to be there of them."""

    def __init__(self, tds: TdsServer | PostgresServer, sink: ServerSink) -> None:
        self.tds = tds
        self.sink = sink
        self.batches = 0

    def batch(self) -> list[Visit]:
        first = 10 * self.batches
        self.batches += 1
        return [visit_of(number, title=f"T{number}") for number in (first, first + 5)]

    def write(self) -> None:
        """Write a batch, and wait until the server has all."""
        self.sink.write(self.batch()).result(SECONDS)
        assert self.sink.outlet.is_empty_within(SECONDS), self.sink.outlet.state.told

    def sheet(self) -> dict[str, tuple[int, int]]:
        """What is there, and what has to be."""
        tds, pages = self.tds, 2 * self.batches
        there = {name: tds.count(name) for name in ("pages", "records_books", "exceptions", "link_ids", "urls")}
        there["links to other sites"] = tds.rows("SELECT sum(link_count) FROM dbo.sites WHERE state = 'U'")[0][0]
        wanted = (pages, pages, pages, 2 * pages, 3 * pages, pages)
        return dict(zip(there, zip(there.values(), wanted, strict=True), strict=True))

    def assert_balanced(self) -> None:
        sheet = self.sheet()
        print("\n".join(f"{name}: {there} of {wanted}" for name, (there, wanted) in sheet.items()))
        assert all(there == wanted for there, wanted in sheet.values()), sheet


class JoinedBooks(Books):
    """Writes records whose lists go on on another page of the batch, and whose files come with the next batch."""

    def batch(self) -> list[Visit]:
        first = 10 * self.batches
        self.batches += 1
        reviews = [{"text": "一", "photo": photo_of(first)}, {"text": "two"}]
        own = visit_of(first, title=f"T{first}", tags=["a", ""], cover=cover_of(first), reviews=reviews)
        return [
            goes_on(first + 5, first, {"text": "two"}, {"text": "three"}),
            own,
            kept(cover_of(first - 10)),
            kept(photo_of(first - 10)),
        ]

    def sheet(self) -> dict[str, tuple[int, int]]:
        tds, written = self.tds, self.batches
        wanted = {
            "pages": 4 * written, "records_books": written, "exceptions": written, "link_ids": 4 * written,
            "urls": 8 * written, "record_parts": 2 * written, "files": 2 * written, "file_uses": 2 * written,
            "list_items": 7 * written,
        }  # fmt: skip
        sheet = {name: (tds.count(name), number) for name, number in wanted.items()}
        whole = 'reviews LIKE \'%"two"}, {"text": "three"}]\' AND reviews NOT LIKE \'%two%two%\''
        placed = "cover_file = 'full/' || replace(url, 'https://shop.example/书/', '') || '.png'"
        shown = 'reviews LIKE \'%"photo_file": "full/%\''
        for name, condition, number in (
            ("lists that are whole", whole, written),
            ("covers with their file", placed, written - 1),
            ("photos with their file", shown, written - 1),
        ):
            sheet[name] = tds.rows(f"SELECT count(*) FROM dbo.records_books WHERE {condition}")[0][0], number  # noqa: S608
        return sheet


def goes_on(number: int, of: int, *reviews: object, at: float = 7.0) -> Visit:
    """A page that goes on with another one's reviews."""
    visit = visit_of(number, at=at)
    record = Record(visit.page.url, {"reviews": list(reviews)}, parent=url_of(of), number=2)
    return replace(visit, page=replace(visit.page, kind=PageKind.CONTINUATION), record=record)


def kept(url: str) -> Visit:
    """A file that was kept."""
    visit = visit_of(90, requested=url)
    page = replace(visit.page, url=url, kind=PageKind.BINARY, body=b"", links=(), outside=())
    path = f"full/{url.rpartition('/')[2]}"
    return replace(visit, page=page, file=KeptFile(path, "image/png", 3, "a" * 64, "bild.png"))


def cover_of(number: int) -> str:
    return f"https://shop.example/{number}.png"


def photo_of(number: int) -> str:
    return f"https://shop.example/photo/{number}.png"


def messages(books: Books) -> int:
    """How many messages a batch over a connection that stands takes, and one over a new connection."""
    books.tds.hook()
    books.write()
    return len(books.tds.heard())


def cut_at(books: Books, positions: Sequence[int], faults: Sequence[Hook]) -> None:
    """Have something go wrong at these messages of a batch, each by itself."""
    for at in positions:
        for fault in faults:
            fault.at, fault.seen = at, 0
            books.tds.hook(fault)
            books.write()
    books.tds.hook()
    books.assert_balanced()
