"""Numbers in another place, links called as their files, labels that are values, and items parted by loose commas."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.nodes import texts_after
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]
Rows = list[dict[str, Any]]

# A number in another place


def voted(n: int, inner: str) -> str:
    return page(word(n), f"<div class=facts>{inner}</div><p>{word(n + 4)}</p>")


@pytest.mark.parametrize(("other", "votes"), [("none so far", None), ("17", "17")])
def test_where_a_number_is_missing_its_place_is_taken_by_numbers_alone(other: str, votes: str | None) -> None:
    samples: Samples = [
        (voted(n, f"<span class=votes>{n + 3}</span>"), {"name": word(n), "votes": str(n + 3)}) for n in (1, 2)
    ]
    wrapper = learned(samples, [voted(n, f"<span class=votes>{n + 3}</span>") for n in SEVERAL])
    assert wrapper.extract(voted(60, "<span class=votes>63</span>"))["votes"] == "63"
    assert wrapper.extract(voted(60, f"<span>{other}</span>")).get("votes") == votes


def test_where_some_are_no_numbers_any_value_may_stand_in_the_other_place() -> None:
    sizes = ("S", "M", "38", "40")

    def sized(n: int, size: str, name: str = "size") -> str:
        return page(word(n), f"<div class=facts><span class={name}>{size}</span></div><p>{word(n + 4)}</p>")

    samples: Samples = [(sized(n, sizes[n + 1]), {"name": word(n), "size": sizes[n + 1]}) for n in (1, 2)]
    wrapper = learned(samples, [sized(n, sizes[n % 4]) for n in SEVERAL])
    assert wrapper.extract(sized(60, "XL", "sold"))["size"] == "XL"


# Links that are called as their files


def typed(n: int, count: int, share: int) -> tuple[str, Rows]:
    kinds = [word(at + 20) if at % share else f"{word(at + 20)} {word(at + 21)}" for at in range(n, n + count)]
    rows: Rows = [{"name": word(n + k), "type": kind} for k, kind in enumerate(kinds)]
    shown = "".join(
        f"<tr><td><a href='#{row['name']}'>{row['name']}</a></td>"
        f"<td><a href='/types/{row['type'].replace(' ', '-')}.html'>{row['type']}</a></td></tr>"
        for row in rows
    )
    return page(word(n), f"<p>Of {word(n + 7)}.</p><table>{shown}</table>"), rows


@pytest.mark.parametrize("share", [2, 5])
def test_a_cell_says_what_the_address_in_it_writes_otherwise(share: int) -> None:
    samples: Samples = []
    for n in (1, 5):
        body, rows = typed(n, 2, share=99)
        samples.append((body, {"title": word(n), "parts": rows}))
    wrapper = learned(samples, [typed(n, n % 4 + 1, share)[0] for n in SEVERAL])
    body, rows = typed(60, 3, share)
    assert wrapper.extract(body)["parts"] == rows


# Labels that are values


def defined(n: int, kinds: tuple[str, ...]) -> tuple[str, Rows]:
    rows: Rows = [{"kind": kind, "name": word(n + k)} for k, kind in enumerate(kinds)]
    shown = "".join(
        f"<div class=def><span class=cat>{row['kind']}: </span><strong>{row['name']}</strong> <i>{word(n)}</i></div>"
        for row in rows
    )
    return page(word(n), f"<p>Of {word(n + 7)}.</p>{shown}"), rows


def test_a_kind_with_a_colon_is_no_label_of_the_name_behind_it() -> None:
    samples: Samples = []
    for n in (1, 5):
        body, rows = defined(n, ("procedure", "procedure"))
        samples.append((body, {"title": word(n), "parts": rows}))
    further = [("procedure",) * (n % 4) + ("standard procedure",) * (n % 5 == 0) for n in SEVERAL]
    wrapper = learned(samples, [defined(n, kinds)[0] for n, kinds in zip(SEVERAL, further, strict=True)])
    body, rows = defined(60, ("standard procedure", "procedure", "parameter"))
    assert wrapper.extract(body)["parts"] == rows


def dated(n: int, until: str) -> str:
    return page(word(n), f"<div>Expires: {until}</div><div>{word(n + 4)} made it</div>", f"<p>Of {word(n + 7)}.</p>")


def test_the_value_of_another_field_behind_its_label_is_no_label() -> None:
    samples: Samples = [
        (dated(n, "never"), {"name": word(n), "expires": "never", "note": f"{word(n + 4)} made it"}) for n in (1, 2)
    ]
    wrapper = learned(samples, [dated(n, "never" if n % 4 else f"May {n}") for n in SEVERAL])
    assert wrapper.extract(dated(60, "June 60"))["note"] == f"{word(64)} made it"
    assert wrapper.extract(dated(61, "never"))["note"] == f"{word(65)} made it"


# Items parted by loose commas


def test_a_loose_comma_is_no_text() -> None:
    tree = parse_html("<div><h3>Designers</h3><a>Ann</a>, <a>Bob</a> and <i>Cid</i>.<h3>Year</h3>1</div>")
    assert texts_after(tree.find(".//h3"), frozenset({"h3"})) == ["Ann", "Bob", "and", "Cid"]


def designed(n: int, *names: str) -> str:
    return page(word(n), f"<div><h3>Designers</h3>{', '.join(names)}</div><div><h3>Year</h3>{1900 + n}</div>")


def test_items_in_several_elements_are_parted_by_commas_that_are_no_items() -> None:
    def names(n: int, count: int) -> list[str]:
        return [f"{word(n + k)} {word(n + k + 30)}" for k in range(count)]

    def one(n: int, count: int) -> str:
        forms = ("<a href=/{0}>{0}</a>", "<i>{0}</i>")
        return designed(n, *(forms[(n + k) % 2].format(name) for k, name in enumerate(names(n, count))))

    samples: Samples = [(one(n, 1), {"name": word(n), "designers": names(n, 1)}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, n % 4 + 1) for n in SEVERAL])
    assert wrapper.extract(one(60, 3))["designers"] == names(60, 3)
