"""What is known of a site's links, and what it says of a page: menus, lists that lead on, words in vain."""

from __future__ import annotations

import pytest

from gwc_crawler.errors import KnowledgeError
from gwc_crawler.items import PageKind, StoredPage
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.best import learn_site_links
from gwc_crawler.learn.targets.precrawl_index import index_precrawl
from gwc_crawler.modes import LearnMode
from gwc_crawler.page.classify import SiteLinks, classify_page
from gwc_crawler.page.reader import PageReader

SITE = "http://a.example"
MENU = [f"{SITE}/{name}.html" for name in ("about", "parts", "tools", *(f"m{number}" for number in range(30)))]
PROSE = "Turn the wheel slowly and look at the mark. "


def stored(path: str, *links: str) -> StoredPage:
    return StoredPage(SITE + path, SITE + path, b"", "text/html", "utf-8", 0, 1, False, links)


def anchors(*urls: str) -> str:
    return "".join(f"<li><a href='{url}'>{url[-12:]} and more</a></li>" for url in urls)


@pytest.fixture(scope="module")
def learned() -> dict[str, object]:
    """Thirty pages about parts, six of tools with a menu of their own, all with the site's menu."""
    parts = [f"/parts/part-{number}.html" for number in range(30)]
    tools = [f"/tools/tool-{number}.html" for number in range(6)]
    pages = [stored(path, *MENU) for path in parts]
    pages += [stored(path, *MENU, *(SITE + tool for tool in tools)) for path in tools]
    return learn_site_links(index_precrawl(pages))


def test_links_that_pages_share_are_known_by_directory(learned: dict[str, object]) -> None:
    common = learned["common"]
    assert isinstance(common, dict)
    assert sorted(common[f"{SITE}/"]) == sorted(MENU)
    assert common[f"{SITE}/tools/"] == [f"{SITE}/tools/tool-{number}.html" for number in range(6)]
    assert f"{SITE}/parts/" not in common, "what is common above is not said again"


def test_links_of_its_own_are_the_others_each_once(learned: dict[str, object]) -> None:
    known = SiteLinks.of(learned)
    assert known is not None
    url, part = f"{SITE}/tools/new.html", f"{SITE}/parts/part-3.html"
    own = known.own(url, [(MENU[0], 5), (f"{SITE}/tools/tool-1.html", 5), (url, 4), (part, 3), (part, 9)])
    assert (own.count, own.text_length, own.into_larger_class, own.in_menu) == (1, 9, 1, False)
    assert known.own(MENU[1], []).in_menu


def kind(learned: dict[str, object], path: str, html: str) -> PageKind:
    knowledge = Knowledge("a", LearnMode.BEST, (), (), 0, site_links=learned)
    return PageReader(knowledge).read(SITE + path, html.encode(), "text/html").kind


def test_a_menu_makes_no_list_of_a_page_to_read(learned: dict[str, object]) -> None:
    html = f"{anchors(*MENU)}<p>{PROSE}"
    assert classify_page(f"{SITE}/parts/new.html", html) is PageKind.INDEX
    assert kind(learned, "/parts/new.html", html) is PageKind.INFORMATION


def test_a_page_that_all_link_to_and_that_leads_on_is_a_list_for_all_its_sentences(learned: dict[str, object]) -> None:
    rows = "".join(f"<p>{PROSE * 2}<a href='{SITE}/parts/part-{number}.html'>{number}</a>" for number in range(9))
    html = f"<title>Parts</title><h1>Parts</h1>{rows}"
    assert classify_page(MENU[1], html) is PageKind.INFORMATION
    assert kind(learned, "/parts.html", html) is PageKind.INDEX


@pytest.mark.parametrize("form", ["<tr><td>{}</td><td>{}</td></tr>", "<li>{}: {}</li>", "<dt>{}</dt><dd>{}</dd>"])
def test_links_with_a_word_on_each_are_a_list_and_a_few_of_them_are_not(learned: dict[str, object], form: str) -> None:
    rows = [form.format(f"<a href='/parts/of-{number}.html'>of {number}</a>", PROSE) for number in range(9)]
    prose = f"<title>Functions</title><h1>Functions</h1><p>{PROSE * 3}"
    assert kind(learned, "/parts/functions.html", f"{prose}<table>{''.join(rows)}") is PageKind.INDEX
    assert kind(learned, "/parts/functions.html", f"{prose}<table>{''.join(rows[:3])}") is PageKind.INFORMATION
    besides = [form.format(f"of {number}", PROSE) for number in range(9)]
    assert kind(learned, "/parts/functions.html", f"{prose}<table>{''.join(besides)}") is PageKind.INFORMATION


def test_a_word_for_lists_says_little_of_a_page_without_links(learned: dict[str, object]) -> None:
    html = f"<title>tag u</title><h1>tag u</h1><p>{PROSE * 6}"
    assert classify_page(f"{SITE}/tags/u.html", html) is PageKind.INDEX
    assert kind(learned, "/tags/u.html", html) is PageKind.INFORMATION
    assert kind(learned, "/tags/page/2", html) is PageKind.INDEX
    assert kind(learned, "/", html) is PageKind.INDEX


def test_without_it_a_page_is_judged_alone() -> None:
    html = f"{anchors(*MENU)}<p>{PROSE}"
    assert kind({}, "/parts/new.html", html) is PageKind.INDEX
    assert SiteLinks.of({}) is None


@pytest.mark.parametrize("wrong", [{"common": []}, {"classes": [{"regex": "(", "size": 1}]}, {"menus": {}}])
def test_what_is_wrong_in_the_file_is_told(wrong: dict[str, object]) -> None:
    row = {
        "version": 1, "site": "a", "mode": "best", "targets": [], "directories": [], "max_weight": 0,
        "site_links": wrong,
    }  # fmt: skip
    with pytest.raises(KnowledgeError, match="site_links"):
        Knowledge.from_json(row)


def test_a_link_stands_in_the_list_that_holds_it_and_others_or_else_in_its_paragraph() -> None:
    html = (
        "<div><a href='/one.html'>1</a></div><table><tr><td><p><a href='two.html#x'>2</a></p></td></tr>"
        "<tr><td><a href='/three.html'>3</a></td></tr></table><p>See <a href='/four.html'>4</a>.</p>"
        "<ul><li><a href='/three.html'>3</a></li><li><a>?</a></li></ul><p><a href='http://b.example/'>b</a></p>"
    )
    start = StoredPage(f"{SITE}/", f"{SITE}/", html.encode(), "text/html", "utf-8", 0, 1, False, ())
    index = index_precrawl([start, *(stored(f"/{name}.html") for name in ("one", "two", "three", "four"))])
    lists = {url.removeprefix(SITE): numbers for url, numbers in index.lists_on(f"{SITE}/").items()}
    assert lists == {"/one.html": {0}, "/two.html": {1}, "/three.html": {1, 3}, "/four.html": {2}}
