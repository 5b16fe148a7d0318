"""Which of the candidates that fit all samples is trusted."""

from __future__ import annotations

from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking.rank import choose
from tests.extract.pages import word

PAGES = 20


def test_of_a_field_that_all_samples_have_what_is_always_there_beats_what_several_find_on_half_of_the_pages() -> None:
    seldom = [
        Locator(Family.CLASS, "//span[@class='ident']", cost=1.0),
        Locator(Family.TAG, "//code/span", cost=2.0),
    ]
    always = Locator(Family.CLASS, "//h2[@class='location']/a/text()", cost=2.0)

    def read(locator: Locator, number: int) -> str | None:
        if locator is always:
            return f"std::{word(number % 13)}"
        return f"core::{word(number)}" if number < 9 else None

    assert choose([*seldom, always], read, PAGES, ["std::path", "std::panic"]).locators[0] is always
