"""Rows of records and cuts of values on new markup: names out of order, sparse rows, columns that move, loose cuts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.places.places import find_places
from gwc_crawler.learn.places.record_places import Box, locate_records
from gwc_crawler.learn.places.rows import row_kinds
from gwc_crawler.learn.places.steps import column_of
from gwc_crawler.learn.texts.context import ExampleContext, LearnPage
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import word
from tests.extract.test_new_markup import learn


def enum(n: int, variants: Sequence[tuple[str, str]]) -> str:
    """A reference page whose sidebar has the names in alphabetical order; the text has them otherwise."""
    index = "".join(f"<li><a href='#{name}'>{name}</a></li>" for name, _ in sorted(variants))
    told = "".join(
        f"<h3 class='variant'><code>{name}</code></h3>" + (f"<div class='doc'><p>{text}</p></div>" if text else "")
        for name, text in variants
    )
    prose = f"<p>{word(n)} tells apart what {word(n + 1)} gives, and is matched on by most who use it.</p>"
    return (
        f"<html><body><nav><h4>Variants</h4><ul>{index}</ul></nav>"
        f"<main><h1>{word(n)}</h1>{prose * 3}<h2>Variants</h2>{told}</main></body></html>"
    )


def rows_of(variants: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name} | ({"desc": text} if text else {}) for name, text in sorted(variants)]


def test_a_list_of_names_in_order_does_not_stand_for_records_that_have_more() -> None:
    first = [("Zeta", "The last of all."), ("Alpha", "The first of all."), ("Mid", "")]
    second = [("Three", "A third one."), ("One", "A first one."), ("Two", "A second one.")]
    wrapper = learn((enum(1, first), {"variants": rows_of(first)}), (enum(2, second), {"variants": rows_of(second)}))
    new = [("Red", "Like blood."), ("Blue", "Like the sky."), ("None", "")]
    found = wrapper.extract(enum(5, new))["variants"]
    assert sorted(found, key=lambda one: one["name"]) == rows_of(new)


def reviewed(n: int, reviews: Sequence[tuple[str, str, str]]) -> str:
    """A product; reviews are rare, some have no rating, and then what follows stands elsewhere."""
    rows = "".join(
        "<li class='review'>"
        + (f"<h3><span>Rated <b class='stars'>{stars}</b> out of 5</span></h3>" if stars else "")
        + f"<p><strong class='by'>{author}</strong></p><div class='said'><p>{text}</p></div></li>"
        for author, stars, text in reviews
    )
    said = f"<h2>What others say</h2><ol class='reviews'>{rows}</ol>" if reviews else ""
    return f"<html><body><h1>{word(n)}</h1><p>About {word(n + 20)}</p>{said}</body></html>"


def records(reviews: Sequence[tuple[str, str, str]]) -> list[dict[str, str]]:
    return [{"author": a, **({"rating": s} if s else {}), "text": t} for a, s, t in reviews]


def test_names_that_rows_share_tell_what_is_what_though_one_page_alone_has_rows() -> None:
    rows = [("Ann", "4", "Light and sweet."), ("Bob", "4", "Mixed with water it is fine.")]
    more = [reviewed(n, []) for n in range(10, 20)]
    wrapper = learn((reviewed(1, rows), {"reviews": records(rows)}), (reviewed(2, []), {}), more=more)
    new = [("Cid", "5", "A third."), ("Dan", "", "No stars from me."), ("Eve", "3", "So so.")]
    assert wrapper.extract(reviewed(3, new))["reviews"] == records(new)


def documented(n: int, methods: Sequence[tuple[str, Sequence[str]]]) -> str:
    rows = "".join(
        f"<section class='m'><h4><a class='fn'>{name}</a></h4><div class='doc'>"
        + "".join(f"<p>{text}</p>" if text[0] != "#" else f"<h5>{text[1:]}</h5>" for text in paragraphs)
        + "</div></section>"
        for name, paragraphs in methods
    )
    return f"<html><body><h1>{word(n)}</h1><div class='methods'>{rows}</div></body></html>"


def test_of_prose_with_headings_the_first_paragraph_is_meant() -> None:
    given = [[("add", ["Adds the one to the other."])], [("sub", ["Takes the one from the other."])]]
    more = [
        documented(n, [(word(n), ["Does what it is named after.", "More of it here.", "#Panics", "Never does."])])
        for n in range(10, 20)
    ]
    wanted = [{"methods": [{"name": name, "desc": told[0]} for name, told in rows]} for rows in given]
    samples = [(documented(n, rows), fields) for n, (rows, fields) in enumerate(zip(given, wanted, strict=True))]
    wrapper = learn(*samples, more=more)
    page = documented(5, [("mul", ["Gives the product of both.", "Further words.", "#Errors", "None at all."])])
    assert wrapper.extract(page)["methods"] == [{"name": "mul", "desc": "Gives the product of both."}]


def variants(n: int, codes: Sequence[str]) -> str:
    rows = "".join(f"<h3 class='v'><code>{code}</code></h3><p>About {code[:2]}{n}</p>" for code in codes)
    return f"<html><body><h1>{word(n)}</h1>{rows}</body></html>"


def since(n: int, text: str) -> str:
    return f"<html><body><h1>{word(n)}</h1><span class='since'>{text}</span><p>All of {word(n + 9)}</p></body></html>"


def test_a_remark_behind_a_number_that_all_samples_have_is_not_asked_of_every_page() -> None:
    more = [since(n, f"1.{n}.0") for n in range(10, 18)] + [since(n, "const: unstable") for n in (30, 31)]
    wrapper = learn(
        (since(1, "1.0.0 (const: unstable)"), {"since": "1.0.0"}),
        (since(2, "1.7.0 (const: unstable)"), {"since": "1.7.0"}),
        more=more,
    )
    assert wrapper.extract(since(3, "1.4.0"))["since"] == "1.4.0"
    assert wrapper.extract(since(3, "1.4.0 (const: 1.8.0)"))["since"] == "1.4.0"
    assert wrapper.extract(since(3, "const: unstable"))["since"] is None


def test_what_a_text_begins_with_is_no_label_where_it_is_the_value() -> None:
    more = [since(n, "1.0.0 (const: 1.52.0)") for n in range(10, 12)]
    more += [since(n, f"1.{n}.0") for n in range(20, 38)]
    without = since(2, "").replace("<span class='since'></span>", "")
    wrapper = learn(
        (since(1, "1.0.0 (const: unstable)"), {"since": "1.0.0"}),
        (without, {"since": ""}),
        more=[*more, without.replace(word(2), word(40))],
    )
    assert wrapper.extract(since(3, "1.4.0 (const: unstable)"))["since"] == "1.4.0"
    assert wrapper.extract(since(3, "1.28.0"))["since"] == "1.28.0"


def table(n: int, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first = "".join(f"<th>{one}</th>" for one in head)
    cells = "".join("<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in rows)
    return f"<html><body><h1>{word(n)}</h1><table><tr>{first}</tr>{cells}</table></body></html>"


def test_a_column_is_known_by_its_header_wherever_it_stands() -> None:
    head = ["Name", "Told of it"]
    samples: list[tuple[str, dict[str, Any]]] = []
    for n in (1, 2):
        rows = [[word(n * 7 + k), f"{word(n * 9 + k)} and {word(n * 5 + k)}"] for k in range(3)]
        samples.append((table(n, head, rows), {"rows": [{"name": a, "text": b} for a, b in rows]}))
    more = [table(n, head, [[word(n), f"{word(n + 1)} or {word(n + 2)}"]]) for n in range(20, 23)]
    more += [table(n, ["Kind", *head], [["own", word(n), f"{word(n + 1)} or {word(n + 2)}"]]) for n in range(30, 36)]
    wrapper = learn(*samples, more=more)
    expected = [{"name": "Rim", "text": "An edge"}]
    assert wrapper.extract(table(5, ["Kind", *head], [["own", "Rim", "An edge"]]))["rows"] == expected
    assert wrapper.extract(table(5, head, [["Rim", "An edge"]]))["rows"] == expected
    assert Wrapper.from_json(wrapper.to_json()).extract(table(5, head, [["Rim", "An edge"]]))["rows"] == expected


def test_the_row_of_the_headers_is_no_record() -> None:
    samples: list[tuple[str, dict[str, Any]]] = []
    for n in (1, 2):
        rows = [[f"{word(n * 7 + k)}", f"{word(n * 9 + k)} and {word(n * 5 + k)}"] for k in range(2)]
        samples.append((table(n, ["Name", "Told"], rows), {"rows": [{"name": a, "text": b} for a, b in rows]}))
    more = [table(n, ["Name", "Told"], [[word(n), f"{word(n + 1)} or {word(n + 2)}"]]) for n in range(20, 26)]
    assert learn(*samples, more=more).extract(table(5, ["Name", "Told"], [["Rim", "An edge"]]))["rows"] == [
        {"name": "Rim", "text": "An edge"}
    ]
    head, row = PageView.parse(table(5, ["Name", "Told"], [["Rim", "An edge"]])).tree.iter("tr")
    path, _ = column_of('normalize-space()="Told"', "*")
    assert [one.text for one in row.xpath(path)] == ["An edge"]
    assert head.xpath(path) == row.xpath(column_of('normalize-space()="Else"', "*")[0]) == []


def told(n: int, paragraphs: int) -> str:
    def prose(k: int) -> str:
        return " ".join(word(n * 11 + k * 7 + j) for j in range(24)) + "."

    text = "".join(f"<p>{prose(k)}</p>" for k in range(paragraphs))
    return (
        f"<html><body><div class='entry'><h1>{word(n)}</h1><p class='t'>Notes</p><p>{prose(90)}</p>"
        f"<p class='t'>Meaning</p>{text}</div></body></html>"
    )


def section(n: int, paragraphs: int) -> str:
    inside = told(n, paragraphs).partition("Meaning</p>")[2].partition("</div>")[0]
    return " ".join(one.removeprefix("<p>") for one in inside.split("</p>")[:-1])


def test_a_heading_beside_a_text_wins_over_a_cut_out_of_what_holds_all() -> None:
    more = [told(n, 1 + n % 3) for n in range(10, 25)]
    wrapper = learn((told(1, 2), {"meaning": section(1, 2)}), (told(2, 2), {"meaning": section(2, 2)}), more=more)
    assert [wrapper.extract(told(4, count))["meaning"] for count in (1, 2, 3)] == [section(4, k) for k in (1, 2, 3)]


def constants(n: int, fields: Sequence[tuple[str, str, str]]) -> str:
    """A class reference: cells in threes without rows, and a section in which each type stands once more."""
    cells = "".join(
        f"<div class='a'><code>{kind}</code></div><div class='b'><code><a class='n'>{name}</a></code></div>"
        f"<div class='c'><p class='t'>{text}</p></div>"
        for kind, name, text in fields
    )
    told = "".join(f"<li><h3>{name}</h3><pre>public {kind} {name}</pre><p>{t}</p></li>" for kind, name, t in fields)
    head = "<div class='h'>Type</div><div class='h'>Field</div><div class='h'>Text</div>"
    return (
        f"<html><body><h1>Class {word(n)}</h1><h2>Fields</h2><div class='cells'>{head}{cells}</div>"
        f"<h2>Details</h2><ul class='details'>{told}</ul></body></html>"
    )


def test_what_a_record_starts_from_on_one_page_does_not_say_where_it_stands_on_others() -> None:
    """The only type of the first page is its rarest value; on the second page all types are the same."""

    def wanted(fields: Sequence[tuple[str, str, str]]) -> list[dict[str, str]]:
        return [dict(zip(("type", "name", "text"), one, strict=True)) for one in fields]

    first = [("static final Mapper", "NOP", "NOP singleton")]
    second = [("static final Part", name, f"The part {name.lower()} of it.") for name in ("FOUR", "ONE", "HALF", "TWO")]
    contexts = [
        ExampleContext(LearnPage(parse_html(constants(n, fields)), "http://api.example/"), wanted(fields))
        for n, fields in ((1, first), (2, second))
    ]
    located = next(locate_records(contexts))
    starts = [box.first.getparent().get("class") or box.first.get("class") for box in located.boxes[1]]
    assert starts == ["a"] * 4


def test_a_record_of_which_a_text_was_found_far_off_begins_beside_the_others() -> None:
    """What is told of it stands alone in the details, and with a link in its row."""
    rows = "".join(f"<dt>{word(n)}</dt><dd>What it is, as {word(n)}.</dd>" for n in range(6))
    page = LearnPage(parse_html(f"<html><body><dl>{rows}</dl><p>Details</p></body></html>"))
    heads, body = page.tree.xpath("//dt"), page.tree.xpath("//body")[0]
    boxes = [Box(body if n == 3 else head.getparent(), head) for n, head in enumerate(heads)]
    context = ExampleContext(page, [{"name": word(n)} for n in range(6)])
    kinds = [kind for kind in row_kinds([context], {0: boxes}, 0.0) if kind.flat]
    assert [kind.nodes[0] for kind in kinds] == [heads]


def test_what_stands_in_the_row_after_a_record_is_no_place_in_it() -> None:
    rows = "<tr class='m'><td>int</td><td><a>solve</a></td></tr><tr><td>Solves it at once. <a>More...</a></td></tr>"
    page = LearnPage(parse_html(f"<html><body><table>{rows}</table></body></html>"))
    told = ExampleContext(page, "Solves it at once.")
    assert [place.node.tag for place in find_places(told)][:1] == ["td"]
    assert find_places(replace(told, scope=page.tree.xpath("//tr")[0])) == []


@pytest.mark.parametrize("separator", [", ", ", and ", "、"])
def test_links_are_the_items_where_each_sample_has_a_single_one(separator: str) -> None:
    def typed(n: int, names: Sequence[str]) -> str:
        links = separator.join(f"<a href='/{name}'>{name}</a>" for name in names)
        cell = links if len(names) > 1 else f"<p>{links}</p>"
        rows = f"<tr><td class='l'>Since:</td><td class='r'>{word(n + 3)}</td></tr><tr><td class='l'>Used by:</td>"
        return f"<html><body><h1>{word(n)}</h1><table>{rows}<td class='r'>{cell}</td></tr></table></body></html>"

    more = [typed(n, [word(50 + n + k) for k in range(1 + n % 3)]) for n in range(10, 24)]
    samples = [(typed(n, [word(40 + n)]), {"users": [word(40 + n)]}) for n in (1, 2)]
    new = [word(60), word(61), word(62)]
    assert learn(*samples, more=more).extract(typed(3, new))["users"] == new


def test_the_items_of_a_list_under_a_heading_are_items_whatever_they_are_written_in() -> None:
    def typed(n: int, *items: str) -> str:
        shown = f"<h3>Included</h3><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""
        return f"<html><body><h1>{word(n)}</h1>{shown}<h3>End</h3></body></html>"

    samples = [
        (typed(1, f"<span class=i>{word(41)}</span>"), {"includes": [word(41)]}),
        (typed(2), {"includes": []}),
    ]
    more = [typed(n, f"<a class=i href=/{n}>{word(50 + n)}</a>") for n in range(10, 14)]
    wrapper = learn(*samples, more=[*more, *(typed(n) for n in range(20, 30))])
    both = typed(3, f"<span class=i>{word(60)}</span>", f"<a class=i href=/x>{word(61)}</a>")
    assert wrapper.extract(both)["includes"] == [word(60), word(61)]


def test_what_followed_the_values_of_the_samples_need_not_follow_all() -> None:
    given = [{"name": "V4"}, {"name": "V6"}]
    more = [variants(n, ["Unbounded", "Shut", f"{word(n)}(u8)"]) for n in range(10, 20)]
    wrapper = learn(
        (variants(1, ["V4(Four)", "V6(Six)"]), {"v": given}), (variants(2, ["V4(Four)", "V6(Six)"]), {"v": given}),
        more=more,
    )  # fmt: skip
    assert [one["name"] for one in wrapper.extract(variants(3, ["Open", "Half(u8)"]))["v"]] == ["Open", "Half"]
