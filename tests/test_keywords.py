"""The keyword language: JSON cases for each rule, and the laws of logic as properties."""

from __future__ import annotations

import json
import re
from itertools import compress, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwc_crawler.errors import KeywordError
from gwc_crawler.knowledge.keywords import MAX_NESTING, Keywords, fold

CASES = json.loads(Path(__file__).with_name("keyword_cases.json").read_text(encoding="utf-8"))


def cases(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["description"]) for case in CASES[kind]])


@cases("matches")
def test_matches(case: dict[str, Any]) -> None:
    assert Keywords.parse(case["expression"]).matches(case["text"]) is case["expected"]


@cases("mistakes")
def test_mistakes_are_named_with_position_and_help(case: dict[str, Any]) -> None:
    with pytest.raises(KeywordError) as caught:
        Keywords.parse(case["expression"])
    assert (str(caught.value), caught.value.position) == (case["message"], case["position"])


@cases("normal_forms")
def test_ways_of_writing_the_same(case: dict[str, Any]) -> None:
    one, other = Keywords.parse(case["expression"]), Keywords.parse(case["expected"])
    words = re.findall(r'"(?:[^"\\]|\\.)*"|[^\s!&|()"]+', case["expected"])
    for chosen in product((False, True), repeat=len(words)):
        text = "\n".join(word.strip('"') for word in compress(words, chosen))
        assert one.matches(text) is other.matches(text)


WORDS = st.sampled_from(["a", "b", "c", "ISBN", "川菜", "火锅", '"New York"', '"OR"', '"a&"', '"Yahoo!"'])
EXPRESSIONS = st.recursive(
    WORDS,
    lambda inner: (
        inner.map("!({})".format)
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' && '.join(parts)})")
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' || '.join(parts)})")
    ),
    max_leaves=12,
)
TEXTS = st.lists(WORDS | st.sampled_from(["的", "party", "\n"]), max_size=6).map(" ".join)


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS, TEXTS)
def test_laws_of_logic(a: str, b: str, c: str, text: str) -> None:
    def holds(expression: str) -> bool:
        return Keywords.parse(expression).matches(text)

    assert holds(f"!({a} && {b})") == holds(f"!{a} || !{b}")
    assert holds(f"!({a} || {b})") == holds(f"!{a} && !{b}")
    assert holds(f"{a} && {b}") == holds(f"{b} {a}")
    assert holds(f"!!{a}") == holds(f"({a})") == holds(a)
    assert holds(f"{a} && ({a} || {b})") == holds(a)
    assert holds(f"{a} || {b} && {c}") == holds(f"{a} || ({b} && {c})")


@given(st.text(max_size=40))
def test_any_text_parses_or_is_a_keyword_error_within_it(expression: str) -> None:
    try:
        Keywords.parse(expression)
    except KeywordError as error:
        assert 0 <= error.position <= len(expression)


@given(st.text(min_size=1, max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_a_phrase_on_its_own_line_is_found_whatever_it_holds(phrase: str, before: str, after: str) -> None:
    phrase = re.sub(r'["＂“”\\]', "", " ".join(phrase.split()))
    phrase = phrase if fold(phrase).strip() else "x"
    assert Keywords.parse(f'"{phrase}"').matches(f"{before}\n{phrase}\n{after}")


def test_nesting_has_a_limit() -> None:
    assert Keywords.parse("(" * MAX_NESTING + "a" + ")" * MAX_NESTING).matches("a")
    with pytest.raises(KeywordError, match=f"more than {MAX_NESTING} levels"):
        Keywords.parse("(" * 10_000 + "a" + ")" * 10_000)
    with pytest.raises(KeywordError, match=f"more than {MAX_NESTING} levels"):
        Keywords.parse("!" * 10_000 + "a")


def test_long_expressions_need_no_stack() -> None:
    words = [f"word{number}" for number in range(2_000)]
    assert Keywords.parse(" || ".join(words)).matches("only word1999 here")


def test_an_unclosed_phrase_of_backslashes_is_read_in_linear_time() -> None:
    with pytest.raises(KeywordError):
        Keywords.parse('"' + "\\" * 2_000_001 + '"')  # so long that more than linear would take hours


@pytest.mark.parametrize(
    "text", ["an apple a day, " * 250_000, "成都川菜，很好吃。（地址）" * 100_000], ids=["latin", "Chinese"]
)
@pytest.mark.timeout(60)
def test_a_page_of_megabytes_is_searched(text: str) -> None:
    keywords = Keywords.parse("(ISBN || 平装) && (a || 书) !sold")
    assert keywords.matches(text) is False
