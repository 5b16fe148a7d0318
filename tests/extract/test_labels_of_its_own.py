"""Values by their own label: in brackets, in a numbered heading, in the small box of the record; whatever they say."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.affixes import Affixes
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.texts.shared import Shared
from gwc_crawler.learn.texts.text_index import TextIndex, label_text, prefix_ends
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word

MORE = range(10, 40)


def page(name: str, *parts: str) -> str:
    return f"<body><div id=all><h1>{name}</h1>{''.join(parts)}</div></body>"


def learned_of(one: Any, *given: tuple[int, dict[str, Any]], more: Any = MORE) -> Wrapper:
    """What is learned from pages of *one* for some numbers, with their fields, and further ones."""
    return learned([(one(n), fields) for n, fields in given], [one(n) for n in more])


# -- where the label stands ------------------------------------------------------------------------------------------


def test_a_label_in_brackets_that_one_sample_has() -> None:
    def law(n: int) -> str:
        lines = [f"【颁布部门】 {word(n)}局", f"【颁布时间】 <font>20{n:02}-01-02</font>"]
        lines += [f"【文号】 第{n}号"] if n % 3 else []
        lines += [f"【实施时间】 20{n:02}-03-04"] if n % 2 else []
        lines += [f"【效力】 <i>{('有效', '失效')[n % 2]}</i>"]
        return page(word(n), f"<table><tr><td>{'<br>'.join(lines)}</td></tr></table>")

    given = [(n, {"organ": f"{word(n)}局", "issued": f"20{n:02}-01-02"}) for n in (1, 2)]
    given[0][1]["effective"] = "2001-03-04"
    wrapper = learned_of(law, *given)
    assert wrapper.extract(law(51))["effective"] == "2051-03-04"
    assert wrapper.extract(law(63))["effective"] == "2063-03-04"
    assert wrapper.extract(law(52)).get("effective") is None


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("【颁布】 2008", "【颁布】"),
        ("[Issued] 2008", "[Issued]"),
        ("Issued: 2008", "Issued:"),
        ("【颁布", ""),
        ("[1] x", "[1]"),
    ],
)
def test_where_a_leading_label_ends(text: str, label: str) -> None:
    assert "".join(text[:end] for end in prefix_ends(text)) == label


@pytest.mark.parametrize(("label", "unit"), [("Sensitivity ISO ", ""), ("Focal length ", " mm"), ("感光度", "")])
def test_a_label_that_no_sign_parts_from_its_value(label: str, unit: str) -> None:
    def photo(n: int) -> str:
        lines = [f"Flash {('on', 'off')[n % 2]}"] if n % 5 else []
        lines += [f"Taken {word(n)}"] if n % 3 else []
        lines += [f"{label}{100 * (n % 7 + 1)}{unit}"] if n % 2 else []
        lines += [f"Exposure 1/{n % 4 + 1}"] if n % 4 else []
        return page(word(n), f"<ul class=tech>{''.join(f'<li>{line}</li>' for line in lines)}</ul>")

    given = [(n, {"taken": word(n)}) for n in (1, 2)]
    given[0][1]["sensitivity"] = f"200{unit}"
    wrapper = learned_of(photo, *given)
    for n in (51, 53, 55):
        assert wrapper.extract(photo(n))["sensitivity"] == f"{100 * (n % 7 + 1)}{unit}"
    assert [wrapper.extract(photo(n)).get("sensitivity") for n in (60, 52)] == [None, None]


@pytest.mark.parametrize(
    ("others", "words"),
    [
        (["ISO 100", "ISO 200", "ISO 800"], ["ISO "]),
        (["ISO 100", "ISO 100", "ISO 200"], []),
        (["编号100", "编号200", "编号300"], ["编号"]),
        (["Focal length 5", "Focal length 8", "Focal plane", "Focal length 9"], ["Focal length "]),
    ],
)
def test_words_before_a_value_go_on_in_several_ways(others: list[str], words: list[str]) -> None:
    texts = [f"<li>{text}" for text in others]
    pages = [TextIndex(parse_html(f"<ul>{text}</ul>".encode())) for text in texts]
    own = label_text(pages[0].chunks[0])
    assert Shared(pages, []).words_before(own) == words


def test_the_heading_of_a_section_is_that_of_what_is_read_below_it() -> None:
    """On the sample "Returns" stands before it, elsewhere "Cost": that is no other thing's."""

    def function(n: int) -> str:
        before = ("Returns", "Cost", "Notes")[n % 3]
        thrown = f"<h3><span>Throws</span></h3><p>Error {word(n)}.</p><p>If {word(n + 2)} is.</p>" if n % 2 else ""
        last = f"<h3><span>Example</span></h3><pre>{word(n)}()</pre>"
        parts = f"<h3><span>{before}</span></h3><p>(none)</p>{thrown}{last}"
        return page(word(n), f"<h3><span>Parameters</span></h3><p>{word(n + 1)}</p>{parts}")

    given = [(3, {"name": word(3), "throws": f"Error {word(3)}. If {word(5)} is."}), (4, {"name": word(4)})]
    wrapper = learned_of(function, *given)
    for n in (51, 53, 55):
        assert wrapper.extract(function(n))["throws"] == f"Error {word(n)}. If {word(n + 2)} is."


def test_the_small_box_with_the_other_fields_is_the_records() -> None:
    """A related flat below repeats the label; all of the page is no box of the record."""

    def flat(n: int) -> str:
        rows = [("Listed", f"{n} May"), ("Owner", word(n + 1)), ("Loan", word(n + 2))]
        rows += [("Last deal", f"{n % 28 + 1} July")] if n % 3 else []
        shown = "".join(f"<div><div class=cap>{a}</div><div>{b}</div></div>" for a, b in rows)
        near = f"<a class=card><div class=cap>Last deal</div><div>{(n * 7) % 28 + 1} June</div></a>"
        about = "".join(f"<p class=f{k}>{word(n + k)} of {k}</p>" for k in range(9))
        own = f"<h1>{word(n)}</h1>{about}<div class=list>{shown}</div>"
        return f"<body><main class=all>{own}<div>{near}</div></main></body>"

    def fields(n: int) -> dict[str, Any]:
        told = {"name": word(n), "listed": f"{n} May", "owner": word(n + 1), "loan": word(n + 2)}
        return told | {f"f{k}": f"{word(n + k)} of {k}" for k in range(9)}

    given = [(1, fields(1) | {"deal": "2 July"}), (3, fields(3))]
    wrapper = learned_of(flat, *given)
    assert wrapper.extract(flat(52))["deal"] == "25 July"
    assert wrapper.extract(flat(51)).get("deal") is None


# -- what it says ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", ["--", "(none)", "N/A", "暂无"])
def test_dashes_and_words_for_none_stand_for_nothing(nothing: str) -> None:
    def company(n: int) -> str:
        rows = [("Name", word(n)), ("Former name", f"Old {word(n)}" if n % 2 else nothing), ("Mail", f"{n}@a.example")]
        return page(word(n), "<ul>", *(f"<li><b>{a}:</b><span>{b}</span></li>" for a, b in rows), "</ul>")

    wrapper = learned_of(company, (1, {"former": f"Old {word(1)}"}), (3, {"former": f"Old {word(3)}"}))
    assert wrapper.extract(company(51))["former"] == f"Old {word(51)}"
    assert wrapper.extract(company(52)).get("former") is None
    assert Affixes.from_json(Affixes(nothing=("--",)).to_json()) == Affixes(nothing=("--",))
    assert Affixes(nothing=("--",)).apply("-- x") == "-- x"


@pytest.mark.parametrize(("names", "found"), [(("-", "+", "--", "&"), "--"), (("N/A", "Other", "N/A", "Old"), "N/A")])
def test_a_dash_is_a_value_where_a_sample_has_one(names: tuple[str, ...], found: str) -> None:
    def operator(n: int) -> str:
        return page(names[n % 4], f"<p>It is {word(n)}.</p>")

    wrapper = learned_of(operator, (1, {"name": names[1]}), (4, {"name": names[0]}))
    assert wrapper.extract(operator(50))["name"] == found


# -- elements that tell by themselves --------------------------------------------------------------------------------


def test_a_count_before_the_fields_name() -> None:
    def thread(n: int) -> str:
        count = 1 if n % 5 < 2 else n % 7 + 2
        shown = "".join(f"<div class=mail><p>{word(n + k)}</p></div>" for k in range(count))
        menu = "<button class=collapsed></button>"
        return page(word(n), menu, f"<p class=told><div><i></i> {count} comments</div><div>{n} people</div>", shown)

    wrapper = learned_of(thread, *((n, {"subject": word(n), "comments": "1"}) for n in (1, 6)))
    assert wrapper.extract(thread(53))["comments"] == str(53 % 7 + 2)


def test_the_source_of_a_quotation_is_told_by_its_element() -> None:
    """On the sample a table stands before it, which other pages lack."""

    def plant(n: int) -> str:
        table = f"<table><tr><th>Month</th><th>Work</th></tr><tr><td>{n}</td><td>{word(n)}</td></tr></table>"
        quoted = f"<blockquote>Of {word(n + 3)}.</blockquote><div class=from>— Book of {word(n)}</div>"
        quote = f"<div class=quote>{quoted}</div>" if n % 2 else ""
        form = f"<h2>Form</h2><p>{word(n)}</p>"
        return page(word(n), f"<p>It is {word(n)}.</p>", form if n % 4 == 3 else table, quote)

    wrapper = learned_of(plant, (1, {"name": word(1), "source": f"Book of {word(1)}"}), (2, {"name": word(2)}))
    assert wrapper.extract(plant(51))["source"] == f"Book of {word(51)}"
    assert wrapper.extract(plant(53))["source"] == f"Book of {word(53)}"
