"""Which of the candidates that fit all samples is trusted."""

from __future__ import annotations

from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking.rank import choose
from tests.extract.pages import learned, word

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


def poem(n: int, dynasty: str, author: str = "") -> str:
    """A page whose data name the site's owner where it shows no author; its menu has the word of one dynasty."""
    data = f'{{"@type": "BlogPosting", "headline": "{word(n)}", "author": {{"name": "{author or "The Owner"}"}}}}'
    head = f'<script type="application/ld+json">{data}</script><meta name=description content="朝代 ：{dynasty}">'
    menu = "<nav class=menu><a class=page-link href=/song>宋词</a></nav>"
    by = f"<span class='p-author h-card'>{author}</span>" if author else ""
    told = f"<p><strong>朝代</strong> ：{dynasty}</p><p>{word(n)} {word(n + 7)}.</p>"
    return f"<html><head>{head}</head><body>{menu}<h1>{word(n)}</h1>{by}<div class=content>{told}</div></body></html>"


def test_what_the_page_says_as_its_data_do_goes_before_a_constant_that_both_samples_share() -> None:
    samples = [(poem(n, "宋"), {"title": word(n), "dynasty": "宋"}) for n in (1, 2)]
    wrapper = learned(samples, [poem(n, "唐" if n % 3 else "宋") for n in range(10, 30)])
    assert [wrapper.extract(poem(n, dynasty))["dynasty"] for n, dynasty in ((40, "唐"), (41, "宋"))] == ["唐", "宋"]
