"""The dupefilters of any Scrapy project: what was seen, by whose word, and in the next run of a JOBDIR."""

from __future__ import annotations

from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.dupefilters import RFPDupeFilter
from scrapy.utils.test import get_crawler

from gwc_crawler import Md5DirectoryDupeFilter, Md5TreeDupeFilter
from gwc_crawler.errors import InputError

KINDS = (Md5TreeDupeFilter, Md5DirectoryDupeFilter)


def made(kind: type[RFPDupeFilter], jobdir: Path | None = None, **settings: Any) -> RFPDupeFilter:
    return kind.from_crawler(get_crawler(Spider, {**settings, **({"JOBDIR": str(jobdir)} if jobdir else {})}))


REQUESTS = st.builds(
    Request,
    st.sampled_from(
        ["http://a.example/?a=1&b=2", "http://a.example/?b=2&a=1", "http://a.example/#x", "http://é.example/"]
    ),
    method=st.sampled_from(["GET", "HEAD", "POST"]),
    body=st.sampled_from([b"", b"x"]),
)


@given(st.lists(REQUESTS))
def test_it_takes_for_the_same_what_scrapys_own_does(requests: list[Request]) -> None:
    ours, theirs = made(Md5TreeDupeFilter), made(RFPDupeFilter)
    assert [ours.request_seen(one) for one in requests] == [theirs.request_seen(one) for one in requests]


class ByHost:
    """A fingerprinter whose prints are neither long nor spread."""

    def fingerprint(self, request: Request) -> bytes:
        return request.url.split("/")[2].encode()


def test_the_projects_fingerprinter_decides() -> None:
    ours = made(Md5TreeDupeFilter, REQUEST_FINGERPRINTER_CLASS=ByHost)
    urls = ("http://a.example/1", "http://a.example/2", "http://b.example/1")
    assert [ours.request_seen(Request(url)) for url in urls] == [False, True, False]


@pytest.mark.parametrize("kind", KINDS)
def test_a_crawl_that_continues_knows_what_was_seen(kind: type[RFPDupeFilter], tmp_path: Path) -> None:
    requests = [Request(f"http://a.example/{number}") for number in range(300)]
    for known, asked in ((0, 200), (200, 300), (300, 300)):
        one = made(kind, tmp_path / "job")
        assert [one.request_seen(request) for request in requests[:asked]] == [True] * known + [False] * (asked - known)
        one.close("finished")


@pytest.mark.parametrize("torn", range(8))
def test_what_a_killed_process_had_begun_to_write_is_left_out(tmp_path: Path, torn: int) -> None:
    requests = [Request(f"http://a.example/{number}") for number in range(3)]
    before = made(Md5TreeDupeFilter, tmp_path)
    assert [before.request_seen(request) for request in requests] == [False] * 3
    before.close("finished")
    with (tmp_path / "requests.md5").open("ab") as file:
        file.write(bytes(torn))
    for _ in range(2):
        after = made(Md5TreeDupeFilter, tmp_path)
        assert [after.request_seen(request) for request in requests] == [True] * 3
        after.close("finished")
    assert (tmp_path / "requests.md5").stat().st_size == 24


def test_the_directory_is_16_digits_deep_and_may_be_shared(tmp_path: Path) -> None:
    one, other = made(Md5DirectoryDupeFilter, tmp_path), made(Md5DirectoryDupeFilter, tmp_path)
    request = Request("http://a.example/")
    assert (one.request_seen(request), other.request_seen(request)) == (False, True)
    last = [path for path in (tmp_path / "requests.md5.d").rglob("*") if not any(path.iterdir())]
    assert [len(path.relative_to(tmp_path).parts) for path in last] == [17]


def test_without_a_jobdir_the_directories_go_with_the_run() -> None:
    filter_ = made(Md5DirectoryDupeFilter)
    assert [filter_.request_seen(Request("http://a.example/")) for _ in range(2)] == [False, True]
    folder = next(iter(Path(gettempdir()).glob("requests-md5-*")))
    filter_.close("finished")
    assert not folder.exists()


def test_a_jobdir_that_can_not_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "requests.md5").mkdir()
    with pytest.raises(InputError, match=r"where what was seen can't be kept: .*Is a directory"):
        made(Md5TreeDupeFilter, tmp_path)
