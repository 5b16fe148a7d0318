"""Texts: what a reader sees, with words apart where blocks end and together where only the style changes."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import InputError
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.strip import strip_tags
from gwc_crawler.page.text import text_outside_links, visible_text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>a</p><p>b</p>", "a b", id="blocks set words apart"),
        pytest.param("<table><tr><td>a</td><td>b</td></tr></table>", "a b", id="so do cells"),
        pytest.param("a<br>b", "a b", id="and line breaks"),
        pytest.param("<em>中</em>国 <b>H</b>ello", "中国 Hello", id="inline elements do not"),
        pytest.param(
            "a <script>no</script><style>no</style><noscript>no</noscript>b", "a b", id="scripts and styles out"
        ),
        pytest.param("a<template><p>no</p></template>b<!-- no -->", "ab", id="templates and comments out"),
        pytest.param("<title>no</title>\n a\t\xa0 \u3000b  ", "a b", id="white space folded"),
        pytest.param("&lt;b&gt; &amp; &#20070;", "<b> & 书", id="entities"),
    ],
)
def test_visible_text(html: str, expected: str) -> None:
    assert visible_text(parse_html(html)) == expected


def test_text_outside_links_leaves_out_captions_only() -> None:
    tree = parse_html("<a href=x>caption <b>bold</b></a> kept <a name=y>anchor</a><p>last</p>")
    assert text_outside_links(tree) == "kept anchor last"


def test_text_of_a_tree_too_deep_for_recursion() -> None:
    tree = parse_html("<div>" * 1900 + "<script>no</script>deep <a href=x>link</a> end" + "</div>" * 1900)
    assert visible_text(tree) == "deep link end"
    assert text_outside_links(tree) == "deep end"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param(
            "<!doctype html><title>t</title><meta name=a><style>s</style><p>x",
            "<html><body><p>x</p></body></html>",
            id="head tags",
        ),
        pytest.param(
            "<p>a<script>s</script>b<!-- c -->d", "<html><body><p>abd</p></body></html>", id="scripts, comments"
        ),
        pytest.param(
            "<form>a<input><select><option>o</select>b</form>",
            "<html><body><form>ab</form></body></html>",
            id="form tags",
        ),
        pytest.param("<p>a<img src=x><object><param>o</object>b", "<html><body><p>ab</p></body></html>", id="others"),
        pytest.param(
            "<div> \n <p> x </p>\t</div>", "<html><body><div><p> x </p></div></body></html>", id="empty text nodes"
        ),
        pytest.param("<br><br>a<br>b<br>", "<html><body>ab</body></html>", id="neighbours in a row"),
        pytest.param(
            "<p title='>  <'>&gt; &lt;", '<html><body><p title="&gt;  &lt;">&gt; &lt;</p></body></html>', id="escapes"
        ),
        pytest.param("", "<html></html>", id="nothing"),
    ],
)
def test_stripped_html(html: str, expected: str) -> None:
    assert strip_tags(html) == expected
    assert strip_tags(expected) == expected


def test_stripping_takes_bytes_in_their_own_charset() -> None:
    assert strip_tags("<meta charset=gbk><p>商品</p>".encode("gbk")) == "<html><body><p>商品</p></body></html>"


NOISE = "<title>t</title><p>a<br>b <input> </p> <script>s</script><nav>n</nav><noscript>v</noscript>"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (None, "<html><body><p>ab  </p><nav>n</nav><noscript>v</noscript></body></html>"),
        (["scripts"], "<p>a<br>b <input> </p> <nav>n</nav><noscript>v</noscript>"),
        (["empty", "NAV"], "<p>a<br>b <input></p><script>s</script><noscript>v</noscript>"),
        (["others", "head"], "<html><body><p>ab <input> </p> <script>s</script><nav>n</nav><noscript>v</noscript>"),
        ([], "<title>t</title>"),
    ],
)
def test_groups_of_tags_go_or_stay(groups: list[str] | None, expected: str) -> None:
    assert expected in strip_tags(NOISE, groups)


@pytest.mark.parametrize(
    ("word", "problem"),
    [("scirpts", "did you mean 'scripts'"), ("html", "would leave nothing"), ("x y", "no tag of HTML")],
)
def test_what_is_no_group_and_no_tag_is_refused(word: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        strip_tags(NOISE, [word])
    assert strip_tags(NOISE, ["my-box"])
