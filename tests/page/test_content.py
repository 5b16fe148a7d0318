"""What an information page is about: without the menu that stands first; quickly, whatever comes; only where asked."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.condenser import ABSTRACT_CHARACTERS, LED, lead_of, main_text
from gwc_crawler.items import Lease, Page, PageKind, Visit
from gwc_crawler.modes import MainText, Strip
from gwc_crawler.page.parse import parse_html
from gwc_crawler.page.text import visible_text
from gwc_crawler.pipelines.strip import StripPipeline

MENU = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(40))
STORY = "<p>The river has three bridges. The oldest one was built of stone.</p><p>It still stands.</p>"
PAGE = f"""<html><head><title>Bridges</title></head><body>
<div class="nav"><ul>{MENU}</ul></div>
<div id="content"><h1>Bridges</h1>{STORY}</div>
<div class="footer">All rights reserved <a href="/imprint">Imprint</a></div></body></html>"""


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (PAGE, "Bridges The river has three bridges. The oldest one was built of stone. It still stands."),
        (PAGE.replace(STORY, "<p>河上有三座桥。</p><p>最老的是石桥。</p>"), "Bridges 河上有三座桥。 最老的是石桥。"),
        ("<p>only this", "only this"),
        ("", ""),
    ],
)
def test_the_menu_that_stands_first_is_left_out(html: str, text: str) -> None:
    tree = parse_html(html)
    before = visible_text(tree)
    assert main_text(tree) == text
    assert visible_text(tree) == before, "the tree is only looked at"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000 + "x",
        "<ul><li>" * 50_000 + "x",
        "<p>x<a " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x</a>",
        "<b><p>x" * 20_000,
        "<p>" + "word " * 1_000_000,
        "<frameset><frame src=a></frameset>",
    ],
    ids=lambda html: html[:8],
)
def test_a_hostile_page_does_not_keep_it_busy(html: str) -> None:
    main_text(parse_html(html))
    lead_of(parse_html(html))


def stored(kind: PageKind, html: str = PAGE, main: str = "information") -> Any:
    tree = parse_html(html)
    page = Page("http://a.example/1", 200, b"", "text/html", "utf-8", kind, relevant=False, tree=tree)
    page.text = visible_text(tree)
    visit = Visit(Lease(page.url, 1, 0, 1, 1, "worker", 1, 0.0), page, None, 0, 0.0)
    return StripPipeline(Strip.ALL, MainText(main)).process_item(visit)


@pytest.mark.parametrize(
    ("kind", "main", "is_main"),
    [
        (PageKind.INFORMATION, "information", True),
        (PageKind.INFORMATION, "none", False),
        (PageKind.TARGET, "information", False),
        (PageKind.TARGET, "targets", True),
        (PageKind.INDEX, "targets", False),
    ],
)
def test_abstract_and_body_are_the_main_text_of_the_kinds_that_are_asked_for(
    kind: PageKind, main: str, is_main: bool
) -> None:
    visit = stored(kind, main=main)
    assert visit.page.text.startswith("Bridges The river" if is_main else "Section 0 Section 1")
    if is_main or kind not in LED:
        assert visit.page.text.startswith(visit.abstract)
    else:
        assert visit.abstract.startswith("The river has three bridges"), "its first paragraph"
    assert len(visit.abstract) <= ABSTRACT_CHARACTERS
    assert "The river has three bridges" in visit.stripped_html
    assert "Section 39" in visit.stripped_html


def test_a_page_without_main_text_keeps_all_of_it() -> None:
    links = f"<body><div class=nav><ul>{MENU}</ul></div></body>"
    assert main_text(parse_html(links)) == ""
    assert stored(PageKind.INFORMATION, links).abstract.startswith("Section 0 Section 1")


@pytest.mark.parametrize(
    ("html", "lead"),
    [
        ("<p>Home</p><p>A tea that is grown on the slopes above the old town.</p>", "A tea that is grown on"),
        ("<p><a href=/>All our teas and coffees</a> <a href=/x>and what else there is to buy</a></p>", ""),
        (
            "<p>大理苍山上的白茶，产自海拔两千米以上的老树，香气清雅，回味悠长，适合日常饮用，也适合收藏。</p>",
            "大理苍山",
        ),
        ("<div>No paragraph is here, however long its text may be.</div>", ""),
    ],
    ids=["after a label", "links", "Chinese", "none"],
)
def test_the_lead_is_the_first_paragraph_that_says_something(html: str, lead: str) -> None:
    assert lead_of(parse_html(html)).startswith(lead)
    assert bool(lead_of(parse_html(html))) is bool(lead)
