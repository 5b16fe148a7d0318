"""Pages as real sites have them, of kinds that nobody tuned to: each learned from two, alone and with further ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from gwc_crawler import Sample, learn_wrapper
from gwc_crawler.extract.page_view import PageView
from tests.extract.pages import word

Fields = dict[str, Any]
Made = tuple[str, Fields]
"""A page and what stands there."""

CASES: list[Callable[[int], Made]] = []


def case(make: Callable[[int], Made]) -> Callable[[int], Made]:
    CASES.append(make)
    return make


def page(body: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><nav><a href='/'>Home</a></nav>{body}<footer>© Site</footer></body></html>"


@case
def values_in_the_middle_of_a_sentence(n: int) -> Made:
    text = f"This room costs {n + 40} euros a night and sleeps {n % 5 + 1} guests in the {word(n + 6)} wing."
    return page(f"<h1>{word(n)}</h1><p>{text}</p>"), {"price": f"{n + 40}", "wing": word(n + 6)}


@case
def labels_and_values_in_one_text(n: int) -> Made:
    body = f"<h1>{word(n)}</h1><p>Author: {word(n + 2)} | Year: {1990 + n} | Pages: {n * 7 + 80}</p>"
    return page(body), {"author": word(n + 2), "year": f"{1990 + n}", "pages": f"{n * 7 + 80}"}


@case
def cells_of_a_grid_without_rows(n: int) -> Made:
    rows = [{"time": f"{8 + k}:15", "what": f"{word(n + k)} {word(k + 50)}"} for k in range(3 + n % 2)]
    cells = "".join(f"<div>{row['time']}</div><div>{row['what']}</div>" for row in rows)
    return page(f"<div style='display:grid'>{cells}</div>"), {"plan": rows}


@case
def cards(n: int) -> Made:
    rows = [{"name": word(n + k).title(), "price": f"{n + k}.50 €"} for k in range(2 + n % 3)]
    made = "".join(
        f"<div class='col-md-4'><div class='card'><div class='card-body'><h5 class='card-title'>{row['name']}</h5>"
        f"<p class='card-text'>{row['price']}</p><a class='btn btn-primary'>Buy</a></div></div></div>"
        for row in rows
    )
    return page(f"<div class='row'>{made}</div>"), {"cards": rows}


@case
def rows_that_are_roles(n: int) -> Made:
    rows = [
        {"file": f"{word(n + k)}.py", "said": f"Mend {word(n + k + 3)}", "age": f"{n + k} days ago"} for k in range(3)
    ]
    made = "".join(
        f"<div role='row' class='Box-row'><div role='rowheader'><a title='{row['file']}'>{row['file']}</a></div>"
        f"<div role='gridcell'><span><a>{row['said']}</a></span></div>"
        f"<div role='gridcell'><time-ago>{row['age']}</time-ago></div></div>"
        for row in rows
    )
    return page(f"<div role='grid'>{made}</div>"), {"files": rows}


@case
def lines_of_an_address(n: int) -> Made:
    street, town, phone = f"{word(n).title()} Road {n}", f"{10000 + n * 13} {word(n + 3).title()}", f"0{n}1-{n * 11}"
    return page(f"<p>{street}<br>{town}<br>Tel. {phone}</p><p>Or write.</p>"), {
        "street": street,
        "town": town,
        "phone": phone,
    }


@case
def records_that_are_lines(n: int) -> Made:
    rows = [{"name": f"{word(n + k).title()} Fox", "role": word(n + k + 7)} for k in range(3)]
    lines = "<br>".join(f"{row['name']} ({row['role']})" for row in rows)
    return page(f"<h2>{word(n)}</h2><p class='staff'>{lines}</p>"), {"staff": rows}


@case
def records_in_lines_with_parts_that_may_lack(n: int) -> Made:
    rows = [
        {"name": word(n + k).title(), "year": f"{1950 + n + k}"} | ({"note": word(n + k + 8)} if (n + k) % 3 else {})
        for k in range(4)
    ]
    lines = "".join(
        f"<b>{row['name']}</b> ({row['year']})" + (f" <i>{row['note']}</i>" if "note" in row else "") + "<br>"
        for row in rows
    )
    return page(f"<div class='list'>{lines}</div>"), {"rows": rows}


@case
def data_for_machines_alone(n: int) -> Made:
    data = {"@context": "https://schema.org", "@type": "Product", "name": word(n), "sku": f"SK-{n * 37}"}
    script = f"<script type='application/ld+json'>{json.dumps(data)}</script>"
    return page(f"<h1>{word(n)}</h1><div id='root'></div>", script), {"sku": f"SK-{n * 37}"}


@case
def attributes_only(n: int) -> Made:
    date = f"2021-0{n % 9 + 1}-1{n % 8}"
    body = (
        f"<div class='item' data-sku='A{n * 97}'><h2>{word(n)}</h2><time datetime='{date}'>{n} weeks ago</time></div>"
    )
    return page(body), {"sku": f"A{n * 97}", "date": date}


@case
def a_number_before_its_label(n: int) -> Made:
    body = "".join(
        f"<li><b>{n * k + k}</b> {label}</li>" for k, label in enumerate(("fans", "posts", "likes"), start=2)
    )
    return page(f"<ul>{body}</ul>"), {"fans": f"{n * 2 + 2}", "likes": f"{n * 4 + 4}"}


@case
def the_same_labels_in_two_tables(n: int) -> Made:
    def table(head: str, weight: int) -> str:
        rows = f"<tr><td>Weight</td><td>{weight} kg</td></tr><tr><td>Form</td><td>x</td></tr>"
        return f"<h3>{head}</h3><table>{rows}</table>"

    body = table("Product", n + 1) + table("Package", n + 3)
    return page(body), {"weight": f"{n + 1} kg", "package_weight": f"{n + 3} kg"}


@case
def sections_in_any_order(n: int) -> Made:
    told = [
        ("Usage", f"Use {word(n)} daily."),
        ("Storage", f"Keep {word(n + 2)} dry."),
        ("Warning", f"No {word(n + 3)}."),
    ]
    told = told[1:] + told[:1] if n % 2 else told
    body = "".join(f"<h2>{head}</h2><p>{text}</p>" for head, text in told)
    return page(f"<h1>{word(n)}</h1>{body}"), {head.lower(): text for head, text in told if head != "Warning"}


@case
def an_advertisement_among_the_rows(n: int) -> Made:
    rows = [{"name": word(n + k).title(), "age": f"{n + k + 20}"} for k in range(3)]
    made = "".join(f"<li><b>{row['name']}</b><span>{row['age']}</span></li>" for row in rows)
    return page(f"<ul class='p'>{made}<li class='ad'>Advert: buy this</li></ul>"), {"people": rows}


@pytest.mark.parametrize("further", [(), (5, 6, 7, 9, 10, 11, 12)], ids=["two", "more"])
@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_two_pages_are_enough(make: Callable[[int], Made], further: tuple[int, ...]) -> None:
    samples = [Sample(f"https://a.example/{n}", *make(n)) for n in (3, 8)]
    wrapper = learn_wrapper(samples, [(f"https://a.example/{n}", make(n)[0]) for n in further])
    assert wrapper.warnings == ()
    for n in (13, 14, 15, 17):
        html, fields = make(n)
        assert wrapper.extract(html, f"https://a.example/{n}") == fields
        assert set(wrapper.sources(PageView.parse(html))) == set(fields)
