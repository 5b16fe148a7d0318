"""Markup of real sites: neighbours that speak for an absent field, notices, placeholders, tiny and nested rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word

URL = "https://a.example/{}"


def learn(*samples: tuple[str, dict[str, Any]], more: list[str] | None = None) -> Wrapper:
    given = [Sample(URL.format(n), page, fields) for n, (page, fields) in enumerate(samples)]
    return learn_wrapper(given, [(URL.format(100 + n), page) for n, page in enumerate(more or [])])


def shop(n: int, price: str) -> str:
    return f"<html><body><h1>{word(n)}</h1><p class='price'>{price}</p><p>All about {word(n + 40)}</p></body></html>"


def test_a_notice_in_the_place_of_a_price_is_no_price() -> None:
    wrapper = learn((shop(1, "$8.00"), {"price": "$8.00"}), (shop(2, "Ask in store"), {}))
    assert wrapper.extract(shop(3, "$9.50"))["price"] == "$9.50"
    assert wrapper.extract(shop(4, "Ask in store"))["price"] is None


def test_a_notice_that_only_further_pages_have_is_no_price_either() -> None:
    more = [shop(n, "Ask in store" if n % 3 else f"${n}.00") for n in range(10, 20)]
    wrapper = learn((shop(1, "$8.00"), {"price": "$8.00"}), (shop(2, "$7.10"), {"price": "$7.10"}), more=more)
    assert wrapper.extract(shop(4, "Ask in store"))["price"] is None
    assert Wrapper.from_json(wrapper.to_json()).extract(shop(4, "Ask in store"))["price"] is None


def choice(n: int, *sizes: str) -> str:
    options = "".join(f"<option>{size}</option>" for size in ("Choose an option", *sizes))
    return f"<html><body><h1>{word(n)}</h1><select id='size'>{options}</select></body></html>"


def test_a_placeholder_is_no_item_of_a_list() -> None:
    wrapper = learn(
        (choice(1, "10 mL", "30 mL"), {"sizes": ["10 mL", "30 mL"]}), (choice(2, "5 mL"), {"sizes": ["5 mL"]})
    )
    assert wrapper.extract(choice(3, "1 L", "2 L", "5 L"))["sizes"] == ["1 L", "2 L", "5 L"]
    assert Wrapper.from_json(wrapper.to_json()).extract(choice(3, "1 L"))["sizes"] == ["1 L"]


def item(n: int, since: str | None, *methods: str) -> str:
    own = f"<span class='since'>{since}</span>" if since else ""
    rows = "".join(
        f"<section class='method'><h4>{word(n * 9 + k)}</h4><span class='since'>{one}</span></section>"
        for k, one in enumerate(methods)
    )
    return f"<html><body><div class='head'><h1>{word(n)}</h1>{own}</div><div class='all'>{rows}</div></body></html>"


def test_a_neighbour_does_not_speak_for_a_field_that_is_absent() -> None:
    more = [item(n, f"1.{n}.0" if n % 2 else None, "1.0.0", "1.2.0") for n in range(10, 22)]
    wrapper = learn(
        (item(1, "1.3.0", "1.4.0"), {"since": "1.3.0"}), (item(2, "1.7.0", "1.8.0", "1.9.0"), {"since": "1.7.0"}),
        more=more,
    )  # fmt: skip
    assert wrapper.extract(item(5, "1.5.0", "1.1.0"))["since"] == "1.5.0"
    assert wrapper.extract(item(6, None, "1.1.0"))["since"] is None


def reference(n: int, takes: list[str], gives: list[str], *, wide: bool = False) -> str:
    def rows(names: list[str]) -> str:
        return "".join(f"<dt><b>{name}</b> <i>{name[::-1]}</i></dt><dd><p>Told of {name}.</p></dd>" for name in names)

    style = "wide" if wide else "slim"
    first = f"<dt>Takes</dt><dd><dl class='{style}'>{rows(takes)}</dl></dd>"
    return (
        f"<html><body><h1>{word(n)}</h1><dl class='fields'>{first}"
        f"<dt>Gives</dt><dd><dl class='slim'>{rows(gives)}</dl></dd></dl></body></html>"
    )


def told(names: list[str]) -> list[dict[str, str]]:
    return [{"name": name, "type": name[::-1]} for name in names]


def test_rows_under_another_heading_are_not_taken() -> None:
    more = [reference(n, [f"take{word(n)}"], [f"give{word(n)}"], wide=bool(n % 2)) for n in range(10, 20)]
    wrapper = learn(
        (reference(1, ["alpha", "beta"], ["gamma"], wide=True), {"gives": told(["gamma"])}),
        (reference(2, ["delta"], ["epsilon", "zeta"], wide=True), {"gives": told(["epsilon", "zeta"])}),
        more=more,
    )
    assert wrapper.extract(reference(3, ["eta"], ["theta"]))["gives"] == told(["theta"])


def test_a_row_within_a_row_that_lacks_a_part_belongs_to_it() -> None:
    wrapper = learn(
        (reference(1, ["alpha", "beta"], ["gamma"]), {"takes": told(["alpha", "beta"])}),
        (reference(2, ["delta"], ["epsilon", "zeta"]), {"takes": told(["delta"])}),
    )
    inner = "<dl class='slim'><dt><i>float</i></dt><dd><p>Why.</p></dd></dl>"
    page = reference(3, ["eta", "iota"], ["theta"]).replace("Told of eta.", f"Told of eta.</p>{inner}<p>")
    assert wrapper.extract(page)["takes"] == told(["eta", "iota"])


def table(n: int, *rows: tuple[str, str, str]) -> str:
    cells = "".join(
        f"<tr><td>{kind}</td><td><b>{name}</b>({kind} x)<p>{text}</p></td></tr>" for kind, name, text in rows
    )
    aside = "".join(f"<li>{name}</li>" for _, name, _ in rows)
    letters = "<p>T and T or T: a T in T.</p>" * 90
    return f"<html><body><ul>{aside}</ul><h1>{word(n)}</h1>{letters}<table>{cells}</table></body></html>"


def records(*rows: tuple[str, str, str]) -> list[dict[str, str]]:
    return [{"kind": kind, "name": name, "text": text} for kind, name, text in rows]


ONE = (("T", "walk", "Goes on."), ("int", "run", "Goes faster."), ("T", "stop", "Stands."))
TWO = (("int", "sit", "Sits."), ("T", "lie", "Lies down."))
THREE = (("T", "fly", "Flies."), ("bool", "land", "Lands."), ("T", "swim", "Swims."))


def test_a_tiny_part_that_stands_everywhere_is_found_in_its_row() -> None:
    wrapper = learn((table(1, *ONE), {"rows": records(*ONE)}), (table(2, *TWO), {"rows": records(*TWO)}))
    assert not wrapper.warnings
    assert wrapper.extract(table(3, *THREE))["rows"] == records(*THREE)


def test_records_given_in_another_order_are_found_and_come_as_the_page_has_them() -> None:
    wrapper = learn((table(1, *ONE), {"rows": records(*ONE)[::-1]}), (table(2, *TWO), {"rows": records(*TWO)[::-1]}))
    assert not wrapper.warnings
    assert wrapper.extract(table(3, *THREE))["rows"] == records(*THREE)


def test_a_row_that_is_nowhere_costs_only_itself() -> None:
    wrong = [*records(*ONE), {"kind": "void", "name": "vanish", "text": "Never there."}]
    wrapper = learn((table(1, *ONE), {"rows": wrong}), (table(2, *TWO), {"rows": records(*TWO)}))
    assert wrapper.extract(table(3, *THREE))["rows"] == records(*THREE)
    assert any("'Never there.' is nowhere on" in text for text in wrapper.warnings)


def test_a_constant_part_and_a_part_of_one_record_only_are_read() -> None:
    def page(n: int, *who: str) -> str:
        rows = "".join(
            f"<li><span class='r'>5</span><b>{one}</b>{'<i>verified</i>' if k else ''}<p>{one} says 5 of {n}.</p></li>"
            for k, one in enumerate(who)
        )
        return f"<html><body><h1>{word(n)}</h1><p>5 stars</p><ul class='reviews'>{rows}</ul></body></html>"

    def rows(n: int, *who: str) -> list[dict[str, str]]:
        plain = [{"stars": "5", "who": one, "text": f"{one} says 5 of {n}."} for one in who]
        return [one | ({"mark": "verified"} if k else {}) for k, one in enumerate(plain)]

    wrapper = learn((page(1, "Ann"), {"r": rows(1, "Ann")}), (page(2, "Bob", "Cid"), {"r": rows(2, "Bob", "Cid")}))
    assert wrapper.extract(page(3, "Dan", "Eve", "Flo"))["r"] == rows(3, "Dan", "Eve", "Flo")


def test_a_part_that_no_rule_leads_to_is_left_out_with_a_warning() -> None:
    given = [records(*rows) for rows in (ONE, TWO)]
    odd = [[one | {"odd": odd} for one, odd in zip(rows, ["and", "or", "in"], strict=False)] for rows in given]
    wrapper = learn((table(1, *ONE), {"rows": odd[0]}), (table(2, *TWO), {"rows": odd[1]}))
    assert wrapper.extract(table(3, *THREE))["rows"] == records(*THREE)
    assert any("no rule leads to 'odd' of its records" in text for text in wrapper.warnings)


STARRED = (
    [("4", "2012-01-17"), ("1", "2012-02-15"), ("3", "2014-02-18")],
    [("3", "2016-02-13"), ("3", "2018-06-19")],
)


def test_a_part_that_only_other_texts_hold_by_chance_costs_only_itself() -> None:
    def said(n: int, given: list[tuple[str, str]]) -> list[dict[str, str]]:
        return [
            {"who": word(7 * n + k), "date": date, "text": f"{word(9 * n + k)} {word(n + 3 * k)}.", "stars": stars}
            for k, (stars, date) in enumerate(given)
        ]

    def page(n: int, given: list[tuple[str, str]]) -> str:
        rows = "".join(
            f'<div class="rev"><span class="stars s{one["stars"]}"></span><b class="who">{one["who"]}</b>'
            f'<span class="date">{one["date"]}</span><p class="text">{one["text"]}</p></div>'
            for one in said(n, given)
        )
        return f'<html><body><h1>{word(n)}</h1><div id="rv">{rows}</div></body></html>'

    more = [page(n, STARRED[n % 2][: 1 + n % 3]) for n in range(10, 18)]
    wrapper = learn(*((page(n, one), {"r": said(n, one)}) for n, one in enumerate(STARRED, 1)), more=more)
    found = wrapper.extract(page(3, STARRED[0]))["r"]
    keys = ("who", "date", "text")
    assert [{key: row.get(key) for key in keys} for row in found] == [
        {key: row[key] for key in keys} for row in said(3, STARRED[0])
    ]


HEADINGS = {
    "h2": "<h2>{}</h2>",
    "linked": "<h3 class='s'>{}<a href='#x'>¶</a></h3>",
    "style": "<p style='color:maroon'>{}</p>",
    "bold": "<p><strong>{}</strong></p>",
    "font": "<center><font color='red'>{}</font></center>",
    "dt": "<dt>{}</dt>",
}
"""What stands over a section, where the text below is in plain paragraphs beside it."""


def essay(form: str, n: int, notes: int, parts: int, *, last: bool = True) -> str:
    def section(title: str, count: int, what: str) -> str:
        texts = "".join(f"<p>{paragraph(what, n, k)}</p>" for k in range(count))
        return HEADINGS[form].format(title) + texts if count else ""

    sections = section("Notes", notes, "note") + section("Translation", parts, "part")
    end = section("About", 1, "about") if last else ""
    return f"<html><body><h1>{word(n)}</h1><div><p>{word(n + 50)}</p>{sections}{end}</div><p>end</p></body></html>"


def paragraph(what: str, n: int, k: int) -> str:
    return (
        f"The {what} {k} says {word(n + k)} of {word(n * 3 + k)}, and {word(n * 5 + k)} to {word(n * 7 + k)} as well."
    )


def essay_fields(n: int, notes: int, parts: int) -> dict[str, Any]:
    found: dict[str, Any] = {"notes": [paragraph("note", n, k) for k in range(notes)]}
    return found | {"translation": " ".join(paragraph("part", n, k) for k in range(parts)) or None}


@pytest.mark.parametrize("form", HEADINGS)
def test_a_section_is_what_stands_up_to_the_next_heading_of_its_kind(form: str) -> None:
    sizes = [(10, 2, 1), (11, 1, 3), (12, 3, 2), (13, 2, 4), (14, 0, 2), (15, 2, 0)]
    wrapper = learn(
        (essay(form, 1, 2, 3), essay_fields(1, 2, 3)), (essay(form, 2, 3, 2), essay_fields(2, 3, 2)),
        more=[essay(form, *size) for size in sizes],
    )  # fmt: skip
    for n, (notes, parts) in enumerate([(4, 1), (1, 5), (2, 0), (0, 3), (1, 1)], start=30):
        assert wrapper.extract(essay(form, n, notes, parts)) == essay_fields(n, notes, parts)
    assert wrapper.extract(essay(form, 40, 2, 2, last=False)) == essay_fields(40, 2, 2)
    assert Wrapper.from_json(wrapper.to_json()).extract(essay(form, 41, 1, 2)) == essay_fields(41, 1, 2)


def test_a_long_section_of_one_paragraph_on_both_samples_is_read_whole_where_it_has_more() -> None:
    more = "as well, and says so again and again, to all who ask."

    def page(n: int, parts: int) -> str:
        return essay("h2", n, 1, parts).replace("as well.", more)

    samples = [(page(n, 1), {"told": paragraph("part", n, 0).replace("as well.", more)}) for n in (1, 2)]
    wrapper = learn(*samples, more=[page(n, 1 + n % 3) for n in range(10, 20)])
    assert wrapper.extract(page(30, 3))["told"].count("again and again") == 3


def poem(n: int, dynasty: str, poet: str) -> str:
    return f"<html><body><h1>{word(n)}</h1><p class='by'>[{dynasty}] {poet}</p><p>{word(n * 3)}</p></body></html>"


def test_a_cut_is_no_longer_than_the_signs_beside_the_value() -> None:
    more = [poem(n, "Song" if n % 3 else "Tang", word(n * 5)) for n in range(10, 20)]
    samples = [(poem(n, "Tang", poet), {"poet": poet}) for n, poet in ((1, "Li Bai"), (2, "Du Fu"))]
    assert learn(*samples, more=more).extract(poem(3, "Yuan", "Ma Zhiyuan"))["poet"] == "Ma Zhiyuan"


def described(n: int, text: str, most: int, dots: str) -> str:
    data = text if len(text) <= most else text[:most] + dots
    return (
        f"<html><head><meta property='og:description' content='{data}'></head><body><h2>Book {n}</h2>"
        f"<div class='comments'><h3>About</h3><p>{text}</p></div></body></html>"
    )


@pytest.mark.parametrize(
    ("part", "most", "dots"),
    [("本软件包提供了小工具，", 30, "..."), ("本软件包提供了小工具，", 36, ""), ("It tells of tools,", 40, "…")],
)
def test_data_that_break_off_go_behind_what_the_page_shows(part: str, most: int, dots: str) -> None:
    """The samples are so short that both say the same of them."""
    short, more = [f"{n}. {part}" for n in (1, 2)], [f"{n}. {part * (2 + n % 5)}" for n in range(10, 30)]
    pages = [described(n, text, most, dots) for n, text in enumerate(more)]
    samples = ((described(40 + n, text, most, dots), {"about": text}) for n, text in enumerate(short))
    wrapper = learn(*samples, more=pages)
    assert [wrapper.extract(page)["about"] for page in pages] == more


def test_a_text_before_a_label_is_not_cut_at_another_word_with_a_colon() -> None:
    def page(n: int, text: str) -> str:
        return f"<html><body><h1>{word(n)}</h1><div class='d'>{text} Source: Web</div></body></html>"

    texts = [f"A house {n} in the garden." for n in range(40)]
    more = [page(n, text) for n, text in enumerate(texts[10:])]
    wrapper = learn(*((page(n, texts[n]), {"text": texts[n]}) for n in (1, 2)), more=more)
    told = "We offer two options: sea view or hill view."
    assert wrapper.extract(page(3, told))["text"] == told


def test_a_title_that_begins_like_those_of_other_posts_is_a_title() -> None:
    def page(n: int, title: str) -> str:
        recent = "<div class='recent'><a href='/9'>Review: Old boat</a><a href='/8'>Other</a></div>"
        return f"<html><body>{recent}<div><h1>{title}</h1><p>{word(n)} text</p></div></body></html>"

    titles = [f"Review: {word(n)}" if n % 3 == 0 else f"On {word(n)}" for n in range(40)]
    more = [page(n, titles[n]) for n in range(10, 40)]
    wrapper = learn(*((page(n, titles[n]), {"title": titles[n]}) for n in (1, 2)), more=more)
    assert [wrapper.extract(page(n, titles[n]))["title"] for n in (3, 4)] == [titles[3], titles[4]]


def test_pages_without_a_label_whose_lists_are_the_same_keep_them() -> None:
    def page(n: int, genres: Sequence[str], *, labelled: bool = True) -> str:
        links = "".join(f"<a class='genre' href='/{one}'>{one}</a>" for one in genres)
        return f"<html><body><h1>{word(n)}</h1><p>{'<b>Genre:</b> ' if labelled else ''}{links}</p></body></html>"

    more = [page(n, [word(n), word(n + 1)]) for n in range(10, 26)]
    more += [page(n, ["Film"], labelled=False) for n in range(6)]
    samples = ((page(n, [word(n), word(n + 1)]), {"genres": [word(n), word(n + 1)]}) for n in (50, 60))
    assert learn(*samples, more=more).extract(page(9, ["Film"], labelled=False))["genres"] == ["Film"]


def test_names_with_parts_are_no_labels() -> None:
    def page(n: int, name: str) -> str:
        return f"<html><body><h1>{word(n)}</h1><p class='in'>{name}</p><nav>std::all</nav></body></html>"

    more = [page(n, f"std::part{n}" if n % 3 else "std") for n in range(10, 40)]
    wrapper = learn((page(1, "std"), {"module": "std"}), (page(2, "std"), {"module": "std"}), more=more)
    assert wrapper.extract(page(41, "std::ptr"))["module"] == "std::ptr"


def test_what_the_page_shows_is_taken_where_its_data_are_written_otherwise() -> None:
    def page(n: int, sign: str = "–") -> str:
        data = f'<script type="application/ld+json">{{"@type": "Product", "name": "{word(n)} - Small"}}</script>'
        return f"<html><head>{data}</head><body><h1 class='name'>{word(n)} {sign} Small</h1></body></html>"

    samples = [(page(n, "-"), {"title": f"{word(n)} - Small"}) for n in (1, 2)]
    assert learn(*samples, more=[page(n) for n in range(10, 20)]).extract(page(3))["title"] == f"{word(3)} – Small"


def test_every_value_knows_the_rule_that_gave_it() -> None:
    from gwc_crawler.extract.page_view import PageView

    wrapper = learn((table(1, *ONE), {"rows": records(*ONE)}), (table(2, *TWO), {"rows": records(*TWO)}))
    assert wrapper.sources(PageView.parse(table(3, *THREE)))["rows"].endswith(
        f"(rule 1 of {len(wrapper.rules['rows'].ways)})"
    )
    assert wrapper.sources(PageView.parse("<p>none</p>")) == {}


def test_the_first_sentence_of_a_text_is_read_on_through_what_stands_inside_it() -> None:
    def page(n: int, text: str) -> str:
        return f"<html><body><h1>{word(n)}</h1><div class='block'>{text}</div></body></html>"

    one, two = "Thing of 2.5 kinds.", "What a <i>thing</i> does."
    more = f"{two} And more, <b>e. g.</b> this."
    wrapper = learn((page(1, one), {"summary": one}), (page(2, more), {"summary": "What a thing does."}))
    assert wrapper.extract(page(3, "A <a href='#'>list</a> of parts. It is long."))["summary"] == "A list of parts."
    assert wrapper.extract(page(4, "No end"))["summary"] == "No end"
