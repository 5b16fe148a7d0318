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
