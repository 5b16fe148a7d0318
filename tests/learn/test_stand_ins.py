"""Which pages of a large pre-crawl stand for all: every form is there, and second versions stand beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds.stand_ins import draw_stand_ins


def page(path: str, body: str = "") -> StoredPage:
    url = f"http://a.example{path}"
    return StoredPage(url, url, f"<body>{body}</body>".encode(), "text/html", "utf-8", 0, 1, True, ())


def drawn(forms: Sequence[Sequence[StoredPage]], most: int) -> list[StoredPage]:
    return draw_stand_ins([page for form in forms for page in form], forms, lambda url: url, most)


def numbered(word: str, count: int) -> list[StoredPage]:
    return [page(f"/{word}/{number}") for number in range(count)]


def test_all_of_a_small_precrawl_are_compared() -> None:
    forms = [numbered("book", 30), numbered("tag", 5)]
    assert drawn(forms, 35) == [*forms[0], *forms[1]]


@pytest.mark.parametrize("most", [50, 100, 200])
def test_each_form_gives_its_share_and_a_small_one_a_few_pages(most: int) -> None:
    forms = [numbered("book", 300), numbered("tag", 96), numbered("help", 4)]
    found = drawn(forms, most)
    counts = [sum(one in form for one in found) for form in forms]
    assert most - 2 <= sum(counts) <= most
    assert counts[2] == 3
    assert counts[0] / 300 == pytest.approx(counts[1] / 96, abs=0.02)


def test_what_many_small_forms_take_up_is_not_drawn_beside() -> None:
    small = [numbered(f"help{number}", 4) for number in range(40)]
    found = drawn([numbered("book", 600), *small], 200)
    assert all(sum(one in form for one in found) == 3 for form in small)
    assert 198 <= len(found) <= 200


def test_beside_too_many_small_forms_a_large_one_keeps_half_of_its_share() -> None:
    book, small = numbered("book", 640), [numbered(f"help{number}", 4) for number in range(40)]
    found = drawn([book, *small], 100)
    assert sum(one in book for one in found) == 640 * 100 / 800 / 2
    assert all(sum(one in form for one in found) == 3 for form in small)


def test_pages_that_are_alone_in_their_form_are_one_form_together() -> None:
    alone = [[page(f"/{number}/?k{number}=1")] for number in range(400)]
    assert len(drawn([numbered("book", 400), *alone], 300)) == 200 + 100


def test_a_page_comes_with_its_second_version() -> None:
    def texts(number: int) -> str:
        words = (f"Paragraph {part} of page {number} is as long as a paragraph of a page is, or so" for part in "abc")
        return "".join(f"<p>{text} at the very least.</p>" for text in words)

    mains = [page(f"/book/{number}", texts(number)) for number in range(60)]
    prints = [page(f"/print/{number}", f"<hr>{texts(number)}") for number in range(60)]
    amp = [page(f"/amp/{n}", f'<link rel="canonical" href="http://a.example/book/{n}">') for n in range(60)]
    paths = {one.url.removeprefix("http://a.example") for one in drawn([mains, prints, amp], 30)}
    numbers = {path.split("/")[-1] for path in paths if path.startswith(("/book", "/print"))}
    assert len(numbers) >= 10
    assert all(f"/{kind}/{number}" in paths for number in numbers for kind in ("book", "print"))
    assert all(f"/book/{path.split('/')[-1]}" in paths for path in paths if path.startswith("/amp"))
