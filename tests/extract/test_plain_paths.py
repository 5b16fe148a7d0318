"""Plain paths are answered without XPath: the same nodes, in the same order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gwc_crawler.extract.locator import first_step, plain_path, select
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.learn.texts.context import LearnPage
from gwc_crawler.page.parse import parse_html

ELEMENTS = st.recursive(
    st.tuples(
        st.sampled_from(["p", "div", "h1"]), st.sampled_from(["", "a", "a b", " a ", "ab", "b\na", "A"]), st.just([])
    ),
    lambda inner: st.tuples(
        st.sampled_from(["p", "div", "svg"]), st.sampled_from(["", "a", "a b"]), st.lists(inner, max_size=3)
    ),
    max_leaves=12,
)
PATHS = ["//p", "//div", "//h1", "//html", '//p[contains(concat(" ",@class," ")," a ")]', "//nosuch"]


def markup(element: tuple[str, str, Any]) -> str:
    tag, classes, inside = element
    return f'<{tag} class="{classes}">x{"".join(map(markup, inside))}</{tag}>'


@given(st.lists(ELEMENTS, max_size=4), st.sampled_from(PATHS))
def test_a_plain_path_selects_what_its_xpath_selects(elements: list[Any], path: str) -> None:
    page = PageView(parse_html("".join(map(markup, elements))))
    assert plain_path(path) is not None
    assert select(path, page) == etree.XPath(path)(page.tree)
    assert select(path, page, first=True) == etree.XPath(f"({path})[1]")(page.tree)


@pytest.mark.parametrize("path", ["//p[1]", "//p/b", "//text()", "//p/@href", "(//p)[1]", "(//p", '//p[@id="a"]', "p"])
def test_a_path_that_asks_for_more_is_left_to_xpath(path: str) -> None:
    assert plain_path(path) is None


FURTHER = [
    *('//div[contains(concat(" ",@class," ")," a ")]/p', '//div[contains(concat(" ",@class," ")," a ")]//p'),
    *('//p[text()[normalize-space()="x"]]/..', '//p[@class="a"]/following-sibling::*[1][self::div]', "//div/p[1]"),
    *('//text()[normalize-space()="x"]/ancestor::div[1]/p', "//div/text()", "//div/@class", "//div/div//p | //h1/.."),
    *('//svg[contains(concat(" ",@class," ")," a ")]/p/following::*', "//nosuch/p", "//div/p = 'x'", "//text()/.."),
]


@given(st.lists(ELEMENTS, max_size=4), st.booleans())
def test_a_path_goes_on_from_its_first_step(elements: list[Any], remembers: bool) -> None:
    page = (LearnPage if remembers else PageView)(parse_html("".join(map(markup, elements))))
    for path in FURTHER:
        nodes = etree.XPath(path)(page.tree)
        assert list(select(path, page)) == (nodes if isinstance(nodes, list) else [])
        if isinstance(nodes, list):
            assert list(select(path, page, first=True)) == etree.XPath(f"({path})[1]")(page.tree)


def test_a_first_step_that_many_paths_have_is_looked_for_once() -> None:
    page = LearnPage(parse_html('<div><b id="a">x<i>1</i></b><b>y</b></div>'))
    assert [one.text for one in select('//b[@id="a"]/i', page)] == ["1"]
    assert [one.text for one in select('//b[@id="a"]/following-sibling::b', page)] == ["y"]
    assert page.selected is not None
    assert [one.text for one in page.selected['//b[@id="a"]', False]] == ["x"]


@pytest.mark.parametrize(
    "path",
    ["//b", "/html/body", "(//a/b)[1]", "//a | //b/c", "//a = //b/c", "//a[b[c[d]]]/e", "//./a", '//a["]/b'],
)
def test_a_path_that_has_no_such_step_stays_whole(path: str) -> None:
    assert first_step(path) == (path, "")


def test_a_step_with_too_many_elements_stays_in_its_path() -> None:
    page = LearnPage(parse_html("<p><b>x</b></p>" * 300))
    assert len(select("//p/b", page)) == len(select("//b[..]/text()", page)) == 300
