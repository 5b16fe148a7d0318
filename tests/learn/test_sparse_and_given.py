"""Sparse records that lack a section and nothing else; targets that a regex names; weights as the crawl gives them."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.record import extract_record
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask
from gwc_crawler.page.reader import PageReader
from tests.extract.pages import sentence, word

SITE = "http://ref.example"
KINDS = ("macro", "fn", "type")


def html(kind: str, n: int, *, sparse: bool = False) -> str:
    """A page of a reference: all kinds are built alike, and any may have no parameters."""
    rows = "".join(f"<tr><td><code>{word(n + k)}</code></td><td>{sentence(n + k)}</td></tr>" for k in range(1 + n % 3))
    table = f"<h2>Parameters</h2><table><tr><th>Name</th><th>Use</th></tr>{rows}</table>"
    also = "".join(f"<li><a href={kind}.{word(n + k)}.html>{word(n + k)}</a></li>" for k in (3, 5))
    return (
        f"<html><head><title>{word(n)} - ref</title></head><body><nav><a href=index.html>All</a></nav>"
        f"<h1>{word(n)}</h1><p class=kind>{kind}</p><p class=summary>{sentence(n)}</p>{'' if sparse else table}"
        f"<h2>See also</h2><ul>{also}</ul></body></html>"
    )


def values(n: int) -> dict[str, Any]:
    rows = [{"param": word(n + k), "use": sentence(n + k)} for k in range(1 + n % 3)]
    return {"name": word(n), "summary": sentence(n), "params": rows}


def stored(path: str, body: str, links: list[str], *, depth: int = 1, relevant: bool = False) -> StoredPage:
    url, found = SITE + path, tuple(SITE + link for link in links)
    return StoredPage(url, url, body.encode(), "text/html", "utf-8", 0, depth, relevant, found)


def paths(kind: str, count: int) -> dict[str, int]:
    return {f"/{kind}.{word(n)}.html": n for n in range(count)}


def site(count: int, sparse_from: int) -> list[StoredPage]:
    """An index, a list for each kind, and pages of which those from a number on have no parameters."""

    def list_of(links: list[str]) -> str:
        items = "".join(f"<li><a href={one[1:]}>{one}</a></li>" for one in links)
        return f"<html><head><title>list - ref</title></head><body><h1>List</h1><ul>{items}</ul></body></html>"

    lists = [f"/list-{kind}.html" for kind in KINDS]
    pages = [stored("/index.html", list_of(lists), lists, depth=0)]
    for kind, path in zip(KINDS, lists, strict=True):
        inside = paths(kind, count)
        pages.append(stored(path, list_of(list(inside)), ["/index.html", *inside]))
        pages += [stored(one, html(kind, n, sparse=n >= sparse_from), ["/index.html"]) for one, n in inside.items()]
    return pages


def learn(pages: list[StoredPage], **options: Any) -> Knowledge:
    given = tuple((f"{SITE}/macro.{word(n)}.html", values(n)) for n in (4, 9))
    return learn_site(LearnTask("ref", (f"{SITE}/index.html",), samples=given, **options), pages)


def taken(knowledge: Knowledge, pages: list[StoredPage]) -> set[str]:
    """The paths of the pages of which a crawl makes records."""
    read = [PageReader(knowledge).read(one.url, one.html, "text/html") for one in pages if knowledge.is_target(one.url)]
    return {one.url.removeprefix(SITE) for one in read if not extract_record(one, knowledge).rejected}


def test_pages_that_lack_one_section_of_both_samples_and_nothing_else_are_records() -> None:
    pages = site(60, 49)
    assert taken(learn(pages), pages) == set(paths("macro", 60))


def test_what_a_regex_names_are_the_targets_and_pages_beside_them_lead_there() -> None:
    pages = site(60, 60)
    knowledge = learn(pages, target=r"http://ref\.example/macro\.[^/]*\.html")
    inside = {page.url.removeprefix(SITE) for page in pages if knowledge.is_target(page.url)}
    assert inside == set(paths("macro", 60))
    assert not knowledge.is_target(f"{SITE}/index.html")
    assert knowledge.verdict(f"{SITE}/list-macro.html") is Verdict.DIRECTORY
    assert knowledge.evidence["targets_reached"] == {"reached": 60, "known": 60}


OPEN, SHUT = html("macro", 4), html("macro", 5)


# Weights


@pytest.mark.parametrize(("keywords", "weight"), [("", 2), ("word", 1)])
def test_pages_that_only_the_pre_crawl_took_for_relevant_weigh_as_in_the_crawl(keywords: str, weight: int) -> None:
    """Lists without a link to a target lead to lists with them; the pre-crawl found the first like the samples."""
    chains = {n: [f"/far/{n}.html", f"/near/{n}.html"] for n in range(6)}
    targets = {f"/macro.{word(n)}.html": n for n in range(60)}

    def listing(links: list[str]) -> str:
        items = "".join(f"<li><a href={one}>{one}</a></li>" for one in links)
        return f"<html><body><h1>List word</h1><ul>{items}</ul></body></html>"

    pages = [
        stored(
            "/index.html", listing([far for far, _ in chains.values()]), [far for far, _ in chains.values()], depth=0
        )
    ]
    for n, (far, near) in chains.items():
        own = [path for path, number in targets.items() if number % 6 == n]
        pages.append(stored(far, listing([near]), [near], relevant=True))
        pages.append(stored(near, listing(own), own, relevant=True))
    pages += [stored(path, html("macro", n), [], relevant=True) for path, n in targets.items()]
    assert learn(pages, keywords=keywords).evidence["weights"]["needed"] == weight
