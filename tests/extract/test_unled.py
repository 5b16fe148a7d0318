"""A field that no rule leads to costs itself only: the others are learned, and it is named."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample


def page(title: str, text: str) -> str:
    return f"<html><body><h1>{title}</h1><p>{text}</p></body></html>"


ONE = page("Thor", "It says that Ann made 3 of them, and Bob, who came late, did 4")
TWO = page("Hulk", "Quite as before: 7 by Cid and by Dan again 9")
MAKERS = [
    [{"who": "Ann", "made": "3"}, {"who": "Bob", "made": "4"}],
    [{"who": "Cid", "made": "7"}, {"who": "Dan", "made": "9"}],
]
"""Records told in prose: no row holds them."""


def test_the_other_fields_are_learned_and_it_is_named() -> None:
    wrapper = learn_wrapper(
        [
            Sample("https://a.example/1", ONE, {"title": "Thor", "makers": MAKERS[0]}),
            Sample("https://a.example/2", TWO, {"title": "Hulk", "makers": MAKERS[1]}),
        ]
    )
    assert wrapper.extract(page("Loki", "all black"), "https://a.example/3") == {"title": "Loki"}
    assert any("field 'makers'" in text and "stays empty" in text for text in wrapper.warnings)


def test_without_any_rule_nothing_is_learned() -> None:
    with pytest.raises(LearnError, match="no rule leads to them"):
        learn_wrapper(
            [
                Sample("https://a.example/1", ONE, {"makers": MAKERS[0]}),
                Sample("https://a.example/2", TWO, {"makers": MAKERS[1]}),
            ]
        )
