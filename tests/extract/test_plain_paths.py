"""Plain paths are answered without XPath: the same nodes, in the same order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from gwc_crawler.extract.finder import plain_path, select
from gwc_crawler.extract.page_view import PageView
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
