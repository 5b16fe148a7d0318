"""Whatever comes, nothing is raised but what is promised: pages, charsets, links, robots.txt, sitemaps, HTTP's bytes.

Each example is a file of `corpus/` with some edits; a file that once broke something is kept there. How many of each
are tried, at random, can be said: `GWC_TEST_FUZZ_EXAMPLES=20000 pytest tests/fuzz`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser

from gwc_crawler.errors import TooLargeError, WireError
from gwc_crawler.items import Page, PageKind
from gwc_crawler.network.politeness.robots import robots_text
from gwc_crawler.network.wire import HEAD_END, body_of, codings_of, decode, read_head
from gwc_crawler.page.charset import charset_evidence, decode_bytes
from gwc_crawler.page.links import MAX_URL_LENGTH, resolve_href
from gwc_crawler.page.reader import PageReader, ReadOptions
from gwc_crawler.page.sitemap import SitemapLimits, read_date, read_sitemap, sitemaps_named
from gwc_crawler.page.strip import strip_tags
from gwc_crawler.urls import normalize_url

CORPUS = Path(__file__).parent / "corpus"
ASKED = os.environ.get("GWC_TEST_FUZZ_EXAMPLES")
EXAMPLES = settings(
    max_examples=int(ASKED or 60),
    derandomize=not ASKED,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
FRAGMENTS = (
    *(
        b"\0",
        b"\xff\xfe",
        b"\x1b$B",
        b"\x1b$)A\x0e",
        b"\x8e\xa2",
        b"\xed\xa0\x80",
        b"\r\n",
        b"\n\n",
        b"<",
        b">",
        b'"',
        b"'",
    ),
    *(b"&#", b"&lol;", b"<![CDATA[", b"<html>", b"</html>", b"<a href=", b"<form><select>", b"<base href=http://[>"),
    *(b"<loc>", b"<url>", b"http://[::1", b"http://a:99999/", b"//", b"..", b"%", b"%00", b"\\", b"?", b"#", b"*" * 50),
    *(b"Sitemap:", b"Disallow:", b"Content-Length: -1", b"Transfer-Encoding: chunked", b"fffffffffffffff"),
    *(b"charset=", b"encoding='x'"),
)
TYPES = (
    *("", "text/html", "text/html; charset=gbk", "application/xml", "text/plain; charset=nonsense", "*/*"),
    "text/html;charset=\0",
)
ODD_HREFS = st.one_of(st.text(max_size=60), st.sampled_from(FRAGMENTS).map(lambda one: one.decode("latin-1")))
MOMENTS = st.from_regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}T[0-9]{2}:[0-9]{2}(Z|\+[0-9]{2}:?[0-9]{2})", fullmatch=True)


@st.composite
def mutants(draw: st.DrawFn, subject: str) -> bytes:
    """Draw a file of the corpus with up to five edits: parts left out, doubled, moved, put in, or turned round."""
    body = bytearray(draw(st.sampled_from(sorted(CORPUS.glob(f"{subject}/*")))).read_bytes())
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(body)))
        end = start + draw(st.integers(0, 40))
        edit = draw(st.sampled_from(("drop", "double", "insert", "bytes", "cut", "flip")))
        if edit == "drop":
            del body[start:end]
        elif edit == "double":
            body[start:start] = body[start:end] * 3
        elif edit == "insert":
            body[start:start] = draw(st.sampled_from(FRAGMENTS))
        elif edit == "bytes":
            body[start:end] = draw(st.binary(max_size=12))
        elif edit == "cut":
            del body[start:]
        else:
            body[start:end] = bytes(byte ^ 0x80 for byte in body[start:end])
    return bytes(body)


@pytest.mark.parametrize("subject", ["page", "charset", "sitemap"])
def test_any_body_is_a_page_with_links_in_their_normal_form(subject: str) -> None:
    reader = PageReader(None, options=ReadOptions(form_links=20, sitemaps=SitemapLimits(10_000, 50)))

    @EXAMPLES
    @given(mutants(subject), st.sampled_from(TYPES))
    def read(body: bytes, content_type: str) -> None:
        page = reader.read("http://a.example/shop/list.html?page=2", body, content_type)
        assert isinstance(page, Page)
        for link in (*page.links, *page.outside):
            assert normalize_url(link) == link
            assert len(link) <= MAX_URL_LENGTH
        assert (page.tree is None) == (page.kind in (PageKind.BINARY, PageKind.SITEMAP))

    read()


@EXAMPLES
@given(mutants("charset"), st.sampled_from(TYPES))
def test_any_bytes_have_a_charset_that_reads_them(body: bytes, content_type: str) -> None:
    evidence = charset_evidence(body, content_type)
    assert evidence.why
    assert isinstance(decode_bytes(body, evidence.codec), str)
    assert isinstance(body.decode(evidence.codec, "replace"), str), "as a stored page is decoded"


@EXAMPLES
@given(mutants("page"))
def test_any_page_can_be_stripped(body: bytes) -> None:
    assert isinstance(strip_tags(body), str)


@EXAMPLES
@given(ODD_HREFS, st.text(max_size=20))
def test_any_href_is_a_url_in_its_normal_form_or_none(href: str, more: str) -> None:
    for written in (href, f"/{href}{more}", f"http://{href}/{more}", f"?{more}={href}"):
        for charset in ("utf-8", "gb18030", "iso2022_jp_ext", "euc_tw", "no-such-charset"):
            url = resolve_href("http://a.example/b/", written, charset)
            assert url is None or normalize_url(url) == url


@EXAMPLES
@given(mutants("robots"))
def test_any_robots_txt_is_read(body: bytes) -> None:
    text = robots_text(body)
    text.decode("utf-8")
    rules = ProtegoRobotParser(text, None)
    assert rules.allowed("http://a.example/a/b", "gwc") in (True, False)
    rules.crawl_delay("gwc")
    assert sitemaps_named(text, "http://a.example/robots.txt")
    assert sitemaps_named(body, "http://a.example/robots.txt")


@EXAMPLES
@given(mutants("sitemap"), st.sampled_from(TYPES), st.sampled_from(("/s.xml", "/robots.txt")))
def test_any_sitemap_is_read_within_its_limits(body: bytes, content_type: str, path: str) -> None:
    found = read_sitemap(f"http://a.example{path}", body, content_type, SitemapLimits(5_000, 3))
    assert found is None or path == "/robots.txt" or len(found.pages) + len(found.sitemaps) <= 3


@EXAMPLES
@given(st.one_of(st.text(max_size=40), MOMENTS))
def test_any_date_is_a_time_or_none(text: str) -> None:
    moment = read_date(text)
    assert moment is None or isinstance(moment, float)


@EXAMPLES
@given(mutants("wire"), st.integers(1, 40))
def test_any_answer_is_read_or_refused_with_one_error(data: bytes, step: int) -> None:
    end = HEAD_END.search(data)
    if end is None:
        return
    try:
        head = read_head(data[: end.start()])
        body = body_of(head, bodiless=False)
        for place in range(end.end(), len(data), step):
            body.take(data[place : place + step])
        codings = codings_of(value for name, value in head.headers if name.lower() == b"content-encoding")
        decode(body.content, codings, 100_000)
    except (WireError, TooLargeError):
        return
    assert 100 <= head.status <= 999
