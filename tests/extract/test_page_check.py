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
