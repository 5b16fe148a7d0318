"""A small generated shop for the extraction tests: product pages with everything that makes extraction hard."""

from __future__ import annotations

from typing import Any

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample

URL = "http://shop.example/item/{}"


ONE = "A long first paragraph that describes the thing at some length. It has two sentences of many words."
OTHER = "Quite another paragraph that tells of something else, at length again. And it goes on for some words."


def learned(samples: list[tuple[str, dict[str, Any]]], more: list[str]) -> Wrapper:
    """What is learned from samples, each a page with its fields, and further pages."""
    given = [Sample(f"http://a.test/{n}", body, fields) for n, (body, fields) in enumerate(samples)]
    return learn_wrapper(given, [(f"http://a.test/more/{n}", body) for n, body in enumerate(more)])


def product(
    n: int,
    *,
    isbn: str | None = "",
    subtitle: str = "",
    price: str = "",
    authors: tuple[str, ...] = ("A. Writer",),
    reviews: int = 2,
    banner: bool = False,
) -> str:
    """One product page; every value can be told from its number."""
    rows = [f"<li><b>Pages</b>: {100 + n}</li>"]
    if isbn is not None:
        rows.insert(0, f"<li><b>ISBN-13:</b> {isbn or f'97800000000{n:02}'}</li>")
    heading = f"Book {word(n)}" + (f" <span class='sub'>{subtitle}</span>" if subtitle else "")
    comments = "".join(review(n, number) for number in range(reviews))
    names = ", ".join(f'<a href="/by/{name}">{name}</a>' for name in authors)
    return f"""<html><head><title>Book {word(n)} by {authors[0]} - Shop</title>
<meta property="og:title" content="Book {word(n)}"></head><body class="page page-{n}">
{'<div class="banner"><h1>Sale!</h1><p>Now</p></div>' if banner else ""}
<div id="main"><h1 class="name">{heading}</h1><p class="by">by {names}</p>
<img class="cover" src="../img/{n}.jpg" alt=""><p>Our price: <b>{price or f"${n}.50"}</b> only</p>
<ul class="facts">{"".join(rows)}</ul>
<h2>About</h2><p>First part {word(n)}.</p><p>Second <i>part</i> {word(n + 3)}.</p><h2>Delivery</h2><p>Soon.</p>
<ol class="reviews">{comments}</ol></div></body></html>"""


def review(n: int, number: int) -> str:
    """A review: every second one has another class, every third no date; it carries tags."""
    date = "" if number % 3 == 2 else f"<i>{number + 1} May 2020</i>"
    tags = "".join(f"<em>{tag}</em>" for tag in review_tags(n, number))
    return (
        f"<li class='{'odd' if number % 2 else 'even'}'><b>Reader {word(n * 7 + number)}</b> {date}"
        f"<p>Text {word(n)} {number}.</p>{tags}</li>"
    )


def review_tags(n: int, number: int) -> list[str]:
    """The tags of a review, from none to three."""
    return [f"tag{word(n + step)}" for step in range((n + number) % 4)]


def reviews(n: int, count: int = 2) -> list[dict[str, object]]:
    """The reviews of a page as records."""
    rows = []
    for number in range(count):
        row: dict[str, object] = {"who": f"Reader {word(n * 7 + number)}", "text": f"Text {word(n)} {number}."}
        if number % 3 != 2:
            row["date"] = f"{number + 1} May 2020"
        if tags := review_tags(n, number):
            row["tags"] = tags
        rows.append(row)
    return rows


def word(n: int) -> str:
    """A made-up word for a number."""
    return "".join(
        "bdfgklmnprstvz"[digit] + "aeiou"[digit % 5] for digit in (n % 14, n // 14 % 14, (n * 5) % 14)
    ).title()


def samples(first: dict[str, object], second: dict[str, object], **options: object) -> list[Sample]:
    """Pages 1 and 2 with these fields."""
    return [
        Sample(URL.format(1), product(1, **options), first),  # type: ignore[arg-type]
        Sample(URL.format(2), product(2, **options), second),  # type: ignore[arg-type]
    ]


def more(count: int = 10) -> list[tuple[str, str]]:
    """Further pages, some of them without an ISBN."""
    return [(URL.format(n), product(n, isbn=None if n % 4 == 0 else "", reviews=n % 5)) for n in range(10, 10 + count)]


def sentence(n: int, of: str = "Text") -> str:
    """Some words, the same for the same *n*."""
    return f"{of} {word(n)} tells of {word(n + 1)} at some length, and of {word(n + 2)} as well."
