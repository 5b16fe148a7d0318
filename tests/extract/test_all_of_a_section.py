"""All of a section where both samples have but a part of it: code between, a class that comes again, bare lines."""

from __future__ import annotations

from typing import Any

from tests.extract.pages import learned, sentence, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]


def lines(n: int, count: int) -> list[str]:
    return [sentence(n + k) for k in range(count)]


# Code between the paragraphs


def described(n: int, *, code: bool) -> str:
    first, second = lines(n, 2)
    between = f"<pre>{word(n)} = {word(n + 9)};</pre>" if code else ""
    see = f"<h2>See also</h2><ul><li>{word(n + 4)}</li></ul>"
    return page(word(n), f"<div class=top><h2>Description</h2><p>{first}</p>{between}<p>{second}</p>{see}</div>")


def test_code_between_paragraphs_of_a_section_belongs_to_it() -> None:
    samples: Samples = [
        (described(n, code=False), {"name": word(n), "description": " ".join(lines(n, 2))}) for n in (1, 2)
    ]
    wrapper = learned(samples, [described(n, code=n % 4 > 0) for n in SEVERAL])
    first, second = lines(60, 2)
    assert wrapper.extract(described(60, code=True))["description"] == f"{first} {word(60)} = {word(69)}; {second}"
    assert wrapper.extract(described(61, code=False))["description"] == " ".join(lines(61, 2))


# Paragraphs of a class


# Code under a heading


# Text in no element
