"""What speaks where a value is missing, which of several places is meant, and how much of it."""

from __future__ import annotations

from typing import Any

from tests.extract.pages import learned, sentence, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]


# What speaks where a value is missing


def test_the_next_row_is_not_the_list_whose_row_is_missing() -> None:
    def one(n: int, *, keys: bool = True) -> str:
        row = f"<tr><th>Keys<td>{word(n + 3)}, {word(n + 4)}" if keys else f"<tr><th>Moods<td>{word(n + 5)}"
        return page(word(n), f"<table><tr><th>Opus<td>{word(n + 1)}{row}<tr><th>Year<td>{1900 + n}</table>")

    samples: Samples = [(one(n), {"keys": [word(n + 3), word(n + 4)]}) for n in (1, 2)]
    wrapper = learned(samples, [one(n) for n in SEVERAL])
    assert not wrapper.extract(one(51, keys=False)).get("keys")


def test_a_description_in_the_head_is_no_other_meta_element() -> None:
    def one(n: int, *, described: bool = True) -> str:
        meta = f"<meta name=description content='{sentence(n)}'>" if described else ""
        rest = "<meta name=viewport content='width=device-width'>"
        return f"<html><head>{meta}{rest}</head><body><h1>{word(n)}</h1><p>{word(n + 1)}</p></body></html>"

    samples: Samples = [(one(n), {"about": sentence(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n) for n in SEVERAL])
    assert wrapper.extract(one(51))["about"] == sentence(51)
    assert not wrapper.extract(one(52, described=False)).get("about")


def test_an_amount_is_not_the_name_where_there_is_none() -> None:
    def row(n: int, *, amount: bool = True) -> str:
        much = f"<span data-amount=true>{n + 2}</span> <span data-unit=true>{word(n % 5)}</span> " if amount else ""
        return f"<li>{much}<span data-name=true>{word(n + 9)}</span>"

    def one(n: int, *, salt: bool = False) -> str:
        rows = "".join(row(n + k) for k in range(3)) + (row(n + 3, amount=False) if salt else "")
        return page(word(n), f"<ul class=needed>{rows}</ul>")

    def told(n: int) -> dict[str, str]:
        return {"amount": str(n + 2), "unit": word(n % 5), "name": word(n + 9)}

    samples: Samples = [(one(n), {"needed": [told(n + k) for k in range(3)]}) for n in (1, 2)]
    wrapper = learned(samples, [one(n) for n in SEVERAL])
    assert wrapper.extract(one(51, salt=True))["needed"][-1] == {"name": word(63)}


def test_words_with_the_class_of_a_price_are_no_price() -> None:
    def row(n: int) -> str:
        price = "<span class=price>Sold out</span>" if n % 4 == 0 else f"<b class=price>${n}.50</b>"
        return f"<div class=item><a href=/i/{n}>{word(n)} {word(n + 7)}</a> {price}</div>"

    def one(n: int) -> str:
        return page(word(n + 9), f"<div class=items>{''.join(row(n + k) for k in range(3))}</div>")

    def told(n: int) -> dict[str, str]:
        return {"name": f"{word(n)} {word(n + 7)}", "price": f"${n}.50"}

    samples: Samples = [(one(n), {"items": [told(n + k) for k in range(3)]}) for n in (1, 5)]
    wrapper = learned(samples, [one(n) for n in SEVERAL])
    assert [row.get("price") or "" for row in wrapper.extract(one(51))["items"]] == ["$51.50", "", "$53.50"]


# Which place is meant


def poem(n: int, *, background: bool, poet: bool) -> str:
    made = (
        f"<div class=part><div><h2><span>Background</span></h2><p>{sentence(n, 'Once')}</p></div></div>"
        if background
        else ""
    )
    box = f"<div class=box><p>{word(n)}</p><p>Poet {sentence(n + 5, 'Life')}</p></div>" if poet else ""
    return page(word(n), f"<div class=left>{made}{box}<div class=more><p>{word(n + 8)}</p></div></div>")


def test_a_box_with_a_class_is_told_by_that_not_by_the_section_before_it() -> None:
    samples: Samples = [
        (poem(1, background=True, poet=True), {"name": word(1), "poet": f"Poet {sentence(6, 'Life')}"}),
        (poem(2, background=False, poet=False), {"name": word(2)}),
    ]
    more = [poem(n, background=n % 4 == 0, poet=n % 2 == 0) for n in SEVERAL]
    wrapper = learned(samples, more)
    assert wrapper.extract(poem(52, background=False, poet=True))["poet"] == f"Poet {sentence(57, 'Life')}"
    assert not wrapper.extract(poem(51, background=True, poet=False)).get("poet")


# Records


def test_the_text_of_the_last_term_ends_at_a_paragraph_of_another_class() -> None:
    def terms(n: int, count: int) -> list[dict[str, str]]:
        return [
            {"name": word(n + k), "about": f"{sentence(n + k)}{f' {word(n + k + 5)} one.' if (n + k) % 2 else ''}"}
            for k in range(count)
        ]

    def one(n: int, count: int) -> str:
        rows = "".join(
            f"<p class=dt><i>{word(n + k)}</i></p><p class=in>{sentence(n + k)}</p>"
            + (f"<blockquote>{word(n + k + 5)} one.</blockquote>" if (n + k) % 2 else "")
            for k in range(count)
        )
        notes = f"<p class=label><b>Notes</b></p><p>{sentence(n + 9)}</p>"
        return page(word(n), f"<p class=label><b>Terms</b></p>{rows}{notes}")

    samples: Samples = [(one(n, 3), {"terms": terms(n, 3)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 3 + 2) for n in SEVERAL])
    assert wrapper.extract(one(51, 4))["terms"] == terms(51, 4)


def test_a_heading_within_each_record_bounds_no_section() -> None:
    def change(n: int) -> str:
        return f"<div class=change><h3>comment by <span class=who>{word(n)}</span></h3><p>{sentence(n)}</p></div>"

    def one(n: int, count: int) -> str:
        return page(
            word(n),
            f"<h3>Description</h3><p>{sentence(n + 5)}</p><h3>Change History</h3>"
            f"<div id=log>{''.join(change(n + k) for k in range(count))}</div>",
        )

    def told(n: int, count: int) -> list[dict[str, str]]:
        return [{"who": word(n + k), "text": sentence(n + k)} for k in range(count)]

    samples: Samples = [(one(n, 1), {"comments": told(n, 1)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 5 % 3 + 1) for n in SEVERAL])
    assert wrapper.extract(one(51, 3))["comments"] == told(51, 3)


def test_a_value_of_several_links_is_read_though_an_address_is_longer() -> None:
    names = ("Made", "Born", "Music", "Site", "Sold", "Size", "Worth", "Age")

    def value(n: int, name: str) -> tuple[str, str]:
        if name == "Site":
            return (
                "http://a.test/of/the/film/",
                "<a class=l href=http://a.test/of/the/film/>http://a.test/of/the/film/</a>",
            )
        if name not in ("Music", "Site"):
            return str(1900 + n + len(name)), str(1900 + n + len(name))
        some = [word(n + k) for k in range(2)]
        return ", ".join(some), ", ".join(f"<a class=l href=/{one}>{one}</a>" for one in some)

    def one(n: int) -> str:
        rows = "".join(f"<li><span class=tip>{name}: </span>{value(n, name)[1]}</li>" for name in names)
        return page(word(n), f"<ul id=facts>{rows}</ul>")

    def told(n: int) -> list[dict[str, str]]:
        return [{"name": name, "value": value(n, name)[0]} for name in names]

    samples: Samples = [(one(n), {"facts": told(n)}) for n in (1, 2)]
    assert learned(samples, [one(n) for n in SEVERAL]).extract(one(51))["facts"] == told(51)


# How much is meant


def test_the_paragraphs_behind_bold_words_are_read_to_the_next_bold_ones() -> None:
    def section(name: str, texts: list[str]) -> str:
        first, *rest = texts
        return f"<p><strong>{name}</strong><br>{first}</p>{''.join(f'<p>{text}</p>' for text in rest)}"

    def texts(n: int, of: str, count: int) -> list[str]:
        return [sentence(n + 7 * k, of) for k in range(count)]

    def one(n: int, count: int) -> str:
        returns, uses = texts(n, "Returned", count), texts(n + 3, "Used", 1)
        return page(word(n), section("Returns", returns), section("Uses", uses), "<h2>More</h2><p>x</p>")

    samples: Samples = [(one(n, n), {"returns": " ".join(texts(n, "Returned", n))}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 3 + 1) for n in SEVERAL])
    assert wrapper.extract(one(51, 1))["returns"] == sentence(51, "Returned")
    assert wrapper.extract(one(52, 3))["returns"] == " ".join(texts(52, "Returned", 3))


def test_a_long_beginning_of_a_line_leads_to_what_follows_it() -> None:
    def one(n: int, *, reviews: bool = True) -> str:
        row = f"<tr><td>Reviews: {n}</td></tr>" if reviews else ""
        added = f"This product was added to our catalog on {n % 28 + 1} May, {1990 + n}."
        return page(word(n), f"<table>{row}<tr><td>{added}</td></tr></table>")

    samples: Samples = [(one(n), {"added": f"{n % 28 + 1} May, {1990 + n}"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, reviews=n % 3 > 0) for n in SEVERAL])
    assert wrapper.extract(one(60, reviews=False))["added"] == f"{60 % 28 + 1} May, 2050"


def test_a_menu_that_names_a_field_is_not_its_row_where_that_is_missing() -> None:
    def one(n: int, *, told: bool = True) -> str:
        row = f"<tr><td>Reviews<td>{n * 3} reviews</tr>" if told else ""
        menu = "<table><tr><td><a href=/r>Reviews</a><td><a href=/c>Contact</a></table>"
        return page(word(n), f"<table><tr><td>Price<td>{n}</tr>{row}</table><p>{sentence(n)}</p>{menu}")

    samples: Samples = [(one(n), {"reviews": f"{n * 3} reviews"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, told=n % 4 > 0) for n in SEVERAL])
    assert wrapper.extract(one(52, told=False)).get("reviews") is None
    assert wrapper.extract(one(53))["reviews"] == "159 reviews"


# Single judgements


# Labels with the page's name, and what is none


def test_a_label_with_a_value_within_a_word_is_read_whole() -> None:
    def one(n: int, *, below: bool = True, made: bool = True) -> str:
        subclasses = f"<dt>Known Subclasses:<dd><a href=/c/{n + 1}>{word(n + 1)}</a>" if below else ""
        faces = f"<dt>All Interfaces:<dd><a href=/c/{n + 2}>{word(n + 2)}</a>" if made else ""
        return page(word(n), f"<p class=kind>class</p><dl>{faces}</dl><dl>{subclasses}</dl><p>{sentence(n)}</p>")

    first, second = one(1), one(2, below=False)
    samples: Samples = [
        (first, {"name": word(1), "kind": "class", "subclasses": [word(2)]}),
        (second, {"name": word(2), "kind": "class"}),
    ]
    wrapper = learned(samples, [one(n, below=n % 6 == 0, made=n % 3 > 0) for n in SEVERAL])
    assert wrapper.extract(one(51, made=False))["subclasses"] == [word(52)]
    assert not wrapper.extract(one(52, below=False)).get("subclasses")


def test_a_class_in_another_element_elsewhere_is_another_things() -> None:
    def one(n: int, *, author: bool = True, comment: bool = True) -> str:
        by = f"<p class=by>By <a class=author href=/u/{n}>{word(n)}</a></p>" if author else ""
        said = f"<div class=comment><span class=author>{word(n + 9)}</span> {sentence(n)}</div>" if comment else ""
        return page(word(n + 3), by, f"<p>{sentence(n + 5)}</p>", said)

    samples: Samples = [(one(n), {"author": word(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, author=n % 4 > 0, comment=n % 5 > 0) for n in SEVERAL])
    assert not wrapper.extract(one(51, author=False)).get("author")


def test_a_struck_out_title_is_a_title() -> None:
    def one(n: int, *, over: bool = False) -> str:
        title = f"<s>{word(n)} Evening</s>" if over else f"{word(n)} Evening"
        return f"<html><body><h1 class=t>{title}</h1><p>{sentence(n)}</p></body></html>"

    samples: Samples = [(one(n), {"title": f"{word(n)} Evening"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, over=n % 4 == 0) for n in SEVERAL])
    assert wrapper.extract(one(52, over=True))["title"] == f"{word(52)} Evening"


def test_a_bold_sentence_ends_no_section() -> None:
    def one(n: int, *, loud: bool = False) -> str:
        cry = f"<p><span><b>{word(n)} is here!</b></span></p>" if loud else ""
        return page(
            word(n), f"<p><b>About</b></p><p>{sentence(n)}</p>{cry}<p>{sentence(n + 3)}</p><p><b>More</b></p><p>x</p>"
        )

    def text(n: int, *, loud: bool = False) -> str:
        return " ".join([sentence(n), *([f"{word(n)} is here!"] if loud else []), sentence(n + 3)])

    samples: Samples = [(one(n), {"about": text(n)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, loud=n % 4 == 0) for n in SEVERAL])
    assert wrapper.extract(one(52, loud=True))["about"] == text(52, loud=True)
