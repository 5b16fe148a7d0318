"""Bodies that are no pages, kept as files: those of targets, of types, of fields; whatever ends the crawl."""

from __future__ import annotations

import json
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest

from tests.conftest import Project
from tests.crawl.test_endings import assert_clear
from tests.processes import kill_when
from tests.site_server import SiteServer

PDF = b"%PDF-1.7\n" + bytes(range(256)) * 40
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"pixels" * 200
PRODUCTS = 40

SITE = """entry = ["{url}/"]

[[samples]]
url = "{url}/item/1"
fields = {{ name = "Thing 1", image = "{images}/img/1.png", papers = ["/doc/1.pdf", "/doc/all.pdf"] }}

[[samples]]
url = "{url}/item/2"
fields = {{ name = "Thing 2", image = "{images}/img/2.png", papers = ["/doc/2.pdf", "/doc/all.pdf"] }}

[types]
image = "file"
papers = "file"
"""


def png(number: int) -> bytes:
    return PNG + b"%d" % number


def pdf(number: int) -> bytes:
    return PDF + b"%d" % number


def shop(project: Project, site: SiteServer, images: SiteServer) -> None:
    """Products with an image on another host, a paper of their own, and one that all have."""
    site.links["/"] = [f"/item/{n}" for n in range(1, PRODUCTS + 1)]
    site.bodies["/doc/all.pdf"] = (pdf(0), "application/octet-stream")
    for n in range(1, PRODUCTS + 1):
        site.links[f"/item/{n}"] = ["/"]
        site.texts[f"/item/{n}"] = (
            f"<h2 class='name'>Thing {n}</h2><img class='pic' src='{images.url}/img/{n}.png'>"
            f"<div class='papers'><a href='/doc/{n}.pdf'>read</a> <a href='/doc/all.pdf'>read</a></div>"
        )
        images.bodies[f"/img/{n}.png"] = (png(n), "image/png")
        site.bodies[f"/doc/{n}.pdf"] = (pdf(n), "application/pdf")
    project.write_site("shop", SITE.format(url=site.url, images=images.url))


def stored(project: Project, name: str = "shop") -> dict[str, tuple[Any, ...]]:
    rows = project.rows("SELECT url, path, type, size, sha256, name FROM files", name=name)
    return {row[0]: row[1:] for row in rows}


def kept_files(project: Project, name: str = "shop") -> dict[str, bytes]:
    root = project.directory / "data" / name
    return {str(path.relative_to(root)): path.read_bytes() for path in root.glob("files/*/*")}


def assert_whole(project: Project, site: SiteServer, images: SiteServer) -> None:
    """Every record leads to its files, which are what the server sent, each there once."""
    files = kept_files(project)
    index = stored(project)
    assert set(project.states("shop").values()) == {"C"}
    assert not list((project.directory / "data" / "shop" / ".parts").iterdir())
    assert len(files) == 2 * PRODUCTS + 1
    rows = project.rows("SELECT url, image, image_file, papers, papers_file FROM records_shop", name="shop")
    assert len(rows) == PRODUCTS
    for url, image, image_file, papers, papers_file in rows:
        n = int(url.rpartition("/")[2])
        assert image == f"{images.url}/img/{n}.png"
        assert files[image_file] == png(n)
        assert json.loads(papers) == [f"{site.url}/doc/{n}.pdf", f"{site.url}/doc/all.pdf"]
        assert [files[path] for path in json.loads(papers_file)] == [pdf(n), pdf(0)]
        assert index[image] == (image_file, "image/png", len(png(n)), sha256(png(n)).hexdigest(), f"{n}.png")
    assert index[f"{site.url}/doc/all.pdf"][1] == "application/pdf", "by its bytes"


@pytest.fixture
def images(tmp_path: Path) -> Any:
    with SiteServer() as server:
        yield server


def test_fields_of_type_file_are_fetched_once_and_lead_to_their_files(
    project: Project, site: SiteServer, images: SiteServer
) -> None:
    shop(project, site, images)
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert_whole(project, site, images)
    assert set(images.page_hits().values()) == {1}
    assert images.hits["/robots.txt"] == 1
    assert {path: count for path, count in site.page_hits().items() if path.startswith("/doc")} == {
        path: 1 for path in site.bodies if path.startswith("/doc")
    }


def test_no_depth_cuts_the_files_of_records_off(project: Project, site: SiteServer, images: SiteServer) -> None:
    shop(project, site, images)
    site.links[f"/item/{PRODUCTS}"] = ["/item/too-deep"]
    project.write_site("shop", SITE.format(url=site.url, images=images.url) + "\n[crawl]\nmax_depth = 1\n")
    outcome = project.scrapy("crawl", "shop")
    assert outcome.code == 0, outcome.err
    assert f"{site.url}/item/too-deep" not in project.states("shop")
    assert_whole(project, site, images)


def test_a_host_s_robots_txt_holds_for_files_too(project: Project, site: SiteServer, images: SiteServer) -> None:
    shop(project, site, images)
    images.bodies["/robots.txt"] = (b"User-agent: *\nDisallow: /\n", "text/plain")
    assert project.scrapy("crawl", "shop").code == 0
    assert images.page_hits() == {}
    assert project.rows(
        "SELECT count(image), count(image_file), count(papers_file) FROM records_shop", name="shop"
    ) == [(PRODUCTS, 0, PRODUCTS)]


def test_killed_crawls_lose_no_file_and_double_none(project: Project, site: SiteServer, images: SiteServer) -> None:
    shop(project, site, images)
    assert project.scrapy("learn", "shop").code == 0
    site.delays["*"] = images.delays["*"] = 0.01
    hits = images.hits
    kills = 0
    for moment in (3, 15, 30):
        process = project.start("crawl", "shop", settings={"GWC_LEASE_BATCH": 8, "GWC_COMMIT_PAGES": 5})
        kills += kill_when(process, lambda moment=moment: hits.total() >= moment)
    assert kills, "the crawl was over before it could be killed"
    assert project.scrapy("crawl", "shop").code == 0
    assert_whole(project, site, images)


def test_what_is_extracted_anew_keeps_its_files(project: Project, site: SiteServer, images: SiteServer) -> None:
    shop(project, site, images)
    assert project.scrapy("crawl", "shop").code == 0
    assert project.scrapy("extract", "shop").code == 0
    assert_whole(project, site, images)


def library(project: Project, site: SiteServer) -> None:
    """A directory with two files, of which no filter takes one, and a target that is one."""
    site.links["/"] = ["/paper/1", "/a.pdf", "/b.png?x=1", "/sub"]
    site.links["/sub"] = ["/c.zip"]
    site.bodies |= {
        "/paper/1": (pdf(1), "application/pdf"),
        "/a.pdf": (pdf(2), "text/html"),
        "/b.png?x=1": (png(3), "image/png"),
        "/c.zip": (b"PK\x05\x06" + b"\0" * 18, "application/zip"),
    }
    site.headers["/paper/1"] = {"Content-Disposition": "attachment; filename*=UTF-8''..%2F%E8%AE%BA.pdf"}
    project.write_graph_site(site.url)
    host = site.url.replace(".", "[.]")
    project.write_knowledge(targets=[f"{host}/paper/[0-9]+"], directories=[f"{host}/", f"{host}/sub"])


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("none", set()),
        ("targets", {"/paper/1"}),
        ("application/pdf", {"/paper/1", "/a.pdf"}),
        ("image/*, application/zip", {"/b.png?x=1", "/c.zip"}),
        ("all", {"/paper/1", "/a.pdf", "/b.png?x=1", "/c.zip"}),
    ],
)
def test_what_is_kept(project: Project, site: SiteServer, keep: str, kept: set[str]) -> None:
    library(project, site)
    assert project.scrapy("crawl", "graph", settings={"GWC_KEEP_FILES": keep}).code == 0
    index = stored(project, "graph")
    assert set(index) == {site.url + path for path in kept}
    files = kept_files(project, "graph")
    assert {files[path] for path, *_ in index.values()} == {site.bodies[path][0] for path in kept}
    if "/paper/1" in kept:
        assert index[f"{site.url}/paper/1"][-1] == "论.pdf"
    fetched = {path for path in site.page_hits() if path in site.bodies}
    assert fetched == kept | {"/paper/1"}, "links to other files are not followed"


def test_pages_are_saved_as_html_files_too(project: Project, site: SiteServer) -> None:
    library(project, site)
    elsewhere = project.directory / "elsewhere"
    settings = {"GWC_HTML_FILES": "all", "GWC_FILES_STORE": str(elsewhere)}
    assert project.scrapy("crawl", "graph", settings=settings).code == 0
    index = stored(project, "graph")
    pages = {url: row for url, row in index.items() if row[1] == "text/html"}
    assert set(pages) == {f"{site.url}/", f"{site.url}/sub"}
    for url, row in pages.items():
        sent = site._page(url.removeprefix(site.url), 200)
        assert (elsewhere / row[0]).read_bytes() == sent
        assert row[3] == sha256(sent).hexdigest()
    assert not list((elsewhere / ".parts").iterdir())


def test_a_store_that_fails_ends_the_crawl_and_loses_nothing(project: Project, site: SiteServer) -> None:
    library(project, site)
    blocked = project.directory / "blocked"
    blocked.mkdir()
    (blocked / "files").write_text("no folder")
    settings = {"GWC_FILES_STORE": str(blocked), "GWC_KEEP_FILES": "all"}
    assert_clear(project.scrapy("crawl", "graph", settings=settings), 5, "could not be saved", "nothing is lost")
    (blocked / "files").unlink()
    assert project.scrapy("crawl", "graph", settings=settings).code == 0
    assert len(stored(project, "graph")) == 4
    assert set(project.states().values()) == {"C"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"GWC_KEEP_FILES": "pdf"}, ("GWC_KEEP_FILES", "'pdf'", "application/pdf")),
        ({"GWC_HTML_FILES": "some"}, ("GWC_HTML_FILES", "'some'", "targets")),
        ({"GWC_FILES_STORE": "ssh://x/y"}, ("GWC_FILES_STORE", "ssh://", "s3://")),
        ({"GWC_FILES_STORE": "ftp://me:hush@x/y"}, ("GWC_FILES_STORE", "FTP_PASSWORD")),
        ({"GWC_FILES_STORE": "gs://x/y"}, ("GWC_FILES_STORE", "pip install google-cloud-storage")),
    ],
)
def test_mistakes_are_told(
    project: Project, site: SiteServer, settings: dict[str, str], words: tuple[str, ...]
) -> None:
    library(project, site)
    outcome = project.scrapy("crawl", "graph", settings=settings)
    assert_clear(outcome, 2, *words)
    assert "hush" not in outcome.err


class Bucket(BaseHTTPRequestHandler):
    """S3 as far as files are put into it."""

    objects: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self) -> None:
        self.objects[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_files_go_to_s3(project: Project, site: SiteServer) -> None:
    library(project, site)
    with ThreadingHTTPServer(("127.0.0.1", 0), Bucket) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        settings = {
            "GWC_KEEP_FILES": "all",
            "GWC_FILES_STORE": "s3://papers/of/graph",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
            "AWS_ACCESS_KEY_ID": "me",
            "AWS_SECRET_ACCESS_KEY": "hush",
            "AWS_REGION_NAME": "nowhere-1",
        }
        outcome = project.scrapy("crawl", "graph", settings=settings)
        server.shutdown()
    assert outcome.code == 0, outcome.err
    assert "hush" not in outcome.err
    kept = {path.partition("?")[0]: body for path, body in Bucket.objects.items()}
    index = stored(project, "graph")
    assert set(kept) == {f"/papers/of/graph/{row[0]}" for row in index.values()}
    for url, row in index.items():
        assert site.bodies[url.removeprefix(site.url)][0] in kept[f"/papers/of/graph/{row[0]}"]
    assert len(kept) == 4


LARGE = b"\x89PNG\r\n\x1a\n" + bytes(8_000_000)


@pytest.mark.parametrize(("choice", "is_read"), [("none", False), ("targets", False), ("image/*", True)])
def test_a_body_that_nobody_keeps_ends_with_its_headers(
    project: Project, site: SiteServer, choice: str, is_read: bool
) -> None:
    site.links = {"/": ["/picture", "/page"], "/page": []}
    site.bodies["/picture"] = (LARGE, "image/png")
    project.write_graph_site(site.url)
    project.write_knowledge(targets=[f"{site.url}/page"])
    outcome = project.scrapy("crawl", "graph", settings={"GWC_KEEP_FILES": choice, "DOWNLOADER_STATS": True})
    assert_clear(outcome, 0)
    assert project.states() == dict.fromkeys((f"{site.url}{path}" for path in ("/", "/picture", "/page")), "C")
    assert project.rows("SELECT kind FROM pages WHERE url LIKE '%/picture'") == [("binary",)]
    received = int(outcome.err.partition("'downloader/response_bytes': ")[2].partition(",")[0])
    assert (received > len(LARGE)) is is_read
