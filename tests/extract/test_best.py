"""The best mode on a small generated shop: every kind of value, absence, tolerance, round trips."""

from __future__ import annotations

import json

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import URL, more, product, reviews, samples, word


def read(wrapper: Wrapper, n: int, **options: object) -> dict[str, object]:
    return wrapper.extract(product(n, **options), URL.format(n))  # type: ignore[arg-type]


def test_a_value_behind_a_label_is_cut_out_of_its_text():
    wrapper = learn_wrapper(
        samples({"isbn": "9780000000001", "pages": "101"}, {"isbn": "9780000000002", "pages": "102"})
    )
    assert read(wrapper, 5) == {"isbn": "9780000000005", "pages": "105"}


def test_a_missing_label_means_no_value_and_shifts_nothing():
    found = {"isbn": "9780000000001", "pages": "101"}, {"isbn": "9780000000002", "pages": "102"}
    wrapper = learn_wrapper(samples(*found), more())
    assert read(wrapper, 5, isbn=None) == {"isbn": None, "pages": "105"}


def test_a_field_given_on_one_sample_only_is_absent_on_the_other():
    pages = [
        Sample(URL.format(1), product(1), {"isbn": "9780000000001"}),
        Sample(URL.format(2), product(2, isbn=None), {}),
    ]
    wrapper = learn_wrapper(pages)
    assert "isbn" in wrapper.optional
    assert [wrapper.extract(page.html, page.url)["isbn"] for page in pages] == ["9780000000001", None]
    assert wrapper.extract_view(PageView.parse(product(3, isbn=None)))[1] == ()


def test_a_banner_before_the_heading_does_not_become_the_title():
    wrapper = learn_wrapper(samples({"title": f"Book {word(1)}"}, {"title": f"Book {word(2)}"}), more())
    assert read(wrapper, 7, banner=True) == {"title": f"Book {word(7)}"}


def test_a_heading_is_read_without_the_span_inside_it():
    found = {"title": f"Book {word(1)}"}, {"title": f"Book {word(2)}"}
    wrapper = learn_wrapper(samples(*found, subtitle="a novel"))
    assert read(wrapper, 7, subtitle="the second") == {"title": f"Book {word(7)}"}
    assert read(wrapper, 8) == {"title": f"Book {word(8)}"}


def test_addresses_are_made_absolute():
    wrapper = learn_wrapper(
        samples({"cover": "http://shop.example/img/1.jpg"}, {"cover": "HTTP://Shop.Example/img/2.jpg"})
    )
    assert read(wrapper, 5) == {"cover": "http://shop.example/img/5.jpg"}


@pytest.mark.parametrize(
    "typed", ["Book\n  {}", "Book\u00a0{}", "Ｂｏｏｋ {}", " Book {} "], ids=["lines", "no-break", "full-width", "ends"]
)
def test_a_value_typed_with_other_blanks_or_width_is_found_and_extracted_as_it_stands(typed):
    wrapper = learn_wrapper(samples({"title": typed.format(word(1))}, {"title": typed.format(word(2))}))
    assert read(wrapper, 5) == {"title": f"Book {word(5)}"}


def test_a_value_that_spans_elements_is_joined():
    found = [{"about": f"First part {word(n)}. Second part {word(n + 3)}."} for n in (1, 2)]
    wrapper = learn_wrapper(samples(*found), more())
    assert read(wrapper, 6) == {"about": f"First part {word(6)}. Second part {word(9)}."}


def test_a_list_of_texts_has_as_many_as_the_page():
    pages = [
        Sample(URL.format(1), product(1, authors=("Ann", "Bob")), {"authors": ["Ann", "Bob"]}),
        Sample(URL.format(2), product(2, authors=("Cy",)), {"authors": ["Cy"]}),
    ]
    wrapper = learn_wrapper(pages, more())
    assert read(wrapper, 5, authors=("D", "E", "F")) == {"authors": ["D", "E", "F"]}


def test_a_list_in_one_text_is_split():
    page = "<html><body><h1>x{0}</h1><p>Words: <span>{1}</span></p><p>end</p></body></html>"
    pages = [
        Sample("http://a.example/1", page.format(1, "red, green, blue"), {"words": ["red", "green", "blue"]}),
        Sample("http://a.example/2", page.format(2, "one, two"), {"words": ["one", "two"]}),
    ]
    assert learn_wrapper(pages).extract(page.format(3, "a, b c, d")) == {"words": ["a", "b c", "d"]}


def test_a_list_in_the_lines_of_one_text():
    page = "<html><body><h1>x{0}</h1><div class='in'>{1}</div></body></html>"
    pages = [
        Sample("http://a.example/1", page.format(1, "<p>salt<br><b>two eggs</b></p>"), {"parts": ["salt", "two eggs"]}),
        Sample("http://a.example/2", page.format(2, "flour<br>milk<br>oil"), {"parts": ["flour", "milk", "oil"]}),
    ]
    assert learn_wrapper(pages).extract(page.format(3, "a<br><br>b<p>c d</p>")) == {"parts": ["a", "b", "c d"]}


def test_records_keep_their_fields_together_with_optional_and_nested_ones():
    found = [{"reviews": reviews(n, 4)} for n in (1, 2)]
    wrapper = learn_wrapper(samples(*found, reviews=4), more())
    assert read(wrapper, 9, reviews=6) == {"reviews": reviews(9, 6)}


def test_no_records_on_a_page_is_an_empty_list():
    wrapper = learn_wrapper(samples(*[{"reviews": reviews(n, 4)} for n in (1, 2)], reviews=4), more())
    assert read(wrapper, 9, reviews=0) == {"reviews": []}
    assert wrapper.fields == ("reviews",)


def test_one_record_on_each_sample_is_enough():
    wrapper = learn_wrapper(samples(*[{"reviews": reviews(n, 1)} for n in (1, 2)], reviews=1), more())
    assert [row["who"] for row in read(wrapper, 9, reviews=3)["reviews"]] == [row["who"] for row in reviews(9, 3)]


def test_the_header_row_of_a_table_is_no_record():
    page = "<html><body><h1>{0}</h1><table><tr><td>Size</td><td>Price</td></tr>{1}</table><table><tr><td>z</td></table>"
    table = "".join("<tr><td>{}{}</td><td>${}</td></tr>".format("S", number, number) for number in range(1, 6))
    rows = [{"size": f"S{number}", "price": f"${number}"} for number in range(1, 6)]
    half = "<tr><td>S7</td><td>$9</td></tr><tr><td>S1</td><td>$3</td></tr>"
    pages = [
        Sample("http://a.example/1", page.format("One", table), {"sizes": rows}),
        Sample(
            "http://a.example/2",
            page.format("Two", half),
            {"sizes": [{"size": "S7", "price": "$9"}, {"size": "S1", "price": "$3"}]},
        ),
    ]
    other = "<tr><td>S8</td><td>$1</td></tr>"
    assert learn_wrapper(pages).extract(page.format("Three", other)) == {"sizes": [{"size": "S8", "price": "$1"}]}


@pytest.mark.parametrize(
    "row", ["<dt>{0}</dt><dd>{1}</dd>", "<h3>{0}</h3><p>on {1}</p>", "<b>{0}</b> {1}<br>"], ids=["dl", "h3", "br"]
)
def test_records_that_are_runs_of_siblings(row):
    def page(n: int, count: int) -> str:
        rows = "".join(row.format(f"Key {word(n + step)}", f"value {word(n * 3 + step)}") for step in range(count))
        return f"<html><body><h1>{word(n)}</h1><div class='box'>{rows}</div><p>end</p></body></html>"

    def rows(n: int, count: int) -> list[dict[str, str]]:
        return [{"key": f"Key {word(n + step)}", "value": f"value {word(n * 3 + step)}"} for step in range(count)]

    pages = [Sample(f"http://a.example/{n}", page(n, count), {"rows": rows(n, count)}) for n, count in ((1, 3), (5, 2))]
    assert learn_wrapper(pages).extract(page(9, 4)) == {"rows": rows(9, 4)}


def test_structured_data_is_used_where_the_page_shows_nothing():
    data = '<script type="application/ld+json">{{"@type": "Product", "name": "{0}"}}</script>'
    page = f"<html><head>{data}</head><body><p>{{1}}</p></body></html>"
    pages = [Sample(f"http://a.example/{n}", page.format(word(n), n), {"name": word(n)}) for n in (1, 2)]
    assert learn_wrapper(pages).extract(page.format("Third", 3)) == {"name": "Third"}


def test_two_layouts_of_one_site_are_both_read():
    one = "<html><body><div class='old'><h1>{0}</h1><i class='when'>{1}</i></div></body></html>"
    two = "<html><body><main><h2 class='t'>{0}</h2><p><time class='at'>{1}</time></p></main></body></html>"
    pages = [
        Sample("http://a.example/1", one.format("A", "1 May"), {"date": "1 May"}),
        Sample("http://a.example/2", two.format("B", "2 June"), {"date": "2 June"}),
    ]
    wrapper = learn_wrapper(pages)
    assert wrapper.extract(one.format("C", "3 July")) == {"date": "3 July"}
    assert wrapper.extract(two.format("D", "4 July")) == {"date": "4 July"}


def test_a_renamed_class_is_survived_by_another_way():
    wrapper = learn_wrapper(samples({"title": f"Book {word(1)}"}, {"title": f"Book {word(2)}"}), more())
    changed = product(7).replace('class="name"', 'class="x"').replace("og:title", "og:x").replace("<title>", "<title>~")
    assert wrapper.extract(changed) == {"title": f"Book {word(7)}"}


def test_one_sample_page_works_with_a_warning():
    wrapper = learn_wrapper(samples({"isbn": "9780000000001"}, {})[:1], more())
    assert read(wrapper, 5) == {"isbn": "9780000000005"}
    assert any("one sample" in text for text in wrapper.warnings)


def test_every_value_found_nowhere_is_named_with_the_closest_text():
    with pytest.raises(LearnError) as caught:
        learn_wrapper(samples({"title": "Book of Nothing", "isbn": "1"}, {"title": f"Book {word(2)}", "isbn": "2222"}))
    lines = str(caught.value).splitlines()
    assert len(lines) == 2
    assert "'title'" in lines[0]
    assert "'Book of Nothing'" in lines[0]
    assert f"Book {word(1)}" in lines[0]
    assert URL.format(1) in lines[0]


def test_a_mistyped_word_is_named_with_the_word_that_stands_there():
    with pytest.raises(LearnError, match="the closest text there is '9780000000001'"):
        learn_wrapper(samples({"isbn": "978000000001"}, {"isbn": "9780000000002"}))


def test_values_of_the_other_sample_are_told_to_be_swapped():
    with pytest.raises(LearnError) as caught:
        learn_wrapper(samples({"isbn": "9780000000002"}, {"isbn": "9780000000001"}))
    told = f"is nowhere on {URL.format(1)}, but on {URL.format(2)}: are the values of the two samples swapped?"
    assert told in str(caught.value)


def test_no_fields_is_an_error():
    with pytest.raises(LearnError):
        learn_wrapper([Sample("http://a.example", "<p>x</p>", {})])


def test_save_and_load_read_the_same(tmp_path):
    found = [{"title": f"Book {word(n)}", "isbn": f"978000000000{n}", "reviews": reviews(n, 4)} for n in (1, 2)]
    wrapper = learn_wrapper(samples(*found, reviews=4), more())
    wrapper.save(tmp_path / "w.json")
    again = Wrapper.load(tmp_path / "w.json")
    assert again.to_json() == wrapper.to_json() == json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))
    assert read(again, 9, reviews=5) == read(wrapper, 9, reviews=5)


def test_learning_is_deterministic():
    found = [{"title": f"Book {word(n)}", "reviews": reviews(n, 4)} for n in (1, 2)]
    one, other = (learn_wrapper(samples(*found, reviews=4), more()).to_json() for _ in range(2))
    assert one == other


def test_the_paper_form_says_what_css_can_say():
    found = [{"title": f"Book {word(n)}", "cover": f"http://shop.example/img/{n}.jpg"} for n in (1, 2)]
    form = learn_wrapper(samples(*found), more()).paper_form
    assert form == {"title#text": "h1.name", "cover#src": "img.cover"}


def test_what_is_missing_is_reported_with_what_is_left():
    wrapper = learn_wrapper(samples({"title": f"Book {word(1)}"}, {"title": f"Book {word(2)}"}))
    _, problems = wrapper.extract_view(PageView.parse("<p>x</p>"))
    assert [problem.field for problem in problems] == ["title"]


def test_a_page_with_nothing_of_its_sample_is_told_with_what_it_shows() -> None:
    given = {"title": "Amber lamp", "price": "$4.10"}
    wall = Sample("https://a.example/p/1", "<p>Checking your browser</p>", given)
    shown = Sample("https://a.example/p/2", "<h1>Blue desk</h1><b>$9.10</b>", {"title": "Blue desk", "price": "$9.10"})
    with pytest.raises(LearnError) as caught:
        learn_wrapper([wall, shown], [])
    told = [line for line in str(caught.value).splitlines() if "shows nothing of its sample" in line]
    assert len(told) == 1
    assert told[0].startswith("https://a.example/p/1 shows nothing of its sample, but 'Checking your browser'; ")
    assert "GWC_REUSE_SAMPLES_SECONDS=0" in told[0]
