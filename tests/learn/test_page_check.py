"""Telling target pages from others of the same URL form: learning the marks, and checking a page by them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gwc_crawler.extract.page_check import page_agrees, page_features
from gwc_crawler.items import StoredPage
from gwc_crawler.learn.kinds.sample_values import places_of
from gwc_crawler.learn.lookalikes.check import page_check
from gwc_crawler.learn.lookalikes.probe import Probe, are_apart
from gwc_crawler.learn.lookalikes.probes import RENAMED, Split, is_mostly, split_probes
from gwc_crawler.page.parse import parse_html

CHROME = frozenset(["body>div.top>a", "body>div.foot>p", "p:Imprint"])
PRODUCT = frozenset(f"div.product>{name}>span" for name in "abcdefgh") | {"th:Brand", "th:SKU"}
EVENT = frozenset(f"div.event>{name}>span" for name in "abcdefgh") | {"th:Place", "th:Host"}
REVIEWS = frozenset(f"ul.reviews>{name}>p" for name in "abcde")


def probes(products: int = 20, events: int = 5, *, found: bool = True) -> list[Probe]:
    made = [
        Probe(f"/item/{number}", CHROME | PRODUCT | (REVIEWS if number % 2 == 0 else set()), number < 4, None, 1.0)
        for number in range(0, 2 * products, 2 if not events else 1)
    ][:products]
    made[0] = Probe(made[0].url, CHROME | PRODUCT | REVIEWS, is_sample=True, found=1.0)
    made[1] = Probe(made[1].url, CHROME | PRODUCT | REVIEWS, is_sample=True, found=1.0)
    made = [probe if place < 2 else Probe(probe.url, probe.marks, False, None, 1.0) for place, probe in enumerate(made)]
    foreign = [Probe(f"/item/e{number}", CHROME | EVENT, False, None, 0.3) for number in range(events)]
    everything = [*made, *foreign]
    return everything if found else [Probe(one.url, one.marks, one.is_sample) for one in everything]


@pytest.mark.parametrize("found", [True, False])
def test_pages_with_other_marks_in_exchange_are_another_category(found: bool) -> None:
    split = split_probes(probes(found=found))
    assert [{probe.url[:7] for probe in group} for group in split.foreign] == [{"/item/e"}]
    assert len(split.good) == 20
    assert split.reasons[0]


def test_a_single_page_that_is_like_no_other_makes_no_category() -> None:
    assert not split_probes(probes(events=1)).foreign


def test_an_optional_part_that_both_samples_have_makes_no_category() -> None:
    split = split_probes(probes(events=0))
    assert split.foreign == []


def test_a_sparse_page_with_nothing_of_the_other_category_stays() -> None:
    sparse = Probe("/item/sparse", CHROME | {"div.product>a>span"}, False, None, 0.3)
    split = split_probes([*probes(), sparse])
    assert [{probe.url[:7] for probe in group} for group in split.foreign] == [{"/item/e"}]
    assert sparse in split.good


def test_pages_that_lack_a_part_which_both_samples_have_do_not_go_with_those_of_another_category() -> None:
    """The part tells the samples' pages from all others: news, and a few records that have all but this."""
    part, others = frozenset({"h2:Hours", "table.hours>tr", "th:Day"}), frozenset({"h2:Biography", "p.rank>b", "p.fee"})
    news = [Probe(f"/show?id={n}", CHROME | EVENT, False, None, 0.0) for n in range(37)]
    made = [Probe(f"/show?id={100 + n}", CHROME | others | part, n < 2, None, 1.0) for n in range(31)]
    sparse = [Probe(f"/show?id={200 + n}", CHROME | others, False, None, 0.8) for n in range(9)]
    assert split_probes([*made, *news, *sparse]).foreign == [news]


def test_a_page_with_hardly_any_of_the_marks_does_not_lower_what_is_asked_for() -> None:
    marks = [f"h2:Part {n}" for n in range(10)]
    good = [Probe(f"/{n}", CHROME | set(marks), n < 2) for n in range(40)]
    good.append(Probe("/stranger", CHROME | set(marks[:2]), False))
    foreign = [Probe(f"/e{n}", CHROME | EVENT | {marks[0]}, False) for n in range(12)]
    assert page_check(Split(good, [foreign], [""]), {}, "")["least_required"] == 0.5


@pytest.mark.parametrize(("reviewed", "are_others"), [(6, False), (20, True)])
def test_what_few_pages_have_is_not_missing_on_others(reviewed: int, are_others: bool) -> None:
    made = probes()
    fields = [{"title", "price", *(["reviews"] if n < reviewed else [])} for n in range(20)] + [{"title"}] * 5
    found = [replace(one, found=len(has) / 3, fields=frozenset(has)) for one, has in zip(made, fields, strict=True)]
    assert bool(split_probes(found).foreign) == are_others


@pytest.mark.parametrize(("others", "least"), [(0, 0.333), (1, 0.5)], ids=["others have none", "others have as many"])
def test_of_the_marks_no_more_are_asked_for_than_the_poorest_target_has(others: int, least: float) -> None:
    marks = ("h2:Care", "h2:Use", "h2:Size")
    good = [Probe(f"/{n}", CHROME | set(marks), n < 2) for n in range(40)]
    good.append(Probe("/poor", CHROME | set(marks[:1]), False))
    foreign = [Probe(f"/e{n}", CHROME | EVENT | set(marks[:others] if n == 0 else ()), False) for n in range(12)]
    check = page_check(Split(good, [foreign], [""]), {}, "")
    assert set(check["required"]) == set(marks)
    assert check["least_required"] == least


def test_a_link_to_the_next_post_that_is_many_marks_is_asked_for_once() -> None:
    nav = ("div.col>nav.level>div.end", "nav.level>div.end>a.next", "div.end>a.next>i.right", "div.end>a.next>b.item")
    good = [Probe(f"/{n}", CHROME | {"div.card>article>h1.title", *nav}, n < 2) for n in range(40)]
    foreign = [Probe(f"/tag/{n}", CHROME | EVENT, False) for n in range(12)]
    check = page_check(Split(good, [foreign], [""]), {}, "")
    assert sorted(check["required"]) == ["div.card>article>h1.title", "div.col>nav.level>div.end"]
    assert 2 * check["least_required"] <= 1
    frame = {"body.doc>div#main", "body.doc>div#main>p", "div#main>div.text>p", "div#main>div.text>b"}
    built = [replace(one, marks=CHROME | frame | {"h2:Use"}) for one in good]
    assert set(page_check(Split(built, [foreign], [""]), {}, "")["required"]) == frame | {"h2:Use"}
    lists = [Probe(f"/list/{n}", CHROME | EVENT | {nav[0]}, False) for n in range(30)]
    assert set(page_check(Split(good, [lists], [""]), {}, "")["required"]).isdisjoint({nav[0]})


def swapped(events: list[Probe]) -> list[Probe]:
    """Products, and events on which the wrapper finds what it finds on products."""
    everything = frozenset({"title", "price"})
    made = [replace(probe, fields=everything, found=1.0) for probe in probes(events=0)]
    return [*made, *events]


TITLE_IN = {"title": frozenset({"div.product>a>span"})}
FOUND = frozenset({"title"})


@pytest.mark.parametrize(
    ("event", "is_foreign"),
    [
        pytest.param(Probe("", CHROME | EVENT, False, None, 0.5, FOUND), True, id="price never, title elsewhere"),
        pytest.param(
            Probe("", CHROME | EVENT | {"div.product>a>span"}, False, None, 0.5, FOUND), False, id="title in its place"
        ),
        pytest.param(
            Probe("", CHROME | EVENT, False, None, 1.0, frozenset({"title", "price"})),
            True,
            id="all, labels are others",
        ),
        pytest.param(
            Probe("", CHROME | EVENT | {"td:SKU", "td:Brand"}, False, None, 1.0, frozenset({"title", "price"})),
            False,
            id="all, labels are the same: a second template",
        ),
        pytest.param(
            Probe("", CHROME | EVENT | {"div.product>a>span"}, False, None, 0.5, frozenset(), FOUND), True, id="a list"
        ),
    ],
)
def test_fields_that_stand_elsewhere_are_evidence_of_another_category(event: Probe, is_foreign: bool) -> None:
    split = split_probes(swapped([replace(event, url=f"/e{number}") for number in range(5)]), TITLE_IN)
    assert len(split.foreign) == is_foreign, split.reasons
    assert len(split.good) == 20 + 5 * (not is_foreign)


@pytest.mark.parametrize(("others", "is_foreign"), [(2, True), (6, False)])
def test_one_of_many_fields_that_stands_elsewhere_below_another_label_makes_no_category(
    others: int, is_foreign: bool
) -> None:
    """Posts of authors with a portrait have the name in it."""
    everything = frozenset({"title", *(f"field{n}" for n in range(others))})
    posts = [replace(one, fields=everything) for one in swapped([])]
    portraits = [Probe(f"/e{n}", CHROME | EVENT, False, None, 1.0, everything) for n in range(12)]
    assert bool(split_probes([*posts, *portraits], TITLE_IN).foreign) == is_foreign


@pytest.mark.parametrize(
    ("events", "names", "is_foreign"),
    [(18, ("price", "maker"), True), (6, ("price", "maker"), False), (18, ("price",), False)],
    ids=["many", "few: by chance", "a single field"],
)
def test_many_pages_that_lack_what_every_second_target_has_and_have_the_title_elsewhere_are_another_category(
    events: int, names: tuple[str, ...], is_foreign: bool
) -> None:
    made = [replace(one, fields=FOUND if n % 2 else FOUND.union(names)) for n, one in enumerate(swapped([]))]
    marks = CHROME | EVENT | {"td:SKU", "td:Brand"}
    others = [Probe(f"/e{number}", marks, False, None, 0.5, FOUND) for number in range(events)]
    assert len(split_probes([*made, *others], TITLE_IN).foreign) == is_foreign


@pytest.mark.parametrize(("links", "is_foreign"), [(12, True), (3, False)])
def test_pages_built_otherwise_that_lead_to_many_are_lists_whatever_is_found(links: int, is_foreign: bool) -> None:
    leads = frozenset(f"/other/{number}" for number in range(links))
    lists = [Probe(f"/list/{n}", CHROME | EVENT, False, None, 0.7, leads_to=leads) for n in range(4)]
    split = split_probes([*probes(events=0), *lists])
    assert split.foreign == ([lists] if is_foreign else []), split.reasons


@pytest.mark.parametrize(("missing", "bare", "is_foreign"), [(1, 0, False), (1, 1, False), (1, 3, True), (2, 0, True)])
def test_pages_with_all_but_one_of_many_fields_are_no_lists_though_they_lead_to_many(
    missing: int, bare: int, is_foreign: bool
) -> None:
    names = ["maker", "origin", "price", "title"]
    leads = frozenset(f"/other/{number}" for number in range(12))
    made = [replace(one, fields=frozenset(names)) for one in probes(events=0)]
    few = frozenset(names[missing:])
    leading = [Probe(f"/list/{n}", CHROME | EVENT, False, None, 0.7, few, leads_to=leads) for n in range(12)]
    leading[:bare] = [replace(one, fields=frozenset()) for one in leading[:bare]]
    assert bool(split_probes([*made, *leading]).foreign) == is_foreign


@pytest.mark.parametrize(
    ("fields", "is_foreign"), [(frozenset({"maker"}), True), (frozenset({"title"}), False)], ids=["none", "title"]
)
def test_pages_without_any_field_that_all_others_have_may_be_rather_like_them(
    fields: frozenset[str], is_foreign: bool
) -> None:
    """Here their likeness is above .35 of the others', for they have a part of the optional section."""
    made = swapped(
        [Probe(f"/e{n}", CHROME | EVENT | frozenset(sorted(REVIEWS)[:3]), False, None, 0.3, fields) for n in range(5)]
    )
    some = [
        one if place % 4 < 2 or one.is_sample else replace(one, marks=CHROME | PRODUCT)
        for place, one in enumerate(made[:20])
    ]
    split = split_probes([*some, *made[20:]])
    assert len(split.foreign) == is_foreign, split.reasons


@pytest.mark.parametrize(("kept", "is_foreign"), [(2, True), (3, False)])
def test_pages_with_more_than_two_of_many_fields_are_sparse_targets_whatever_they_lack(
    kept: int, is_foreign: bool
) -> None:
    names = [f"field{number}" for number in range(8)]
    own, lost = ({f"div.{name}>{tag}" for tag in "abcdef"} for name in ("note", "facts"))
    full = [Probe(f"/full{n}", CHROME | lost, n < 2, None, 1.0, frozenset(names)) for n in range(20)]
    few = frozenset(names[:kept])
    sparse = [Probe(f"/sparse{n}", CHROME | own, False, None, kept / 8, few) for n in range(12)]
    assert bool(split_probes([*full, *sparse]).foreign) == is_foreign


def test_keywords_that_fail_together_with_other_marks_make_a_category() -> None:
    made = [Probe(f"/{n}", CHROME | PRODUCT | {"h4:Sichuan"}, n < 2, True, 1.0) for n in range(15)]
    made += [Probe(f"/x{n}", CHROME | PRODUCT | {"h4:Hotpot"}, False, False, 1.0) for n in range(6)]
    split = split_probes(made)
    assert len(split.foreign[0]) == 6
    assert page_check(split, {}, "川菜")["keywords"] == "川菜"


def test_keywords_that_fail_here_and_there_make_none() -> None:
    made = [Probe(f"/{n}", CHROME | PRODUCT, n < 2, n % 3 != 2, 1.0) for n in range(15)]
    split = split_probes(made)
    assert split.foreign == []
    assert "keywords" not in page_check(split, {}, "川菜")


def page(body: str) -> str:
    return f"<html><body><div class='top'><a href='/'>Home</a></div>{body}</body></html>"


CHECK = {
    "required": ["div.product>table>tr", "table>tr>th", "th:Brand", "th:SKU"],
    "least_required": 0.5,
    "forbidden": ["th:Place", "th:Host"],
    "most_forbidden": 0.5,
    "fields": ["price", "sku"],
    "least_fields": 0.5,
}
PRODUCT_PAGE = page("<div class='product'><table><tr><th>Brand</th></tr><tr><th>SKU</th></tr></table></div>")
EVENT_PAGE = page("<div class='product'><table><tr><th>Place</th></tr><tr><th>Host</th></tr></table></div>")


@pytest.mark.parametrize(
    ("html", "fields", "expected"),
    [
        (PRODUCT_PAGE, {"price": "1", "sku": "2"}, None),
        (PRODUCT_PAGE, {"price": "1", "sku": None}, None),
        (PRODUCT_PAGE, {"price": None, "sku": None}, "2 of 2 fields are not there"),
        (EVENT_PAGE, {"price": "1", "sku": "2"}, "marks of another kind of page"),
        (page("<p>gone</p>"), {"price": "1", "sku": "2"}, "lacks 4 of 4 marks"),
    ],
)
def test_a_page_is_checked_by_marks_and_fields(html: str, fields: dict[str, str | None], expected: str | None) -> None:
    reason = page_agrees(parse_html(html), None, fields, CHECK)
    assert reason is None if expected is None else expected in str(reason)


def test_keywords_are_looked_for_outside_links() -> None:
    check = {"keywords": "tea"}
    assert page_agrees(parse_html(page("<p>Tea</p>")), None, {}, check) is None
    assert "tea" in str(page_agrees(parse_html(page("<a href='/t'>Tea</a>")), None, {}, check))
    assert page_agrees(parse_html(page("")), "green tea", {}, check) is None


def test_an_empty_check_accepts_everything() -> None:
    assert page_agrees(parse_html(""), None, {}, {}) is None


def test_marks_number_nothing_and_skip_links_and_scripts() -> None:
    marks = page_features(
        parse_html(
            "<body><div id='item42' class='box c1 box'><b>Price:</b><i>12</i><a href='/x'>More</a>"
            "<script>var Label = 1</script></div></body>"
        )
    )
    assert "b:Price:" in marks
    assert any(mark.endswith("body>div.box") for mark in marks)
    assert not any("42" in mark or "c1" in mark or "12" in mark or "More" in mark or "Label" in mark for mark in marks)


def test_a_value_of_several_texts_stands_in_the_element_around_them() -> None:
    signature = "<dt><em>class </em><b>a.A</b>(<i>x</i>)<a>#</a></dt>"
    html = f"<body><h1>A</h1><dl class='py class'>{signature}<dd>B</dd></dl></body>"
    page = StoredPage("http://a.test/", "http://a.test/", html.encode(), "text/html", "utf-8", 0, 1, True)
    places = places_of([(page, {"title": "A", "signature": "class a.A(x)", "nowhere": "class a.B"})])
    assert places == {"title": {">body>h1"}, "signature": {"body>dl.class.py>dt"}}


@pytest.mark.parametrize(
    "html",
    [
        "",
        "\x00<p>\x00</p>",
        "<div>" * 100_000,
        "<p>x</p>" * 500_000,
        "<frameset><frame src='a'></frameset>",
        "%PDF-1.4 ÿ",
    ],
    ids=["empty", "NULs", "deep", "long", "frameset", "binary"],
)
def test_hostile_pages_raise_nothing(html: str) -> None:
    tree = parse_html(html)
    page_features(tree)
    page_agrees(tree, None, {}, CHECK)


def kinds_by_a_name(names: dict[str, int], place: str = "dl.{}.x>dd>p", listed: str = "/{}/{}") -> list[Probe]:
    """Pages of one template on which the class of one element says of which kind they are; two `function`s first.

    Args:
        listed: the list that has a page, by its kind and number: four pages each.
    """
    skin = frozenset(f"div.skin>{tag}>i" for tag in "abcdef")
    made = []
    for name, count in names.items():
        for number in range(count):
            own = {place.format(name)} | {f"dl.{name}.x>dd>{tag}" for tag in ("ul", "ol", "em")}
            sample = name == "function" and number < 2
            part = frozenset(f"dd>dl.{tag}>dt" for tag in "uvw") if name == "function" else frozenset[str]()
            marks = CHROME | skin | own | part
            fields = FOUND | ({"args"} if part else set())
            lists = frozenset({listed.format(name, number // 4)})
            made.append(Probe(f"/{name}{number}", marks, sample, None, 1.0, fields, linked_from=lists))
    return made


SUMMARY_IN = {"title": frozenset({"dl.function.x>dd>p"})}


def test_several_kinds_that_differ_in_the_name_of_an_element_are_told_apart_at_once() -> None:
    split = split_probes(kinds_by_a_name({"function": 20, "method": 12, "data": 9, "class": 5, "error": 1}), SUMMARY_IN)
    told = sorted("".join(filter(str.isalpha, group[0].url)) for group in split.foreign)
    assert told == ["class", "data", "error", "method"]
    assert {probe.url[1:-1].rstrip("0123456789") for probe in split.good} == {"function"}
    check = page_check(split, {}, "", SUMMARY_IN)
    assert "dl.function.x>dd>p" in check["required"]
    assert "forbidden" not in check


def test_beside_several_kinds_goes_what_lacks_the_element_and_is_hardly_like_the_targets() -> None:
    made = kinds_by_a_name({"function": 20, "method": 12, "data": 9})
    marks = frozenset(f"p.property>{tag}>span" for tag in ("em", "b", "i"))
    bare = [Probe(f"/property{number}", CHROME | marks, False, None, 0.6, frozenset({"args"})) for number in range(6)]
    split = split_probes([*made, *bare], SUMMARY_IN)
    assert {probe.url[1:].rstrip("0123456789") for probe in split.good} == {"function"}


@pytest.mark.parametrize("listed", ["/list/{1}", "/one/list"])
def test_what_the_site_lists_together_is_of_one_kind_whatever_its_elements_are_called(listed: str) -> None:
    made = kinds_by_a_name({"function": 20, "method": 12, "data": 9}, listed=listed)
    assert split_probes([replace(one, fields=FOUND) for one in made], SUMMARY_IN).foreign == []


@pytest.mark.parametrize("apart", [True, False])
def test_kinds_that_one_page_links_to_are_told_apart_by_its_lists(apart: bool) -> None:
    made = kinds_by_a_name({"function": 20, "method": 12, "data": 9}, listed="/module{1}")
    for place, one in enumerate(made):
        made[place] = replace(one, fields=FOUND, linked_from=frozenset({f"/module{place % 8}"}))

    def lists_on(_: str) -> dict[str, frozenset[int]]:
        return {one.url: frozenset({1 + len(one.url.rstrip("0123456789")) if apart else 1}) for one in made}

    assert bool(split_probes(made, SUMMARY_IN, lists_on).foreign) == apart
    assert split_probes(made, SUMMARY_IN).foreign == []


@pytest.mark.parametrize("together", [True, False])
def test_kinds_much_like_the_targets_are_told_apart_where_the_site_lists_them_apart(together: bool) -> None:
    made = kinds_by_a_name({"function": 32, "method": 20, "data": 20}, listed="/{0}/{1}")
    shared = frozenset(f"body>section.part{number}>p" for number in range(120))
    for place, one in enumerate(made):
        has = one.url.startswith("/function") or place % 5
        lists = {f"/notes/{place % 20}"} if together else one.linked_from
        made[place] = replace(one, marks=one.marks | (shared if has else set()), linked_from=frozenset(lists))
    assert bool(split_probes([replace(one, fields=FOUND) for one in made], SUMMARY_IN).foreign) != together


@pytest.mark.parametrize("kinds", [{"data": 19}, {"data": 19, "method": 12}])
def test_what_lacks_the_field_and_says_so_in_another_element_stays_beside_other_kinds(kinds: dict[str, int]) -> None:
    made = kinds_by_a_name({"function": 40, **kinds})
    telling = frozenset(f"main>b.part{number}>p" for number in range(20))
    for place, one in enumerate(made):
        marks, fields = one.marks | telling if one.url.startswith("/function") else one.marks, FOUND
        if 30 <= place < 37:
            own = frozenset(f"body>i.left{number}>u" for number in range(3))
            marks, fields = marks - SUMMARY_IN["title"] | {"dl.none.x>dd>p"} | own, FOUND - {"title"}
        made[place] = replace(one, fields=fields, marks=marks)
    split = split_probes(made, SUMMARY_IN)
    assert {probe.url[1:].rstrip("0123456789") for probe in split.good} == {"function"}
    assert len(split.good) == 40


def test_kinds_that_share_a_mark_are_told_apart_by_their_names() -> None:
    made = kinds_by_a_name({"function": 20, "method": 12, "data": 9})
    marks = frozenset({"dl.x>dd>ul", "dl.x>dt>b"})
    split = split_probes(
        [one if "function" in one.url else replace(one, marks=one.marks | marks) for one in made], SUMMARY_IN
    )
    assert {probe.url[1:].rstrip("0123456789") for probe in split.good} == {"function"}
    assert sorted(len(group) for group in split.foreign) == [9, 12]


@pytest.mark.parametrize(("count", "is_asked_for"), [(1, False), (3, True)])
def test_the_element_of_a_field_alone_is_asked_for_where_several_pages_of_another_kind_were_seen(
    count: int, is_asked_for: bool
) -> None:
    place = "dl.function.x>dd>p"
    good = [Probe(f"/f{number}", CHROME | {place}, number < 2, None, 1.0, FOUND) for number in range(20)]
    foreign = [Probe(f"/m{number}", CHROME | {"dl.method.x>dd>p"}, False, None, 1.0, FOUND) for number in range(count)]
    check = page_check(Split(good, [foreign], ["so"]), {}, "", SUMMARY_IN)
    assert check.get("required", []) == [place] * is_asked_for


def test_a_mark_on_nine_of_ten_pages_is_required_however_many_they_are() -> None:
    made = kinds_by_a_name({"function": 27, "method": 12, "data": 9})
    split = split_probes(made, SUMMARY_IN)
    odd = [Probe(f"/odd{number}", CHROME, False, None, 1.0, FOUND) for number in range(3)]
    check = page_check(replace(split, good=[*split.good, *odd]), {}, "", SUMMARY_IN)
    assert "dl.function.x>dd>p" in check["required"]


def test_where_names_tell_the_kinds_no_optional_part_is_asked_for() -> None:
    place, parts = "dl.function.x>dd>p", frozenset({"p.notes>b", "div.example>pre"})
    lacking = {5: place, 6: "p.notes>b", 7: "div.example>pre"}
    made = [
        Probe(f"/f{number}", (CHROME | {place} | parts) - {lacking.get(number)}, number < 2, None, 1.0, FOUND)
        for number in range(30)
    ]
    foreign = [Probe(f"/m{number}", CHROME | {"dl.method.x>dd>p"}, False, None, 1.0, FOUND) for number in range(5)]
    check = page_check(Split(made, [foreign], [RENAMED]), {}, "", SUMMARY_IN)
    assert check["required"] == [place]


def test_a_kind_with_a_single_mark_of_its_own_is_refused_beside_one_with_many() -> None:
    good = [Probe(f"/f{number}", CHROME | {f"i.f{number}>b"}, number < 2, None, 1.0, FOUND) for number in range(12)]
    many = frozenset(f"div.class>{tag}" for tag in "abcdefghijklmnop")
    kinds = {"method": frozenset({"dl.method>dd"}), "class": many}
    foreign = [[Probe(f"/{kind}{n}", CHROME | marks, False) for n in range(4)] for kind, marks in kinds.items()]
    check = page_check(Split(good, foreign, ["so", "so"]), {}, "")
    for group, is_refused in ((foreign[0], True), (foreign[1], True), (good, False)):
        assert {_refuses(check, probe.marks) for probe in group} == {is_refused}


def _refuses(check: dict[str, Any], marks: frozenset[str]) -> bool:
    assert "required" not in check
    return len(marks.intersection(check["forbidden"])) >= check["most_forbidden"] * len(check["forbidden"])


def test_elements_that_hold_a_field_beside_others_name_no_kinds() -> None:
    everywhere = {"title": frozenset({"dl.function.x>dd>p", "body>div.top>a"})}
    made = [replace(one, fields=FOUND) for one in kinds_by_a_name({"function": 20, "method": 12, "data": 9})]
    assert split_probes(made, everywhere).foreign == []


@pytest.mark.parametrize(("lists", "both", "apart"), [(40, 10, True), (40, 11, False), (8, 1, True), (8, 2, False)])
def test_sets_are_apart_where_far_fewer_pages_link_to_both_than_by_chance(lists: int, both: int, apart: bool) -> None:
    pages = [f"/list{number}" for number in range(lists)]  # two links each: by chance half of them link to both
    shared, rest = pages[:both], pages[both:]
    ones, others = rest[::2], rest[1::2]
    assert are_apart([[*shared, *ones], ones], [[*shared, *others], others], least=3) == apart


@pytest.mark.parametrize(("strangers", "apart"), [(0, True), (1, True), (8, False)])
def test_a_long_list_of_one_kind_says_more_than_a_short_one_with_two(strangers: int, apart: bool) -> None:
    """Pages on classes have long lists of methods; an example here and there is of a class and a function."""
    ones = [["/methods"] for _ in range(16)] + [[f"/example{number}"] for number in range(6)]
    others = [["/methods"] for _ in range(strangers)] + [[f"/example{number}"] for number in range(6)]
    others += [["/functions"] for _ in range(16 - strangers)]
    assert are_apart(ones, others, least=3) == apart


@pytest.mark.parametrize(
    ("mark", "is_one"),
    [
        ("div.details.issue>p>a", True),
        ("div.closed.details.issue>p>a", True),
        ("div.aside.closed.journal>p>a", False),
        ("div.behind.closed.details>p.author>a", False),
        ("div>p>a", False),
        ("div.behind.closed.node>p>a", False),
        ("div.details.issue#main>p>a", False),
    ],
    ids=[
        *("without its states", "with one of them", "another thing's", "of another element", "without classes"),
        *("of another kind", "another id"),
    ],
)
def test_states_among_the_classes_of_an_element_make_no_other_one(mark: str, is_one: bool) -> None:
    """An issue is `behind closed details issue`; a mark names the first three of these."""
    assert is_mostly(mark, "div.behind.closed.details>p>a") == is_one


@pytest.mark.parametrize(
    ("name", "like", "is_foreign"),
    [("h1.class.private", 9, False), ("h1.class.private", 1, False), ("h1.member", 9, True)],
    ids=["a further class", "a further class, and unlike", "another class"],
)
def test_an_element_with_a_further_class_makes_no_other_kind(name: str, like: int, is_foreign: bool) -> None:
    """Beside `h1.class` stand `h1.class.private`, `h1.module` and `h1.function`."""
    shared = [f"div>p>b.{letter}" for letter in "abcdefghij"]
    place, fields = "div.head>h1.class>code", frozenset({"title", "kind"})

    def probe(n: int, mark: str, many: int, own: str, *, sample: bool = False) -> Probe:
        on = f"/{own}-list"
        marks = CHROME | {mark, f"div.{own}>p>i", f"div.{own}>p>u"} | {*shared[:many]}
        return Probe(f"/{own}{n}", marks, sample, None, 1.0, fields=fields, linked_from=frozenset({on, f"{on}2"}))

    made = [probe(n, place, 10, "class", sample=n < 2) for n in range(16)]
    made += [probe(n, place.replace("h1.class", name), like, "other") for n in range(6)]
    for own in ("module", "function"):
        made += [probe(n, place.replace("class", own), 0, own) for n in range(6)]
    groups = split_probes(made, {"title": frozenset({place})}, lambda url: {}).foreign
    urls = {one.url for group in groups for one in group}
    kinds = {f"/{own}{n}" for own in ("module", "function") for n in range(6)}
    assert {url for url in urls if "/other" not in url} == kinds
    assert any("/other" in url for url in urls) == is_foreign
