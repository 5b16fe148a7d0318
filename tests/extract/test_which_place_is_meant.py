"""Which of several places that say the same on both samples is meant: labels, headings, counted elements, notes."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import Finder, PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.judging import at_its_label
from gwc_crawler.page import parse_html
from tests.extract.pages import ONE, OTHER, learned

NAMES = ("Thor", "Odin", "Loki", "Freya", "Hel", "Tyr", "Ran", "Sif", "Bor", "Buri", "Ve", "Vili")


def body(*parts: str) -> str:
    return f"<html><body>{''.join(parts)}</body></html>"


def dated(posted: str, updated: str = "") -> PageView:
    more = f" Last updated <time>{updated}</time>" if updated else ""
    return PageView(parse_html(body(f"<p class=meta>Posted <time>{posted}</time>{more}</p>")), "http://a.test")


@pytest.mark.parametrize(("name", "again", "is_led"), [("updated", "", True), ("date", "", False), ("date", "x", True)])
def test_a_label_goes_before_the_last_of_several_elements(name: str, again: str, is_led: bool) -> None:
    """It has a word of the name; or where it is missing the other one says what no label has led to."""
    last = Finder(Family.CLASS, '//p[contains(concat(" ",@class," ")," meta ")]/time[last()]')
    label = Finder(Family.LABEL, '//p/text()[normalize-space()="Last updated"]/following-sibling::time[1]', cost=1.5)
    pages = [dated(f"{n}", "May") for n in range(9)] + [dated(again or "May")]
    assert at_its_label(name, last, [last, label], pages) == ([label] if is_led else [])
    assert at_its_label(name, last, [last, label], [dated("1", "May"), *map(dated, "abcdefgh")]) == []
    assert at_its_label(name, label, [last, label], pages) == []


def test_the_heading_goes_before_an_entry_of_the_contents_that_some_pages_lack() -> None:
    def page(name: str, *, has_contents: bool = True) -> str:
        contents = f"<div class=sidebar><ul><li><a class=internal href=#>{name}</a></li></ul></div>"
        heading = f'<div id=main><h1>{name}<a class=link href="#x">¶</a></h1><p>{OTHER}</p></div>'
        return body("<div id=hd><h1><a href=/>Manual</a></h1></div>", heading, contents * has_contents)

    samples = [(page(name), {"title": name}) for name in ("Thor 1.2 notes", "Odin 2.0 notes")]
    more = [page(f"{name} 3.{n} notes", has_contents=n != 4) for n, name in enumerate(NAMES)]
    assert learned(samples, more).extract(page("Ymir 5.1 notes", has_contents=False))["title"] == "Ymir 5.1 notes"


def test_the_marks_of_footnotes_are_no_part_of_a_text() -> None:
    def page(name: str, text: str, note: str = "") -> str:
        mark = f'<sup class="reference"><a href="#n">[{note}]</a></sup>' if note else ""
        return body(f"<h1>{name}</h1><div id=text><p><b>{name}</b> {text}{mark}</p><h2>More</h2><p>{OTHER}</p></div>")

    samples = [(page(name, ONE), {"name": name, "lead": f"{name} {ONE}"}) for name in NAMES[:2]]
    more = [page(name, f"{OTHER} {n}", "1" if n == 3 else "") for n, name in enumerate(NAMES[2:])]
    assert learned(samples, more).extract(page("Ymir", ONE, "2"))["lead"] == f"Ymir {ONE}"
    noted = [(page(name, ONE, "1"), {"name": name, "lead": f"{name} {ONE}[1]"}) for name in NAMES[:2]]
    assert learned(noted, more).extract(page("Ymir", ONE, "2"))["lead"] == f"Ymir {ONE}[2]"


def test_what_follows_another_fields_value_is_read_where_that_is_missing() -> None:
    def page(name: str, text: str, rarity: str = "") -> str:
        badge = f"<span class='badge warning'>{rarity}</span>" if rarity else ""
        return body(f"<div class=doc><h1>{name}</h1><span class='badge tip'>{name}类</span>{badge}"
                    f"<p>{text}</p><p>{text}</p><h2>来源</h2><ul><li>{name}</li></ul></div>")  # fmt: skip

    def text(n: int) -> str:
        return (
            f"第{'一二三四五六七八九十甲乙丙丁'[n]}种材料，在被黄沙掩埋的古老文献中，花的王者是梦的女主人，展现梦想。"
        )

    samples = [
        (page(name, text(n), f"★{n + 3}"), {"name": name, "rarity": f"★{n + 3}", "description": f"{text(n)} {text(n)}"})
        for n, name in enumerate(("鳞片", "露滴"))
    ]
    more = [page(f"材料{n}", text(n), f"★{n % 3 + 1}" * (n % 5 > 0)) for n in range(2, 14)]
    assert learned(samples, more).extract(page("花", text(5)))["description"] == f"{text(5)} {text(5)}"
