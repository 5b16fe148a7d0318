"""What tells a value by itself: its own label, its own block, the box of the record; whatever stands before it."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.nodes import run_of
from gwc_crawler.learn.texts.shared import COUNTING
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word

SEVERAL = range(10, 40)


def page(name: str, *parts: str, head: str = "") -> str:
    return f"<html><head>{head}</head><body><div id=all><h1>{name}</h1>{''.join(parts)}</div></body></html>"


def section(heading: str, *texts: str) -> str:
    return f"<h2>{heading}</h2>{''.join(f'<p>{text}</p>' for text in texts)}"


def remarks(n: int) -> str:
    """A table that not all pages have."""
    rows = f"<tr><th>Month</th><th>Remark</th></tr><tr><td>{n}</td><td>of {word(n)}</td></tr>"
    return f"<h2>Calendar</h2><table>{rows}</table>"


def quotation(n: int) -> str:
    return f"<blockquote><p>Tip {word(n)} of the {word(n + 3)}.</p></blockquote>"


def told(n: int) -> str:
    return f"Tip {word(n)} of the {word(n + 3)}."


@pytest.mark.parametrize("often", [True, False], ids=["seen to be missing", "missing on no page seen"])
def test_a_quotation_is_told_by_itself_whatever_section_stands_before_it(often: bool) -> None:
    def one(n: int, *, table: bool, tip: bool) -> str:
        last = remarks(n) if table else section("Range", f"Of {word(n + 1)}, {word(n)}.")
        return page(word(n), section("Form", f"It is {word(n)}."), last, quotation(n) if tip else "")

    samples: list[tuple[str, dict[str, Any]]] = [
        (one(1, table=True, tip=True), {"name": word(1), "tip": told(1)}),
        (one(2, table=True, tip=False), {"name": word(2)}),
    ]
    more = [one(n, table=n % 5 > 0 or not often, tip=n % 2 > 0) for n in SEVERAL]
    wrapper = learned(samples, more)
    assert wrapper.extract(one(60, table=False, tip=True)).get("tip") == told(60)
    assert wrapper.extract(one(61, table=True, tip=False)).get("tip") is None


def test_a_line_with_its_own_label_needs_no_heading_before_it() -> None:
    def one(n: int, *, names: bool, see: bool) -> str:
        links = f"<p>See: <a href=/{n}>{word(n)}s</a>, <a href=/{n + 1}>{word(n + 1)}s</a></p>" if see else ""
        other = section("Other names", word(n + 5)) if names else ""
        return page(word(n), section("Range", f"Of {word(n)}."), other, links)

    samples: list[tuple[str, dict[str, Any]]] = [
        (one(1, names=True, see=True), {"name": word(1), "see": [f"{word(1)}s", f"{word(2)}s"]}),
        (one(2, names=True, see=False), {"name": word(2)}),
    ]
    wrapper = learned(samples, [one(n, names=n % 3 > 0, see=n % 4 > 0) for n in SEVERAL])
    assert wrapper.extract(one(60, names=False, see=True)).get("see") == [f"{word(60)}s", f"{word(61)}s"]


def test_a_label_may_go_on_into_the_first_of_its_texts() -> None:
    def one(n: int, see: str) -> str:
        return page(word(n), *(f"<p>Part {word(n + k)} of it.</p>" for k in range(n % 3)), see)

    def line(*names: str, lead: str = "") -> str:
        return f"<p>See also: {lead}{' and '.join(f'<a href=/{name}>{name}()</a>' for name in names)}.</p>"

    samples: list[tuple[str, dict[str, Any]]] = [
        (one(3, line("get", "used", lead="functions ")), {"name": word(3), "see": ["get()", "used()"]}),
        (one(4, ""), {"name": word(4)}),
    ]
    more = [one(n, line(word(n), word(n + 2)) if n % 3 == 0 else "") for n in SEVERAL]
    assert learned(samples, more).extract(one(50, line("held", "left")))["see"] == ["held()", "left()"]


@pytest.mark.parametrize("name", ["even", "row-odd", "evenRow", "oddRow", "rowEven"])
def test_the_class_of_a_striped_row_says_nothing(name: str) -> None:
    assert COUNTING.search(name)
    assert not any(map(COUNTING.search, ("evening", "event", "lastModified", "firstName", "oddments")))


@pytest.mark.parametrize("header", ["", "<tr><th>Item</th><th>Value</th></tr>"], ids=["no header", "a header"])
def test_a_row_goes_by_its_label_however_many_rows_stand_before_it(header: str) -> None:
    def one(n: int, level: str) -> str:
        rows = [("Latin", f"{word(n)} rubra"), ("Bloom", f"{n % 12 + 1} May"), ("Form", word(n + 2))]
        rows = rows[: 3 - n % 2] + ([("Level", level)] if level else [])
        stripes = ("evenRow", "oddRow", "evenRow", "oddRow")
        striped = zip(stripes, rows, strict=False)
        shown = "".join(f"<tr class={stripe}><td>{a}</td><td>{b}</td></tr>" for stripe, (a, b) in striped)
        return page(word(n), f"<table>{header}{shown}</table>")

    samples: list[tuple[str, dict[str, Any]]] = [
        (one(2, "second"), {"name": word(2), "level": "second"}),
        (one(4, ""), {"name": word(4)}),
    ]
    more = [one(n, ("first", "second", "")[n % 3]) for n in SEVERAL]
    assert learned(samples, more).extract(one(51, "third"))["level"] == "third"


def test_what_stands_before_a_value_is_no_label_if_it_is_another_fields() -> None:
    def one(n: int, job: str, site: str) -> str:
        lines = f"<ul class=at><li>{n}@a.example</li><li>555-{n:03}</li>{f'<li>{site}</li>' if site else ''}</ul>"
        return page(word(n), f"<header><h2>{job}</h2>{lines}</header>", f"<h3>{('Smith', 'Cook')[n % 2]}</h3>")

    def fields(n: int, job: str, site: str) -> dict[str, Any]:
        given: dict[str, Any] = {"name": word(n), "job": job, "jobs": [("Smith", "Cook")[n % 2]]}
        return given | ({"site": site} if site else {})

    samples = [(one(*given), fields(*given)) for given in ((1, "Cook", "b.example/1"), (2, "Smith", ""))]
    more = [one(n, ("Cook", "Smith", "Baker")[n % 3], f"b.example/{n}" if n % 2 else "") for n in SEVERAL]
    assert learned(samples, more).extract(one(50, "Baker", "b.example/50"))["site"] == "b.example/50"


# -- the box of the record -------------------------------------------------------------------------------------------


def test_a_related_entry_with_the_same_labels_gives_nothing_of_the_pages_own() -> None:
    def body(n: int, *, height: bool, note: bool) -> str:
        rows = [("Latin", f"{word(n)} rubra"), ("Bloom", f"{n % 12 + 1} May"), ("Family", word(n + 4))]
        rows += [("Height", f"{n} m")] if height else []
        shown = "".join(f"<li><b>{a}</b>: {b}</li>" for a, b in rows)
        return f"<ul>{shown}</ul>" + (f"<p><i>Note: {word(n + 9)} it.</i></p>" if note else "")

    def one(n: int, *, height: bool, note: bool) -> str:
        own = f"<article class=entry>{body(n, height=height, note=note)}</article>"
        others = "".join(f"<div class=card>{body(n + k, height=True, note=k == 7)}</div>" for k in (5, 7))
        return page(word(n), own, f"<div class=related><h2>Related</h2>{others}</div>")

    def fields(n: int, *, height: bool, note: bool) -> dict[str, Any]:
        given = {"name": word(n), "latin": f"{word(n)} rubra", "bloom": f"{n % 12 + 1} May", "family": word(n + 4)}
        return given | ({"height": f"{n} m"} if height else {}) | ({"note": f"{word(n + 9)} it."} if note else {})

    samples = [(one(n, height=n < 2, note=n < 2), fields(n, height=n < 2, note=n < 2)) for n in (1, 2)]
    wrapper = learned(samples, [one(n, height=n % 3 > 0, note=n % 2 > 0) for n in SEVERAL])
    bare, full = wrapper.extract(one(60, height=False, note=False)), wrapper.extract(one(61, height=True, note=True))
    assert (bare.get("height"), bare.get("note")) == (None, None)
    assert (full.get("height"), full.get("note")) == ("61 m", f"{word(70)} it.")


# -- lists and records -----------------------------------------------------------------------------------------------


def test_rows_go_on_in_further_blocks_behind_their_label() -> None:
    def block(names: list[str]) -> str:
        return "".join(f"<dl><dt><b>{name}</b><dd>the {name} of it</dl>" for name in names)

    def one(n: int, names: list[str]) -> str:
        output = "<h2>Output</h2><dl><dt><b>status</b><dd>how it went</dl>"
        return page(word(n), f"<h2>Input</h2>{block(names)}", output)

    def fields(n: int, names: list[str]) -> dict[str, Any]:
        return {"name": word(n), "input": [{"name": name, "told": f"the {name} of it"} for name in names]}

    samples = [(one(n, [word(n)]), fields(n, [word(n)])) for n in (1, 2)]
    more = [one(n, [word(n + k) for k in range(1 + n % 3)]) for n in SEVERAL]
    names = ["file", "count", "kind"]
    assert learned(samples, more).extract(one(60, names))["input"] == fields(60, names)["input"]


def test_a_block_is_told_by_its_class_from_one_behind_it() -> None:
    def rows(names: list[str]) -> str:
        return "".join(f"<div><h6>{name}</h6><p>It is {name}.</p></div>" for name in names)

    def one(n: int, own: list[str]) -> str:
        mine = f"<div class=own>{rows(own)}</div>" if own else ""
        inherited = "<div class='more inherited'><div><h6>base</h6><p>Of the base.</p></div></div>"
        return page(word(n), f"<div class=signals><h4>Signals</h4>{mine}{inherited}</div>")

    def fields(n: int, own: list[str]) -> dict[str, Any]:
        return {"name": word(n), "signals": [{"name": name, "told": f"It is {name}."} for name in own]}

    samples = [(one(n, [word(n), word(n + 1)]), fields(n, [word(n), word(n + 1)])) for n in (1, 2)]
    wrapper = learned(samples, [one(n, [word(n + k) for k in range(n % 3)]) for n in SEVERAL])
    assert not wrapper.extract(one(60, [])).get("signals")
    assert wrapper.extract(one(61, ["a", "b"]))["signals"] == fields(61, ["a", "b"])["signals"]


def test_records_of_both_samples_are_looked_for_around_the_same_part() -> None:
    def one(n: int, rows: list[tuple[str, ...]]) -> str:
        heads = "".join(f"<td>{name}</td>" for name in ("No", "Paper", "Form", "Copies", "Required", "Note"))
        shown = ("".join(map("<td>{}</td>".format, (k, *row))) for k, row in enumerate(rows, 1))
        cells = "".join(map("<tr>{}</tr>".format, shown))
        crumbs = "<table><tr><td>You are at: <a href=/>Home</a></td></tr></table>"
        return page(word(n), crumbs, f"<table><tr>{heads}</tr>{cells}</table>")

    def fields(n: int, rows: list[tuple[str, ...]]) -> dict[str, Any]:
        keys = ("paper", "form", "copies", "required", "note")
        return {"name": word(n), "papers": [{k: v for k, v in zip(keys, row, strict=True) if v} for row in rows]}

    first = [("Proxy", "original", "1 copy", "not required", ""), ("Passport", "original", "3 copies", "required", "")]
    second = [("Licence", "original", "3 copies", "required", f"as of {word(k)}") for k in (3, 4)]
    samples = [(one(1, first), fields(1, first)), (one(2, second), fields(2, second))]
    papers = [("copy", f"{k + 1} copies", "required", "") for k in range(3)]
    more = [one(n, [(word(n + k), *row) for k, row in enumerate(papers[: 1 + n % 3])]) for n in SEVERAL]
    last = [("Plan", "copy", "2 copies", "required", ""), ("Photo", "original", "4 copies", "not required", "small")]
    assert learned(samples, more).extract(one(60, last))["papers"] == fields(60, last)["papers"]


def test_a_heading_amid_another_page_of_tabs_heads_nothing_in_this_one() -> None:
    def one(n: int, heading: str, dates: list[str]) -> str:
        table = f"<table><tr><td>{word(n)} {'x' * 60}</td></tr></table>"
        first = f"<div id=a><p>Of {word(n)}.</p><h4>{heading}</h4>{table}</div>"
        rows = "".join(f"<div class=when><b>{date}</b></div><div><h3>Change {date}</h3></div>" for date in dates)
        return page(word(n), f"<div class=tabs>{first}<div id=b><div class=line>{rows}</div></div></div>")

    def fields(n: int, dates: list[str]) -> dict[str, Any]:
        return {"name": word(n), "history": [{"date": date, "title": f"Change {date}"} for date in dates]}

    samples = [(one(n, "Tests", [f"{n} May", f"{n} June"]), fields(n, [f"{n} May", f"{n} June"])) for n in (1, 2)]
    more = [one(n, ("Tests", "Effects", "Tests")[n % 3], [f"{n} May", f"{n} July"][: 1 + n % 2]) for n in SEVERAL]
    given = ["3 May", "4 May"]
    assert learned(samples, more).extract(one(60, "Effects", given))["history"] == fields(60, given)["history"]


# -- where a text ends -----------------------------------------------------------------------------------------------


def test_a_run_of_paragraphs_ends_before_short_lines_with_a_label() -> None:
    def run(*texts: str) -> list[str]:
        paragraphs = "".join(f"<p>{text}</p>" for text in texts)
        return ["".join(one.itertext()) for one in run_of(parse_html(f"<div>{paragraphs}</div>".encode()).find(".//p"))]

    label = "<b>Version:</b> 6.0"
    assert run("One.", "Two.", label) == ["One.", "Two."]
    assert run("One.", label, "Two.") == ["One.", "Version: 6.0", "Two."]
    assert run("One.", f"<b>Note:</b> {'many words ' * 6}")[1:] != []
    assert run(label, "<b>Of:</b> it") == ["Version: 6.0"]


@pytest.mark.parametrize("further", ["Then more. And more.", ""], ids=["a list with quotations", "a second sentence"])
def test_the_paragraph_is_meant_and_not_what_comes_before_a_sign(further: str) -> None:
    def one(n: int, text: str, items: list[str]) -> str:
        shown = f"<ul>{''.join(f'<li>{one}</li>' for one in items)}</ul>" if items else ""
        return page(word(n), f"<div class=intro><p>{text}</p>{shown}</div>")

    texts = [f"The {word(n)} is a {word(n + 5)} of all {word(n + 2)}." for n in range(70)]
    items = ["«One» of it", "Two."] if further else []
    quoted = ["«One» of it"] if further else []
    samples = [(one(n, texts[n], quoted), {"name": word(n), "summary": texts[n]}) for n in (1, 2)]
    longer = [text + (" It has more than one." if n % 3 == 0 and not further else "") for n, text in enumerate(texts)]
    more = [one(n, longer[n], ["Plain", "«Two»"] if n % 2 else items) for n in SEVERAL]
    last = texts[60] + ("" if further else " It is told in two.")
    assert learned(samples, more).extract(one(60, last, ["Three", "and «four»"] if further else []))["summary"] == last
