"""A site in two languages: a label of one never speaks against a value under its label of the other."""

from __future__ import annotations

import pytest

from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample

LABELS = {"en": ("ISBN", "Pages", "Press"), "zh": ("国际书号", "页数", "出版社")}
FIELDS = ("isbn", "pages")


def book(number: int, language: str) -> str:
    """A book's page, with its labels in one language."""
    isbn, pages, press = LABELS[language]
    return f"""<html><body><h1>Book {number}</h1><dl><dt>{press}</dt><dd>House {number}</dd>
<dt>{isbn}</dt><dd>978{number:06d}</dd><dt>{pages}</dt><dd>{number + 100}</dd></dl>
<p>About {number}</p></body></html>"""


def values(number: int) -> dict[str, str]:
    return {"isbn": f"978{number:06d}", "pages": str(number + 100)}


@pytest.mark.parametrize("share", [1, 2, 5])
def test_a_field_with_a_label_in_each_language_is_read_on_all_pages(share: int) -> None:
    """*share*: each so many-th of the further pages is Chinese."""
    pages = ((1, "en"), (2, "zh"))
    samples = [Sample(f"http://b.example/{n}", book(n, language), dict(values(n))) for n, language in pages]
    more = [(f"http://b.example/{n}", book(n, "en" if n % share else "zh")) for n in range(3, 23)]
    wrapper = learn_wrapper(samples, more)
    for number in range(30, 40):
        for language in LABELS:
            assert dict(wrapper.extract(book(number, language), "http://b.example/x")) == values(number)
