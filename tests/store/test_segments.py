"""WARC files end at a whole record, wherever a process was killed; one that is being written is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from gwc_crawler.errors import StoreError
from gwc_crawler.store.archive import Archive, Exchange, mend, message_head
from gwc_crawler.store.sqlite.database import CrawlDatabase
from gwc_crawler.store.sqlite.state import ArchivedRows


@pytest.fixture
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArchivedRows]:
    with CrawlDatabase(tmp_path_factory.mktemp("known") / "crawl.db") as database:
        yield ArchivedRows(database)


def archive(folder: Path, known: ArchivedRows, max_bytes: int = 10**9) -> Archive:
    return Archive(folder / "site", max_bytes, known, [("software", "tests")])


def exchange(number: int, body: bytes = b"") -> Exchange:
    body = body or b"page %d" % number
    head = message_head("HTTP/1.1 200 OK", [(b"Content-Length", b"%d" % len(body))])
    asked = message_head("GET / HTTP/1.1", [(b"Host", b"a"), (b"Cookie", b"id=secret"), (b"Authorization", b"Basic 0")])
    return Exchange(f"http://a.example/{number}", 1000.0 + number, 200, asked, head, body, body, "127.0.0.1")


def records(data: bytes) -> list[tuple[str, str, bytes]]:
    return [
        (one.rec_type, one.rec_headers.get_header("WARC-Target-URI") or "", one.raw_stream.read())
        for one in ArchiveIterator(BytesIO(data), no_record_parse=True)
    ]


@pytest.mark.dear
def test_a_file_cut_off_anywhere_keeps_its_whole_records(tmp_path: Path, known: ArchivedRows) -> None:
    kept = archive(tmp_path, known)
    kept.record(exchange(1))
    kept.record(exchange(2))
    kept.close()
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    path.unlink()
    whole = records(data)
    assert [kind for kind, _, _ in whole] == ["warcinfo", "response", "request", "response", "request"]
    lengths = set()
    for size in range(len(data) + 1):
        left = tmp_path / "site-1.warc.gz.open"
        left.write_bytes(data[:size])
        mend(left)
        assert not left.exists()
        mended = tmp_path / "site-1.warc.gz"
        found = records(mended.read_bytes()) if mended.exists() else []
        assert found == whole[: len(found)]
        lengths.add(len(found))
        mended.unlink(missing_ok=True)
    assert lengths == {0, 1, 2, 3, 4, 5}
    assert len(found) == 5


def test_what_another_process_writes_is_left_alone(tmp_path: Path, known: ArchivedRows) -> None:
    writing = archive(tmp_path, known)
    writing.record(exchange(1))
    writing.flush()
    archive(tmp_path, known).close()
    (path,) = tmp_path.iterdir()
    assert path.name.endswith(".open")
    writing.record(exchange(2))
    writing.close()
    (path,) = tmp_path.iterdir()
    assert len(records(path.read_bytes())) == 5


def test_files_are_begun_anew_at_their_size_each_with_its_info(tmp_path: Path, known: ArchivedRows) -> None:
    kept = archive(tmp_path, known, 500)
    for number in range(6):
        kept.record(exchange(number))
        kept.flush()
    kept.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) > 2
    found = [records(path.read_bytes()) for path in files]
    assert {one[0][0] for one in found} == {"warcinfo"}
    assert [url for one in found for kind, url, _ in one if kind == "response"] == [exchange(n).url for n in range(6)]


def test_credentials_are_blotted_out(tmp_path: Path, known: ArchivedRows) -> None:
    kept = archive(tmp_path, known)
    kept.record(exchange(1))
    kept.close()
    (path,) = tmp_path.iterdir()
    (asked,) = [block for kind, _, block in records(path.read_bytes()) if kind == "request"]
    assert asked == exchange(1).request.replace(b"id=secret", b"*********").replace(b"Basic 0", b"*******")


def test_a_payload_is_kept_once_also_over_runs(tmp_path: Path, known: ArchivedRows) -> None:
    first = archive(tmp_path, known)
    first.record(exchange(1, b"same"))
    first.record(exchange(2, b"same"))
    first.close()
    second = archive(tmp_path, known)
    second.record(exchange(3, b"same"))
    second.close()
    found = [one for path in sorted(tmp_path.iterdir()) for one in records(path.read_bytes())]
    assert [kind for kind, _, _ in found if kind in ("response", "revisit")] == ["response", "revisit", "revisit"]
    rows = [known.of_url(f"http://a.example/{number}") for number in (1, 2, 3)]
    assert len({one and one.record for one in rows}) == 1


def test_two_archives_of_the_same_moment_have_files_of_their_own(
    tmp_path: Path, known: ArchivedRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is finished gets its name by a rename, which would take another one's place."""

    class OneMoment(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> OneMoment:
            return cls(2026, 1, 1, tzinfo=tz)

    monkeypatch.setattr("gwc_crawler.store.archive.datetime", OneMoment)
    for number in range(3):
        one = archive(tmp_path, known)
        one.record(exchange(number, b"%d" % number))
        one.close()
    assert len(list(tmp_path.iterdir())) == 3


def test_what_could_not_be_written_is_told_until_the_end(tmp_path: Path, known: ArchivedRows) -> None:
    kept = archive(tmp_path, known)
    kept.record(exchange(1))
    kept.flush()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        kept.record(exchange(2))
        with pytest.raises(StoreError, match="No space left"):
            kept.flush()
    kept.record(exchange(3))
    with pytest.raises(StoreError, match="No space left"):
        kept.close()
