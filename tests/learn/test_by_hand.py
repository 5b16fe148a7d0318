"""What a person says of URLs holds in what is learned: targets besides, never targets, listings; each is counted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.record import extract_target
from gwc_crawler.items import PageKind
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.knowledge.patterns import read_pattern
from gwc_crawler.learn.site import learn_site
from gwc_crawler.page.reader import PageReader
from tests.eval.generated.grammar import Grammar
from tests.eval.generated.site import ORIGIN, Site, build_site
from tests.eval.generated.trial import choose_samples, learning_task, precrawled

SHOP = Grammar(articles=40, sections=3, values=4, sidebar=True, breadcrumbs=True, siblings=1)


@cache
def site() -> Site:
    return build_site(SHOP)


@cache
def learned(mode: str = "best", **by_hand: str) -> Knowledge:
    samples = choose_samples(site())
    patterns = {key: tuple(map(read_pattern, text.split())) for key, text in by_hand.items()}
    task = replace(learning_task(site(), samples), mode=mode, by_hand=patterns)
    return learn_site(task, precrawled(site(), samples, 600))


def glob_for(paths: list[str]) -> str:
    """A glob that takes these paths and perhaps others beside them."""
    return f"{paths[0].rpartition('/')[0]}/*"


@pytest.mark.parametrize("mode", ["best", "paper"])
def test_what_is_named_besides_is_a_target_whatever_its_page_looks_like(mode: str) -> None:
    news = site().others["articles"]
    knowledge = learned(mode, also=glob_for(news))
    strict = replace(knowledge, page_check={"required": ["no>such>mark"]})
    assert knowledge.verdict(ORIGIN + news[0]) is Verdict.TARGET
    if mode == "paper":  # it has no page check, and none of the fields is there
        return
    page = PageReader(strict).read(ORIGIN + news[0], site().pages[news[0]].encode(), "text/html")
    record = extract_target(page, strict)
    assert page.kind is PageKind.TARGET
    assert record is not None
    assert record.rejected is None


@pytest.mark.parametrize("mode", ["best", "paper"])
def test_what_is_excluded_is_no_target_and_the_rest_is_as_before(mode: str) -> None:
    samples = choose_samples(site())
    gone = sorted(path for path in site().targets if path not in samples)[:3]
    knowledge = learned(mode, exclude=" ".join(gone))
    assert all(knowledge.verdict(ORIGIN + path) is not Verdict.TARGET for path in gone)
    left = set(site().targets) - set(gone)
    assert all(knowledge.is_target(ORIGIN + path) for path in left if learned(mode).is_target(ORIGIN + path))
    assert not any(row["example"].removeprefix(ORIGIN) in gone for row in knowledge.evidence["left_out"])


def test_what_is_excluded_may_be_followed() -> None:
    first = choose_samples(site())[0]
    other = next(path for path in site().targets if path not in choose_samples(site()))
    knowledge = learned(exclude=other, listing=glob_for([first]))
    assert knowledge.verdict(ORIGIN + other) is Verdict.DIRECTORY
    assert knowledge.verdict(ORIGIN + first) is Verdict.TARGET


def test_a_listing_is_followed_and_on_the_topic_though_it_leads_to_no_target() -> None:
    news = site().others["articles"]
    assert learned().verdict(ORIGIN + news[0]) is not Verdict.TARGET
    knowledge = learned(listing=glob_for(news))
    page = PageReader(knowledge).read(ORIGIN + news[0], b"<html><body><p>Nothing</p></body></html>", "text/html")
    assert (page.kind, page.relevant) == (PageKind.DIRECTORY, True)


def test_each_pattern_is_told_with_the_known_urls_that_it_takes() -> None:
    news = site().others["articles"]
    knowledge = learned(also=glob_for(news), listing="/no-such-place/*")
    also, listing = sorted(knowledge.evidence["by_hand"], key=lambda row: row["key"])
    assert (also["key"], also["pattern"]) == ("also", glob_for(news))
    assert also["urls"] >= len(news)
    assert also["example"].startswith(ORIGIN)
    assert listing["urls"] == 0


def test_a_pattern_that_takes_none_is_warned_of_with_the_nearest_that_takes_some() -> None:
    glob = glob_for(site().others["articles"])
    mistyped = glob[:2] + glob[3:]
    warning = next(one for one in learned(also=mistyped).evidence["warnings"] if "takes none of" in one)
    nearest = warning.rpartition("some is ")[2].strip("'")
    assert warning.startswith(f"also {mistyped!r} in [learn] takes none of ")
    assert nearest.startswith(glob.rpartition("/")[0])


def test_a_regex_that_would_take_years_is_refused() -> None:
    told = r"exclude 're:/\(\(\[\^!\]\+\)\+\)\+!' in \[learn\] can't be used: it takes too long"
    with pytest.raises(LearnError, match=told):
        learned(exclude="re:/(([^!]+)+)+!")


def test_what_target_takes_can_not_be_excluded_whole() -> None:
    samples = choose_samples(site())
    task = replace(
        learning_task(site(), samples), target=".*", by_hand={"exclude": (read_pattern("re:.*"),)}, samples=()
    )
    with pytest.raises(LearnError, match="exclude in \\[learn\\] takes all"):
        learn_site(task, precrawled(site(), samples, 600))
