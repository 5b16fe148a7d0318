"""The paper's algorithms 2 and 3: what they can say, and that their weaknesses stay as they are."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample

PAGE = """<html><head><title>{title} | shop</title></head><body><div id="nav"><a href="/">Home</a></div>
<div class="box"><h1>{title}</h1><p>by <span class="who">{who}</span></p>{extra}<p class="price">{price}</p>
<img src="/img/{n}.jpg"><ul>{items}</ul><a href="/buy/{n}">buy</a></div></body></html>"""


def page(n: int, title: str, who: str, price: str, items: list[str], extra: str = "") -> str:
    rows = "".join(f"<li><b>{item}</b><i>on {item[::-1]}</i></li>" for item in items)
    return PAGE.format(n=n, title=title, who=who, price=price, items=rows, extra=extra)


ONE = page(1, "Thor", "Billy Tan", "$11.48", ["good", "bad"])
TWO = page(2, "From Dead to Worse", "Charlaine Harris", "$7.19", ["fine", "long", "short"])
THREE = page(3, "Third", "Third Author", "$3.33", ["one", "two", "three", "four"])


def samples(**names: tuple[object, object]) -> list[Sample]:
    return [
        Sample("http://shop.example/1", ONE, {key: value[0] for key, value in names.items()}),
        Sample("http://shop.example/2", TWO, {key: value[1] for key, value in names.items()}),
    ]


def test_a_leaf_is_found_by_its_text_and_read_on_another_page():
    wrapper = learn_wrapper(samples(title=("Thor", "From Dead to Worse"), price=("$11.48", "$7.19")), mode="paper")
    assert wrapper.extract(THREE, "http://shop.example/3") == {"title": "Third", "price": "$3.33"}


def test_the_paper_form_names_label_and_css_path():
    wrapper = learn_wrapper(samples(price=("$11.48", "$7.19")), mode="paper")
    assert wrapper.paper_form == {"price#text": 'html > body > div[class="box"] > p[class="price"]'}


def test_attributes_are_found_and_addresses_made_absolute():
    wrapper = learn_wrapper(
        samples(cover=("http://shop.example/img/1.jpg", "HTTP://SHOP.example/img/2.jpg")), mode="paper"
    )
    assert wrapper.extract(THREE, "http://shop.example/3") == {"cover": "http://shop.example/img/3.jpg"}


def test_values_that_repeat_give_one_path_for_all():
    wrapper = learn_wrapper(samples(words=(["good", "bad"], ["fine", "long", "short"])), mode="paper")
    assert wrapper.extract(THREE, "http://shop.example/3") == {"words": ["one", "two", "three", "four"]}
    assert list(wrapper.paper_form) == ["words#text"]


def test_records_are_columns_side_by_side():
    rows = [{"word": "good", "by": "on doog"}, {"word": "bad", "by": "on dab"}]
    wrapper = learn_wrapper(samples(rows=(rows, [])), mode="paper")
    found = wrapper.extract(THREE, "http://shop.example/3")["rows"]
    assert found == [{"word": word, "by": f"on {word[::-1]}"} for word in ("one", "two", "three", "four")]


def test_a_positional_path_slips_where_an_optional_part_comes_before():
    plain = "<html><body><div><p>{}</p>{}<p>{}</p></div></body></html>"
    wrapper = learn_wrapper(
        [
            Sample("http://a.example/1", plain.format("x", "", "one"), {"field": "one"}),
            Sample("http://a.example/2", plain.format("y", "", "two"), {"field": "two"}),
        ],
        mode="paper",
    )
    assert wrapper.extract(plain.format("z", "<p>optional</p>", "three")) == {"field": "optional"}


SPLIT = """<html><head><title>{0} {1} - shop</title></head><body><p>New: {0} {1}!</p><div>
<h1><span>{0}</span> <b>{1}</b></h1></div><p>Buy {0} {1} here</p></body></html>"""


def learned_path(one: str, two: str, values: tuple[str, str]) -> str:
    given = [Sample("", html, {"field": value}) for html, value in zip((one, two), values, strict=True)]
    (path,) = learn_wrapper(given, mode="paper").paper_form.values()
    return path


def test_an_inner_node_that_equals_the_value_goes_before_leaves_that_contain_it():
    pages = SPLIT.format("Thor", "Two"), SPLIT.format("Iron", "Three")
    assert learned_path(*pages, ("Thor Two", "Iron Three")) == "html > body > div > h1"


def test_of_inner_nodes_that_equal_the_value_the_lowest_is_taken():
    html = "<html><body><div><p><span><b>{}</b> <i>x</i></span></p></div><div></div></body></html>"
    path = learned_path(html.format("one"), html.format("two"), ("one x", "two x"))
    assert path == "html > body > div:nth-of-type(1) > p > span"


def test_of_leaves_that_contain_the_value_the_last_is_taken():
    html = "<html><body><p>by {0}</p><p>all of {0}</p><p>end</p></body></html>"
    assert learned_path(html.format("A"), html.format("B"), ("A", "B")) == "html > body > p:nth-of-type(2)"


def test_an_inner_node_that_contains_the_value_is_the_last_resort():
    html = "<html><body><div><p>by <b>{}</b>, editor</p></div></body></html>"
    path = learned_path(html.format("A. Reader"), html.format("B. Writer"), ("A. Reader, ed", "B. Writer, ed"))
    assert path == "html > body > div > p"


def test_a_place_whose_name_path_the_other_page_lacks_is_not_in_the_template():
    html = "<html><body>{}<p>so {}</p></body></html>"
    boxed, plain = html.format("<h2>one</h2>", "one"), html.format("", "two")
    assert learned_path(boxed, plain, ("one", "two")) == "html > body > p"


def test_a_place_stays_in_the_template_whatever_its_position():
    html = "<html><body>{}<p>end</p></body></html>"
    rows = html.format("<p>a</p><p>b</p><p>one</p>"), html.format("<p>two</p>")
    assert learned_path(*rows, ("one", "two")) == "html > body > p:nth-of-type(3)"


def test_a_value_found_nowhere_is_named_with_the_closest_text():
    with pytest.raises(LearnError) as caught:
        learn_wrapper(samples(title=("Thor the Great", "From Dead to Live")), mode="paper")
    assert "'title'" in str(caught.value)
    assert "http://shop.example/1" in str(caught.value)
    assert "Thor" in str(caught.value).split("closest")[1]


def test_a_wrapper_reads_the_same_after_save_and_load(tmp_path):
    wrapper = learn_wrapper(samples(title=("Thor", "From Dead to Worse"), words=(["good"], ["fine"])), mode="paper")
    wrapper.save(tmp_path / "wrapper.json")
    again = Wrapper.load(tmp_path / "wrapper.json")
    assert again.extract(THREE) == wrapper.extract(THREE)
    assert again.to_json() == wrapper.to_json()


def test_one_sample_page_is_enough_and_warned_of():
    wrapper = learn_wrapper(samples(title=("Thor", ""))[:1], mode="paper")
    assert wrapper.extract(TWO) == {"title": "From Dead to Worse"}
    assert "one sample" in wrapper.warnings[0]
