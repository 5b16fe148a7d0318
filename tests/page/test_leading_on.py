"""Which pages only lead on, and where to."""

from __future__ import annotations

import pytest

from gwc_crawler.page import links
from gwc_crawler.page.links import leads_on_to

HERE = "http://a.example/p/7"
THERE = "http://a.example/p/7/lamp"
HTML = "text/html; charset=utf-8"


def meta(content: str, rest: str = "", name: str = "http-equiv", value: str = "refresh") -> str:
    return f'<html><head><meta {name}="{value}" content="{content}"></head><body>{rest}</body></html>'


def script(text: str, rest: str = "") -> str:
    return f"<html><head><script>{text}</script></head><body>{rest}</body></html>"


LEADING = {
    "at once": meta("0; url=/p/7/lamp"),
    "in capitals": meta("0;URL=/P/7/LAMP", name="HTTP-EQUIV", value="Refresh").replace("/P/7/LAMP", "/p/7/lamp"),
    "in quotes": meta("0; url='/p/7/lamp'"),
    "whole": meta("0; url=http://a.example/p/7/lamp"),
    "relative": meta("0;url=7/lamp"),
    "with base": meta("0;url=lamp").replace("<head>", '<head><base href="/p/7/">'),
    "without url=": meta("0;/p/7/lamp"),
    "a fraction": meta("0.5; url=/p/7/lamp"),
    "without quotes": "<meta http-equiv=refresh content=0;url=/p/7/lamp>",
    "content first": '<meta content="0; url=/p/7/lamp" http-equiv="refresh">',
    "in the body": "<body><meta http-equiv='refresh' content='0; url=/p/7/lamp'><p>Wait.</p></body>",
    "at once, whatever else is there": meta("0; url=/p/7/lamp", "<p>Long text</p><a href='/'>home</a>"),
    "later, and nothing else to click": meta("3; url=/p/7/lamp", "<p>You will be taken there.</p>"),
    "later, and a link there": meta("5; url=/p/7/lamp", "<a href='/p/7/lamp'>click here</a>"),
    "href": script('location.href = "/p/7/lamp";'),
    "window": script("window.location='/p/7/lamp'"),
    "replace": script("window.location.replace('/p/7/lamp');"),
    "assign": script('document.location.assign("/p/7/lamp")'),
    "top": script("top.location.href='/p/7/lamp';"),
    "in a comment, as of old": script("<!--\n location.href='/p/7/lamp';\n//-->"),
    "with its own link": script("location='/p/7/lamp'", "<noscript><a href='/p/7/lamp'>here</a></noscript>"),
    "numbers, then blanks": meta(" 0.0  /p/7/lamp "),
    "a fraction without quotes": "<meta content=0.1;url=/p/7/lamp http-equiv=refresh>",
    "in the body's script": "<body><script type='text/javascript'>location.href='/p/7/lamp'</script></body>",
}

THERE_TO_BE_READ = {
    "nothing": "<html><body><p>A lamp</p></body></html>",
    "reloads itself": meta("300"),
    "reloads itself at once": meta("0"),
    "a page among others": meta("5; url=/p/7/lamp", "<a href='/p/6'>back</a><a href='/p/8'>on</a>"),
    "after minutes": meta("300; url=/p/7/lamp", "<p>Scores</p>"),
    "for browsers without scripts": "<noscript><meta http-equiv='refresh' content='0; url=/p/7/lamp'></noscript>",
    "commented out": "<!-- <meta http-equiv='refresh' content='0; url=/p/7/lamp'> --><p>A lamp</p>",
    "in a script's text": script("var a = \"<meta http-equiv='refresh' content='0; url=/p/7/lamp'>\";"),
    "in a text": "<textarea><meta http-equiv='refresh' content='0; url=/p/7/lamp'></textarea>",
    "no refresh": meta("0; url=/p/7/lamp", value="content-type"),
    "no address": meta("0; url=javascript:void(0)"),
    "under a condition": script("if (top != self) top.location = '/p/7/lamp';"),
    "in a function": script("function go() { location.href = '/p/7/lamp'; }"),
    "among other things": script("var n = 1; location.href = '/p/7/lamp';"),
    "put together": script("location.href = '/p/' + 7;"),
    "compared": script("location.href == '/p/7/lamp'"),
    "on a click": "<button onclick=\"location.href='/p/7/lamp'\">Go</button>",
    "for browsers without scripts, by a script": "<noscript><script>location='/p/7/lamp'</script></noscript>",
    "a script of JSON": script('{"location": "/p/7/lamp"}'),
}


@pytest.mark.parametrize("html", LEADING.values(), ids=LEADING.keys())
def test_a_page_that_nobody_reads_leads_on(html: str) -> None:
    assert leads_on_to(HERE, html.encode(), HTML) == THERE


@pytest.mark.parametrize("html", THERE_TO_BE_READ.values(), ids=THERE_TO_BE_READ.keys())
def test_a_page_to_be_read_does_not(html: str) -> None:
    assert leads_on_to(HERE, html.encode(), HTML) is None


@pytest.mark.parametrize(
    "name", ["nothing", "reloads itself", "under a condition", "in a function", "a script of JSON"]
)
def test_what_stands_on_all_pages_of_a_site_costs_no_parse(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "parse_html", lambda *_: pytest.fail("parsed"))
    assert leads_on_to(HERE, THERE_TO_BE_READ[name].encode(), HTML) is None


@pytest.mark.parametrize(("header", "there"), [("0; url=/p/7/lamp", THERE), ("0;url=lamp", "http://a.example/p/lamp")])
def test_the_header_says_the_same(header: str, there: str) -> None:
    assert leads_on_to(HERE, b"<p>Wait</p>", HTML, header) == there


def test_what_is_no_page_leads_nowhere() -> None:
    assert leads_on_to(HERE, b"\x89PNG refresh http-equiv=refresh", "image/png", "300") is None
