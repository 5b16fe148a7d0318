"""WARC files of whole crawls, read back by other programs: every answer as it was sent, whatever ends a crawl."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import MallServer, mall_site_toml
from tests.conftest import Project
from tests.crawl.test_endings import assert_clear
from tests.graphs import crossed_tree
from tests.processes import kill_when
from tests.raw_server import RawServer
from tests.site_server import SiteServer

WARC = {"GWC_WARC": "warc/"}


@dataclass
class Read:
    """A record as FastWARC reads it."""

    kind: str
    url: str
    headers: dict[str, str]
    block: bytes


def files(project: Project, name: str = "graph") -> list[Path]:
    return sorted((project.directory / "data" / name / "warc").iterdir())


def read(project: Project, name: str = "graph") -> list[Read]:
    """Read all files by FastWARC, and by warcio; both have to see the same, and no digest may be wrong."""
    found: list[Read] = []
    for path in files(project, name):
        assert path.name.endswith(".warc.gz")
        with path.open("rb") as stream:
            ours = []
            for one in FastIterator(stream, parse_http=False):
                assert one.verify_block_digest()
                headers = dict(one.headers)
                ours.append(Read(headers["WARC-Type"], headers.get("WARC-Target-URI", ""), headers, one.reader.read()))
        with path.open("rb") as stream:
            others = [
                (one.rec_headers.get_header("WARC-Record-ID"), one.raw_stream.read())
                for one in ArchiveIterator(stream, no_record_parse=True)
            ]
        assert [(one.headers["WARC-Record-ID"], one.block) for one in ours] == others
        assert ours[0].kind == "warcinfo"
        found += ours
    return found


def of_kind(records: list[Read], kind: str) -> dict[str, Read]:
    return {one.url: one for one in records if one.kind == kind}


def answer(head: bytes, body: bytes) -> bytes:
    return head + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body


PAGE = b"<html><title>plain</title><p>treasure</p></html>"
LINKS = b"".join(
    b"<a href='/%s'>to it</a>" % one for one in (b"chunks", b"trailers", b"packed", b"odd", b"same", b"gone", b"moved")
)
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd:   spaced  \r\nSet-Cookie: a=1"
SCRIPTS = {
    "/robots.txt": answer(b"HTTP/1.1 200 Fine\r\nContent-Type: text/plain", b"User-agent: *\nDisallow:\n"),
    "/": answer(OK, b"<html>treasure" + LINKS),
    "/chunks": b"HTTP/1.1 200 OK\r\ncontent-TYPE: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n<html\r\n11\r\n>chunks treasure\n\r\n0\r\n\r\n",
    "/trailers": b"HTTP/1.1 200 OK\r\ncontent-TYPE: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5;a=b\r\n<html\r\n10\r\n>trail treasure\n\r\n0\r\nTrailer: x\r\n\r\n",
    "/packed": answer(OK + b"\r\nContent-Encoding: gzip", gzip.compress(b"<html>packed treasure", mtime=0)),
    "/odd": b"HTTP/1.1 200\nContent-Type: text/html\nContent-Length: 19\n\n<html>odd treasure.",
    "/same": answer(OK, PAGE),
    "/gone": answer(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html", b"<html>not here"),
    "/moved": answer(b"HTTP/1.1 301 Moved Permanently\r\nLocation: /plain", b""),
    "/plain": answer(OK, PAGE),
}


@pytest.fixture
def raw() -> Iterator[RawServer]:
    with RawServer({path: [sent] for path, sent in SCRIPTS.items()}) as server:
        yield server


def test_every_answer_is_there_as_it_was_sent(project: Project, raw: RawServer) -> None:
    project.write_graph_site(raw.url)
    project.write_knowledge()
    outcome = project.scrapy("crawl", "graph", settings=WARC)
    assert outcome.code == 0, outcome.err
    records = read(project)
    responses, revisits = of_kind(records, "response"), of_kind(records, "revisit")
    assert {url.removeprefix(raw.url) for url in responses | revisits} == set(SCRIPTS)
    for url, one in responses.items():
        assert one.block == SCRIPTS[url.removeprefix(raw.url)]
        assert one.headers["WARC-IP-Address"] == "127.0.0.1"
    (again,) = revisits.values()  # /same or /plain, whichever came later
    head, _, _ = SCRIPTS[again.url.removeprefix(raw.url)].partition(b"\r\n\r\n")
    assert again.block == head + b"\r\n\r\n"
    assert again.headers["WARC-Profile"].endswith("/identical-payload-digest")
    original = responses[again.headers["WARC-Refers-To-Target-URI"]]
    assert original.headers["WARC-Record-ID"] == again.headers["WARC-Refers-To"]
    assert original.headers["WARC-Payload-Digest"] == again.headers["WARC-Payload-Digest"]
    assert original.headers["WARC-Date"] == again.headers["WARC-Refers-To-Date"]
    asked = [one.block for one in records if one.kind == "request"]
    assert sorted(asked) == sorted(raw.requests)


def test_others_unpack_what_was_meant(project: Project, raw: RawServer) -> None:
    project.write_graph_site(raw.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph", settings=WARC).code == 0
    (path,) = files(project)
    with path.open("rb") as stream:
        pages = {
            one.rec_headers.get_header("WARC-Target-URI").removeprefix(raw.url): one.content_stream().read()
            for one in ArchiveIterator(stream)
            if one.rec_type == "response"
        }
    assert pages["/chunks"] == b"<html>chunks treasure\n"
    assert pages["/packed"] == b"<html>packed treasure"
    assert pages["/odd"] == b"<html>odd treasure."


def test_what_has_not_changed_is_a_revisit(project: Project, site: SiteServer) -> None:
    site.links = {"/": ["/a", "/b"], "/a": [], "/b": []}
    site.etags = True
    project.write_graph_site(site.url)
    project.write_knowledge()
    assert project.scrapy("crawl", "graph", settings=WARC).code == 0
    assert project.scrapy("crawl", "graph", "-a", "recrawl=all", settings=WARC).code == 0
    records = read(project)
    first = of_kind(records, "response")
    again = {url: one for url, one in of_kind(records, "revisit").items() if not url.endswith("robots.txt")}
    assert {url.removeprefix(site.url) for url in again} == set(site.links)
    for url, one in again.items():
        assert one.block.startswith(b"HTTP/1.1 304")
        assert one.headers["WARC-Profile"].endswith("/server-not-modified")
        assert one.headers["WARC-Refers-To"] == first[url].headers["WARC-Record-ID"]


def test_a_killed_crawl_lacks_no_page_and_its_files_are_mended(project: Project, site: SiteServer) -> None:
    rng = random.Random(5)
    site.links = crossed_tree(150)
    site.delays["*"] = 0.01
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    settings = {**WARC, "GWC_LEASE_BATCH": 16, "GWC_COMMIT_PAGES": 10, "GWC_WARC_MAX_BYTES": 20_000}
    kills = 0
    for _ in range(3):
        moment = site.hits.total() + rng.randint(10, 50)
        kills += kill_when(
            project.start("crawl", "graph", settings=settings), lambda moment=moment: site.hits.total() >= moment
        )
        complete = {url for url, state in project.states().items() if state == "C"}
        safe = {one.url for path in files(project) for one in _whole(path)}
        assert complete <= safe
    assert kills, "the crawl was over before it could be killed"
    torn = files(project)[0].with_name("graph-0-torn.warc.gz.open")  # as if it had been killed within a record
    torn.write_bytes(files(project)[0].read_bytes() + gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n")[:-9])
    assert project.scrapy("crawl", "graph", settings=settings).code == 0
    records = read(project)
    assert torn.with_suffix("").exists()
    assert set(project.states().values()) == {"C"}
    assert {one.url for one in records if one.kind in ("response", "revisit")} >= set(project.states())


def _whole(path: Path) -> Iterator[Read]:
    """Read what is whole of a file that may be cut off."""
    with path.open("rb") as stream:
        try:
            for one in ArchiveIterator(stream, no_record_parse=True):
                block = one.raw_stream.read()
                if len(block) == int(one.rec_headers.get_header("Content-Length")):
                    yield Read(one.rec_type, one.rec_headers.get_header("WARC-Target-URI") or "", {}, block)
        except Exception:  # noqa: BLE001  # a half record, however warcio says so
            return


def test_a_learned_crawl_has_every_page_and_every_html_file_is_what_was_sent(project: Project) -> None:
    with MallServer(Mall(seed=3, size=40)) as server:
        project.write_site("mall", mall_site_toml(server.mall, server.url))
        settings: dict[str, Any] = {**WARC, "GWC_HTML_FILES": "all"}
        outcome = project.scrapy("crawl", "mall", settings=settings)
        assert outcome.code == 0, outcome.err
        saved: dict[str, str] = dict(project.rows("SELECT url, path FROM files", name="mall"))  # type: ignore[arg-type]
        archived = _payloads(project)
        rows = project.rows("SELECT url FROM pages WHERE kind IN ('target', 'directory', 'information')", name="mall")
        assert len(rows) > 40
        hits = server.hits
        again = {url for (url,) in rows if hits[url.removeprefix(server.url.rstrip("/"))] > 1}
        assert not again, "pages of the pre-crawl are used, for they are archived"
        for (url,) in rows:
            with urlopen(url) as sent:
                body = sent.read()
            assert archived[url] == body
            assert (project.directory / "data" / "mall" / saved[url]).read_bytes() == body


def _payloads(project: Project) -> dict[str, bytes]:
    """Return URL → body, by warcio; a revisit's from the record that it refers to."""
    found: dict[str, bytes] = {}
    refers: dict[str, str] = {}
    for path in files(project, "mall"):
        with path.open("rb") as stream:
            for one in ArchiveIterator(stream):
                url = one.rec_headers.get_header("WARC-Target-URI")
                if one.rec_type == "response":
                    found[url] = one.content_stream().read()
                elif one.rec_type == "revisit":
                    refers[url] = one.rec_headers.get_header("WARC-Refers-To-Target-URI")
    return found | {url: found[original] for url, original in refers.items() if url not in found}


def test_warcio_finds_every_digest_right(
    project: Project, site: SiteServer, capsys: pytest.CaptureFixture[str]
) -> None:
    site.links = crossed_tree(20)
    project.write_graph_site(site.url, entry="/p/0")
    project.write_knowledge()
    assert project.scrapy("crawl", "graph", settings=WARC).code == 0

    class Asked:
        """What `warcio check` is told."""

        inputs = tuple(map(str, files(project)))
        verbose = True

    checker = Checker(Asked())
    checker.process_all()
    said = capsys.readouterr().out
    assert checker.exit_value == 0, said
    assert "digest pass" in said


def test_a_folder_that_can_not_be_used_is_told(project: Project, site: SiteServer) -> None:
    site.links = {"/": []}
    project.write_graph_site(site.url)
    project.write_knowledge()
    (project.directory / "taken").write_text("a file")
    settings = {"GWC_WARC": f"{project.directory}/taken/"}
    assert_clear(project.scrapy("crawl", "graph", settings=settings), 5, "taken: can't be written", "GWC_WARC")
    assert site.hits.total() == 0
