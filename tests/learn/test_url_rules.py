"""Words of URLs and the regex of a rule: both say the same of every URL."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gwc_crawler.learn.kinds.rule import UrlRule
from gwc_crawler.learn.kinds.words import Word, WordKind, words_of
from gwc_crawler.learn.urls.url_parts import row_of

ORIGIN = "http://a.example"
BARE = Word(WordKind.EXTENSION, "")
_NAMES = st.sampled_from(
    [
        "api",
        "class-use",
        "12",
        "2004",
        "Vec",
        "print_a",
        "a.b.C",
        "index",
        "x-amp",
        "%E4%B8",
        "package-use",
        "v2",
        "a-p12",
        "p_7",
    ]
)
_ENDINGS = st.sampled_from([".html", ".asp", "", ".zip", "/"])
_QUERIES = st.sampled_from(
    [
        "",
        "?id=7",
        "?print=1",
        "?a=b&id=x",
        "?id=x&a=b",
        "?id",
        "?action=vote",
        "?a=b;id=x",
        "?a=b&amp;id=x",
        "?a=b;a=x",
        "?a=b&a=x",
    ]
)


@st.composite
def urls(draw: st.DrawFn) -> str:
    path = "".join(f"/{name}" for name in draw(st.lists(_NAMES, max_size=4)))
    return ORIGIN + (path + draw(_ENDINGS) if path else "/") + draw(_QUERIES)


@pytest.mark.dear
@settings(deadline=None, max_examples=200)
@given(urls(), urls(), st.data())
def test_a_rule_and_its_regex_take_the_same_urls(one: str, other: str, data: st.DataObject) -> None:
    words, others = words_of(row_of(one)), words_of(row_of(other))
    given = sorted(word for word in words if word.kind is not WordKind.HOST and word.kind is not WordKind.END)
    demanded = data.draw(st.lists(st.sampled_from(given), max_size=4, unique=True))
    refused = data.draw(st.lists(st.sampled_from(sorted(one for one in others if one.may_be_refused)), max_size=2))
    rule = UrlRule().with_words([(word, False) for word in demanded] + [(word, True) for word in refused])
    pattern = re.compile(rule.regex(re.escape(ORIGIN)))
    lone = any(word.kind is WordKind.KEYS and word.value.isalpha() for word in (*demanded, *refused))
    for url, its in ((one, words), (other, others)):
        if lone and ";" in url:
            continue  # what follows a semicolon may be of the value
        assert (pattern.fullmatch(url) is not None) == rule.holds(its), (pattern.pattern, url)


@pytest.mark.parametrize(
    ("demanded", "refused", "regex"),
    [
        (
            [
                Word(WordKind.DIRECTORY, "std", 0),
                Word(WordKind.START, "struct."),
                Word(WordKind.EXTENSION, ".html"),
                Word(WordKind.KEYS, ""),
            ],
            [],
            r"/std(?:/[^/?]+)*/struct\.[^/?]*\.html",
        ),
        (
            [
                Word(WordKind.DEPTH, "2"),
                Word(WordKind.DIRECTORY, "item", 0),
                Word(WordKind.NUMBER, "", 1),
                Word(WordKind.EXTENSION, ""),
                Word(WordKind.KEYS, ""),
            ],
            [],
            None,
        ),
    ],
)
def test_a_rule_is_written_as_a_path(demanded: list[Word], refused: list[Word], regex: str | None) -> None:
    rule = UrlRule(frozenset({*demanded, Word(WordKind.SLASH, "")}), frozenset(refused))
    assert rule.regex("") == (regex or "/item/[0-9]+")


def test_a_long_url_takes_no_time() -> None:
    words = words_of(row_of(f"{ORIGIN}/api/print_a.html?id=7&a=b"))
    rule = UrlRule(frozenset({Word(WordKind.WITHIN, "api")}), frozenset(word for word in words if word.may_be_refused))
    pattern = re.compile(rule.regex(re.escape(ORIGIN)))
    assert pattern.fullmatch(f"{ORIGIN}/api{'/api' * 20_000}/print_{'-' * 20_000}?{'id=&' * 20_000}") is None


@pytest.mark.parametrize("query", ["?a=b&a=x", "?a=b;a=x", "?a&a"])
def test_a_key_that_comes_twice_is_of_the_rule_of_that_key(query: str) -> None:
    rule = UrlRule(frozenset({Word(WordKind.KEYS, "a")}))
    assert rule.holds(words_of(row_of(ORIGIN + "/list" + query)))
    assert re.fullmatch(rule.regex(re.escape(ORIGIN)), ORIGIN + "/list" + query)
    assert not re.fullmatch(rule.regex(re.escape(ORIGIN)), ORIGIN + "/list?a=b&b=x")
