"""What is read where a page lacks what an address relies on: the box before, the heading behind, the field itself."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.locator import Locator
from gwc_crawler.items import Family
from gwc_crawler.learn.places.places import find_places
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.learn.texts.shared import NO_LABEL
from gwc_crawler.learn.wrapper.locators.fits import fit_ending
from gwc_crawler.learn.wrapper.ranking.candidates import Ranked
from gwc_crawler.learn.wrapper.ranking.corrections import what_varies
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import ONE, OTHER, learned, word


def page(name: str, *parts: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><h1>{name}</h1>{''.join(parts)}</body></html>"


def section(heading: str, text: str) -> str:
    return f"<section><h2>{heading}</h2><p>{text}</p></section>"


def comments(*said: str) -> str:
    shown = "".join(f"<div class=c><b>Reader {one}</b><p>Of {one}.</p></div>" for one in said)
    return f"<div class=line><i>Comments</i></div><div class=all>{shown}</div>" if said else ""


def told(*said: str) -> list[dict[str, str]]:
    return [{"who": f"Reader {one}", "text": f"Of {one}."} for one in said]


def test_comments_belong_to_no_section_that_stands_before_them_by_chance() -> None:
    def one(n: int, *said: str, history: bool) -> str:
        parts = section("Facts", f"{OTHER} {n}") + (section("History", f"{ONE} {n}") if history else "")
        return page(word(n), parts, comments(*said))

    samples = [
        (one(n, *said, history=True), {"title": word(n), "comments": told(*said)})
        for n, said in ((0, ("a", "b")), (1, ("c",)))
    ]
    more = [one(n, word(n), word(n + 30), history=n % 3 > 0) for n in range(2, 14)]
    assert learned(samples, more).extract(one(40, "x", "y", history=False))["comments"] == told("x", "y")


def test_a_visible_lead_goes_before_the_summary_for_search_engines() -> None:
    def article(n: int, *, lead: bool) -> str:
        text = f"All that is known of {word(n)} today."
        shown = f"<p class=lead>{text}</p>" if lead else ""
        head = f'<meta name="description" content="{text if lead else f"Long ago {word(n)} was"}">'
        return page(word(n), shown, f"<p>Long ago {word(n)} was another thing, of which we speak.</p>", head=head)

    samples = [
        (article(n, lead=True), {"title": word(n), "lead": f"All that is known of {word(n)} today."}) for n in (0, 1)
    ]
    wrapper = learned(samples, [article(n, lead=n % 4 > 0) for n in range(2, 16)])
    assert wrapper.extract(article(30, lead=True))["lead"] == f"All that is known of {word(30)} today."
    assert wrapper.extract(article(30, lead=False))["lead"] is None


@pytest.mark.parametrize(
    ("between", "is_read"),
    [(": ", True), ("：", True), (" and ", False)],
    ids=["a colon", "a wide colon", "a word"],
)
def test_a_value_of_text_and_links_is_read_behind_its_label_and_a_colon(between: str, is_read: bool) -> None:
    sender = f"<li><em>From</em>{between}Thor &lt;<a>thor@x.test</a>&gt;</li>"
    body = page("Mail", f"<ul>{sender}<li><em>Date</em>: 1</li></ul>")
    context = ExampleContext(LearnPage(parse_html(body.encode()), "http://a.test/"), "Thor <thor@x.test>")
    places = [one for one in find_places(context) if one.node.tag == "em" and one.read.startswith("after:")]
    assert bool(places) == is_read


def test_what_follows_a_dash_and_is_no_article_ends_no_title() -> None:
    cut = fit_ending([("Thor - PC", "Thor"), ("Odin", "Odin")])
    assert cut.apply("Idun - Breath of Loki") == "Idun - Breath of Loki"


@pytest.mark.parametrize(
    ("text", "is_none"), [("后再使用。", True), ("作者：", False), ("See also.", False), ("等级", False)]
)
def test_how_a_sentence_ends_is_no_label(text: str, is_none: bool) -> None:
    assert (NO_LABEL.search(text) is not None) == is_none


@pytest.mark.parametrize(("kind", "is_led"), [(0.7, True), (0.4, False)])
def test_a_constant_that_both_samples_share_goes_behind_what_a_label_leads_to(kind: float, is_led: bool) -> None:
    """The site's language is Chinese; most talks are in Chinese, and some in English."""
    same, said = ["中文"] * 8, ["中文", "English", *["中文"] * 6]
    menu = Ranked(Locator(Family.CLASS, "//a"), same, same)
    behind = '//strong[text()[normalize-space()="Language:"]]/following-sibling::text()[1]'
    label = Ranked(Locator(Family.LABEL, behind, cost=1.2), said, said, kind=kind)
    found = what_varies([menu, label], ["中文", "中文"], "language")
    assert found is (label if is_led else menu)
    assert what_varies([menu, label], ["中文", "中文"], "license") is menu


def test_another_tabs_panel_is_no_description_where_a_page_has_none() -> None:
    def goods(n: int, *, told: bool) -> str:
        panels = f"<div class='panel entry' id=tab-description><p>{OTHER} {word(n)}.</p></div>" if told else ""
        panels += f"<div class='panel entry' id=tab-reviews><p>Nobody wrote of {word(n)} yet, be the first.</p></div>"
        return page(word(n), f"<div class='goods sort-{'abc'[n % 3]}'>{panels}</div>")

    samples = [(goods(n, told=True), {"title": word(n), "description": f"{OTHER} {word(n)}."}) for n in (0, 1)]
    wrapper = learned(samples, [goods(n, told=n % 3 < 2) for n in range(2, 22)])
    assert wrapper.extract(goods(42, told=True))["description"] == f"{OTHER} {word(42)}."
    assert wrapper.extract(goods(41, told=False)).get("description") is None


@pytest.mark.parametrize(("other", "size"), [("Size", ["S40", "M40"]), ("Colour", None)])
def test_a_label_that_ends_in_the_fields_name_speaks_where_the_samples_is_missing(
    other: str, size: list[str] | None
) -> None:
    def goods(n: int, label: str) -> str:
        options = "".join(f"<option>{one}{n}</option>" for one in "SM")
        row = f"<tr><td><label>{label}</label></td><td><select id='of-{label}'>{options}</select></td></tr>"
        return page(word(n), f"<table>{row}<tr><td><label>Packs</label></td><td><input></td></tr></table>")

    samples = [(goods(n, "Bottle Size"), {"title": word(n), "sizes": [f"S{n}", f"M{n}"]}) for n in (0, 1)]
    wrapper = learned(samples, [goods(n, ("Bottle Size", other)[n % 2]) for n in range(2, 22)])
    assert wrapper.extract(goods(40, "Bottle Size"))["sizes"] == ["S40", "M40"]
    assert (wrapper.extract(goods(40, other)).get("sizes") or None) == size


@pytest.mark.parametrize(("told", "other", "is_read"), [("Our price", "Price", True), ("Price", "Old price", False)])
def test_a_label_that_says_more_than_the_samples_is_anothers(told: str, other: str, is_read: bool) -> None:
    def goods(n: int, label: str) -> str:
        rows = [f"<p><span>{one}</span> <span>{word(n + 9)}</span></p>" for one in ("Maker", "Series")[: n % 3]]
        rows.insert(n % (len(rows) + 1), f"<p><span>{label}</span> <span>{n}.20 EUR</span></p>")
        return page(word(n), *rows)

    samples = [(goods(n, told), {"title": word(n), "price": f"{n}.20 EUR"}) for n in (0, 1)]
    wrapper = learned(samples, [goods(n, (told, other)[n % 2]) for n in range(2, 22)])
    assert wrapper.extract(goods(40, told))["price"] == "40.20 EUR"
    assert wrapper.extract(goods(41, other)).get("price") == ("41.20 EUR" if is_read else None)


def test_a_text_that_another_layout_has_under_another_id_is_read() -> None:
    def story(n: int, *, wide: bool) -> str:
        parts = [f"<p class=lead>{OTHER} {word(n)}.</p>", "<p>Menu</p>"]
        return page(word(n), f"<div id=main>{parts[wide]}</div><div id=content>{parts[not wide]}</div>")

    samples = [(story(n, wide=False), {"title": word(n), "lead": f"{OTHER} {word(n)}."}) for n in (0, 1)]
    wrapper = learned(samples, [story(n, wide=n % 2 > 0) for n in range(2, 22)])
    assert [wrapper.extract(story(40, wide=wide))["lead"] for wide in (False, True)] == [f"{OTHER} {word(40)}."] * 2


@pytest.mark.parametrize("row", ["<tr><th>{}</th><td>{}</td></tr>", "<tr><td>{}</td><td>{}</td></tr>"])
def test_what_another_sort_of_goods_has_in_that_row_is_another_thing(row: str) -> None:
    def one(n: int, material: str = "") -> str:
        own = ("Material", material) if material else ("Author", f"{word(n + 50)} {word(n + 51)}")
        rows = [("Code", f"C{n}"), ("Stock", f"{n} left"), own, ("Pages" if not material else "Weight", str(n + 70))]
        return page(word(n), f"<table>{''.join(row.format(*each) for each in rows)}</table>")

    samples = [(one(n, said), {"title": word(n), "material": said}) for n, said in ((0, "Linen"), (1, "Oak"))]
    stuffs = ("Oak", "Steel", "Clay", "Linen")
    wrapper = learned(samples, [one(n, stuffs[n % 4] if n % 5 < 2 else "") for n in range(2, 22)])
    assert wrapper.extract(one(40, "Brass"))["material"] == "Brass"
    assert not wrapper.extract(one(41))["material"]


@pytest.mark.parametrize("trail", ['<ol class="breadcrumb">{}</ol>', '<nav aria-label="Breadcrumbs"><ul>{}</ul></nav>'])
def test_the_category_is_the_last_of_a_trail_however_long_that_is(trail: str) -> None:
    def one(n: int, *crumbs: str) -> str:
        links = "".join(f"<li><a href='/{crumb}'>{crumb}</a></li>" for crumb in ("Home", *crumbs))
        return page(word(n), trail.format(f"{links}<li>{word(n)}</li>"), f"<p>{OTHER}</p>")

    samples = [(one(0, "Books", "Novels"), "Novels"), (one(1, "Garden", "Tools"), "Tools")]
    known = [(body, {"title": word(n), "category": said}) for n, (body, said) in enumerate(samples)]
    trails = (("Books", "Novels"), ("Garden", "Tools"), ("Tea",), ("Garden", "Tools", "Hand tools"), ("Books", "Poems"))
    wrapper = learned(known, [one(n, *trails[n % 5]) for n in range(2, 22)])
    for said in (("Tea",), ("Books", "Poems"), ("Garden", "Tools", "Hand tools")):
        assert wrapper.extract(one(40, *said))["category"] == said[-1]
    assert not wrapper.extract(one(41))["category"]


@pytest.mark.parametrize(
    ("now", "reduced"),
    [
        ("<span>{}</span>", "<span class=text-decoration-line-through>{}</span> <span>{}</span>"),
        ("<b class=amount>{}</b>", "<del><b class=amount>{}</b></del> <ins><b class=amount>{}</b></ins>"),
        ("<b>{}</b>", "<b style='text-decoration: line-through'>{}</b> <b>{}</b>"),
    ],
)
@pytest.mark.parametrize("told", [(0, 1), (2, 3), (1, 2)])
def test_a_price_that_is_struck_out_is_the_old_one(now: str, reduced: str, told: tuple[int, int]) -> None:
    def goods(n: int) -> str:
        price = reduced.format(f"${n + 8}.30", f"${n}.20") if n % 4 > 1 else now.format(f"${n}.20")
        return page(word(n), "<p>New</p>" * (n % 3), f"<div class=price>{price}</div>")

    samples = [(goods(n), {"title": word(n), "price": f"${n}.20"}) for n in told]
    wrapper = learned(samples, [goods(n) for n in range(4, 24)])
    assert [wrapper.extract(goods(n))["price"] for n in (40, 42)] == ["$40.20", "$42.20"]


def test_a_list_of_one_paragraph_each_has_every_paragraph_once_elsewhere() -> None:
    def goods(n: int, parts: int) -> str:
        texts = (f"<p>{OTHER} {word(n + one)}.</p>" for one in range(parts))
        return page(word(n), f"<div class=box><h2>About</h2>{''.join(texts)}<h2>More</h2></div>")

    samples = [(goods(n, 1), {"title": word(n), "about": [f"{OTHER} {word(n)}."]}) for n in (0, 1)]
    wrapper = learned(samples, [goods(n, 1 + n % 3) for n in range(2, 22)])
    assert wrapper.extract(goods(40, 2))["about"] == [f"{OTHER} {word(n)}." for n in (40, 41)]


def test_a_number_that_two_samples_share_behind_the_value_is_no_part_of_its_end() -> None:
    def goods(n: int, votes: int) -> str:
        return page(word(n), f"<div class=stars><span>{n / 10:.1f} ({votes} reviews)</span></div>")

    samples = [(goods(n, 6), {"title": word(n), "rating": f"{n / 10:.1f}"}) for n in (10, 21)]
    wrapper = learned(samples, [goods(n, n % 5) for n in range(22, 42)])
    assert wrapper.extract(goods(44, 2))["rating"] == "4.4"


def test_a_line_that_names_itself_is_read_under_any_heading() -> None:
    def command(n: int) -> str:
        since = f"<p>Since version: {n}.4</p>"
        headings = ("Options", "Examples")[: 1 + n % 2]
        parts = [f"<h2>{one}</h2><p>{ONE} {word(n + at)}.</p>" for at, one in enumerate(headings)]
        return page(word(n), f"<div class=text>{''.join(parts)}{since * (n % 3 > 0)}<h2>Examples of all</h2></div>")

    samples = [(command(2), {"title": word(2), "since": "2.4"}), (command(0), {"title": word(0)})]
    wrapper = learned(samples, [command(n) for n in range(3, 23)])
    assert [wrapper.extract(command(n)).get("since") or None for n in (40, 41, 42)] == ["40.4", "41.4", None]
