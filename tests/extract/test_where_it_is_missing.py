"""What is read where a page lacks what an address relies on: the box before, the heading behind, the field itself."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import COUNT, Finder, PageView
from gwc_crawler.extract.affixes import Affixes
from gwc_crawler.items import Family
from gwc_crawler.learn.places import find_places
from gwc_crawler.learn.texts import NO_LABEL, ExampleContext, LearnPage
from gwc_crawler.learn.wrapper.finders.fits import behind_value, fit_affixes, fit_ending
from gwc_crawler.learn.wrapper.judging.candidates import Ranked
from gwc_crawler.learn.wrapper.judging.optional import in_its_own_box, what_is_said, what_needs_no_label
from gwc_crawler.learn.wrapper.judging.sure import never_refuted_first
from gwc_crawler.learn.wrapper.judging.varying import what_varies
from gwc_crawler.learn.wrapper.ranking import among_the_others
from gwc_crawler.page import parse_html
from tests.extract.pages import ONE, OTHER, learned, word

NAMES = ("Thor", "Odin", "Loki", "Freya", "Hel", "Tyr", "Ran", "Sif", "Bor", "Buri", "Ymir", "Gerd")


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


def test_records_of_a_class_go_before_those_far_behind_a_label_that_pages_lack() -> None:
    spoken = ["a", "b", "c", "d", "e", None, None]
    always = ["a", "b", "c", "d", "e", "f", "g"]
    rows = Finder(Family.CLASS, "//div")

    class Rows:
        def __init__(self, family: Family, cost: float) -> None:
            self.rows, self.family, self.cost = rows, family, cost

    far = Ranked(Rows(Family.LABEL, 2.4), spoken, spoken)
    near = Ranked(Rows(Family.LABEL, 1.4), spoken, spoken)
    named = Ranked(Rows(Family.CLASS, 3.0), always, always)
    other = Ranked(Rows(Family.CLASS, 3.0), ["x", *always[1:]], always)
    assert what_needs_no_label([far, named]) is named
    assert what_needs_no_label([near, named]) is near
    assert what_needs_no_label([far, other]) is far


def goods(n: int, *, price: bool = True) -> PageView:
    kinds = "".join(f"<li><span class=price>${n + k}.50</span></li>" for k in range(2))
    own = f"<ul id=variations>{kinds}</ul>" if price else "<p>Unavailable</p>"
    related = "".join(f"<li><a>{word(n + k)}</a> <span class=price>${n + k}.90</span></li>" for k in (3, 5))
    return PageView(parse_html(page(word(n), own, f"<ul class=related>{related}</ul>").encode()), f"http://a.test/{n}")


def test_the_price_of_related_goods_is_not_read_where_the_page_has_none() -> None:
    anywhere = Finder(Family.CLASS, '//span[@class="price"]')
    boxed = Finder(Family.ID, '//ul[@id="variations"]//span[@class="price"]', cost=2.0)
    others = Finder(Family.CLASS, '//ul[@class="related"]//span[@class="price"]', cost=1.0)
    samples, pages = [goods(1), goods(2)], [goods(n) for n in range(3, 15)]
    (first,) = in_its_own_box([anywhere], [anywhere, others, boxed], samples, pages)
    assert first == boxed
    assert (first.first(goods(20)), first.first(goods(20, price=False))) == ("$20.50", None)
    assert in_its_own_box([anywhere], [anywhere, boxed], samples, [*pages, goods(20, price=False)]) == [anywhere]


@pytest.mark.parametrize("read", ["@aria-valuenow", COUNT])
def test_what_is_said_behind_a_label_goes_before_a_number_of_stars(read: str) -> None:
    stars, said = ["3", "2", None, "1"], ["3", "4", "7", "2"]
    shown = Ranked(Finder(Family.CLASS, "//div", read=read), stars, stars, coverage=0.75)
    label = Ranked(Finder(Family.LABEL, "//td", cost=1.2), said, said, kind=0.9)
    seldom = Ranked(Finder(Family.LABEL, "//td", cost=1.2), ["3", None, None, None], said, coverage=0.25, kind=0.9)
    words = Ranked(Finder(Family.CLASS, "//div", read=read), ["a", *stars[1:]], stars, coverage=0.75)
    assert what_is_said([shown, label], optional=False) is label
    assert what_is_said([shown, seldom], optional=False) is shown
    assert what_is_said([shown, seldom], optional=True) is seldom
    assert what_is_said([words, label], optional=False) is words
    in_class = '//div[contains(concat(" ",@class," ")," rating ")]'
    rating = Ranked(Finder(Family.CLASS, in_class, read=read), stars, stars, coverage=0.75)
    meant = Ranked(Finder(Family.CLASS, '//b[@itemprop="ratingValue"]', read=read), stars, stars, coverage=0.75)
    assert what_is_said([rating, label], optional=False, field="rating") is rating
    assert what_is_said([rating, label], optional=False, field="attack") is label
    assert what_is_said([meant, label], optional=False, field="attack") is meant


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
    context = ExampleContext(LearnPage.of(PageView(parse_html(body.encode()), "http://a.test/")), "Thor <thor@x.test>")
    places = [one for one in find_places(context) if one.node.tag == "em" and one.read.startswith("after:")]
    assert bool(places) == is_read


def test_behind_the_value_of_another_field_a_dash_is_asked_for_alone() -> None:
    def is_value(text: str) -> bool:
        return text == "deep_copy"

    cut = behind_value(Affixes(before="deep_copy — "), is_value, [])
    assert cut.apply("logical_and — A grammar") == "A grammar"
    inside = Affixes(before=" — ", whole_before=False)
    for other in (Affixes(before="Purpose — "), Affixes(before="deep_copy: "), inside):
        assert behind_value(other, is_value, []) == other


@pytest.mark.parametrize("fit", [fit_affixes, fit_ending])
def test_a_name_ends_at_its_dash_whatever_article_follows(fit) -> None:
    pairs = [("lazy — A", "lazy"), ("nop", "nop")]
    if fit is fit_affixes:
        pairs = [("lazy — A transform", "lazy"), ("nop — A function", "nop")]
    cut = fit(pairs)
    assert cut.apply("env — The environment") == "env"


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
    menu = Ranked(Finder(Family.CLASS, "//a"), same, same)
    behind = '//strong[text()[normalize-space()="Language:"]]/following-sibling::text()[1]'
    label = Ranked(Finder(Family.LABEL, behind, cost=1.2), said, said, kind=kind)
    found = what_varies([menu, label], ["中文", "中文"], "language")
    assert found is (label if is_led else None)
    assert what_varies([menu, label], ["中文", "中文"], "license") is None


def test_a_list_is_read_that_needs_both_its_box_and_its_class() -> None:
    """Names of parameters stand in the box, too, and symbols in other boxes."""

    def symbol(name: str, k: int) -> str:
        shown = f"<span class=symbol><span class='name{' old' * (k % 2)}'>{name}</span>: <a>Int</a></span>"
        shown += f"<span class=params>(<span class=name>p{word(k)}</span>)</span>"
        return f"<li>{f'<h4>{shown}</h4>' if k % 2 else shown}</li>"

    def symbols(prefix: str, count: int) -> str:
        return f"<ol>{''.join(symbol(f'{prefix}{word(k)}', k) for k in range(count))}</ol>"

    def thing(n: int) -> str:
        return page(
            word(n),
            f"<div id=signature><span class=symbol><span class=name>{word(n)}</span></span></div>",
            f"<div id=types>{symbols('T', n % 3 + 1)}</div><div id=values>{symbols('v', n % 4 + 2)}</div>",
        )

    def values(n: int) -> list[str]:
        return [f"v{word(k)}" for k in range(n % 4 + 2)]

    samples = [(thing(n), {"title": word(n), "values": values(n)}) for n in (0, 1)]
    wrapper = learned(samples, [thing(n) for n in range(2, 12)])
    assert wrapper.extract(thing(31))["values"] == values(31)


@pytest.mark.parametrize(
    ("refuted", "covered", "is_led"),
    [(2, 1.0, True), (1, 1.0, False), (2, 0.7, False)],
    ids=["wrong twice", "wrong once", "seldom there"],
)
def test_a_label_that_was_never_wrong_goes_before_what_was(refuted: int, covered: float, is_led: bool) -> None:
    """The first `dd` of a block may be what an annotation says; behind "Source" stands the source."""
    first, said = ["A.scala", "B.scala", None, None], ["A.scala", "X.scala", "C.scala", "D.scala"]
    best = Ranked(Finder(Family.CLASS, "//dl/dd"), first, first, agreement=0.8, coverage=0.9, refuted=refuted)
    label = Ranked(Finder(Family.LABEL, "//dt", cost=1.2), said, said, agreement=0.8, coverage=covered)
    assert never_refuted_first([best, label])[0] is (label if is_led else best)


@pytest.mark.parametrize("others", [3, 2], ids=["the form of the record", "a table with two fields"])
def test_a_label_among_those_of_the_other_fields_goes_before_one_that_stands_alone(others: int) -> None:
    """On both samples the first message is by whom the issue is assigned to."""

    def issue(n: int, author: str, assignee: str) -> str:
        facts = {"Status": word(n + 50), "Priority": word(n + 60), "Version": word(n + 70)}
        rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in [*facts.items()][:others])
        form = f"<table>{rows}<tr><th>Assigned To</th><td>{assignee}</td></tr></table>"
        return page(word(n), form, f"<div><p><b>Author</b> <i>{author}</i></p><p>{OTHER} {n}</p></div>")

    def fields(n: int) -> dict[str, str]:
        facts = {"status": word(n + 50), "priority": word(n + 60), "version": word(n + 70)}
        return {"title": word(n), "person": NAMES[n]} | dict([*facts.items()][:others])

    samples = [PageView(parse_html(issue(n, NAMES[n], NAMES[n]).encode()), f"http://a.test/{n}") for n in (0, 1)]
    pages = [
        PageView(parse_html(issue(n, NAMES[(n + 5) % 12], NAMES[n % 12]).encode()), f"http://a.test/{n}")
        for n in range(2, 12)
    ]
    alone = Finder(Family.LABEL, '//b[.="Author"]/following-sibling::i', cost=1.2)
    beside = Finder(Family.LABEL, '//th[.="Assigned To"]/following-sibling::td', cost=1.2)
    given = [(LearnPage.of(view), fields(n)) for n, view in enumerate(samples)]
    found = among_the_others("person", alone, [alone, beside], given, pages)
    assert found == ([beside] if others == 3 else [])
    assert among_the_others("person", beside, [alone, beside], given, pages) == []


def test_fields_with_the_same_values_are_read_at_labels_of_their_own_in_the_order_given() -> None:
    def card(n: int, cost: int, attack: int) -> str:
        rows = (("费用", cost), ("攻击力", attack))
        shown = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in rows)
        return page(word(n), f"<table>{shown}</table>")

    samples = [(card(n, n + 2, n + 2), {"title": word(n), "cost": f"{n + 2}", "attack": f"{n + 2}"}) for n in (0, 1)]
    found = learned(samples, [card(n, n % 6, (n * 5) % 7) for n in range(2, 14)]).extract(card(30, 8, 9))
    assert (found["cost"], found["attack"]) == ("8", "9")
