"""Learning a whole small site, written here: knowledge, evidence, report, and what is said when it can't be learned."""

from __future__ import annotations

import gc
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from gwc_crawler.errors import LearnError
from gwc_crawler.items import StoredPage
from gwc_crawler.knowledge.model import Knowledge, Verdict
from gwc_crawler.learn.report import learning_report, render_report
from gwc_crawler.learn.site import learn_site
from gwc_crawler.learn.targets.task import LearnTask

SHOP = "http://shop.example"


def product(number: int) -> str:
    stock = f"<p class='stock'>{number % 7} left</p>" if number % 3 else ""
    return (
        f"<html><head><title>Shop</title></head><body><h1 class='name'>Thing {number}</h1>"
        f"<div><b>Price:</b> <span class='price'>${number}.50</span></div>{stock}"
        f"<p class='note'>Sold by Shop</p><a href='/'>home</a></body></html>"
    )


def listing(links: tuple[str, ...]) -> str:
    return (
        "<html><body><ul>" + "".join(f"<li><a href='{link}'>{link}</a></li>" for link in links) + "</ul></body></html>"
    )


def stored(url: str, html: str, links: tuple[str, ...], weight: int, depth: int = 1) -> StoredPage:
    return StoredPage(url, url, html.encode(), "text/html", "utf-8", weight, depth, weight == 0, links)


def shop(products: int = 30) -> list[StoredPage]:
    lists = tuple(f"{SHOP}/list/{number}" for number in range(1, 6))
    items = tuple(f"{SHOP}/item/{number}" for number in range(1, products + 1))
    home = (*lists, *items[:3])
    pages = [stored(f"{SHOP}/", listing(home), home, 0, 0)]
    pages += [stored(url, listing(items), (f"{SHOP}/", *items), 1) for url in lists]
    pages += [stored(url, product(number), (f"{SHOP}/",), 0, 2) for number, url in enumerate(items, 1)]
    return pages


def task(mode: str, **changes: object) -> LearnTask:
    samples = (
        (f"{SHOP}/item/4", {"name": "Thing 4", "price": "$4.50", "note": "Sold by Shop"}),
        (f"{SHOP}/item/11", {"name": "Thing 11", "price": "$11.50", "note": "Sold by Shop"}),
    )
    return LearnTask(**{"site": "shop", "entry": (f"{SHOP}/",), "samples": samples, "mode": mode, **changes})  # type: ignore[arg-type]


@pytest.fixture(params=["paper", "best"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def knowledge(mode: str) -> Knowledge:
    return learn_site(task(mode), shop())


def test_items_are_targets_and_lists_directories(knowledge: Knowledge) -> None:
    assert knowledge.verdict(f"{SHOP}/item/977") is Verdict.TARGET
    assert knowledge.verdict(f"{SHOP}/list/6") is Verdict.DIRECTORY
    assert knowledge.verdict(f"{SHOP}/help/terms.html") is Verdict.NEITHER


def test_the_weight_threshold_is_taken_from_the_pages_unless_given(mode: str) -> None:
    assert learn_site(task(mode), shop()).max_weight == 1
    assert learn_site(task(mode, max_weight=3), shop()).max_weight == 3


TOPICS = ("tea", "toys", "maps", "music", "pottery", "phones", "garden", "kitchen", "hats", "lamps", "boots")


def shop_of_topics() -> list[StoredPage]:
    """A shop with a class of lists for each topic, which link to guides that lead nowhere."""
    pages = shop()
    items = [page.url for page in pages if "/item/" in page.url]
    guides = tuple(f"{SHOP}/guide/{number}.html" for number in range(1, 7))
    for place, topic in enumerate(TOPICS):
        for number in range(1, 5):
            shown = (*items[place : place + 4], *guides[number - 1 : number + 2])
            pages.append(stored(f"{SHOP}/list?{topic}={number}", listing(shown), shown, 1))
    lists = tuple(page.url for page in pages[-4 * len(TOPICS) :])
    pages.append(stored(f"{SHOP}/map", listing(lists), lists, 1))
    pages += [stored(url, "<html><body><h2>How to</h2><p>Wash it.</p></body></html>", (), 2, 2) for url in guides]
    home = (*pages[0].links, f"{SHOP}/map")
    return [replace(pages[0], links=home, html=listing(home).encode()), *pages[1:]]


def test_who_asks_to_tunnel_further_follows_pages_that_lead_nowhere_however_many_directories_there_are() -> None:
    plain, further = (learn_site(task("best", max_weight=weight), shop_of_topics()) for weight in (None, 3))
    assert len(plain.directories) >= 10
    assert plain.verdict(f"{SHOP}/guide/7.html") is Verdict.NEITHER
    assert further.verdict(f"{SHOP}/guide/7.html") is Verdict.DIRECTORY


def test_knowledge_survives_its_file(knowledge: Knowledge, tmp_path: Path) -> None:
    knowledge.save(tmp_path / "knowledge.json")
    loaded = Knowledge.load(tmp_path / "knowledge.json")
    assert loaded.targets == knowledge.targets
    assert json.dumps(learning_report(loaded)) == json.dumps(learning_report(knowledge))


def test_fields_are_judged_on_pages_the_learning_has_not_seen(knowledge: Knowledge) -> None:
    price = knowledge.evidence["fields"]["price"]
    assert price["coverage"] == 1.0
    assert len(price["values"]) == 5
    shown = {item["url"] for item in price["values"]}
    assert shown.isdisjoint({f"{SHOP}/item/4", f"{SHOP}/item/11"})
    for item in price["values"]:
        assert item["value"] == f"${item['url'].rpartition('/')[2]}.50"


def test_labelled_boilerplate_is_pointed_out(knowledge: Knowledge) -> None:
    assert "boilerplate" in knowledge.evidence["fields"]["note"]["warnings"][0]


def test_learning_is_deterministic(mode: str) -> None:
    assert learn_site(task(mode), shop()) == learn_site(task(mode), shop())


def test_the_report_shows_targets_listings_fields_and_warnings(knowledge: Knowledge) -> None:
    console = Console(file=io.StringIO(), width=120)
    render_report(knowledge, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for expected in ("/item/*", "listings", "price", "100%", "field note: constant on all pages"):
        assert expected in text
    assert "weights" not in text


def test_the_rest_of_the_report_has_regexes_and_weights(knowledge: Knowledge) -> None:
    console = Console(file=io.StringIO(), width=120)
    render_report(knowledge, console, verbose=True)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for expected in ("/item/[0-9]+", "directory", "weights", "constant on all pages"):
        assert expected in text


@pytest.mark.parametrize(
    ("look", "waiting", "told"),
    [
        ((250, "it has not stood for 200 pages yet", 150), 90, "from 36 pages, the decision is the same since 150"),
        ((350, "300 pages showed other targets", 0), 90, "at 350 the decision was not settled: 300 pages"),
        ((350, "300 pages showed other targets", 0), 0, "from 36 pages, all that links lead to"),
        ((150, "it has not stood for 200 pages yet", 150), 90, "from 36 pages;"),
    ],
)
def test_the_first_line_says_whether_the_decision_stands(
    knowledge: Knowledge, look: tuple[int, str, int], waiting: int, told: str
) -> None:
    last = dict(zip(("pages", "doubt", "since"), look, strict=True))
    console = Console(file=io.StringIO(), width=120)
    render_report(replace(knowledge, evidence={**knowledge.evidence, "looks": [last], "waiting": waiting}), console)
    assert told in console.file.getvalue()  # type: ignore[attr-defined]


def test_without_sample_values_the_targets_are_still_found(mode: str) -> None:
    knowledge = learn_site(task(mode, samples=()), shop())
    assert knowledge.verdict(f"{SHOP}/item/977") is Verdict.TARGET
    assert any("no sample has field values" in warning for warning in knowledge.evidence["warnings"])


def test_without_samples_second_versions_are_no_targets() -> None:
    pages = shop()
    for place, page in list(enumerate(pages)):
        if "/item/" in page.url:
            text = f"<p>{f'All that there is to say about thing {place}. ' * 4}</p>".encode()
            version = page.url.replace("/item/", "/print/item/")
            pages[place] = replace(page, html=page.html + text, links=(*page.links, version))
            pages.append(replace(pages[place], url=version, requested=version, links=()))
    knowledge = learn_site(task("best", samples=()), pages)
    assert knowledge.verdict(f"{SHOP}/item/977") is Verdict.TARGET
    assert knowledge.verdict(f"{SHOP}/print/item/977") is Verdict.NEITHER


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (((f"{SHOP}/item/999", {"name": "x"}),), "item/999 is not among the 36 fetched pages"),
        (((f"{SHOP}/item/4", {"name": "Thing 5000"}),), "Thing 5000"),
    ],
)
def test_a_sample_that_is_not_there_is_named(mode: str, samples: object, message: str) -> None:
    with pytest.raises(LearnError, match=message):
        learn_site(task(mode, samples=samples), shop())


@pytest.mark.parametrize("before, meanwhile", [(700, 20_000), (50_000, 50_000), (0, 0)])
def test_the_cycle_collector_comes_less_often_meanwhile(before: int, meanwhile: int) -> None:
    seen, usual = [], gc.get_threshold()

    def pages() -> Iterator[StoredPage]:
        seen.append(gc.get_threshold()[0])
        yield from shop()

    try:
        gc.set_threshold(before, 10, 10)
        learn_site(task("best"), pages())
        with pytest.raises(LearnError):
            learn_site(task("best"), [])
        assert (seen, gc.get_threshold()) == ([meanwhile], (before, 10, 10))
    finally:
        gc.set_threshold(*usual)


def test_nothing_crawled_is_nothing_learned(mode: str) -> None:
    with pytest.raises(LearnError, match="no page was fetched"):
        learn_site(task(mode), [])
