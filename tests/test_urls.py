"""URL arithmetic: the normal form, joining as browsers of the standard library do, keys, sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from gwc_crawler.urls import drop_query_keys, host_of, join_url, normalize_url, same_site, site_of, url_key

CASES = json.loads(Path(__file__).with_name("url_cases.json").read_text(encoding="utf-8"))

PIECES = [
    "/",
    "//",
    ".",
    "..",
    "a",
    "B",
    "é",
    "商品",
    "%7e",
    "%2e",
    "%e4",
    "%",
    "%zz",
    "?",
    "#",
    "&",
    "=",
    ";",
    ":",
    "@",
]
PIECES += [
    " ",
    "\t",
    "\\",
    "'",
    "|",
    "[",
    "]",
    "+",
    "item.html",
    "http:",
    "https://x.example",
    "\ud800",
    "\x00",
    "-",
    "_",
]
HREFS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
HOSTS = st.sampled_from(
    ["a.example", "A.Example:80", "localhost:8765", "u:p@b.example.", "bücher.example", "[::1]:81", "x y"]
)
URLS = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https", "HTTP", "ftp"]), HOSTS, HREFS)


def cases(name: str) -> Any:
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["description"]) for case in CASES[name]])


@cases("normalize")
def test_normal_form(case: dict[str, str | None]) -> None:
    assert normalize_url(case["url"] or "") == case["expected"]


@cases("join")
def test_join(case: dict[str, str | None]) -> None:
    assert join_url(case["base"] or "", case["href"] or "") == case["expected"]


@cases("site")
def test_site(case: dict[str, str]) -> None:
    assert site_of(case["of"]) == case["expected"]


@cases("drop")
def test_dropped_query_keys(case: dict[str, Any]) -> None:
    assert drop_query_keys(case["url"], set(case["keys"])) == case["expected"]


@given(URLS)
def test_the_normal_form_is_a_fixed_point_for_us_and_for_scrapy(url: str) -> None:
    normal = normalize_url(url)
    if normal is not None:
        assert normalize_url(normal) == normal
        assert safe_url_string(normal) == normal
        assert normal.isascii()


@given(URLS | HREFS, HREFS | URLS)
@example("", "http://a.example/ #/")
def test_join_is_urljoin_then_normalize(base: str, href: str) -> None:
    try:
        joined = urljoin(base, href)
    except ValueError:
        assert join_url(base, href) is None
    else:
        assert join_url(base, href) == normalize_url(joined)


@given(st.text(max_size=40))
def test_any_text_is_taken_without_an_error(text: str) -> None:
    normalize_url(text)
    normalize_url(f"http://{text}")
    join_url("http://a.example/b", text)
    host_of(text)


def test_key_is_the_first_eight_bytes_of_md5_as_a_signed_int() -> None:
    assert url_key("http://example.com/") == int.from_bytes(bytes.fromhex("a6bf1757fff057f2"), "big", signed=True)
    assert -(2**63) <= url_key("http://a.example/") < 2**63


def test_host_keeps_only_a_port_that_is_not_the_default() -> None:
    assert host_of("https://a.example:443/x") == "a.example"
    assert host_of("https://a.example:80/x") == "a.example:80"
    assert host_of("http://good.example@evil.example/") == "evil.example"
    assert host_of("mailto:x") == ""


def test_same_site_compares_site_identifiers() -> None:
    assert same_site("http://news.sina.com.cn/a", {"sina.com.cn"})
    assert not same_site("http://sina.com.cn.evil.example/a", {"sina.com.cn"})
