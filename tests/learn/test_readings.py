"""How much around a value belongs to it, as further pages show: paragraphs, blocks, badges, remarks, signs, labels."""

from __future__ import annotations

import json

import pytest

from tests.extract.pages import ONE, OTHER, learned


def text_page(name: str, *paragraphs: str) -> str:
    shown = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<body><h1>{name}</h1><div><h2>About</h2>{shown}<hr><i>end</i></div></body>"


def test_a_text_goes_on_in_the_paragraphs_that_follow_on_other_pages() -> None:
    samples = [(text_page("Thor", ONE), {"text": ONE}), (text_page("Odin", OTHER), {"text": OTHER})]
    wrapper = learned(samples, [text_page("Loki", OTHER, ONE), text_page("Hel", ONE, "Short."), text_page("Tyr", ONE)])
    assert wrapper.extract(text_page("Frey", ONE, OTHER, ONE)) == {"text": f"{ONE} {OTHER} {ONE}"}
    assert wrapper.extract(text_page("Frey", OTHER)) == {"text": OTHER}


def test_of_a_single_sentence_the_first_paragraph_is_all_that_is_meant() -> None:
    samples = [
        (text_page("Thor", "The god of thunder."), {"text": "The god of thunder."}),
        (text_page("Odin", "The father of all."), {"text": "The father of all."}),
    ]
    wrapper = learned(samples, [text_page("Loki", "A trickster.", ONE), text_page("Hel", "The one below.")])
    assert wrapper.extract(text_page("Tyr", "The one-handed.", ONE)) == {"text": "The one-handed."}


def test_an_empty_paragraph_before_anything_else_is_the_value_that_is_missing() -> None:
    def shown(name: str, summary: str) -> str:
        return f"<body><h1>{name}</h1><p class=a>{summary}</p><h2>See also</h2><p class=a>Another one.</p></body>"

    samples = [(shown(name, f"{name}'s own."), {"note": f"{name}'s own."}) for name in ("Thor", "Odin")]
    wrapper = learned(samples, [shown("Loki", ""), shown("Hel", "The one below."), shown("Ran", ONE)])
    assert wrapper.extract(shown("Tyr", "")) == {"note": None}


def box(name: str, *paragraphs: str) -> str:
    shown = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f'<body><h1>{name}</h1><div class="about">{shown}</div></body>'


def test_blocks_are_set_apart_though_no_sample_has_two() -> None:
    samples = [(box("Thor", ONE), {"text": ONE}), (box("Odin", OTHER), {"text": OTHER})]
    wrapper = learned(samples, [box("Loki", OTHER, ONE), box("Hel", ONE, OTHER)])
    assert wrapper.extract(box("Tyr", "One.", "Two.")) == {"text": "One. Two."}


def titled(name: str, badge: str = "") -> str:
    return f"<body><h1>{name}{f' <small>{badge}</small>' if badge else ''}</h1><p>All about {name}.</p></body>"


def test_a_badge_that_some_pages_have_is_no_part_of_a_name() -> None:
    samples = [(titled(name), {"title": name}) for name in ("Red Shoes", "Blue Hat")]
    more = [titled("Green Tie", "New"), titled("Long Coat", "New"), titled("Old Cap"), titled("Warm Scarf", "Sale")]
    wrapper = learned(samples, [*more, titled("Thin Belt", "Sale"), titled("Grey Socks")])
    assert wrapper.extract(titled("White Shirt", "Sale")) == {"title": "White Shirt"}


def priced(price: str, left: str = "") -> str:
    return f'<body><h1>A thing</h1><p class="offer">Price: {price} {left}</p></body>'


@pytest.mark.parametrize("left", ["", "(7 left)"])
def test_a_remark_behind_a_value_may_be_missing(left: str) -> None:
    samples = [(priced("$8.76"), {"price": "$8.76"}), (priced("$24.10", "(44 left)"), {"price": "$24.10"})]
    wrapper = learned(samples, [priced("$3.00"), priced("$9.00", "(2 left)"), priced("$77.00", "(12 left)")])
    assert wrapper.extract(priced("$5.55", left)) == {"price": "$5.55"}


def told_twice(title: str, said: str) -> str:
    data = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": said}, ensure_ascii=False)
    return f'<head><script type="application/ld+json">{data}</script></head><body><h1>{title}</h1><p>Buy it</p></body>'


def test_what_the_page_shows_is_taken_in_its_own_signs() -> None:
    samples = [(told_twice(name, name), {"title": name}) for name in ("A Red Hat", "A Blue Tie")]
    more = [told_twice("A “Grey” Coat", 'A "Grey" Coat'), told_twice("The Cap", "The Cap")]
    wrapper = learned(samples, more)
    assert wrapper.extract(told_twice("The “Best” Sock", 'The "Best" Sock')) == {"title": "The “Best” Sock"}


def facts(**values: str) -> str:
    lines = "".join(f"<b>{name}:</b> {value}<br>" for name, value in values.items())
    return f'<body><h1>A thing</h1><p class="facts">{lines}</p></body>'


def test_what_stands_behind_another_label_is_another_field() -> None:
    first, second = facts(Format="Paper", Size="Small", Pages="12"), facts(Format="Cloth", Size="Large", Pages="90")
    samples = [(first, {"size": "Small"}), (second, {"size": "Large"})]
    more = [facts(Format="Paper", Pages="50"), facts(Size="Tiny", Pages="9"), facts(Format="Cloth", Size="Huge")]
    wrapper = learned(samples, more)
    assert wrapper.extract(facts(Format="Steel", Pages="7")) == {"size": None}
    assert wrapper.extract(facts(Pages="7", Size="Wide")) == {"size": "Wide"}
