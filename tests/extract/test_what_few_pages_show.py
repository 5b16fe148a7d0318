"""What neither sample shows, and few further pages do: several items, unlinked ones, labels met twice, sections."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import Finder, PageView
from gwc_crawler.items import Family
from gwc_crawler.learn.wrapper.ranking import by_other_spellings
from gwc_crawler.page import parse_html
from tests.extract.pages import ONE, OTHER, learned

NAMES = ("Thor", "Odin", "Loki", "Freya", "Hel", "Tyr", "Ran", "Sif")


def shown(name: str, label: str, said: str, besides: str = "") -> str:
    """A page with what stands behind a label, "" for nothing."""
    told = f"<dl><dt>{label}</dt><dd>{said}</dd></dl>" if said else ""
    return f"<html><body><h1>{name}</h1><div class=about>{told}<p>{OTHER}</p></div>{besides}<i>end</i></body></html>"


def since(name: str, said: str, *later: str) -> str:
    """A page that says since when a thing is there, and under its parts since when these are."""
    own = f"<dl><dt><b>Since:</b></dt><dd>{said}</dd></dl>" if said else ""
    parts = "".join(f"<h3>part</h3><dl><dt><b>Since:</b></dt><dd>{one}</dd></dl>" for one in later)
    return (
        f"<html><body><h1>{name}</h1><div class=summary><p>{ONE}</p>{own}</div><div class=parts>{parts}</div>"
        "</body></html>"
    )


def test_a_label_that_one_page_of_many_has_twice_leads_to_the_value_in_its_box_alone() -> None:
    samples = [
        (since("Thor", "3.1"), {"name": "Thor", "since": "3.1"}),
        (since("Odin", "2.0"), {"name": "Odin", "since": "2.0"}),
    ]
    more = [since(f"{name} {n}", f"{n}.{n}") for n in range(1, 3) for name in NAMES]
    wrapper = learned(samples, [*more, since("Hermod", "1.2", "1.4")])
    assert not wrapper.extract(since("Baldr", "", "2.5"))["since"]
    assert wrapper.extract(since("Baldr", "2.4", "2.5"))["since"] == "2.4"


def built(name: str, *rows: tuple[str, str]) -> str:
    told = "".join(f"<tr><td><code>{sign}</code>{said}</td></tr>" for sign, said in rows)
    return f"<html><body><h1>{name}</h1><table><tr><th>Constructor</th></tr>{told}</table></body></html>"


@pytest.mark.parametrize("seen", [0, 2])
def test_what_a_few_rows_have_twice_is_read_whole_though_no_page_seen_has_any_such(seen: int) -> None:
    block = "<div class=block>{}</div>".format
    samples = [
        (
            built(name, (f"{name}()", block(text))),
            {"name": name, "constructors": [{"signature": f"{name}()", "desc": text}]},
        )
        for name, text in (("Thor", ONE), ("Odin", OTHER))
    ]
    plain = [built(name, *((f"{name}({n})", block(f"{ONE} {n}")) for n in range(4))) for name in NAMES[2:]]
    twice = [built(f"{name}2", (f"{name}2()", block("Deprecated.") + block(OTHER))) for name in NAMES[2 : 2 + seen]]
    found = learned(samples, [*plain, *twice]).extract(built("Hel", ("Hel()", block("Deprecated.") + block(ONE))))
    assert found["constructors"] == [{"signature": "Hel()", "desc": f"Deprecated. {ONE}"}]


def code_of(name: str, shown: str, keywords: str | None = None) -> str:
    """A page that says its name in the heading and, at times shorter, in its first line of code and in its head."""
    meta = f'<meta name=keywords content="{keywords}">' if keywords is not None else ""
    return (
        f"<html><head>{meta}</head><body><div class=bar>x</div><h1>{name}</h1>"
        f"<p><span class=code><b>procedure</b> {shown}<i>(</i></span></p><p>{OTHER}</p></body></html>"
    )


def test_data_that_say_something_else_than_the_heading_are_no_title() -> None:
    """The album is the song's name on both samples."""
    samples = [(code_of(name, "x", name), {"album": name}) for name in ("Sleep", "Wake")]
    more = [code_of(name, "x", None if n % 4 == 0 else f"Album {n}") for n, name in enumerate(NAMES)]
    assert learned(samples, more).extract(code_of("Hel", "x", "Album 9"))["album"] == "Album 9"


def listing(*rows: tuple[str, str]) -> str:
    shown = "".join(f"<section><h4>{name}</h4><div class=doc>{text}</div></section>" for name, text in rows)
    return f"<html><body><h1>x</h1><div class=methods>{shown}</div></body></html>"


def test_of_a_row_that_goes_on_with_examples_the_beginning_alone_is_meant() -> None:
    behind = "<h5>Examples</h5><pre>x</pre>"
    samples = [
        (listing((name, f"<p>{text}</p>{behind}")), {"methods": [{"name": name, "desc": text}]})
        for name, text in (("sleep", ONE), ("wake", OTHER))
    ]
    more = [listing((name, f"<p>{ONE}</p><p>{OTHER}</p>{behind}"), ("y", f"<p>{ONE}</p>")) for name in NAMES]
    (found,) = learned(samples, more).extract(listing(("z", f"<p>{OTHER}</p><p>{ONE}</p>{behind}")))["methods"]
    assert found["desc"] == OTHER


def methods(*names: str, said: str) -> str:
    rows = "".join(f"<details><b class=name>{one}</b><p class=does>{ONE} {one}</p></details>" for one in names)
    return f"<h2>{said}</h2><div class=list>{rows}</div>" if names else ""


def trait(name: str, required: tuple[str, ...], provided: tuple[str, ...] = (), types: tuple[str, ...] = ()) -> str:
    listed = methods(*types, said="Associated Types") + methods(*required, said="Required Methods")
    listed += methods(*provided, said="Provided Methods")
    return f"<html><body><h1>{name}</h1><p>{OTHER}</p>{listed}<h2>Implementors</h2><p>none</p></body></html>"


@pytest.mark.parametrize(("field", "further"), [("methods", ["wake"]), ("required", [])])
def test_rows_under_headings_with_the_same_word_of_the_fields_name_are_records(field: str, further: list[str]) -> None:
    def rows(*names: str) -> list[dict[str, str]]:
        return [{"name": one, "does": f"{ONE} {one}"} for one in names]

    samples = [
        (trait("Thor", ("rise", "fall")), {"title": "Thor", field: rows("rise", "fall")}),
        (trait("Odin", ("call", "halt"), types=("Eye",)), {"title": "Odin", field: rows("call", "halt")}),
    ]
    more = [trait(name, ("go", "come"), ("stay", "leave")[: n % 3], ("Arm",) * (n % 2)) for n, name in enumerate(NAMES)]
    found = learned(samples, more).extract(trait("Ymir", ("sleep",), ("wake",), ("Ice",)))
    assert found[field] == rows("sleep", *further)


def told_of(returns: str, *, level: int) -> PageView:
    headed = "<h2>Returns:</h2>" if level == 2 else "<div class=embedded><h3>Returns:</h3></div>"
    told = f"{headed}<p>{returns}</p>" if returns else ""
    return PageView(parse_html(f"<body><h1>x</h1><p>{OTHER}</p>{told}<h2>Example:</h2><p>{ONE}</p></body>"), "http://a")


def test_the_same_words_in_a_heading_of_another_level_lead_to_the_value() -> None:
    right_behind = '//h2[text()[normalize-space()="Returns:"]]/following-sibling::*[1][self::p]'
    pages = [told_of("Integer", level=2), told_of("String", level=3), told_of("", level=2)]
    (other,) = by_other_spellings([Finder(Family.LABEL, right_behind)], Finder.first, pages)
    assert [other.first(page) for page in pages] == ["Integer", "String", None]
    assert by_other_spellings([Finder(Family.LABEL, right_behind)], Finder.first, [pages[0], pages[2]]) == []


@pytest.mark.parametrize(
    ("label", "is_same"),
    [("DESCRIPTION 描述", True), ("描述 (Description)", True), ("描述信息", False), ("DESCRIPTION", False)],
)
def test_a_heading_in_two_languages_leads_to_the_value_as_one_in_one_of_them(label: str, is_same: bool) -> None:
    def page(label: str, said: str, *, other: str = "SEE ALSO 参见") -> PageView:
        return PageView(parse_html(f"<body><h1>x</h1><h2>{label}</h2><p>{said}</p><h2>{other}</h2></body>"), "http://a")

    def finder(label: str) -> Finder:
        path = f'//h2[text()[normalize-space()="{label}"]]/following-sibling::*[1][self::p]'
        return Finder(Family.LABEL, path)

    pages = [page("描述", ONE), page(label, OTHER)]
    assert by_other_spellings([finder("描述")], Finder.first, [pages[0], page(label, OTHER, other="参见")]) == []
    found = by_other_spellings([finder("描述")], Finder.first, pages)
    assert [one.first(pages[1]) for one in found] == [OTHER] * is_same
    again = by_other_spellings([finder(label)], Finder.first, pages)
    assert [one.first(pages[0]) for one in again] == [ONE] * is_same
