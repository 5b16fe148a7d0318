"""Rows of plain markup: heads told by their cell, parts inside a part, records in one cell, texts that go on."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.ranking.named import has_name
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word

URL = "https://a.example/{}"
Hint = tuple[str, str]
"""What a hint says and who gave it."""


def hints(n: int, **sections: list[Hint]) -> str:
    """A page of hints by section: a coloured heading row, then a row whose only cell holds all hints of the section."""
    rows = "".join(
        f"<tr><td bgcolor='navy'><b>{name}</b></td></tr>"
        f"<tr><td>{'<hr>'.join(f'<p>{text}</p> <i>({who})</i><br>' for text, who in given)}</td></tr>"
        for name, given in sections.items()
    )
    return f"<html><body><h1>{word(n)}</h1><p>Hints: {len(sections)}</p><table>{rows}</table></body></html>"


def records(**sections: list[Hint]) -> list[dict[str, str]]:
    return [
        {"section": name, "by": who, "text": f"{text} ({who})"}
        for name, given in sections.items()
        for text, who in given
    ]


def learn(*samples: tuple[str, dict[str, Any]], more: list[str] | None = None) -> Wrapper:
    given = [Sample(URL.format(n), page, fields) for n, (page, fields) in enumerate(samples)]
    return learn_wrapper(given, [(URL.format(100 + n), page) for n, page in enumerate(more or [])])


def sample(n: int, sections: dict[str, list[Hint]]) -> tuple[str, dict[str, Any]]:
    return hints(n, **sections), {"hints": records(**sections)}


NEW = {"Maps": [("Left, left, up.", "Ada Lee")], "Keys": [("Hold Q.", "Bob May")], "Saves": [("On disc.", "Ann Poe")]}


def test_records_begin_at_the_rows_whose_cell_is_named_and_hold_a_part_inside_another() -> None:
    wrapper = learn(
        sample(1, {"Tips": [("Jump on the red one.", "Joe Bloggs")], "Keys": [("Press R and T.", "Joe Bloggs")]}),
        sample(2, {"Saves": [("On the tape.", "Cy Fox")]}),
    )
    assert wrapper.extract(hints(5, **NEW))["hints"] == records(**NEW)


def test_records_that_share_a_cell_do_not_keep_the_others_from_being_read() -> None:
    saves = [("On the tape.", "Cy Fox"), ("After level two.", "Cy Fox")]
    wrapper = learn(
        sample(1, {"Tips": [("Jump on it.", "Joe Bloggs")], "Saves": saves, "Maps": [("Right, down.", "Dee Hall")]}),
        sample(2, {"Keys": [("Press R and T.", "Joe Bloggs")]}),
    )
    assert wrapper.extract(hints(5, **NEW))["hints"] == records(**NEW)
    assert wrapper.warnings == ()


def calls(n: int, *texts: tuple[str, ...]) -> str:
    """A page of calls, each a row with a name and its paragraphs."""
    rows = "".join(
        f"<tr><td><code>{word(n * 9 + k)}()</code>{''.join(f'<div class=told>{one}</div>' for one in parts)}</td></tr>"
        for k, parts in enumerate(texts)
    )
    return f"<html><body><h1>{word(n)}</h1><table class='calls'>{rows}</table></body></html>"


def call_fields(n: int, *texts: str) -> dict[str, Any]:
    return {"calls": [{"name": f"{word(n * 9 + k)}()", "told": text} for k, text in enumerate(texts)]}


OPENS, SHUTS = "Opens the door to the garden.", "Shuts the door of the house."


def test_a_text_in_a_row_goes_on_in_the_paragraphs_beside_it_that_further_pages_have() -> None:
    more = [calls(n, ("Old.", OPENS), (SHUTS,)) for n in range(10, 16)]
    wrapper = learn(
        (calls(1, (OPENS,), (SHUTS,)), call_fields(1, OPENS, SHUTS)),
        (calls(2, (SHUTS,)), call_fields(2, SHUTS)),
        more=more,
    )
    page = calls(30, ("Old.", SHUTS), (OPENS,))
    assert wrapper.extract(page) == call_fields(30, f"Old. {SHUTS}", OPENS)
    assert Wrapper.from_json(wrapper.to_json()).extract(page) == call_fields(30, f"Old. {SHUTS}", OPENS)


def test_a_text_of_which_a_sample_wants_the_first_paragraph_only_does_not_go_on() -> None:
    wrapper = learn(
        (calls(1, (OPENS, "As of old."), (SHUTS,)), call_fields(1, OPENS, SHUTS)),
        (calls(2, (SHUTS,)), call_fields(2, SHUTS)),
        more=[calls(n, (OPENS, "As of late."), (SHUTS,)) for n in range(10, 16)],
    )
    assert wrapper.extract(calls(30, (SHUTS, "As of now."), (OPENS,))) == call_fields(30, SHUTS, OPENS)


def questions(n: int, count: int, row: str) -> tuple[str, dict[str, Any]]:
    """Questions in elements, each with its answer as a loose text behind it."""
    asked = [
        {"question": f"What is {word(n + 20 * k)}?", "answer": f"It is {word(n + 9 * k)} of {word(n + 3 + k)}."}
        for k in range(count)
    ]
    rows = "".join(row.format(*one.values()) for one in asked)
    return f"<html><body><h1>{word(n)}</h1><div id=faq>{rows}</div><p>end</p></body></html>", {"asked": asked}


@pytest.mark.parametrize("row", ["<b>{}</b> {} ", "<h3>{}</h3>{}"])
def test_a_part_in_no_element_is_read_behind_the_head_of_its_row(row: str) -> None:
    wrapper = learn(
        questions(1, 3, row), questions(2, 4, row), more=[questions(n, 2 + n % 4, row)[0] for n in range(5, 14)]
    )
    page, wanted = questions(30, 4, row)
    assert wrapper.extract(page) == wanted


@pytest.mark.parametrize(
    ("name", "found"),
    [("makers", True), ("maker", True), ("made_by_makers", True), ("values", False), ("all", False)],
)
def test_a_label_has_a_field_s_name_by_a_word_of_it(name: str, found: bool) -> None:
    assert has_name(name, '//th[text()[normalize-space()="All makers and meaning"]]/..') is found
