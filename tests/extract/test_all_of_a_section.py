"""All of a section where both samples have but a part of it: code between, a class that comes again, bare lines."""

from __future__ import annotations

from typing import Any

import pytest

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


def classed(n: int, count: int, *, other: bool = False) -> str:
    texts = "".join(f"<p class=description>{one}</p>" for one in lines(n, count))
    section = f"<h2>Description</h2>{texts}" if count else ""
    return page(word(n), section, f"<h2>Usage</h2><p>{sentence(n + 9)}</p>")


def test_a_paragraph_of_the_fields_class_that_comes_again_is_read_with_the_others() -> None:
    samples: Samples = [(classed(n, 1), {"name": word(n), "description": sentence(n)}) for n in (1, 2)]
    wrapper = learned(samples, [classed(n, n % 4) for n in SEVERAL])
    assert wrapper.extract(classed(60, 3))["description"] == " ".join(lines(60, 3))
    assert wrapper.extract(classed(61, 1))["description"] == sentence(61)
    assert wrapper.extract(classed(62, 0)).get("description") is None


# Code under a heading


def used(n: int, *more: str) -> str:
    code = "".join(f"<pre>{one}</pre>" for one in (f"use {word(n)};", *more))
    return page(word(n), f"<h2>Synopsis</h2>{code}", f"<h2>Author</h2><p>{word(n + 4)}</p>")


@pytest.mark.parametrize(("field", "is_all"), [("synopsis", True), ("synopsis_line", False), ("command", False)])
def test_all_code_of_a_section_is_read_if_that_is_called_as_the_field(field: str, is_all: bool) -> None:
    samples: Samples = [(used(n), {"name": word(n), field: f"use {word(n)};"}) for n in (1, 2)]
    wrapper = learned(samples, [used(n, *(f"go({n});",) * (n % 4 == 0)) for n in SEVERAL])
    assert wrapper.extract(used(60, "go(60);"))[field] == f"use {word(60)};{' go(60);' * is_all}"
    assert wrapper.extract(used(61))[field] == f"use {word(61)};"


# Text in no element


def flawed(n: int, text: str) -> str:
    author = f"<h2>Author</h2>{word(n + 4)} {word(n + 6)}"
    return f"<html><body><h1>{word(n)}</h1><h2>Name</h2>{word(n)} tool<h2>Bugs</h2>{text}{author}</body></html>"


def test_all_of_a_line_in_no_element_is_read_with_what_is_stressed_in_it() -> None:
    samples: Samples = [(flawed(n, f"Few {word(n)}."), {"name": word(n), "flaws": f"Few {word(n)}."}) for n in (1, 2)]
    more = [flawed(n, f"Few <em>{word(n)}</em> of it." if n % 4 == 0 else f"Many {word(n)}.") for n in SEVERAL]
    wrapper = learned(samples, more)
    assert wrapper.extract(flawed(60, "Not <em>this</em> one."))["flaws"] == "Not this one."
    assert wrapper.extract(flawed(61, "Not one."))["flaws"] == "Not one."
