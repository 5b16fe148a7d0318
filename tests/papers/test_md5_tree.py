"""What the MD5-tree paper says and no other test shows by itself."""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections import Counter
from hashlib import md5
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dns import NAMES, PAPERS_SPEEDUP, traffic
from gwc_crawler.frontier import md5tree
from gwc_crawler.frontier.md5tree import Md5Tree, key_of
from gwc_crawler.network.dns_cache import DnsCache
from gwc_crawler.network.dns_servers import DnsAnswer
from gwc_crawler.network.wire import decode
from gwc_crawler.page.charset import detect_charset


@given(st.text())
def test_the_key_is_the_first_16_hex_digits_of_the_md5(url: str) -> None:
    assert f"{key_of(url):016x}" == md5(url.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    tree = Md5Tree()
    assert tree.add(url)
    assert not tree.add_key(key_of(url))


@pytest.mark.parametrize("names", NAMES)
def test_the_cache_asks_a_name_once_where_each_lookup_would_ask(names: int) -> None:
    asked: Counter[str] = Counter()

    async def ask(name: str) -> DnsAnswer:
        asked[name] += 1
        return DnsAnswer(("192.0.2.1",), 3600.0)

    async def look_up_all() -> None:
        cache = DnsCache(ask, hosts_file=dict)
        for name in traffic(names, 3000):
            await cache.addresses_of(name)

    asyncio.run(look_up_all())
    assert asked == Counter(set(traffic(names, 3000)))
    assert 3000 / asked.total() > PAPERS_SPEEDUP[1]


def test_a_look_up_takes_one_step_more_for_sixteen_times_as_many_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(md5tree, "FULL_LEAF", 16)
    small, larger, large = (steps(16**digits) for digits in (2, 3, 4))
    assert larger - small == pytest.approx(1, abs=0.2)
    assert large - larger == pytest.approx(1, abs=0.2)


def steps(urls: int) -> float:
    """Return how many nodes a look-up passes, on average, in a tree of so many URLs."""
    tree = Md5Tree(f"http://shop.example/{number}" for number in range(urls))
    lines: Counter[int] = Counter()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        lines[frame.f_lineno] += event == "line"
        return trace if frame.f_code is Md5Tree.__contains__.__code__ else None

    before = sys.gettrace()
    sys.settrace(trace)
    found = [f"http://shop.example/{number}" in tree for number in range(200)]
    sys.settrace(before)
    assert all(found)
    return max(lines.values()) / len(found)


def test_gzip_is_undone_before_a_charset_is_looked_for() -> None:
    page = "<meta charset=gbk><p>价格".encode("gbk")
    packed = gzip.compress(page)
    assert b"charset" not in packed
    assert detect_charset(decode(packed, [b"gzip"], 1000).body) == "gb18030"


@pytest.mark.parametrize(
    ("header", "meta", "expected"),
    [("big5", "gbk", "big5hkscs"), ("gbk", "big5", "gb18030"), ("iso-8859-1", "gbk", "gb18030")],
)
def test_where_both_could_be_true_the_header_wins_over_meta(header: str, meta: str, expected: str) -> None:
    page = f"<meta charset={meta}>".encode() + "乙丁".encode("big5")
    assert detect_charset(page, f"text/html; charset={header}") == expected
