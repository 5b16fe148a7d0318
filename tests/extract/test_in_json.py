"""What reads a field on JSON is told as JMESPath that, written into the site file, reads the same on all pages."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gwc_crawler.demo.mall import Mall
from gwc_crawler.demo.mall_server import api_document, api_path, api_site_toml
from gwc_crawler.errors import LearnError
from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.record import wrapper_of
from gwc_crawler.extract.wrapper import Wrapper, source_of
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.knowledge.model import Knowledge
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.modes import LearnMode
from gwc_crawler.sites.samples import shape_of
from gwc_crawler.sites.validation import read_site

ORIGIN = "http://mall.example"
MALL = Mall()
SITE = api_site_toml(MALL, ORIGIN)
SAMPLES = tomllib.loads(SITE)["samples"]
TOLD = {
    "title": "jmespath title",
    "price": "jmespath price.amount",
    "brand": "jmespath brand.name",
    "tags": "jmespath tags",
    "reviews": "rows jmespath reviews[]; parts.author jmespath author; parts.text jmespath text; "
    "parts.date jmespath date",
}


def pages() -> Iterator[PageView]:
    for path, record in MALL.records.items():
        yield PageView.parse(json.dumps(api_document(path, record), ensure_ascii=False), f"{ORIGIN}{api_path(path)}")


@pytest.fixture(scope="module")
def learned() -> Wrapper:
    documents = {one.url: one for one in pages()}
    texts = {url: json.dumps(one.json[0], ensure_ascii=False) for url, one in documents.items()}
    return learn_wrapper([Sample(one["url"], texts[one["url"]], one["fields"]) for one in SAMPLES], texts.items())


def by_hand(told: Mapping[str, str]) -> Wrapper:
    """What a site file reads that has what is told."""
    lines = [f'entry = ["{ORIGIN}/api/"]', "[learn]", f'target = ["{ORIGIN}/api/products/*"]']
    shapes = {name: shape_of(value) for one in SAMPLES for name, value in one["fields"].items()}
    for name, said in told.items():
        lines += [f"[fields.{name}]", *["many = true"] * (shapes[name] is ValueShape.LIST)]
        for one in said.split("; "):
            where, _, expression = one.rpartition("jmespath ")
            lines.append(f"{where.strip()}{'.' * bool(where)}jmespath = '''{expression}'''")
    site = read_site("\n".join(lines), Path("mall.toml"))
    return wrapper_of(Knowledge("mall", LearnMode.BEST, (), (), max_weight=1).with_selectors(site.fields))


def test_what_is_told_of_any_page_reads_the_same_on_all_pages_when_written_by_hand(learned: Wrapper) -> None:
    views = list(pages())
    told: dict[str, set[str]] = {}
    for view in views:
        for name, said in learned.sources(view).items():
            told.setdefault(name, set()).add(said)
    assert told.keys() == learned.rules.keys()
    sayable = {name: next(iter(said)) for name, said in told.items() if name != "description"}
    assert sayable == sayable | TOLD
    assert all(len(told[name]) == 1 for name in sayable)
    hand = by_hand(sayable)
    for view in views:
        assert {name: hand.rules[name].read(view) for name in sayable} == {
            name: learned.rules[name].read(view) for name in sayable
        }


def test_what_no_jmespath_reads_and_what_is_html_is_told_as_it_is_learned(learned: Wrapper) -> None:
    view = next(pages())
    assert source_of(learned.rules["description"], view) == learned.rules["description"].source(view)
    page = (
        '<html><head><script type="application/json">{"t": "x"}</script></head><body><p class="t">x</p></body></html>'
    )
    rule = learn_wrapper([Sample("http://a.example/", page, {"t": "x"})]).rules["t"]
    assert source_of(rule, PageView.parse(page)) == rule.source(PageView.parse(page))
    head = BestRule(ValueShape.TEXT, (Locator(Family.PATH, "//title"),))
    assert source_of(head, view) == head.source(view) == "path //title (rule 1 of 1)"


@pytest.mark.parametrize(
    ("document", "value", "told"),
    [
        ({"a b": {"x-y": "v"}}, "v", ""),
        ({"x-y": {"名": "v"}}, "v", 'jmespath "x-y"."名"'),
        ({"offers": [{"p": "1", "q": "2"}, {"p": "v", "q": "3"}]}, "v", "jmespath offers[1].p"),
        ({"offers": [{"p": "v", "q": "2"}, {"p": "w", "q": "3"}]}, ["v", "w"], "jmespath offers[].p"),
        ([{"p": "v"}], "v", ""),
    ],
    ids=["a key with a blank, whose class is another", "keys in quotes", "a place", "all places", "a list at the top"],
)
def test_keys_and_places_are_said_where_they_can_be(document: object, value: str | list[str], told: str) -> None:
    page = json.dumps(document, ensure_ascii=False)
    view = PageView.parse(page)
    rule = learn_wrapper([Sample("http://a.example/", page, {"f": value})]).rules["f"]
    said = source_of(rule, view)
    assert said == told or (not told and "jmespath" not in said)
    assert rule.read(view) == value


def test_of_json_nobody_is_sent_to_a_browser() -> None:
    page = json.dumps({"name": "x", "note": None})
    with pytest.raises(LearnError, match=r"the value 'note' is nowhere on http://a.example/, nor anything like it$"):
        learn_wrapper([Sample("http://a.example/", page, {"f": "note"})])
