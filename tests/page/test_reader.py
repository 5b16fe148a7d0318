"""Reading a response: links against scope and filters, kind, relevance, and what is remembered between pages."""

from __future__ import annotations

import tracemalloc

import pytest

from gwc_crawler.crawl.leases import FILE_TYPES
from gwc_crawler.items import PageKind
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.page.outline import NOFOLLOW
from gwc_crawler.page.reader import PageReader, ReadOptions, is_html, read_page

HOST = "http://www.a.example"
PRODUCT = r"http://www\.a\.example/p/[0-9]+"
LIST = r"http://www\.a\.example/list/.*"


def knowledge(**changes: object) -> Knowledge:
    values = {
        "site": "a",
        "mode": "best",
        "max_weight": 2,
        "targets": (UrlClass(PRODUCT),),
        "directories": (UrlClass(LIST),),
    }
    return Knowledge(**{**values, **changes})  # type: ignore[arg-type]


def body(*hrefs: str, text: str = "<p>") -> bytes:
    return (text + "".join(f"<a href='{href}'>ISBN</a>" for href in hrefs)).encode()


def test_links_admitted_and_outside_are_unique_and_in_page_order() -> None:
    page = read_page(
        f"{HOST}/list/1",
        body(
            "/p/2",
            "/help",
            "http://b.example/",
            "/p/1#reviews",
            "../p/2",
            "mailto:x@a.example",
            "http://shop.a.example/p/1",
        ),
        "text/html",
        knowledge(),
    )
    assert page.links == (f"{HOST}/p/2", f"{HOST}/help", f"{HOST}/p/1", "http://shop.a.example/p/1")
    assert page.admitted == (f"{HOST}/p/2", f"{HOST}/p/1")
    assert page.outside == ("http://b.example/",)


def test_without_knowledge_every_page_of_the_scope_is_admitted_but_no_files() -> None:
    page = PageReader(None, {"a.example", "b.example"}).read(
        f"{HOST}/", body("/x", "/y.pdf", "http://b.example/z", "http://c.example/"), "text/html"
    )
    assert page.admitted == (f"{HOST}/x", "http://b.example/z")
    assert page.links == (f"{HOST}/x", f"{HOST}/y.pdf", "http://b.example/z")
    assert page.outside == ("http://c.example/",)


def test_files_are_admitted_where_a_filter_names_their_ending() -> None:
    known = knowledge(directories=(UrlClass(LIST), UrlClass(r"http://www\.a\.example/files/\w+\.pdf")))
    page = read_page(f"{HOST}/", body("/list/x.pdf", "/files/x.pdf"), "text/html", known)
    assert page.admitted == (f"{HOST}/files/x.pdf",)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/p/1", PageKind.TARGET),
        ("/list/a", PageKind.DIRECTORY),
        ("/", PageKind.INDEX),
        ("/4711234.html", PageKind.INFORMATION),
    ],
)
def test_kind_follows_the_filters_then_algorithm_1(path: str, expected: PageKind) -> None:
    assert read_page(HOST + path, b"<p>x", "text/html", knowledge()).kind is expected


def test_a_soft_404_under_a_target_url_is_missing_and_not_relevant() -> None:
    page = read_page(f"{HOST}/p/1", body("/p/2", text="<h1>Page not found</h1>"), "text/html", knowledge())
    assert (page.kind, page.relevant) == (PageKind.MISSING, False)


@pytest.mark.parametrize(
    ("content_type", "data", "is_page"),
    [
        ("text/html", b"<p>x", True),
        ("text/html; charset=utf-8", b"plain", True),
        ("application/xhtml+xml", b"<p>x", True),
        ("", b"<!DOCTYPE html><p>x", True),
        ("text/plain", b"\n<html><p>x", True),
        ("text/html", "<p>x".encode("utf-16-le"), True),
        ("text/plain", b"x", False),
        ("image/png", b"<html>", False),
        ("text/html", b"\x89PNG\r\n\x1a\n\0\0", False),
        ("text/html", b"%PDF-1.4", False),
        ("text/html", b"\0\1\2\3", False),
        ("application/rss+xml", b"<rss/>", False),
    ],
)
def test_what_is_not_html_is_binary(content_type: str, data: bytes, is_page: bool) -> None:
    page = read_page(f"{HOST}/x", data, content_type, None)
    assert (page.kind is not PageKind.BINARY) is is_page
    assert (page.tree is not None) is is_page


@pytest.mark.parametrize(
    ("path", "hrefs", "text", "expected"),
    [
        pytest.param("/p/1", [], "<p>", True, id="a target"),
        pytest.param("/x", ["/p/1"], "", True, id="a link to a target"),
        pytest.param("/x", ["/list/1"], "", False, id="only a link to a directory"),
        pytest.param("/x", ["/list/1"], "ISBN 1", True, id="keywords outside links"),
        pytest.param("/list/1", ["/y"], "", False, id="keywords in captions only"),
    ],
)
def test_relevance_in_a_crawl(path: str, hrefs: list[str], text: str, expected: bool) -> None:
    assert read_page(HOST + path, body(*hrefs, text=text), "text/html", knowledge(keywords="ISBN")).relevant is expected


def test_relevance_in_a_pre_crawl_is_the_keywords_alone() -> None:
    reader = PageReader(None, options=ReadOptions(keywords="ISBN", target=PRODUCT))
    assert reader.read(f"{HOST}/x", body(text="ISBN 1"), "text/html").relevant
    assert not reader.read(f"{HOST}/p/1", body("/p/2"), "text/html").relevant


def test_relevance_in_a_pre_crawl_without_keywords_is_the_provisional_target() -> None:
    reader = PageReader(None, options=ReadOptions(target=PRODUCT))
    assert reader.read(f"{HOST}/p/1", body(), "text/html").relevant
    assert reader.read(f"{HOST}/x", body("/p/2"), "text/html").relevant
    assert not reader.read(f"{HOST}/x", body("/y"), "text/html").relevant


def test_session_keys_are_dropped_from_the_page_and_its_links() -> None:
    page = read_page(
        f"{HOST}/p/1?id=7", body("/p/2?id=8", "/p/2?id=9"), "text/html", knowledge(ignored_query_keys=("id",))
    )
    assert page.url == f"{HOST}/p/1"
    assert page.admitted == (f"{HOST}/p/2",)


def test_nofollow_is_obeyed_unless_told_otherwise() -> None:
    data = body("/p/1", text="<head><meta name=robots content=nofollow></head>")
    assert PageReader(None).read(f"{HOST}/", data, "text/html").links == ()
    assert PageReader(None, options=ReadOptions(obey_nofollow=False)).read(f"{HOST}/", data, "text/html").links


def test_nofollow_of_the_header_holds_as_that_of_the_page() -> None:
    kind = f"text/html; charset=utf-8; {NOFOLLOW}"
    page = PageReader(None).read(f"{HOST}/", body("/p/1"), kind)
    assert (page.links, page.charset) == ((), "utf-8")
    assert PageReader(None, options=ReadOptions(obey_nofollow=False)).read(f"{HOST}/", body("/p/1"), kind).links


def test_whole_files_in_hrefs_are_not_remembered() -> None:
    reader = PageReader(None, {"a.example"})
    tracemalloc.start()
    try:
        for number in range(20):
            page = reader.read(f"{HOST}/{number}", body(f"data:text/csv,{number}{'x' * 200_000}", "/p/1"), "text/html")
            assert page.links == (f"{HOST}/p/1",)
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept_bytes < 2_000_000


@pytest.mark.parametrize("cached_links", [0, 3, 100_000])
def test_what_is_remembered_never_changes_an_answer(cached_links: int) -> None:
    reader = PageReader(None, {"a.example"}, ReadOptions(cached_links=cached_links))
    hrefs = ("1.html", "/1.html", "?q=1", "#x", "//b.example/", "http://www.a.example/1.html", "书?q=书")
    for _ in range(2):
        for base in (f"{HOST}/a/x", f"{HOST}/b/x?y=/c/", "https://www.a.example/a/x", f"{HOST}/"):
            for charset in ("utf-8", "gb18030"):
                data = f"<meta charset={charset}>".encode() + body(*hrefs, text="我们的商品都在这里").decode().encode(
                    charset
                )
                remembered = reader.read(base, data, "text/html")
                afresh = PageReader(None, {"a.example"}).read(base, data, "text/html")
                assert (remembered.links, remembered.outside) == (afresh.links, afresh.outside)


def test_a_page_has_title_text_charset_and_its_tree() -> None:
    page = read_page(f"{HOST}/x", "<title>书</title><p>价格</p>".encode("gbk"), "text/html; charset=gb2312", None)
    assert (page.title, page.text, page.charset, page.status) == ("书", "价格", "gb18030", 200)
    assert page.tree.findtext("body/p") == "价格"


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("<base target=_top><base href='/other/'><base href='/third/'>", f"{HOST}/other/x"),
        ("<base href='javascript:x'>", f"{HOST}/shop/x"),
        ("", f"{HOST}/shop/x"),
    ],
)
def test_links_are_relative_to_the_base_of_the_page(base: str, expected: str) -> None:
    page = PageReader(None, {"a.example"}).read(f"{HOST}/shop/list", f"{base}<a href=x>x</a>".encode(), "text/html")
    assert page.links == (expected,)


@pytest.mark.parametrize(
    ("href", "robots", "expected"),
    [
        ("2?sid=77#top", "index", f"{HOST}/p/2"),
        ("https://other.example/p/2", "index", ""),
        ("/about", "index", ""),
        ("2", "nofollow", ""),
    ],
    ids=["one of the site", "another site", "no filter takes it", "its links are not followed"],
)
def test_the_canonical_address_is_one_that_links_lead_to(href: str, robots: str, expected: str) -> None:
    html = f"<head><meta name=robots content={robots}><link rel=canonical href='{href}'></head><body>x"
    page = read_page(f"{HOST}/p/1", html.encode(), "text/html", knowledge(ignored_query_keys=("sid",)))
    assert page.canonical == expected
    assert (expected in page.admitted) is bool(expected)


def test_the_types_whose_bodies_are_not_waited_for_are_no_pages_whatever_they_look_like() -> None:
    assert not any(is_html(b"<html><p>x</p></html>", f"{start.decode()}x") for start in FILE_TYPES)
