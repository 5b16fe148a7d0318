"""Facts in a row, steps of a path of links, texts cut off, boxes of parts, and how much of a page a name means."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.learn.texts.shared import NO_LABEL
from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]


# Facts in a row

# Paths of links


def path(*steps: str, name: str = "") -> str:
    links = "".join(f"<li><a href=/{step}>{step}</a></li>" for step in steps)
    return f"<ul class=breadcrumb><li><a href=/>Home</a></li>{links}<li>{name}</li></ul>"


def filed(n: int, *steps: str) -> str:
    return page(word(n), path(*steps, name=word(n)), f"<p>Text {word(n + 2)}.</p>")


def test_a_version_is_the_same_step_of_each_path() -> None:
    versions = ("2.0", "2.1", "3.0")

    def one(n: int) -> str:
        return filed(n, versions[n % 3], *(word(n % 7 + 60 + k) for k in range(n % 3)))

    samples: Samples = [
        (filed(n, versions[n], word(n + 50)), {"name": word(n), "version": versions[n]}) for n in (1, 2)
    ]
    wrapper = learned(samples, [one(n) for n in SEVERAL])
    assert wrapper.extract(filed(71, "3.0", "Guide", "Start"))["version"] == "3.0"


def test_a_sentence_of_links_is_no_path() -> None:
    def one(n: int, count: int) -> str:
        links = ", ".join(f"<a href=/in/{n + k}>{word(n % 9 + 70 + k)}</a>" for k in range(count))
        return page(
            word(n), f"<p>Posted on <a href=/>Our pages</a> by <a href=/by/{n}>{word(n + 5)}</a> in {links}</p>"
        )

    samples: Samples = [(one(n, 1), {"name": word(n), "category": word(n + 5)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 3) for n in SEVERAL])
    assert wrapper.extract(one(61, 2))["category"] == word(66)


def test_a_link_that_leads_nowhere_does_not_stop_the_learning() -> None:
    def one(n: int) -> str:
        links = "".join(f"<a href=/{n}/{k}>{word(n + 50 + k)}</a>" for k in range(n % 3 + 1))
        return page(word(n), f"<nav><a href='http://[bad'>Home</a>{links}</nav>")

    samples: Samples = [(one(n), {"name": word(n), "category": word(n + 50)}) for n in (3, 6)]
    assert learned(samples, [one(n) for n in SEVERAL]).extract(one(60))["category"] == word(110)


# Texts that are cut off


# Boxes of parts


# Lists of one item


def test_an_address_is_one_item() -> None:
    def one(n: int, place: str) -> str:
        return page(word(n), f"<dl><dt>Where:</dt><dd>{place}</dd></dl>")

    def place(n: int) -> str:
        return ", ".join((word(n + 30).title(), f"New {word(n % 5 + 80)}", word(n % 3 + 90).title())[: n % 3 + 1])

    samples: Samples = [(one(n, place(n)), {"name": word(n), "where": [place(n)]}) for n in (3, 6)]
    wrapper = learned(samples, [one(n, place(n)) for n in SEVERAL])
    assert wrapper.extract(one(61, "Austin, New Texas, America"))["where"] == ["Austin, New Texas, America"]


# How much is meant


def test_a_box_of_another_field_ends_no_section_if_any_section_may_have_one() -> None:
    def terms(n: int) -> str:
        return f"<div class=variablelist><dl><dt>{word(n)}</dt><dd>The {word(n + 1)} of it.</dd></dl></div>"

    def one(n: int, inner: str = "") -> str:
        told = f"<p>It does {word(n)} for {word(n + 5)}.</p>{inner}<p>And {word(n + 6)} as well.</p>"
        return page(word(n), f"<h2>Parameters</h2>{terms(n)}", f"<h2>Description</h2>{told}", "<h2>See</h2><p>No.</p>")

    samples: Samples = [
        (
            one(n),
            {
                "name": word(n),
                "parameters": f"{word(n)} The {word(n + 1)} of it.",
                "description": f"It does {word(n)} for {word(n + 5)}. And {word(n + 6)} as well.",
            },
        )
        for n in (1, 2)
    ]
    wrapper = learned(samples, [one(n, terms(n + 9)) if n % 2 else one(n) for n in SEVERAL])
    assert f"And {word(66)} as well." in wrapper.extract(one(60, terms(70)))["description"]


# Nested lists


def test_items_inside_items_belong_to_the_list_if_they_are_built_alike() -> None:
    def item(name: str, inner: str = "") -> str:
        return f"<li><a href=#x>{name}</a> it{inner}</li>"

    def one(n: int, deep: bool) -> str:
        inner = f"<ul>{item(word(n + 5))}{item(word(n + 6))}</ul>" if deep else ""
        text = f"<p>The {word(n)} has parts.</p>" * (n % 3)
        return page(word(n), f"{text}<ul>{item(word(n + 1), inner)}{item(word(n + 2))}</ul><p>Bye {word(n)}.</p>")

    samples: Samples = [
        (one(n, False), {"name": word(n), "parts": [f"{word(n + 1)} it", f"{word(n + 2)} it"]}) for n in (1, 2)
    ]
    wrapper = learned(samples, [one(n, n % 2 > 0) for n in SEVERAL])
    assert wrapper.extract(one(60, True))["parts"] == [f"{word(n)} it" for n in (61, 65, 66, 62)]


def test_what_an_item_has_within_is_no_part_of_it_however_it_is_listed() -> None:
    def one(n: int, inner: str) -> str:
        second = f"<li>The {word(n + 7)} of {word(n + 3)}.</li>"
        return page(word(n), f"<ol><li>A thing that <a href=/{n}>{word(n)}</a> has.{inner}</li>{second}</ol>")

    def senses(n: int) -> list[str]:
        return [f"A thing that {word(n)} has.", f"The {word(n + 7)} of {word(n + 3)}."]

    def quoted(n: int, tag: str) -> str:
        return "<dl><dd>Say it.</dd></dl>" if tag == "dl" else f"<{tag}><li>1{n}, {word(n)}: So it was.</li></{tag}>"

    samples: Samples = [(one(n, quoted(n, "ul")), {"name": word(n), "senses": senses(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, quoted(n, ("ul", "dl", "ol")[n % 3])) for n in SEVERAL])
    assert wrapper.extract(one(60, quoted(60, "dl")))["senses"] == senses(60)


# Names and labels


@pytest.mark.parametrize("text", [". Made by", ", and by", "；以及"])
def test_what_goes_on_a_sentence_is_no_label(text: str) -> None:
    assert NO_LABEL.search(text)
    assert not any(map(NO_LABEL.search, ("Made by", ". ", ".NET:", "by, or for")))


# What looks like such a thing and is none


def test_a_value_that_a_page_has_once_is_its_own_in_whatever_box() -> None:
    def one(n: int, box: str) -> str:
        own = f"<div class='{box}'><dl><dt>Since</dt><dd>{n % 7}.{n % 3}</dd></dl></div>"
        return page(word(n), own, *(f"<div class=card><p>Card of {word(n + k)}.</p></div>" for k in range(3)))

    samples: Samples = [(one(n, "facts"), {"name": word(n), "since": f"{n % 7}.{n % 3}"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, "facts" if n % 4 else "card wide") for n in SEVERAL])
    assert wrapper.extract(one(61, "card wide"))["since"] == "5.1"


def framed(body: str) -> str:
    top = "<div id=top><a href='/'>Home</a> <a href='/about'>About</a></div>"
    return f"<html><head><title>t - Site</title></head><body>{top}{body}<div id=foot>Copyright Site</div></body></html>"


def test_a_name_in_a_card_is_not_the_one_above() -> None:
    def one(n: int, middle: str) -> str:
        text = " ".join(word(n + k) for k in range(20))
        card = f"<div class=vcard><b class=name>{word(n)} {word(n + 9)}</b> Contact</div>"
        return framed(f"<div class=head><h1>{word(n)} {middle}{word(n + 9)}</h1></div><p>{text}</p>{card}")

    samples: Samples = [(one(n, ""), {"name": f"{word(n)} {word(n + 9)}"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, "" if n % 2 else f"{word(n + 3)} ") for n in SEVERAL])
    assert wrapper.extract(one(60, "Vala "))["name"] == f"{word(60)} Vala {word(69)}"


def test_what_is_called_so_and_never_says_what_the_samples_say_is_of_other_pages() -> None:
    def one(n: int, kinds: tuple[str, ...]) -> str:
        cards = "".join(
            f"<div class=card><a href='/p/{k}'>{word(n + k)}</a> <small class=category>{kinds[k]}</small></div>"
            for k in range(3)
        )
        text = " ".join(word(n + k) for k in range(20))
        return framed(f"<div class=kicker>News</div><h1>{word(n)} {n}</h1><p>{text}</p>{cards}")

    samples: Samples = [(one(n, ("News",) * 3), {"category": "News"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, (("Sport", "Art", "Food") * 2)[n % 3 :]) for n in SEVERAL])
    assert wrapper.extract(one(60, ("Art",) * 3))["category"] == "News"


def test_a_box_of_another_field_ends_a_section_if_it_never_stands_amid_the_text() -> None:
    def note(n: int) -> str:
        return f"<div class=note>Mind {word(n)} here</div>"

    def one(n: int, notes: str) -> str:
        text = f"<p>It does {word(n)} for all of them.</p><p>And {word(n + 6)} as well.</p>"
        return framed(f"<div class=c><h1>{word(n)} {n}</h1><h2>Description</h2>{text}{notes}</div>")

    def told(n: int) -> str:
        return f"It does {word(n)} for all of them. And {word(n + 6)} as well."

    samples: Samples = [
        (
            one(n, f"<h2>Parameters</h2><p>None of {word(n + 3)}</p>{note(n)}"),
            {"title": f"{word(n)} {n}", "description": told(n), "note": f"Mind {word(n)} here"},
        )
        for n in (1, 2)
    ]
    wrapper = learned(samples, [one(n, note(n) + note(n + 1)) for n in SEVERAL])
    assert wrapper.extract(one(60, note(60) + note(61)))["description"] == told(60)
