"""What a URL alone tells of a trap."""

from __future__ import annotations

import pytest

from gwc_crawler.items import RejectionReason
from gwc_crawler.page.reader import PageReader, ReadOptions
from gwc_crawler.page.traps import UrlLimits, url_trap

SITE = "http://a.example"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/a/a/a", RejectionReason.REPEATED),
        ("/a/a/a/", None),
        ("/x/a/y/a/z/a/b/a/", RejectionReason.REPEATED),
        ("/a/b/a/b/a/b/", RejectionReason.REPEATED),
        ("/news/sport/2/news/sport/3", None),
        ("/a//////b", RejectionReason.REPEATED),
        ("/2011/11/11/11/", None),
        ("/shop/0/0/0/0/0/tea", None),
        ("/shop/0/0/0/0/0/0/0/tea", RejectionReason.REPEATED),
        ("/1/2/1/2/1/2", None),
        ("/?a/a/a/a/a/a", None),
        ("/" + "/".join(map(str, range(20))), None),
        ("/" + "/".join(map(str, range(21))), RejectionReason.SEGMENTS),
        ("/list?" + "&".join(f"k{n}=1" for n in range(16)), None),
        ("/list?" + "&".join(f"k{n}=1" for n in range(17)), RejectionReason.KEYS),
        ("/list?mark=2&page=3&mark=2&mark=2&mark=2", RejectionReason.REPEATED),
        ("/list?lang=en&mark=2&lang=en", None),
        ("/list?mark=2&mark=3&to=&to=", None),
        ("/" + "x" * 2100, RejectionReason.LENGTH),
        ("/", None),
    ],
)
def test_the_rules(path: str, reason: RejectionReason | None) -> None:
    trap = url_trap(SITE + path, UrlLimits())
    assert (trap.reason if trap else None) is reason


def test_zero_switches_a_rule_off() -> None:
    off = UrlLimits(0, 0, 0, 0)
    for path in ("/a/a/a/a/a/a/a", "/" + "/".join(map(str, range(50))), "/?" + "&".join("a" * 50), "/" + "x" * 3000):
        assert url_trap(SITE + path, off) is None


def test_limits_let_pass_what_is_known_to_be_good() -> None:
    good = f"{SITE}/a/a/a/a/a/1?" + "&".join(f"k{n}=1" for n in range(30))
    limits = UrlLimits().allowing([good, f"{SITE}/b"])
    assert url_trap(good, limits) is None
    assert limits == UrlLimits(repeated=5, segments=20, length=2083, keys=30)
    assert url_trap(f"{SITE}/a/a/a/a/a/a", limits) is not None
    assert UrlLimits(repeated=0).allowing([good]).repeated == 0
    in_a_circle = f"{SITE}/a/b/a/b/a/b"
    assert url_trap(in_a_circle, UrlLimits().allowing([in_a_circle])) is None


def test_the_reader_refuses_a_trap_and_tells_it_once() -> None:
    told: list[tuple[str, str]] = []
    options = ReadOptions(limits=UrlLimits(repeated=2))
    reader = PageReader(None, options=options, on_rejection=lambda reason, url: told.append((reason, url)))
    body = b"<html><body><a href='/a/a/a'>x</a><a href='/b'>y</a></body></html>"
    for _ in range(2):
        page = reader.read(f"{SITE}/", body, "text/html")
        assert page.admitted == (f"{SITE}/b",)
        assert page.links == (f"{SITE}/a/a/a", f"{SITE}/b")
    assert told == [("repeated_segments", f"{SITE}/a/a/a")]


@pytest.mark.parametrize("scope", [{"shops.example"}, {"a.shops.example"}])
def test_an_endless_address_is_told_by_its_beginning(scope: set[str]) -> None:
    told: list[tuple[str, str]] = []
    reader = PageReader(None, scope, on_rejection=lambda reason, url: told.append((reason, url)))
    hrefs = ["/long/" + "a" * 3000, "http://b.example/" + "a" * 3000, "javascript:" + "a" * 3000]
    body = "".join(f'<a href="{href}">x</a>' for href in hrefs).encode()
    assert reader.read("http://a.shops.example/", b"<html><body>" + body, "text/html").links == ()
    assert [(reason, url[:28]) for reason, url in told] == [("url_length", "http://a.shops.example/long/")]
