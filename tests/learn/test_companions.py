"""Pages that are what a group told apart is, though none of its marks stands on them."""

from __future__ import annotations

from gwc_crawler.learn.lookalikes.apart import set_companions_apart
from gwc_crawler.learn.lookalikes.check import page_check
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probes import RENAMED, Split

CHROME = frozenset(["body>div.top>a", "body>div.foot>p"])
CLASS = frozenset(f"div.class>{name}>span" for name in "abcdefgh")
FIELDS = frozenset({"title", "summary", "header", "functions"})
PROSE = frozenset({"title", "summary"})


def classes(count: int = 20, fields: frozenset[str] = FIELDS, name: str = "q") -> list[Probe]:
    return [Probe(f"/{name}{n}", CHROME | CLASS, name == "q" and n < 2, fields=fields) for n in range(count)]


def articles(count: int, *marks: str) -> list[Probe]:
    return [Probe(f"/{marks}{n}", CHROME | frozenset(marks), False, fields=PROSE) for n in range(count)]


def test_articles_go_with_those_that_were_told_apart() -> None:
    noticed, others = articles(5, "ul.topics>li>a", "main>ul.topics>li"), articles(3, "main>p>img")
    split = set_companions_apart(Split([*classes(), *others], [noticed], ["articles"]))
    assert split.foreign == [[*noticed, *others]]
    assert set(page_check(split, {}, "")["required"]) == CLASS


def test_what_has_a_field_or_the_template_stays() -> None:
    noticed = articles(5, "ul.topics>li>a")
    plain = classes(3, PROSE, "plain")
    rich = [Probe("/rich", CHROME, False, fields=PROSE | {"header"})]
    good = [*classes(), *plain, *rich]
    assert set_companions_apart(Split(good, [noticed], ["articles"])).good == good


def test_a_pair_of_odd_pages_is_no_group() -> None:
    good = [*classes(), *articles(3, "main>p>img")]
    assert set_companions_apart(Split(good, [articles(2, "ul.topics>li>a")], ["odd"])).good == good


def test_one_field_alone_is_not_enough() -> None:
    good = [*classes(20, PROSE | {"header"}), *articles(3, "main>p>img")]
    assert set_companions_apart(Split(good, [articles(5, "ul.topics>li>a")], ["articles"])).good == good


def test_what_has_the_name_of_the_samples_element_is_no_companion_of_renamed_ones() -> None:
    noticed = articles(5, "dl.method>p")
    named, bare = articles(3, "dl.function>p"), articles(3, "main>p>img")
    split = Split([*classes(), *named, *bare], [noticed], [RENAMED])
    assert set_companions_apart(split, frozenset({"dl.function>p"})).foreign == [[*noticed, *bare]]
