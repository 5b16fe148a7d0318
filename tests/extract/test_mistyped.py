"""A slip of the pen in one record's part costs nothing but a warning; it names the record, the part and both texts."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word

Review = dict[str, str]

ROWS = {
    "table": ("<table><tr><th>Who</th><th>When</th><th>What</th></tr>{}</table>", "<tr>{}</tr>", "<td>{}</td>"),
    "list": ("<ul>{}</ul>", "<li>{}</li>", "<span>{}</span><br>"),
    "boxes": ("<section>{}</section>", "<div class='review'>{}</div>", "<p>{}</p>"),
    "terms": ("<dl>{}</dl>", "{}", "<dd>{}</dd>"),
}


def reviews(n: int, count: int = 3) -> list[Review]:
    return [
        {
            "author": f"{word(n + m)} {word(2 * n + m)}",
            "date": f"20{10 + m}-0{1 + (n + m) % 9}-1{n % 10}",
            "text": f"{word(3 * n + m)} and {word(5 * n + m)} were good.",
        }
        for m in range(count)
    ]


def page(form: str, n: int, given: list[Review]) -> str:
    box, row, cell = ROWS[form]
    texts = ([cell.format(text) for text in one.values()] for one in given)
    if form == "terms":
        texts = ([f"<dt>{one['author']}</dt>", *map(cell.format, list(one.values())[1:])] for one in given)
    rows = "".join(row.format("".join(cells)) for cells in texts)
    return f"<html><body><h1>{word(n)}</h1><p>Of all goods.</p>{box.format(rows)}<p>Shop</p></body></html>"


def misspelt(text: str) -> str:
    return text[:3] + "q" + text[4:]


@pytest.mark.parametrize("form", ROWS)
@pytest.mark.parametrize("part", ["author", "date", "text"])
@pytest.mark.parametrize("which", [0, 2])
def test_a_mistyped_part_of_one_record_is_learned_from_the_others(form: str, part: str, which: int) -> None:
    given = reviews(1)
    slip = misspelt(given[which][part])
    told = [{**one, part: slip} if n == which else one for n, one in enumerate(given)]
    wrapper = learn(form, told, reviews(1))
    assert wrapper.extract(page(form, 9, reviews(9, 4)))["reviews"] == reviews(9, 4)
    (learned,) = wrapper.warnings
    says = f"learned {given[which][part]!r}, but the sample says {slip!r}"
    assert learned == f"field 'reviews', record {which + 1}, part {part!r}, on https://a.example/1: {says}"
    assert wrapper.report["reviews"]["unmet"] is True


@pytest.mark.parametrize("form", ROWS)
def test_a_part_that_one_record_lacks_is_not_taken_for_a_mistyped_one(form: str) -> None:
    told = [{**reviews(1)[0], "author": misspelt(reviews(1)[0]["author"])}, *reviews(1)[1:]]
    wrapper = learn(form, told, reviews(1))
    shown = [{**reviews(9)[0], "text": ""}, *reviews(9)[1:]]
    found = wrapper.extract(page(form, 9, shown))["reviews"]
    assert [one.get("author") for one in found] == [one["author"] for one in shown]


def test_a_part_of_which_most_texts_stand_nowhere_is_left_out() -> None:
    told = [{**one, "rating": f"{n} of seven stars"} for n, one in enumerate(reviews(1))]
    wrapper = learn("boxes", told, reviews(1))
    assert wrapper.extract(page("boxes", 9, reviews(9)))["reviews"] == reviews(9)
    assert any("no rule leads to 'rating'" in text for text in wrapper.warnings)


def test_of_long_texts_the_warning_shows_where_they_differ() -> None:
    long = [{**one, "text": " ".join(word(n) for n in range(30 * m, 30 * m + 30))} for m, one in enumerate(reviews(1))]
    told = [long[0], {**long[1], "text": long[1]["text"][:120] + "Q" + long[1]["text"][121:]}, long[2]]
    wrapper = learn("boxes", told, long)
    learned, says = wrapper.warnings[-1].split(", but the sample says ")
    assert learned.startswith("field 'reviews', record 2, part 'text', on https://a.example/1: learned '...")
    assert long[1]["text"][100:140] in learned
    assert "Q" in says


def test_records_that_the_sample_lacks_are_told() -> None:
    wrapper = learn("boxes", reviews(1)[:2], reviews(1))
    assert "stands there as well and is read, but not in the sample" in wrapper.warnings[-1]


def learn(form: str, told: list[Review], shown: list[Review]) -> Any:
    """From a sample that is told otherwise than shown, and one that is right."""
    more = [(f"https://a.example/{n}", page(form, n, reviews(n, 1 + n % 4))) for n in range(20, 32)]
    given = [
        Sample("https://a.example/1", page(form, 1, shown), {"title": word(1), "reviews": told}),
        Sample("https://a.example/2", page(form, 2, reviews(2)), {"title": word(2), "reviews": reviews(2)}),
    ]
    return learn_wrapper(given, more)


@pytest.mark.parametrize("form", ["list", "boxes"])
def test_one_text_of_many_that_is_cut_off_and_one_that_is_another_records_cost_no_part(form: str) -> None:
    shown = reviews(1, 12)
    told = [*shown[:4], {**shown[4], "text": shown[4]["text"].split(" and ")[0]}, *shown[5:]]
    told[8] = {**told[8], "text": shown[2]["text"]}
    wrapper = learn(form, told, shown)
    assert wrapper.extract(page(form, 9, reviews(9, 4)))["reviews"] == reviews(9, 4)
    assert any(
        f"record 5, part 'text', on https://a.example/1: learned {shown[4]['text']!r}" in one
        for one in wrapper.warnings
    )
