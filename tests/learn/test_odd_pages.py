"""Single pages written by hand among the targets: they lack what tells a record, or show another's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gwc_crawler.extract import BestRule, PageView, Wrapper
from gwc_crawler.items import StoredPage, ValueShape
from gwc_crawler.learn.best import _single_check
from gwc_crawler.learn.kinds import Findings
from gwc_crawler.learn.marks import Probe, Split, page_check, set_bare_apart, set_quoting_apart
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


def test_a_page_without_the_fields_and_the_template_is_taken_out() -> None:
    split = set_bare_apart(Split([*products(), plain("item/about")], [], []), BESIDE, COMMON)
    assert [[probe.url for probe in group] for group in split.foreign] == [["/item/about"]]
    assert split.reasons[0].startswith("maker, price not there")


def test_several_such_pages_do_not_blur_what_the_others_have_in_common() -> None:
    about = [plain(f"item/{name}") for name in ("about", "terms", "jobs", "help")]
    split = set_bare_apart(Split([*products(), *about], [], []), BESIDE, COMMON)
    assert split.foreign == [about]


@pytest.mark.parametrize(("links", "is_taken_out"), [(12, True), (3, False)])
def test_a_list_without_the_template_is_taken_out_though_it_has_a_field(links: int, is_taken_out: bool) -> None:
    leads = frozenset(f"/other/{number}" for number in range(links))
    page = replace(plain("item/all", frozenset({"title", "maker"})), leads_to=leads)
    split = Split([*products(), page], [], [])
    assert set_bare_apart(split, BESIDE, COMMON).foreign == ([[page]] if is_taken_out else [])


@pytest.mark.parametrize(("links", "is_taken_out"), [(12, True), (3, False)])
def test_a_page_that_leads_on_and_lacks_the_template_is_a_list_whatever_it_has(links: int, is_taken_out: bool) -> None:
    leads = frozenset(f"/other/{number}" for number in range(links))
    page, whole = (replace(one, leads_to=leads) for one in (plain("item/all", FIELDS), products(30)[-1]))
    split = set_bare_apart(Split([*products(), whole, page], [], []), BESIDE, COMMON)
    assert split.foreign == ([[page]] if is_taken_out else [])
    assert not is_taken_out or split.reasons[0].startswith("they lead to far more pages")


def test_a_template_that_other_kinds_share_tells_such_a_page_too() -> None:
    shared = dict.fromkeys(PRODUCT - {"div.product>a>span"}, 0.7) | COMMON
    split = set_bare_apart(Split([*products(), plain("item/about")], [], []), BESIDE, shared)
    assert [[probe.url for probe in group] for group in split.foreign] == [["/item/about"]]


def test_they_are_refused_beside_another_category_that_has_the_marks_which_they_lack() -> None:
    event = CHROME | PRODUCT - {"div.product>h>span"} | frozenset(f"ul.events>{name}>li" for name in "abc")
    foreign = [[Probe(f"/item/e{n}", event, False) for n in range(5)], [Probe(f"/p{n}", CHROME, False) for n in "ab"]]
    check = page_check(Split(products(), foreign, ["events", "bare"]), {}, "")
    assert set(check["required"]) == PRODUCT
    assert set(check["forbidden"]) >= {f"ul.events>{name}>li" for name in "abc"}
    quoting = [Probe("/q", CHROME | PRODUCT, False)]
    assert set(page_check(Split(products(), [*foreign, quoting], [""] * 3), {}, "")["required"]) == PRODUCT


@pytest.mark.parametrize(
    "page",
    [
        Probe("/item/sparse", CHROME | PRODUCT, False, None, 0.3, fields=frozenset({"title"})),
        plain("item/second-layout", FIELDS),
    ],
    ids=["a page of the template that lacks fields", "a page built otherwise that has the fields"],
)
def test_a_page_that_may_be_a_sparse_target_stays(page: Probe) -> None:
    split = Split([*products(), page], [], [])
    assert set_bare_apart(split, BESIDE, COMMON) == split


HEADING = frozenset({"main>div.head>h1", "main>div.head>p"})


@pytest.mark.parametrize("start", [CHROME | HEADING, frozenset[str]()], ids=["a start page", "none"])
def test_a_page_with_no_more_of_the_template_than_the_start_page_has_is_told_by_a_field_alone(
    start: frozenset[str],
) -> None:
    """All pages have most of the template: what kinds share is not known for the frame."""
    made = [replace(one, marks=CHROME | HEADING | PRODUCT) for one in products()]
    about = replace(plain("about", FIELDS - {"price"}), marks=CHROME | HEADING | PROSE)
    beside = [plain(f"news/{number}", FIELDS) for number in range(5)]
    split = set_bare_apart(Split([*made, about], [], []), beside, COMMON, start)
    assert split.foreign == ([[about]] if start else [])
    sparse = replace(about, marks=about.marks | {"div.product>a>span"})
    assert set_bare_apart(Split([*made, sparse], [], []), beside, COMMON, start).foreign == []


def test_marks_of_the_start_page_are_required_where_nothing_else_tells() -> None:
    samples = products()
    assert set(page_check(Split(samples, [], []), COMMON, "", start=HEADING)["required"]) == PRODUCT
    made = [replace(one, marks=one.marks | HEADING) for one in samples]
    assert set(page_check(Split(made, [], []), COMMON, "", start=CHROME | HEADING)["required"]) == PRODUCT
    assert set(page_check(Split(made, [], []), COMMON, "", start=HEADING | PRODUCT)["required"]) == PRODUCT | HEADING


def test_a_field_that_all_pages_seem_to_have_tells_nothing() -> None:
    everywhere = [plain(f"news/{number}", FIELDS) for number in range(5)]
    split = Split([*products(), plain("item/about")], [], [])
    assert set_bare_apart(split, everywhere, COMMON) == split


@pytest.mark.parametrize("count", [8, 18])
def test_pages_without_any_of_several_fields_nor_the_template_are_taken_out_however_many(count: int) -> None:
    many = [plain(f"item/{number}-members") for number in range(count)]
    assert set_bare_apart(Split([*products(), *many], [], []), BESIDE, COMMON).foreign == [many]


@pytest.mark.parametrize(("lacking", "is_taken_out"), [(0, True), (3, False)])
def test_a_page_in_a_design_that_other_kinds_have_with_the_fields_is_told_by_what_it_lacks(
    lacking: int, is_taken_out: bool
) -> None:
    """Events have the same design and fields; of two fields both have to be on nearly all products."""
    events = [Probe(f"/event/{number}", CHROME | PRODUCT, False, None, 1.0, fields=FIELDS) for number in range(9)]
    whole, sparse = products()[lacking:], [replace(one, fields=FIELDS - {"maker"}) for one in products()[:lacking]]
    about = plain("about")
    split = set_bare_apart(Split([*whole, *sparse, about], [], []), events, COMMON)
    assert split.foreign == ([[about]] if is_taken_out else [])


def test_many_pages_without_a_single_field_stay_and_are_told_otherwise() -> None:
    one = [replace(probe, fields=frozenset({"title", "price"})) for probe in products()]
    split = Split([*one, *(plain(f"item/{name}") for name in "abcdefgh")], [], [])
    assert set_bare_apart(split, BESIDE, COMMON) == split


@pytest.mark.parametrize(("sparse", "is_taken_out"), [(1, True), (3, False)])
def test_a_sparse_target_or_two_do_not_hide_several_pages_that_are_built_otherwise(
    sparse: int, is_taken_out: bool
) -> None:
    names = frozenset({"title", "summary"})
    whole = [replace(probe, fields=names) for probe in products()]
    poor = [Probe(f"/item/s{n}", CHROME | PRODUCT, False, None, 0.5, fields=names - {"summary"}) for n in range(sparse)]
    guides = [plain(f"item/{name}") for name in "abcde"]
    split = set_bare_apart(Split([*whole, *poor, *guides], [], []), BESIDE, COMMON)
    assert split.foreign == ([guides] if is_taken_out else [])


@pytest.mark.parametrize(("own", "are_taken_out"), [(0, True), (3, False)])
def test_pages_of_an_older_template_that_show_several_fields_of_records_alone_are_records(
    own: int, are_taken_out: bool
) -> None:
    """What stands in both templates tells nothing of either; what the news have tells no record."""
    labelled = [f"label {n}" for n in range(own)]
    made = [replace(one, fields=FIELDS.union(labelled, ("date",))) for one in products(30)]
    old = [plain(f"item/old{n}", frozenset(["date", *labelled])) for n in range(12)]
    news = [Probe(f"/item/n{n}", CHROME, False, None, 0.2, fields=frozenset({"date"})) for n in range(20)]
    lists = [Probe(f"/list/{n}", CHROME | {"ul>li>a"}, False, None, 0.0) for n in range(12)]
    split = set_bare_apart(Split([*made, *old, *news], [], []), lists, COMMON)
    assert (old[0] not in split.good) == are_taken_out


def test_many_pages_stay_where_others_of_the_template_lack_all_fields_too() -> None:
    sparse = [Probe(f"/item/s{number}", CHROME | PRODUCT, False, None, 0.3) for number in range(6)]
    split = Split([*products(), *sparse, *(plain(f"item/{name}") for name in "abcdefgh")], [], [])
    assert set_bare_apart(split, BESIDE, COMMON) == split


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


@pytest.mark.parametrize(
    ("code", "title", "led_to", "is_taken_out"),
    [("AB-12", "", 1, True), ("none", "", 1, False), ("AB-12", "Our latest", 1, False), ("none", "", 20, False)],
    ids=["a value of its own", "a value that many have", "a page with a title of its own", "nothing to compare with"],
)
def test_a_page_that_lacks_a_title_and_shows_one_value_of_a_page_it_leads_to(
    code: str, title: str, led_to: int, is_taken_out: bool
) -> None:
    marks = CHROME | (PRODUCT - {"div.product>a>span"}) | PROSE
    fields = frozenset({"title", "code"})
    whole = [replace(one, fields=fields) for one in products()]
    quoting = Probe("/item/latest", marks, False, None, 0.5, frozenset({"code"}))
    split = Split([*whole, quoting], [], [])
    shown = {one.url: {"title": f"Kettle {one.url}", "code": "none"} for one in whole}
    shown |= {"/item/7": {"title": "Kettle", "code": code}, "/item/latest": {"title": title, "code": code}}
    led = ["/item/7"] if led_to == 1 else [one.url for one in whole]
    found = set_quoting_apart(
        split,
        lambda url: led if "latest" in url else [],
        lambda url: dict(shown[url]),
        lambda url: CHROME | PRODUCT,
    )
    assert found.foreign == ([[quoting]] if is_taken_out else [])


def test_some_that_show_records_of_pages_nobody_judged_are_taken_out_with_one_built_alike() -> None:
    marks = CHROME | (PRODUCT - {"div.product>a>span"}) | PROSE
    quoting = [Probe(f"/item/latest-{number}", marks, False, None, 1.0) for number in range(2)]
    text = "A kettle for those who have everything else already, number"
    shown = {f"/item/latest-{number}": {"price": "$4", "text": f"{text} {number}"} for number in range(2)}
    shown |= {f"/item/x{number}": {"price": "$4", "text": f"{text} {number}", "title": "Kettle"} for number in range(2)}
    quoting.append(Probe("/item/bare", marks, False, None, 1.0))
    split = Split([*products(60), *quoting], [], [])
    found = set_quoting_apart(
        split,
        lambda url: [url.replace("latest-", "x")] if "latest" in url else [],
        lambda url: dict(shown.get(url, {})),
        lambda url: CHROME | PRODUCT,
    )
    assert found.foreign == [quoting]


class Counted(Wrapper):
    """A wrapper that finds as many values of a field as a page's title says: "name 5, module 1"."""

    def count(self, name: str, page: PageView) -> int:
        title = str(page.tree.findtext(".//title"))
        return int(dict(part.split() for part in title.split(", "))[name])


def counted(title: str) -> StoredPage:
    url = f"http://lists.example/{title}"
    html = f"<html><title>{title}</title><body></body></html>".encode()
    return StoredPage(url, url, html, "text/html", "utf-8", 0, 1, True, ())


RULES = dict.fromkeys(("name", "module", "since"), BestRule(ValueShape.TEXT, ()))


def test_a_field_that_stands_several_times_on_the_samples_makes_no_page_a_list() -> None:
    samples = [counted("name 5, module 1, since 5")] * 2
    findings = Findings(Counted(LearnMode.BEST, RULES), samples)
    many = counted("name 12, module 1, since 29")
    assert not findings.several(many)
    assert not findings.is_list(many)
    assert findings.found(many) == {"name", "module", "since"}
    assert _single_check(findings, ["module", "name", "since"], [many]) == {"single": {"module": 2}}


@pytest.mark.parametrize(("lists", "is_checked"), [(1, True), (5, False)])
def test_a_list_that_nobody_judged_does_not_stop_the_check_for_lists(lists: int, is_checked: bool) -> None:
    one = counted("name 1, module 1, since 1")
    findings = Findings(Counted(LearnMode.BEST, RULES), [one])
    pages = [one] * (20 - lists) + [counted("name 4, module 4, since 4")] * lists
    assert bool(_single_check(findings, list(RULES), pages)) == is_checked


@pytest.mark.parametrize("whole", [False, True], ids=["a card of it", "a whole entry"])
def test_pages_written_by_hand_beside_thirty_targets_are_left_out(whole: bool) -> None:
    site = Grammar(seed=5, targets=30, landings=1, values=3, sections=2, whole_entries=whole, sidebar=True)
    outcome = try_as_a_crawl(replace(site, articles=12))
    assert (outcome.wrong, outcome.lost) == ([], [])


def test_a_page_that_lacks_one_of_many_fields_and_only_what_that_stands_in_is_a_target() -> None:
    post, tags = frozenset({"main>div.prose>p", "main>div.prose>h2"}), PRODUCT
    fields = frozenset({"title", "author", "date", "tags"})
    posts = [Probe(f"/p/{n}", CHROME | post | tags, n < 2, None, 1.0, fields=fields) for n in range(20)]
    bare = [Probe(f"/q/{n}", CHROME | post, False, None, 0.8, fields=fields - {"tags"}) for n in range(4)]
    pages = [plain(f"news/{n}", frozenset({"title", "author", "date"})) for n in range(5)]
    common = {**COMMON, **dict.fromkeys(post, 1.0)}
    assert set_bare_apart(Split([*posts, *bare], [], []), pages, common).foreign == []


DESIGN = frozenset({"body>div.main>p.price", "body>div.main>div.text"})
LINKING = frozenset(f"/page/{number}" for number in range(30))


def goods(count: int = 30) -> list[Probe]:
    return [
        replace(one, marks=CHROME | DESIGN, linked_from=frozenset({f"/page/{n}"}))
        for n, one in enumerate(products(count))
    ]


@pytest.mark.parametrize(
    ("linking", "marks", "fields", "is_taken_out"),
    [
        (LINKING, CHROME, {"title", "maker"}, True),
        (frozenset({"/page/1"}), CHROME, {"title", "maker"}, False),  # nobody's menu
        (LINKING, CHROME | DESIGN, {"title", "maker"}, False),  # built as the others
        (LINKING, CHROME, FIELDS, False),  # it has what they have
    ],
)
def test_a_page_in_the_menus_that_lacks_a_field_and_the_template_is_taken_out(
    linking: frozenset[str], marks: frozenset[str], fields: set[str], is_taken_out: bool
) -> None:
    """A design so plain that two marks are all that tells a product."""
    about = Probe("/about", marks, False, None, 0.3, fields=frozenset(fields), linked_from=linking)
    split = set_bare_apart(Split([*goods(), about], [], []), [], COMMON, CHROME)
    assert split.foreign == ([[about]] if is_taken_out else [])


def test_where_menus_lead_to_many_targets_they_are_lists_of_them() -> None:
    bare = [
        Probe(f"/bare/{n}", CHROME, False, None, 0.3, fields=frozenset({"title", "maker"}), linked_from=LINKING)
        for n in range(6)
    ]
    assert set_bare_apart(Split([*goods(), *bare], [], []), [], COMMON, CHROME).foreign == []


def test_a_list_is_told_where_all_pages_of_a_site_are_built_alike() -> None:
    """Nothing of the template is rare on the site; but the start page has none of it."""
    leads = frozenset(f"/other/{number}" for number in range(12))
    page = Probe("/archive", CHROME, False, None, 1.0, fields=FIELDS, leads_to=leads)
    everywhere = dict.fromkeys(CHROME | PRODUCT, 1.0)
    assert set_bare_apart(Split([*products(), page], [], []), [], everywhere, CHROME).foreign == [[page]]
    assert set_bare_apart(Split([*products(), page], [], []), [], everywhere).foreign == []
