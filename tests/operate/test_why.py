"""Why a URL is admitted or refused, from site file and knowledge alone; and which filter it nearly passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from gwc_crawler.crawl.limits import admission_of, groups_of
from gwc_crawler.errors import InputError
from gwc_crawler.frontier.rejections import ClassState, LimitsState, RejectionRow
from gwc_crawler.items import RejectionReason
from gwc_crawler.knowledge.model import Knowledge, UrlClass
from gwc_crawler.operate.why import Explanation, exit_code_of, explain_url, explanation_lines, nearest_filter
from gwc_crawler.page.reader import ReadOptions
from gwc_crawler.sites.schema import SampleSpec, Site
from gwc_crawler.store.kept_files import file_choice

BASE = "http://a.example"
SITE = Site("shop", Path("shop.toml"), (f"{BASE}/",), samples=(SampleSpec(f"{BASE}/item/1", {}),))


def knowledge(*targets: str, directories: tuple[str, ...] = (), ignored: tuple[str, ...] = ()) -> Knowledge:
    return Knowledge(
        "shop",
        "best",
        tuple(map(UrlClass, targets)),
        tuple(map(UrlClass, directories)),
        2,
        ignored_query_keys=ignored,
    )


SHOP = knowledge(
    rf"{BASE}/item/[0-9]+(\.html)?/?",
    rf"{BASE}/doc/[a-z]+\.pdf",
    rf"{BASE}/file/.*",
    directories=(rf"{BASE}/list/[^/]+/", rf"{BASE}/(?:men|women)/page[0-9]{{1,3}}"),
    ignored=("sid",),
)


def explain(url: str) -> Explanation:
    return explain_url(url, SITE, SHOP, None, None, now=0.0)


@pytest.mark.parametrize(
    "path, code, reason",
    [
        ("/item/7", 10, "a target filter takes it"),
        ("/list/tea/", 10, "a directory filter takes it"),
        ("/", 10, "the site file names it"),
        ("/item/1", 10, "the site file names it"),
        ("/item/new", 11, "no filter takes it"),
        ("/doc/a.pdf", 10, "a target filter takes it"),
        ("/file/a.zip", 11, "its ending says it is no page"),
        ("/file/" + "a" * 3000, 11, "too long"),
        ("/file/x/y/x/z/x/a/x", 11, "path segment 'x' stands 4 times, limit 3 (GWC_MAX_REPEATED_SEGMENTS)"),
    ],
)
def test_the_rule_that_decides(path: str, code: int, reason: str) -> None:
    told = explain(BASE + path)
    assert reason in told.rule.reason
    assert exit_code_of(told) == code


def test_another_site_is_named() -> None:
    rule = explain("http://b.example/item/7").rule
    assert not rule.admitted
    assert "belongs to b.example" in rule.reason
    assert "stays on a.example" in rule.reason


def test_the_url_is_normalised_and_session_keys_are_dropped() -> None:
    told = explain("HTTP://A.example:80/item/7?sid=1#top")
    assert (told.url, told.dropped_query_keys) == (f"{BASE}/item/7", ("sid",))
    assert told.rule.admitted
    assert ("asked", "HTTP://A.example:80/item/7?sid=1#top; query keys dropped that say nothing of the page: sid") in (
        explanation_lines(told, 2)
    )


def test_keys_of_trackers_are_dropped_though_nothing_was_learned_of_them() -> None:
    told = explain(f"{BASE}/item/7?utm_source=list&gclid=1")
    assert told.url == f"{BASE}/item/7"
    assert told.dropped_query_keys == ("utm_source", "gclid")
    assert told.rule.admitted


def test_files_that_are_kept_whatever_the_filters_say_are_admitted() -> None:
    choice = file_choice("application/pdf")
    for options, code in ((ReadOptions(), 11), (ReadOptions(follows_file=choice.follows), 10)):
        told = explain_url(f"{BASE}/paper.pdf", SITE, SHOP, None, None, now=0.0, reading=options)
        assert exit_code_of(told) == code


def test_limits_of_a_whole_site_and_of_a_share_are_told_in_the_words_of_the_crawl() -> None:
    whole = replace(knowledge(), is_whole=True)
    group_of = groups_of(whole)
    closed = ClassState(600, 500, RejectionReason.ECHO)
    cut = RejectionRow(RejectionReason.ECHO, group_of(f"{BASE}/cal/7").name or "", 1, [f"{BASE}/cal/8"])
    state = LimitsState({(cut.reason, cut.pattern): cut}, {cut.pattern: closed})
    settings = Settings({"GWC_FRUITLESS_PAGES": 500, "GWC_MAX_PAGES_PER_PATTERN": 0, "DEPTH_LIMIT": 0})
    echo = "500 pages of " + cut.pattern + " in a row showed only what is known from other addresses"
    other = "its column is of share 1 of 2, and this fleet crawls share 2 (`scrapy work --part`)"
    for columns, path, words in (
        (None, "/cal/9", (echo, f"; cut off was e.g. {BASE}/cal/8")),
        (None, "/news/1", ()),
        ((2, 2), "/sport/1", (other,)),
        ((2, 2), "/news/1", ()),
    ):
        site = replace(SITE, columns=columns)
        admission = admission_of(settings, site, whole, state)
        told = explain_url(BASE + path, site, whole, None, None, now=0.0, admission=admission)
        assert [part for part in words if part not in (told.cut or "")] == []
        assert exit_code_of(told) == (11 if words else 10)


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(InputError, match="no http or https address"):
        explain("javascript:alert(1)")


@pytest.mark.parametrize(
    "path, agrees, differs, expected",
    [
        ("/item/new", "/item/", "new", r"[0-9]+(\.html)?/?"),
        ("/item/7.htm", "/item/7", ".htm", ""),
        ("/list/tea", "/list/tea", "", "/"),
        ("/women/pageX", "/women/page", "X", "[0-9]{1,3}"),
        ("/children/page1", "/", "children/page1", r"item/[0-9]+(\.html)?/?"),
    ],
)
def test_the_nearest_filter_and_where_they_part(path: str, agrees: str, differs: str, expected: str) -> None:
    miss = nearest_filter(BASE + path, SHOP)
    assert miss is not None
    assert (miss.agrees, miss.differs, miss.expected) == (BASE + agrees, differs, expected)


def test_no_filter_is_near_on_another_host_or_when_there_is_none() -> None:
    assert nearest_filter("http://b.example/item/7", SHOP) is None
    assert nearest_filter(f"{BASE}/item/7", knowledge()) is None


@pytest.mark.parametrize("expected", [r"\1", "[]a]+", "a{2}(?:b|c[)])d"])
def test_any_valid_regex_can_be_near(expected: str) -> None:
    regex = r"(http)://a\.example/" + expected
    miss = nearest_filter(f"{BASE}/x", knowledge(regex))
    assert miss is not None
    assert (miss.regex, miss.agrees, miss.differs, miss.expected) == (regex, f"{BASE}/", "x", expected)
