"""Is a page of the target category: marks, fields, keywords; and the short look that most pages need."""

from __future__ import annotations

from itertools import combinations

import pytest

from gwc_crawler.extract.page_check import page_agrees, page_features
from gwc_crawler.page.parse import parse_html

PRODUCT = """<head><title>Pot</title></head><body><main id="top"><h1 class="name big">Iron pot</h1>
<table class="facts item-7"><tr><th>Weight</th><td>3 kg</td></tr><tr><th>Made&nbsp;in</th><td>China</td></tr></table>
<p>Also see <a href="/b"><b>Tin pot</b></a> <a name="x">Note</a></p>
<noscript><p class="hidden">Off</p></noscript><svg><g>Draw</g></svg></main></body>"""
ARTICLE = """<body><main id="top"><h1 class="name">Iron</h1>
<article><p class="lead">Iron is old.</p></article></main></body>"""


@pytest.fixture(name="marks")
def all_marks() -> list[str]:
    return sorted(page_features(parse_html(PRODUCT)) | page_features(parse_html(ARTICLE)) | {"p:Off", "b:Tin pot"})


@pytest.mark.parametrize("html", [PRODUCT, ARTICLE, "", "<frameset><frame src=a></frameset>"])
@pytest.mark.parametrize("share", [0.1, 0.34, 0.5, 1.0])
def test_the_short_look_agrees_with_the_whole_list_of_marks(html: str, share: float, marks: list[str]) -> None:
    tree = parse_html(html)
    present = page_features(tree)
    for some in [[mark] for mark in marks] + [list(pair) for pair in combinations(marks, 2)] + [marks]:
        check = {"required": some, "least_required": share}
        enough = sum(mark in present for mark in some) >= share * len(some)
        assert (page_agrees(tree, None, {}, check) is None) == enough, some
        check = {"forbidden": some, "most_forbidden": share}
        assert (page_agrees(tree, None, {}, check) is None) != enough, some


def test_the_reason_names_what_is_missing_and_what_is_foreign() -> None:
    article = parse_html(ARTICLE)
    lacking = page_agrees(article, None, {}, {"required": ["th:Weight", "body>main#top>h1.name"], "least_required": 1})
    assert lacking == "lacks 1 of 2 marks of a target page, such as 'Weight'"
    foreign = page_agrees(article, None, {}, {"forbidden": ["main#top>article>p.lead"]})
    assert foreign == "has 1 of 1 marks of another kind of page, such as <p.lead>"


def test_a_page_on_which_fields_stand_several_times_is_a_list() -> None:
    check, found = {"single": {"title": 2, "price": 2, "maker": 3}}, {"title": "a", "price": "1", "maker": "b"}
    counts = {"title": 1, "price": 9, "maker": 9}
    tree = parse_html("<p>x</p>")
    assert "price, maker stand there several times" in str(page_agrees(tree, None, found, check, counts.__getitem__))
    counts["maker"] = 2
    assert page_agrees(tree, None, found, check, counts.__getitem__) is None
    assert page_agrees(tree, None, found, check) is None


def test_a_page_with_all_that_lists_have_in_common_is_refused_though_no_field_stands_several_times() -> None:
    tree = parse_html("<body><main><ul class='items'><li>Kettle</li></ul><p class='pages'>1 of 1</p></main></body>")
    lists = ["main>ul.items>li", "body>main>p.pages"]
    assert "is a list" in str(page_agrees(tree, None, {}, {"listing": lists}))
    assert page_agrees(tree, None, {}, {"listing": [*lists, "main>form>input"]}) is None
