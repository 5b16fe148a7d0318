"""How further pages are found: the forms of their URLs, what confirms them, and what is said when there are none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Continuation, Knowledge, UrlClass, Verdict
from gwc_crawler.learn.paging import Paging, learn_paging
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample

BASE = "http://shop.example"


def listing(items: Sequence[str], links: Sequence[str], texts: Sequence[str] = ()) -> str:
    words = texts or [f"to {link}" for link in links]
    anchors = "".join(f"<a href='{link}'>{text}</a>" for link, text in zip(links, words, strict=True))
    return f"<html><body><h1>Thing</h1><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>{anchors}</body></html>"


def stored(url: str, items: Sequence[str], links: Sequence[str], texts: Sequence[str] = ()) -> StoredPage:
    html = listing(items, links, texts).encode()
    return StoredPage(
        BASE + url, BASE + url, html, "text/html", "utf-8", 0, 1, True, tuple(BASE + one for one in links)
    )


def learn(
    parent: str, further: str, *, target: str, fetched: bool = True, same: bool = False, texts: Sequence[str] = (),
    regex: str = "",
) -> tuple[Knowledge, Paging]:  # fmt: skip
    """Learn from six targets with two further pages each; "{n}" is the item, "{p}" the page."""
    pages = []
    for number in range(1, 7):
        here = parent.format(n=number)
        more = [further.format(n=number, p=page) for page in (2, 3)]
        # a comment's own address has a number, too, and shows nothing new
        reply = here + ("&" if "?" in here else "?") + f"reply={number}7"
        pages.append(stored(here, [f"{here} 1"], [*more, reply, "/"], [*texts, "reply", "home"] if texts else ()))
        pages.append(stored(reply, [f"{here} 1"], [here]))
        if fetched:
            pages += [stored(url, [f"{here} {1 if same else url}"], [here, *more]) for url in more]
    wrapper = learn_wrapper(
        [Sample(BASE, listing(items, []), {"reviews": items}) for items in (["a", "b"], ["c", "d", "e"])],
    )
    targets = (UrlClass(BASE + target),)
    paging = learn_paging({"reviews": regex}, pages, targets, wrapper)
    return Knowledge("shop", "best", targets, (), 1, paging=paging.rules), paging


FORMS = [
    ("/p/{n}/slug/", "/p/{n}/slug/comment-page-{p}/", "/p/[0-9]+/[a-z]+/"),
    ("/item/{n}", "/item/{n}/reviews/{p}", "/item/[0-9]+"),
    ("/item/{n}/", "/item/{n}/{p}/", "/item/[0-9]+/"),
    ("/item/{n}.html", "/item/{n}.html?rpage={p}", "/item/[0-9]+[.]html"),
    ("/item?id={n}", "/item?id={n}&rpage={p}", "/item[?]id=[0-9]+"),
    ("/item?id={n}", "/item?rpage={p}&id={n}", "/item[?]id=[0-9]+"),
    ("/item-{n}.html", "/item-{n}-{p}.html", "/item-[0-9]+[.]html"),
    ("/item/{n}.html", "/item/{n}_p{p}.html", "/item/[0-9]+[.]html"),
    ("/item/a{n}", "/item/a{n}-{p}", "/item/a[0-9]+"),
]


@pytest.mark.parametrize(("parent", "further", "target"), FORMS)
def test_further_pages_are_recognised_by_their_urls(parent: str, further: str, target: str) -> None:
    knowledge, paging = learn(parent, further, target=target)
    assert paging.warnings == []
    assert paging.evidence["reviews"]["by"] == "items"
    url = BASE + further.format(n=987, p=12)
    assert knowledge.continuation(url) == Continuation(BASE + parent.format(n=987), ("reviews",), 12)
    assert knowledge.verdict(url) is Verdict.CONTINUATION
    assert knowledge.verdict(BASE + parent.format(n=987)) is Verdict.TARGET
    assert knowledge.continuation(BASE + parent.format(n=987) + "?reply=877") is None
    assert knowledge.continuation(f"{BASE}/other/12") is None


def test_pages_that_show_nothing_new_are_none() -> None:
    knowledge, paging = learn("/item/{n}/", "/item/{n}/print-{p}/", target="/item/[0-9]+/", same=True)
    assert knowledge.paging == {}
    assert "paging of 'reviews': no further page was found among the links" in paging.warnings[0]


def test_another_record_with_a_similar_address_does_not_go_on_with_this_one() -> None:
    """/thing/5/ and /thing/5/2/ are two things: each has its own name and its own reviews."""

    def thing(url: str, links: Sequence[str]) -> StoredPage:
        html = listing([f"{url} 1", f"{url} 2"], links).replace("Thing", f"Thing {url}").encode()
        return StoredPage(BASE + url, BASE + url, html, "text/html", "", 0, 1, True, tuple(BASE + one for one in links))

    pages = [thing(f"/thing/{n}/", [f"/thing/{n}/2/"]) for n in range(9)] + [
        thing(f"/thing/{n}/2/", []) for n in range(9)
    ]
    samples = [
        Sample(page.url, page.html, {"name": f"Thing {page.url[len(BASE) :]}", "reviews": list(items)})
        for page, items in ((page, [f"{page.url[len(BASE) :]} {n}" for n in (1, 2)]) for page in pages[:2])
    ]
    paging = learn_paging({"reviews": ""}, pages, (UrlClass(BASE + "/thing/[0-9]+/"),), learn_wrapper(samples))
    assert paging.rules == {}


@pytest.mark.parametrize(
    ("texts", "found"),
    [(("2", "3"), True), (("older comments", "oldest"), True), (("下一页", "末页"), True), (("like", "share"), False)],
)
def test_link_texts_tell_where_no_further_page_was_fetched(texts: Sequence[str], found: bool) -> None:
    knowledge, _ = learn("/item/{n}/", "/item/{n}/p{p}/", target="/item/[0-9]+/", fetched=False, texts=texts)
    assert (knowledge.continuation(f"{BASE}/item/5/p7/") is not None) is found


def test_a_page_numbered_one_less_than_its_link_says_counts_from_zero() -> None:
    rules = learn("/item/{n}/", "/item/{n}/?p={p}", target="/item/[0-9]+/", texts=("3", "4"))[1].rules
    assert rules["reviews"]["parent_number"] == 0
    rules = learn("/item/{n}/", "/item/{n}/?p={p}", target="/item/[0-9]+/", texts=("2", "3"))[1].rules
    assert "parent_number" not in rules["reviews"]


def test_the_site_files_regex_decides() -> None:
    regex = BASE + "/item/[0-9]+/print-[0-9]+/"
    knowledge, paging = learn("/item/{n}/", "/item/{n}/print-{p}/", target="/item/[0-9]+/", same=True, regex=regex)
    assert paging.rules["reviews"]["regex"] == regex
    assert knowledge.continuation(f"{BASE}/item/5/print-2/") == Continuation(f"{BASE}/item/5/", ("reviews",), 2)
    _, paging = learn("/item/{n}/", "/item/{n}/print-{p}/", target="/item/[0-9]+/", regex="http://nothing/")
    assert "no target page has a link that 'http://nothing/' takes" in paging.warnings[0]
