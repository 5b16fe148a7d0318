"""What is read of sitemaps, whatever a server puts around them; what is none stays a page."""

from __future__ import annotations

import gzip

import pytest

from gwc_crawler.page.sitemap import SitemapLimits, read_sitemap

URLSET = (
    b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.example/1?x=1&amp;y=2</loc></url>'
    b"<url><loc>http://a.example/\xc3\xbc</loc><lastmod>2026-01-02</lastmod></url></urlset>"
)
DECLARED = b'<?xml version="1.0" encoding="UTF-8"?>\n'
RSS = b"<rss><channel><item><link>http://a.example/1?x=1&amp;y=2</link></item></channel></rss>"
NOTICE = b"<br />\n<b>Notice</b>:  Undefined index: lang in <b>/var/www/sitemap.php</b> on line <b>3</b><br />\n"
XDEBUG = b"<br />\n<font size='1'><table class='xdebug-error'><tr><th>( ! ) Notice: in x.php</th></tr></table></font>\n"
PLAIN = b"PHP Warning:  Undefined variable $x in /var/www/sitemap.php on line 12\n"
URLS = ["http://a.example/1?x=1&y=2", "http://a.example/\xfc"]


def listed(body: bytes, content_type: str = "application/xml") -> tuple[list[str], str] | None:
    found = read_sitemap("http://a.example/sitemap.xml", body, content_type, SitemapLimits())
    return None if found is None else ([one.url for one in found.pages], found.flaw)


@pytest.mark.parametrize("content_type", ["application/xml", "text/html; charset=utf-8", ""])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
@pytest.mark.parametrize(
    "before",
    [
        b"", b"\xef\xbb\xbf", b"\r\n\r\n  ", b"<!-- cached 12:30 -->\n", NOTICE, XDEBUG, PLAIN, b"Deprecated: x\n" * 9,
        b"\xef\xbb\xbf\xef\xbb\xbf", NOTICE + b"<!-- urlset -->", PLAIN + NOTICE, b"0", b"<p>maintenance at 8</p>",
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("declaration", [b"", DECLARED, DECLARED + b"<!-- made by a plug-in -->", DECLARED + NOTICE])
def test_a_list_is_read_whatever_stands_before_it(
    before: bytes, declaration: bytes, content_type: str, packed: bool
) -> None:
    body = before + declaration + URLSET
    assert listed(gzip.compress(body) if packed else body, content_type) == (URLS, "")


@pytest.mark.parametrize("before", [NOTICE, PLAIN, b"\n\n"])
def test_what_its_declaration_says_of_the_charset_holds_behind_a_notice(before: bytes) -> None:
    body = before + b'<?xml version="1.0" encoding="iso-8859-1"?>' + URLSET.replace(b"\xc3\xbc", b"\xfc")
    assert listed(body) == (URLS, "")


@pytest.mark.parametrize("between", [b"", b"\n", DECLARED, NOTICE + DECLARED])
def test_lists_one_behind_another_are_all_read(between: bytes) -> None:
    other = URLSET.replace(b"a.example", b"b.example")
    assert listed(DECLARED + URLSET + between + other) == (URLS + [url.replace("//a", "//b") for url in URLS], "")
    assert listed(gzip.compress(DECLARED + URLSET) + gzip.compress(between + other)) == listed(URLSET + other)


def test_a_feed_and_a_list_of_lines_are_read_behind_a_notice() -> None:
    assert listed(NOTICE + DECLARED + RSS) == (URLS[:1], "")
    assert listed(PLAIN + "\n".join(URLS).encode(), "text/plain") == (URLS, "")
    assert listed(b"\xef\xbb\xbf\n" + "\r\n".join(URLS).encode(), "text/plain") == (URLS, "")


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>x</title><script>var s = '<urlset>'</script>",
        b"<html><body><pre><?xml version='1.0'?><urlset><url><loc>http://b.example</loc></url></urlset></pre></body>",
        b"\n<HTML><textarea><rss><item><link>http://b.example</link></item></rss></textarea></HTML>",
        b"<head></head>" + URLSET,
        b"<svg><metadata><rdf:RDF></rdf:RDF></metadata></svg>",
        NOTICE + b"<html><body>Not found</body></html>",
        PLAIN,
        b"&lt;urlset&gt;",
        b"{}",
        b"%PDF-1.4",
        b"See http://a.example/1\nor not\n",
    ],
)
def test_what_is_no_list_is_none(body: bytes) -> None:
    assert listed(body, "text/html") is None
    assert listed(body, "text/plain") is None


def test_what_is_cut_off_or_empty_says_so() -> None:
    for end in (b"</urlset>", b"/url></urlset>"):
        urls, flaw = listed(URLSET.removesuffix(end)) or ([], "")
        assert (urls[0], "cut off" in flaw) == (URLS[0], True)
    assert listed(gzip.compress(URLSET)[:-12]) is not None
    assert "damaged" in (listed(gzip.compress(URLSET)[:-12]) or ([], ""))[1]
    for empty in (b"<urlset/>", b"<urlset></urlset>", NOTICE + b"<urlset>\n</urlset>", b"<rss><channel/></rss>"):
        assert listed(empty) == ([], "the sitemap lists nothing")
    assert listed(URLSET + b"\n<!-- 0.02 s -->") == (URLS, "")
