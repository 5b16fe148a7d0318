"""Pages and wrapper are decided in turn: with other pages the wrapper is learned again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from gwc_crawler.learn import best
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.precrawl_index import PatternGroup
from gwc_crawler.learn.targets.targets import Targets
from tests.learn.test_site import shop, task

PRODUCTS = 400


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The pages that the wrapper was learned of, samples apart, each time it was."""
    learned: list[set[str]] = []

    def watched(given: Any, samples: Any, more: Sequence[Any], read: Any) -> Any:
        learned.append({page.url for page in more})
        return make_wrapper(given, samples, more, read)

    make_wrapper = best.make_wrapper
    monkeypatch.setattr(best, "make_wrapper", watched)
    return learned


def drop_at_second_look(monkeypatch: pytest.MonkeyPatch, lost: Callable[[list[str]], list[str]]) -> list[str]:
    """From the second look on, *lost* of the target group's URLs are no targets."""
    choose, dropped = best.choose_targets, list[str]()

    def choose_less(given: Any, index: Any, samples: Any, findings: Any = None, *more: Any, **signs: Any) -> Targets:
        targets = choose(given, index, samples, findings, *more, **signs)
        if findings is not None:
            sampled = {page.url for page in samples}
            group = targets.groups[0]
            dropped[:] = lost([page.url for page in group.pages if page.url not in sampled])
            kept = group.without(set(dropped))
            targets.groups = [PatternGroup(kept.rows, kept.pages, rule(dropped))]
        return targets

    monkeypatch.setattr(best, "choose_targets", choose_less)
    return dropped


def rule(dropped: Sequence[str]) -> str:
    refused = "|".join(url.rpartition("/")[2] for url in dropped)
    return rf"http://shop\.example/item/(?!(?:{refused})$)[^/?]+"


def test_many_pages_less_are_a_reason(monkeypatch: pytest.MonkeyPatch, turns: list[set[str]]) -> None:
    drop_at_second_look(monkeypatch, lambda urls: [url for url in urls if url not in turns[0]][:20])
    learn_site(task("best"), shop(PRODUCTS))
    assert len(turns) > 1


def test_one_page_less_that_the_wrapper_was_learned_of_is_a_reason(
    monkeypatch: pytest.MonkeyPatch, turns: list[set[str]]
) -> None:
    dropped = drop_at_second_look(monkeypatch, lambda urls: sorted(turns[0])[:1])
    learn_site(task("best"), shop(PRODUCTS))
    assert len(turns) > 1
    assert turns[-1].isdisjoint(dropped)
