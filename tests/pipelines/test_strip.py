"""`StripPipeline` on items of any spider: which fields it strips, and what it leaves as it is."""

from __future__ import annotations

import dataclasses
from typing import Any

import attr
import pytest
import scrapy
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from gwc_crawler.errors import InputError
from gwc_crawler.pipelines.strip import StripPipeline

PAGE = "<!doctype html><html><head><title>T</title></head><body><p>One<br>two</p><script>3</script></body></html>"
BARE = "<html><body><p>Onetwo</p></body></html>"


@dataclasses.dataclass
class Book:
    html: str
    title: str = "<b> is bold"


@dataclasses.dataclass(frozen=True)
class Frozen:
    html: str


@attr.s(auto_attribs=True)
class Author:
    html: bytes


class Shelf(scrapy.Item):
    html = scrapy.Field()
    about = scrapy.Field()


def pipeline(**settings: Any) -> StripPipeline:
    """As in a project that has nothing else of ours."""
    return StripPipeline.from_crawler(get_crawler(scrapy.Spider, settings))


@pytest.mark.parametrize("item", [{"html": PAGE}, Book(PAGE), Author(PAGE.encode()), Shelf(html=PAGE)])
def test_fields_that_hold_html_are_stripped_in_items_of_all_kinds(item: Any) -> None:
    assert scrapy_fields(pipeline().process_item(item))["html"] == BARE


def scrapy_fields(item: Any) -> dict[str, Any]:
    from itemadapter.adapter import ItemAdapter

    return ItemAdapter(item).asdict()


def test_what_is_no_html_or_only_has_some_in_it_stays() -> None:
    item = {
        "title": "if a <b> c", "sum": 3, "none": None, "tag": "<unknown>x</unknown>", "link": "<https://a.example>",
        "less": "<p> is a paragraph", "empty": "", "pair": ("<p>1</p>", 2), "pages": [PAGE, "no page", None],
    }  # fmt: skip
    assert pipeline().process_item(dict(item)) == {**item, "pages": [BARE, "no page", None]}


def test_a_part_of_a_page_stays_a_part() -> None:
    item = {"html": "<p>One<br>two</p> <script>3</script>", "rows": "<script>1</script>"}
    assert pipeline().process_item(item) == {"html": "<p>Onetwo</p>", "rows": ""}


def test_fields_that_are_named_are_stripped_and_no_others() -> None:
    item = {"html": PAGE, "body": "Read <b>this</b><br>", "other": PAGE}
    for names in ("html, body, absent", ["html", "body", "absent"]):
        stripped = pipeline(GWC_STRIP_FIELDS=names).process_item(dict(item))
        assert stripped == {"html": BARE, "body": "Read <b>this</b>", "other": PAGE}


def test_the_papers_groups_can_be_chosen_from_and_added_to() -> None:
    html = "<p>One<br>two<img></p> <nav>x</nav><script>3</script><input>"
    expected = {
        "scripts": "<p>One<br>two<img></p> <nav>x</nav><input>",
        "empty,scripts,nav": "<p>One<br>two<img></p><input>",
        "others,forms": "<p>Onetwo</p> <nav>x</nav><script>3</script>",
    }
    for groups, left in expected.items():
        assert pipeline(GWC_STRIP_GROUPS=groups).process_item({"html": html})["html"] == left
    assert pipeline(GWC_STRIP="none").process_item({"html": html})["html"] == html


def test_an_item_that_can_not_be_changed_is_dropped_with_the_reason() -> None:
    with pytest.raises(DropItem, match=r"html of Frozen can't be stripped.*let the class not be frozen"):
        pipeline().process_item(Frozen(PAGE))
    assert pipeline().process_item(Frozen("plain")) == Frozen("plain")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("GWC_STRIP_GROUPS", "scrips", "'scrips' is no group .*did you mean"),
        ("GWC_STRIP", "some", "setting GWC_STRIP is 'some'; it can be all, targets, none"),
        ("GWC_STRIP_FIELD", "html", "unknown setting GWC_STRIP_FIELD .*GWC_STRIP_FIELDS"),
    ],
)
def test_a_setting_that_can_not_be_is_refused_with_what_helps(name: str, value: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pipeline(**{name: value})
