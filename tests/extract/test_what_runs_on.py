"""Loose texts that run on in links, labels written otherwise, headings that are values, items of whole lists."""

from __future__ import annotations

import pytest

from tests.extract.pages import learned


def manual(name: str, summary: str, label: str = "Input Parameter", *inputs: tuple[str, str]) -> str:
    """As doctext writes them: the summary is a loose text between a heading and the next one."""
    rows, others = (
        "".join(f"<tr><td align=left><b>{key}</b></td><td> - {text}</td></tr>" for key, text in some)
        for some in (inputs, [("out", "what comes out")] * len(name))
    )
    table = f"<h3>{label}</h3><table>{rows}</table>" if inputs else ""
    tables = [table, f"<h3>Output</h3><table>{others}</table>"]
    head = f"<div>top</div><h1>{name}</h1>\n{summary}\n"
    return f"<body>{head}<h3>Synopsis</h3>{''.join(sorted(tables, reverse=name in 'AD'))}<p>end</p></body>"


SAMPLES = [
    (
        manual("A", "Appends a prefix to all of them.", "Input Parameter", ("bv", "the basis vectors")),
        {"summary": "Appends a prefix to all of them.", "inputs": [{"name": "bv", "text": "the basis vectors"}]},
    ),
    (
        manual("B", "Resizes the object to another size.", "Input Parameter", ("m", "how many of them")),
        {"summary": "Resizes the object to another size.", "inputs": [{"name": "m", "text": "how many of them"}]},
    ),
]


def test_a_loose_text_is_read_with_the_links_in_its_line() -> None:
    linked = "Restores the <a href=/bv>BV</a> object after <a href=/get>BVGet()</a> was called."
    wrapper = learned(SAMPLES, [manual("C", linked), manual("D", "Frees what is there at once.")])
    told = "Restores the BV object after BVGet() was called."
    assert wrapper.extract(manual("E", linked))["summary"] == told
    assert wrapper.extract(manual("E", f"{linked} <b>Note:</b> It is slow."))["summary"] == told
    assert wrapper.extract(manual("E", f"{linked}<br>It is slow."))["summary"] == told


def article(*sections: tuple[str, str]) -> str:
    return f"<body>{''.join(f'<h1>{heading}</h1><p>{text}</p>' for heading, text in sections)}</body>"


def test_a_heading_leads_to_a_value_though_another_field_lists_the_headings() -> None:
    given = (
        [("NAME", "a - does it"), ("OPTIONS", "None."), ("AUTHOR", "Ann Lee"), ("BUGS", "None known.")],
        [("NAME", "b - ends it"), ("AUTHOR", "Bo Chen"), ("BUGS", "One known.")],
    )
    samples = [
        (article(*rows), {"author": dict(rows)["AUTHOR"], "sections": [heading for heading, _ in rows]})
        for rows in given
    ]
    more = []
    for n, word in enumerate(("takes", "gives", "makes", "keeps", "finds", "sends")):
        options, bugs = [("OPTIONS", word)] * (n % 3), [("BUGS", word)] * (n % 2)
        more.append(article(("NAME", f"{word} it"), *options, ("AUTHOR", f"Cy {word}"), *bugs))
    page = article(("NAME", "d"), ("A", "x"), ("B", "y"), ("AUTHOR", "Di Fox"), ("C", "z"))
    assert learned(samples, more).extract(page)["author"] == "Di Fox"


def test_no_line_is_parted_at_a_sign_that_the_samples_own_values_have() -> None:
    def usage(*lines: str) -> str:
        shown = "".join(f"<dd><tt>{line}</tt></dd>" for line in lines)
        return f"<body><h1>x</h1><dl><dt>Usage:</dt>{shown}<dt>End</dt></dl></body>"

    samples = [(usage(line), {"usage": [line]}) for line in ("root(R,P)", "size(M,N)")]
    more = [usage("take(A,B)", "take(A, B)"), usage("put(C)")]
    assert learned(samples, more).extract(usage("get(D,E)", "get(F)"))["usage"] == ["get(D,E)", "get(F)"]


def test_the_title_of_a_page_leads_to_no_value_though_others_show_it() -> None:
    def goods(name: str, stock: str, *related: str) -> str:
        own = f"<p class=stock>{stock}</p>" if stock else ""
        cards = "".join(f"<li><h3>{one}</h3><p class=stock>5 left</p></li>" for one in related)
        return f"<body><div class=item><h1>{name}</h1>{own}<p class=price>7</p></div><ul>{cards}</ul></body>"

    samples = [
        (goods("Flint", "3 left", "Ore"), {"title": "Flint", "stock": "3 left"}),
        (goods("Ore", "", "Flint"), {"title": "Ore", "stock": ""}),
    ]
    more = [goods(f"Thing {chr(97 + n)}", f"{n} left" if n % 2 else "", "Flint", "Ore") for n in range(6)]
    assert learned(samples, more).extract(goods("Saw", "9 left", "Flint"))["stock"] == "9 left"


def book(title: str, subtitle: str = "", form: str = "Hardcover", above: str = "top", *, is_told: bool = True) -> str:
    """The heading is "Title: Subtitle (Form)"; the description and a button have the title if *is_told*."""
    small = f"<span class=sub>{': ' * bool(subtitle)}{subtitle} ({form})</span>"
    head = f"<meta name=description content='We sell {title} by {title[::-1]} Writer, cheap.'>" * is_told
    button = f"<a class=wish title='Add {title} to your list'>+</a>" * is_told
    return f"<head>{head}</head><body><i>{above}</i><div class=details><h2>{title}{small}</h2>{button}</div></body>"


@pytest.mark.parametrize(("is_told", "whole"), [(True, "Emma"), (False, "Emma: A Novel")])
def test_of_a_heading_the_first_text_is_all_where_data_say_so_on_the_pages_that_have_more(
    is_told: bool, whole: str
) -> None:
    samples = [(book(title, is_told=is_told), {"title": title}) for title in ("Dragon Seeds", "The Disciple")]
    subtitles = ("One", "", "Two") * 2
    further = [book(f"Book of {one}", sub, is_told=is_told) for one, sub in zip("ABCDEF", subtitles, strict=True)]
    assert learned(samples, further).extract(book("Emma", "A Novel", is_told=is_told)) == {"title": whole}


def test_no_title_ends_at_a_word_of_its_own_where_the_page_shows_it_whole() -> None:
    samples = [
        (book("Dragon Seeds", above="3"), {"title": "Dragon Seeds"}),
        (book("The Disciple", form="Paperback", above="4"), {"title": "The Disciple"}),
    ]
    wrapper = learned(samples, [book(f"Book of {one}", above=one) for one in "ABCDEF"])
    assert wrapper.extract(book("Driven by Eternity")) == {"title": "Driven by Eternity"}
