"""A dated note that ends the texts of further pages, and of no sample, is none of them."""

from __future__ import annotations

import pytest

from tests.extract.pages import learned, sentence, word

NOTES = {
    "a paragraph": "<p class=edited>Last edited by {}, 3 May 2012</p>",
    "stressed words": "<br><br><i>Last edited by {} on 3 May 2012</i>",
    "nested": "<div><em>Last edited by {} at 10:15</em></div>",
}


def text_of(n: int) -> str:
    return f"{sentence(n)} {sentence(n + 1)} {sentence(n + 2)}"


def post(n: int, behind: str = "") -> str:
    return f"<html><body><h1>{word(n)}</h1><div class=post>{text_of(n)} {behind}</div></body></html>"


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_a_note_is_no_part_of_a_text(note: str) -> None:
    def edited(n: int) -> str:
        return post(n, note.format(word(n)) if n % 2 else "")

    wrapper = learned([(post(n), {"text": text_of(n)}) for n in (1, 2)], [edited(n) for n in range(3, 15)])
    for n in (21, 22, 23, 24):
        assert wrapper.extract(edited(n))["text"] == text_of(n)


def test_what_ends_texts_with_other_words_each_time_is_a_part_of_them() -> None:
    def ending(n: int) -> str:
        return f"{word(n)} {word(n + 1)} was there in 2012."

    more = [post(n, f"<p>{ending(n)}</p>") for n in range(3, 15)]
    wrapper = learned([(post(n), {"text": text_of(n)}) for n in (1, 2)], more)
    assert wrapper.extract(post(21, f"<p>{ending(21)}</p>"))["text"] == f"{text_of(21)} {ending(21)}"
