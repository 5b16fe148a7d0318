"""A regex matches every URL it was made from, whatever is in it: ports, dots, escapes, queries, empty segments."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gwc_crawler.learn.urls.clustering import cluster_urls
from gwc_crawler.learn.urls.regex import class_regexes, pattern_of, url_regex
from gwc_crawler.learn.urls.url_parts import row_of
from gwc_crawler.urls import normalize_url

LABELS = st.one_of(
    st.sampled_from(["a", "www", "shop-2", "书店", "bücher", "xn--bcher-kva", "example", "com"]),
    st.text("ab1-_", min_size=1, max_size=3),
)
HOSTS = st.one_of(
    st.lists(LABELS, min_size=1, max_size=3).map(".".join),
    st.sampled_from(["h.example.", "127.0.0.1", "[::1]", "localhost", ".", ""]),
)
AUTHORITIES = st.builds(
    lambda user, host, port: user + host + port,
    st.sampled_from(["", "", "", "me@", "me:pass.word@"]),
    HOSTS,
    st.sampled_from(["", "", "", ":80", ":8080", ":"]),
)
WORDS = st.one_of(
    st.sampled_from(["1", "22", "item", "a-b", "a_b", "tag_x", "商品", quote("商品"), "%2F", "٣"]),
    st.sampled_from(["", ".", "..", "...", "a."]),
    st.text("ab1.-_~%(+书", max_size=4),
    st.integers(0, 9999).map(str),
)
ENDINGS = st.sampled_from(["", "", ".html", ".mp4", ".HTML", ".tar.gz", ".a1b2c", ".", ".php", "..", ".书"])
SEGMENTS = st.builds(lambda word, ending: word + ending, WORDS, ENDINGS)
PATHS = st.lists(SEGMENTS, max_size=4).map(lambda segments: "".join(f"/{one}" for one in segments))
PAIRS = st.builds(
    lambda key, value: key if value is None else f"{key}={value}",
    st.sampled_from(["id", "id", "page", "q", "a.b", "键", ""]),
    st.one_of(st.none(), WORDS),
)
QUERIES = st.one_of(st.just(""), st.lists(PAIRS, max_size=4).map(lambda pairs: "?" + "&".join(pairs)))
URLS = st.builds(
    lambda scheme, authority, path, query: f"{scheme}://{authority}{path}{query}",
    st.sampled_from(["http", "http", "https"]),
    AUTHORITIES,
    PATHS,
    QUERIES,
)
LISTS = st.lists(URLS, min_size=1, max_size=14)
OF_ONE_FORM = st.builds(
    lambda start, words, ending: [f"{start}/{word}{ending}" for word in words],
    st.builds(lambda authority, path: f"http://{authority}{path}", AUTHORITIES, PATHS),
    st.lists(WORDS, min_size=1, max_size=40),
    st.builds(lambda ending, query: ending + query, ENDINGS, QUERIES),
)
"""So many of one layout that slots with alternatives, prefixes and character classes come into being."""


@given(st.one_of(LISTS, OF_ONE_FORM))
@example(["http://h/v/1.mp4", "http://h/v/2.mp4"])
@example(["http://h/a//b", "http://h/a/b"])
@example(["http://h", "http://h/"])
@example([f"http://{name}:{port}/" for port, name in enumerate("abcdefghij")])
def test_the_papers_regex_matches_what_it_was_made_from(urls: list[str]) -> None:
    regex = url_regex(urls)
    assert [url for url in urls if not re.fullmatch(regex, url)] == []


@pytest.mark.parametrize("mode", ["paper", "best"])
@given(st.one_of(LISTS, OF_ONE_FORM))
@example(["http://h/?id=1&id=2", "http://h/?id=3"])
@example(["http://h/?id", "http://h/?id=3", "http://h/?&id=3&", "http://h/?=3", "http://h/?"])
@example([f"http://h/?{'&'.join(order)}" for order in (("a", "b"), ("b", "a"))])
def test_the_regex_of_a_cluster_matches_its_urls(mode: str, urls: list[str]) -> None:
    clusters = cluster_urls(urls, mode=mode)
    assert sorted(url for cluster in clusters for url in cluster.urls) == sorted(set(urls))
    for cluster in clusters:
        assert [url for url in cluster.urls if not re.fullmatch(cluster.regex, url)] == []


@given(st.one_of(LISTS, OF_ONE_FORM))
def test_the_fewest_regexes_for_some_urls_match_them(urls: list[str]) -> None:
    pattern = pattern_of(class_regexes([row_of(url) for url in urls]))
    assert [url for url in urls if not pattern.fullmatch(url)] == []


@pytest.mark.dear
@given(st.one_of(LISTS, OF_ONE_FORM))
def test_it_matches_their_normal_form_too(urls: list[str]) -> None:
    normal = [one for url in urls if (one := normalize_url(url))]
    if normal:
        assert [url for url in normal if not re.fullmatch(url_regex(normal), url)] == []


@pytest.mark.parametrize(
    "queries",
    [
        ["p=a.git;a=log", "p=b.git;a=log"],
        ["q=ab", "q=cd;ef", "q=x", "q=yy;z=3"],
        ["p=ab.git;a=log", "p=cd.git;a=log", "p=gh;y.git&a=log"],
        ["cat=thor&amp;item=1", "cat=loki&amp;item=2"],
    ],
    ids=["semicolons", "a value with one", "both signs", "escaped twice"],
)
def test_pairs_may_be_parted_by_semicolons_and_values_may_have_them(queries: list[str]) -> None:
    urls = [f"http://a.example/show?{query}" for query in queries]
    for pattern in (url_regex(urls), "|".join(f"(?:{one})" for one in class_regexes([row_of(url) for url in urls]))):
        assert all(re.fullmatch(pattern, url) for url in urls), pattern
    assert re.fullmatch(url_regex(urls[:1]), "http://a.example/show?p=z.git;a=tree") is None


@pytest.mark.parametrize(
    ("query", "pattern"),
    [
        ("sid=98afd6c5cb0d&view=full", r"sid=\w+&view=full"),
        ("PHPSESSID=q1w2e3r4t5y6u7i8o9p0", r"PHPSESSID=\w+"),
        ("s=1234567890", "s=[0-9]+"),
        ("model=iphone12&page=10", "model=iphone12&page=10"),
        ("word=facade", "word=facade"),
    ],
)
def test_a_sessions_id_in_a_query_is_a_pattern_even_where_all_pages_have_the_same(query: str, pattern: str) -> None:
    urls = [f"http://a.example/item/{number}?{query}" for number in (1, 22)]
    assert url_regex(urls) == rf"http://a\.example/item/[0-9]+(\.[a-zA-Z]+)?/?\?{pattern}"


def test_keys_in_any_order_are_taken_once_there_are_too_many_orders_to_write_down() -> None:
    keys = ["a", "b", "c", "d"]
    urls = [f"http://h/list?{'&'.join(f'{k}={n}' for k in keys[n % 4 :] + keys[: n % 4])}" for n in range(40)]
    urls += [
        f"http://h/list?{'&'.join(f'{k}={n}' for k in reversed(keys[n % 4 :] + keys[: n % 4]))}" for n in range(40)
    ]
    (cluster,) = cluster_urls(urls)
    assert all(re.fullmatch(cluster.regex, url) for url in urls)
    assert not re.fullmatch(cluster.regex, "http://h/list?a=1&b=2&c=3&e=5")
    assert not re.fullmatch(cluster.regex, "http://h/list?a=x&b=2&c=3&d=5")
