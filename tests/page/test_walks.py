"""The walks in C say of every page what the Python code says; where a compiler is, they are there."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from gwc_crawler.extract import locator
from gwc_crawler.page import outline
from gwc_crawler.page.json_page import DATA_MARKS
from gwc_crawler.page.parse import _PARSER, parse_html
from gwc_crawler.page.strip import strip_tree
from gwc_crawler.page.text import paragraphs_outside_links, visible_text
from gwc_crawler.page.walks import walk
from tests.fuzz.test_fuzz import CORPUS, EXAMPLES, mutants
from tests.page.walks import PIECES, difference, in_python, odd

PAGES = sorted(CORPUS.glob("page/*"))
HEADER = Path(sysconfig.get_paths()["include"]) / "Python.h"
needs_walks = pytest.mark.skipif(walk is None, reason="no walks in C: no compiler, or PAGE_WALKS=python")


@pytest.mark.skipif(os.environ.get("PAGE_WALKS") == "python", reason="PAGE_WALKS=python")
@pytest.mark.skipif(not (shutil.which("gcc") and HEADER.exists()), reason="there is nothing to build them with")
def test_they_are_built_where_a_compiler_is() -> None:
    assert walk is not None, "make setup builds gwc_crawler/page/_walk.pyx"


def test_the_environment_can_leave_them_out() -> None:
    code = (
        "from gwc_crawler import strip_tags; from gwc_crawler.page.walks import walk; "
        "print(walk, strip_tags('<p>a<br>b'))"
    )
    environment = {**os.environ, "PAGE_WALKS": "python"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["None", "<html><body><p>ab</p></body></html>"]


@needs_walks
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_that_once_broke_something(path: Path) -> None:
    assert difference(path.read_bytes()) == ""


@needs_walks
@EXAMPLES
@given(mutants("page"))
def test_pages_with_edits(body: bytes) -> None:
    assert difference(body) == ""


@needs_walks
@EXAMPLES
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_odd_pieces_in_any_order(body: bytes) -> None:
    assert difference(body) == ""


@needs_walks
def test_pages_cut_and_joined_at_random() -> None:
    draw, pages = random.Random(3), [path.read_bytes() for path in PAGES]
    for _ in range(30):
        assert difference(odd(pages, draw)) == ""


XHTML = b"""<html xmlns="http://www.w3.org/1999/xhtml" xmlns:x="urn:x"><!-- c --><head><title>t<?pi x?></title></head>
<body>a<!-- b --><x:a href="q">c</x:a><a href="r">d</a><p class="x">e</p><![CDATA[<f>]]></body></html>"""
COMMENTED = b"<html><head><title>t</title></head><body>a<!-- b -->c<h1>d<!-- e --></h1><?php f ?></body></html>"


@needs_walks
@pytest.mark.parametrize("body", [XHTML, COMMENTED, b"<a/>", b"<html><a>&lt;</a><title/></html>"])
def test_trees_of_other_parsers(body: bytes) -> None:
    def seen() -> list[object]:
        tree = etree.fromstring(body)
        found = locator.find(tree, "p", "x", first=False)
        looks = [visible_text(tree), paragraphs_outside_links(tree), outline.outline(tree), [one.tag for one in found]]
        return [*looks, strip_tree(tree)]

    fast = seen()
    with in_python():
        assert fast == seen()


@needs_walks
def test_what_is_found_outlives_the_page() -> None:
    def found() -> list[etree._Element]:
        tree = etree.HTML("<p class='a price'>1</p><p class=price>2<b>3</b>4</p>")
        return list(locator.find(tree, "p", "price", first=False))

    elements = found()
    junk = [etree.HTML("<p>" * 50) for _ in range(50)]
    assert [etree.tostring(one, encoding="unicode") for one in elements] == [
        '<p class="a price">1</p>', '<p class="price">2<b>3</b>4</p>',
    ]  # fmt: skip
    assert len(junk) == 50
    assert elements[0].getroottree().getroot().tag == "html"


@needs_walks
def test_a_tree_of_any_depth() -> None:
    top = element = etree.Element("html")
    for _ in range(5_000):
        element = etree.SubElement(element, "div")
    element.text = "deep"
    assert visible_text(top) == "deep"
    assert strip_tree(top).count("<div>") == 5_000
    assert len(locator.find(top, "div", "", first=False)) == 5_000


TAG_PIECES = (b"<", b"<a", b"<b ", b"x", b" x=", b'"', b"'", b">", b"\0", "书".encode())


@needs_walks
@EXAMPLES
@given(st.lists(st.sampled_from(TAG_PIECES), max_size=60))
@example([b'<a"', b'<a x="">'])
def test_a_tag_is_endless_where_the_pattern_says_so(pieces: list[bytes]) -> None:
    page = b"".join(pieces)
    found = re.search(rb"""<(?=[a-zA-Z])(?:[^<>"']|"[^"]*"|'[^']*'){5,}+>""", page)
    assert walk.endless_tag(page, 4) == (found.start() if found else -1)


@needs_walks
def test_endless_tags_keep_their_address_and_lose_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    page = b"<p title=x>a</p>" * 7_000 + b"<a href='/x' " + b"a=1 " * 20_000 + b">b</a>"
    fast = etree.tostring(parse_html(page))
    monkeypatch.setattr("gwc_crawler.page.parse.walk", None)
    assert etree.tostring(parse_html(page)) == fast
    assert b'<a href="/x">b</a>' in fast


WORDS = ("a", "word", "eightsix", "an even longer one", "书", "é", "\xa0", "\u2003", "\x85", "\x7f")
SPACES = (" ", " ", " ", "  ", "\n", "\t ", "\r\n", " " * 9)


@needs_walks
@EXAMPLES
@given(st.lists(st.sampled_from(WORDS + SPACES), max_size=40).map("".join), st.text(max_size=9))
def test_white_space_is_folded_wherever_it_stands(text: str, more: str) -> None:
    tree = etree.Element("p")
    tree.text = text + re.sub(r"[\0-\x1f\ud800-\udfff\ufffe\uffff]", "", more)
    words = (word for word in re.split("[ \n\t\r]+", tree.text) if word)
    assert walk.folded_text(tree, " ", True) == " ".join(words)


@needs_walks
@EXAMPLES
@given(st.lists(st.sampled_from((b"application/", b"js", b"on", b"j", b"_", b"_STATE", b"_DATA__")), max_size=9))
def test_marks_are_found_wherever_they_stand(pieces: list[bytes]) -> None:
    page = b"".join(pieces)
    assert walk.has_mark(page, DATA_MARKS) == any(mark in page for mark in DATA_MARKS)


@needs_walks
def test_trees_made_and_left_in_other_threads_share_their_memory() -> None:
    pages = [path.read_bytes() for path in PAGES]
    expected = [etree.tostring(parse_html(page)) for page in pages]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(20):
            trees = list(threads.map(parse_html, pages))  # left here, while others are made there
            again = threads.map(lambda page: etree.tostring(parse_html(page)), pages)
            assert [etree.tostring(tree) for tree in trees] == expected
            assert list(again) == expected


TAGS = (
    "a abbr acronym address applet area article aside audio b base basefont bdo big blockquote body br button caption "
    "center cite code col colgroup dd del dfn dialog dir div dl dt em embed fieldset figure font footer form frame "
    "frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins isindex kbd label legend li link listing "
    "main map menu meta nav noembed noframes noscript object ol optgroup option p param plaintext pre q s samp script "
    "section select small source span strike strong style sub sup svg table tbody td template textarea tfoot th thead "
    "title tr tt u ul var video wbr xmp x-y"
)


def _tree(page: bytes) -> Any:
    return walk.tree_of(page, etree.fromstring, _PARSER)


def _as_libxml2(page: bytes) -> tuple[list[bytes], list[bytes]]:
    """Return the roots of a page's tree, and those of libxml2's."""
    roots = (_tree(page), etree.fromstring(page, _PARSER))
    ours, theirs = ([etree.tostring(one) for one in (root, *root.itersiblings())] for root in roots)
    return ours, theirs


@needs_walks
@pytest.mark.parametrize(
    "frame", ["<p>x<{}>1<{}>2</{}>3", "<html><head><{}><{}></{}>y</html> z", "<div><{}><div><{}/>1</{}>2"]
)
def test_tags_close_each_other_as_libxml2_has_them(frame: str) -> None:
    for one in TAGS.split():
        for other in TAGS.split():
            ours, theirs = _as_libxml2(frame.format(one, other, one).encode())
            assert ours == theirs, (one, other)


def _parsed(page: bytes) -> list[int]:
    """Return the lengths of what libxml2 is given of a page."""
    given: list[int] = []

    def parsed(data: bytes, parser: etree.HTMLParser) -> object:
        given.append(len(data))
        return etree.fromstring(data, parser)

    walk.tree_of(page, parsed, _PARSER)
    return given


@needs_walks
@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html><html lang=en><head><title>T &amp; U</title></head><body class='a b'>x &copy; 1 < 2</html>",
        b"<!-- c --><HTML>\r\n<P>one<!-- two -->three<BR/>&#8364;&#x20AC;<input checked></P>",
        "<ul><li>书<li a=1 a=2>\u00a0</ul></html><p>behind".encode(),
        b"<p><script>if (1 < 2 && '</p>') {<!-- }</script><textarea><b>&lt;</textarea>",
        b"<p " + b" ".join(b"attribute-%d" % number for number in range(90)) + b">",
    ],
)
def test_of_a_plain_page_libxml2_reads_the_beginning_alone(page: bytes) -> None:
    ours, theirs = _as_libxml2(page)
    assert ours == theirs
    (length,) = _parsed(page)
    assert length < len(page) / 2


@needs_walks
@pytest.mark.parametrize(
    "odd_part",
    [b"\0", b"\xff", b"&#0;", b"&#150;", b"&copy", b"<i\xc3\xa4>", b"<p a\"b=1>", b"<body>", b"<html>", b"<!-->",
     b"<?php ?>", b"<plaintext>", b"<script>", b"<title>", b"<p a='", b"<!-- ", b"</ p>", b"</p x>", b"<b>" * 1_001,
     b"<script><!-- <script></script> --></script>"],
)  # fmt: skip
def test_odd_pages_are_libxml2s(odd_part: bytes) -> None:
    page = b"<html><body><p>x" + odd_part + b"y<p>z"
    ours, theirs = _as_libxml2(page)
    assert ours == theirs
    assert _parsed(page)[-1] == len(page)


@needs_walks
def test_many_names_of_attributes_are_not_remembered_for_good() -> None:
    for number in range(3_000):
        page = f"<html><body><p data-{number}=1 id=x data-{number}=2>".encode()
        ours, theirs = _as_libxml2(page)
        assert ours == theirs
    assert _parsed(page) == [6]


@needs_walks
def test_trees_of_threads_have_the_names_of_their_threads() -> None:
    page = b"<html><body><p class=x>1<p class=y>2"

    def found() -> list[str]:
        return [one.get("class") for one in _tree(page).iter("p")]

    with ThreadPoolExecutor(1) as other:
        for _ in range(3):
            assert found() == other.submit(found).result() == ["x", "y"]


@needs_walks
def test_text_in_many_pieces_takes_no_quadratic_time() -> None:
    page = b"<html><body>" + b"x<!---->" * 300_000
    start = time.process_time()
    assert _tree(page)[0].text == "x" * 300_000
    assert time.process_time() - start < 2
