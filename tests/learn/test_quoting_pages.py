"""Pages among the targets that show the record of another one, and lists of records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.items import StoredPage, ValueShape
from gwc_crawler.learn.kinds.field_witness import FieldWitness
from gwc_crawler.learn.lookalikes.apart import set_quoting_apart
from gwc_crawler.learn.lookalikes.check import page_check
from gwc_crawler.learn.lookalikes.probe import Probe
from gwc_crawler.learn.lookalikes.probes import Split
from gwc_crawler.modes import LearnMode
from tests.eval.generated.grammar import Grammar
from tests.eval.generated.trial import try_as_a_crawl

CHROME = frozenset(["body>div.top>a", "body>div.foot>p", "p:Imprint"])
PRODUCT = frozenset(f"div.product>{name}>span" for name in "abcdefgh")
PROSE = frozenset({"main>div.prose>p", "main>div.prose>h2"})
COMMON = dict.fromkeys(CHROME, 1.0)
FIELDS = frozenset({"title", "price", "maker"})


def products(count: int = 20) -> list[Probe]:
    return [Probe(f"/item/{number}", CHROME | PRODUCT, number < 2, None, 1.0, fields=FIELDS) for number in range(count)]


def plain(name: str, fields: frozenset[str] = frozenset({"title"})) -> Probe:
    return Probe(f"/{name}", CHROME | PROSE, False, None, 0.3, fields=fields)


BESIDE = [plain(f"news/{number}") for number in range(5)]


def test_they_are_refused_beside_another_category_that_has_the_marks_which_they_lack() -> None:
    event = CHROME | PRODUCT - {"div.product>h>span"} | frozenset(f"ul.events>{name}>li" for name in "abc")
    foreign = [[Probe(f"/item/e{n}", event, False) for n in range(5)], [Probe(f"/p{n}", CHROME, False) for n in "ab"]]
    check = page_check(Split(products(), foreign, ["events", "bare"]), {}, "")
    assert set(check["required"]) == PRODUCT
    assert set(check["forbidden"]) >= {f"ul.events>{name}>li" for name in "abc"}
    quoting = [Probe("/q", CHROME | PRODUCT, False)]
    assert set(page_check(Split(products(), [*foreign, quoting], [""] * 3), {}, "")["required"]) == PRODUCT


HEADING = frozenset({"main>div.head>h1", "main>div.head>p"})


def test_marks_of_the_start_page_are_required_where_nothing_else_tells() -> None:
    samples = products()
    assert set(page_check(Split(samples, [], []), COMMON, "", start=HEADING)["required"]) == PRODUCT
    made = [replace(one, marks=one.marks | HEADING) for one in samples]
    assert set(page_check(Split(made, [], []), COMMON, "", start=CHROME | HEADING)["required"]) == PRODUCT
    assert set(page_check(Split(made, [], []), COMMON, "", start=HEADING | PRODUCT)["required"]) == PRODUCT | HEADING


def test_a_page_that_shows_the_record_of_one_it_leads_to_is_taken_out() -> None:
    quoting = Probe("/item/latest", CHROME | (PRODUCT - {"div.product>a>span"}) | PROSE, False, None, 1.0)
    split = Split([*products(), quoting], [], [])
    shown = {"title": "Our latest", "price": "$4", "text": "A kettle for those who have everything else already."}
    values = {"/item/latest": shown, "/item/7": {**shown, "title": "Kettle"}}
    links = {"/item/latest": ["/item/7"]}

    marks = {probe.url: probe.marks for probe in split.good}

    def apart(values: dict[str, dict[str, str]]) -> Split:
        return set_quoting_apart(
            split, lambda url: links.get(url, []), lambda url: dict(values.get(url, {})), marks.__getitem__
        )

    assert [probe.url for probe in apart(values).foreign[0]] == ["/item/latest"]
    others = values | {"/item/7": {**shown, "title": "Kettle", "text": "Another."}}
    assert apart(others) == split


def test_two_records_that_say_the_same_of_different_things_are_both_kept() -> None:
    """Rust's `Entry` and `RawEntryMut` have one summary and the same variants; a link in a heading is missing."""
    template = frozenset(f"div.product>{n}>span" for n in range(80))
    whole = [Probe(f"/item/{n}", CHROME | template, n < 2, None, 1.0, fields=FIELDS) for n in range(20)]
    like = Probe("/item/raw", CHROME | (template - {"div.product>7>span"}) | PROSE, False, None, 1.0)
    split = Split([*whole, like], [], [])
    shown = {"title": "Raw", "module": "map", "text": "A view into a single entry of a map, which may be vacant."}
    values = {"/item/raw": shown, "/item/7": {**shown, "title": "Entry"}}
    marks = {probe.url: probe.marks for probe in split.good}
    links = {"/item/raw": ["/item/7"]}
    apart = set_quoting_apart(split, lambda url: links.get(url, []), lambda url: values.get(url, {}), marks.__getitem__)
    assert apart == split


@dataclass(frozen=True)
class Counted(BestRule):
    """A rule that finds as many values of a field as a page's title says: "name 5, module 1"."""

    name: str = ""

    def count(self, page: PageView) -> int:
        title = str(page.tree.findtext(".//title"))
        return int(dict(part.split() for part in title.split(", "))[self.name])


def counted(title: str) -> StoredPage:
    url = f"http://lists.example/{title}"
    html = f"<html><title>{title}</title><body></body></html>".encode()
    return StoredPage(url, url, html, "text/html", "utf-8", 0, 1, True, ())


RULES = {name: Counted(ValueShape.TEXT, (), name) for name in ("name", "module", "since")}


def test_a_field_that_stands_several_times_on_the_samples_makes_no_page_a_list() -> None:
    samples = [counted("name 5, module 1, since 5")] * 2
    findings = FieldWitness(Wrapper(LearnMode.BEST, RULES), samples)
    many = counted("name 12, module 1, since 29")
    assert not findings.several(many)
    assert findings.found(many) == {"name", "module", "since"}


@pytest.mark.parametrize("whole", [False, True], ids=["a card of it", "a whole entry"])
def test_pages_written_by_hand_beside_thirty_targets_are_left_out(whole: bool) -> None:
    site = Grammar(seed=5, targets=30, landings=1, values=3, sections=2, whole_entries=whole, sidebar=True)
    outcome = try_as_a_crawl(replace(site, articles=12))
    assert (outcome.wrong, outcome.lost) == ([], [])
