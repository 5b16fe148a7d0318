"""What only looks like a block, a copy or a rule of its own: the narrower half of what tells a value by itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extract.pages import learned, word
from tests.extract.test_told_by_itself import SEVERAL, page

FACTS = ("Maker", "Kind", "Place")


def test_behind_a_label_an_element_of_another_class_may_be_the_value() -> None:
    def one(n: int, size: str) -> str:
        shown = f"<span class=na>{size}</span>" if size == "unknown" else f"<span class=value>{size}</span>"
        hint = "" if size == "unknown" else "<span class=hint>net</span>"
        return page(word(n), f"<p><span class=label>Size</span>{shown}{hint}</p>")

    samples = [(one(n, f"{n} cm wide"), {"name": word(n), "size": f"{n} cm wide"}) for n in (1, 2)]
    more = [one(n, f"{n} cm wide" if n % 3 else "unknown") for n in SEVERAL]
    assert learned(samples, more).extract(one(60, "unknown"))["size"] == "unknown"


def test_short_data_that_a_label_goes_on_from_are_not_cut_off() -> None:
    def one(n: int, rating: int, players: str) -> str:
        stars = f"<div class=rating data-value={rating}></div>"
        return page(word(n), f"{stars}<table><tr><th>Players</th><td>{players}</td></tr></table>")

    samples = [(one(n, n, f"{n}"), {"name": word(n), "rating": f"{n}"}) for n in (1, 2)]
    more = [one(n, 1 + n % 5, f"{1 + n % 5}-{2 + n % 7}" if n % 2 else f"{1 + n % 5}") for n in SEVERAL]
    assert learned(samples, more).extract(one(60, 3, "3-6"))["rating"] == "3"


@pytest.mark.parametrize("said", ["暂无", "n/a", "Call us", "-", "not yet rated"])
def test_what_says_that_there_is_no_number_is_no_value_behind_a_label_either(said: str) -> None:
    def one(n: int, price: str) -> str:
        return page(word(n), f"<dl><dt>Price</dt><dd>{price}</dd><dt>Weight</dt><dd>{n * 7} g</dd></dl>")

    samples = [(one(n, f"{n}17.00元"), {"name": word(n), "price": f"{n}17.00元"}) for n in (1, 2)]
    wrapper = learned(samples, [one(n, said if n % 3 == 0 else f"{n}1{n % 9}.00元") for n in range(10, 28)])
    assert wrapper.extract(one(60, said)).get("price") is None
    assert wrapper.extract(one(61, "616.00元"))["price"] == "616.00元"


def test_a_field_that_stands_outside_the_facts_on_other_pages_is_read_there() -> None:
    def one(n: int, *, moved: bool, similar: bool) -> str:
        stock = f"<p><b>Stock</b>: {n} left</p>"
        facts = "".join(f"<p><b>{name}</b>: {word(n + k)} {name}</p>" for k, name in enumerate(FACTS))
        box = f"<div class=facts>{facts}{'' if moved else stock}</div>"
        box += f"<div class=buy>{stock}</div>" if moved else ""
        more = f"<div class=similar><p><b>Stock</b>: {n + 5} left</p></div>" if similar else ""
        return page(word(n), box, more)

    def fields(n: int) -> dict[str, Any]:
        told = {name.lower(): f"{word(n + k)} {name}" for k, name in enumerate(FACTS)}
        return {"name": word(n), "stock": f"{n} left"} | told

    samples = [(one(n, moved=False, similar=False), fields(n)) for n in (1, 2)]
    more = [one(n, moved=n % 2 > 0, similar=n % 4 == 0) for n in SEVERAL]
    assert learned(samples, more).extract(one(60, moved=True, similar=False))["stock"] == "60 left"


def test_the_same_rows_for_narrow_screens_are_no_further_ones() -> None:
    def table(names: list[str], kind: str) -> str:
        rows = "".join(f"<tr><td>{name}</td><td>the {name}</td></tr>" for name in names)
        return f"<table class={kind}>{rows}</table>"

    def one(n: int, names: list[str], *, twice: bool) -> str:
        again = table(names, "narrow") if twice else ""
        return page(word(n), "<h2>Input</h2>", table(names, "wide"), again, "<h2>End</h2>")

    def rows(names: list[str]) -> list[dict[str, str]]:
        return [{"name": name, "told": f"the {name}"} for name in names]

    samples = [(one(n, [word(n)], twice=False), {"name": word(n), "input": rows([word(n)])}) for n in (1, 2)]
    more = [one(n, [word(n)], twice=n % 2 > 0) for n in SEVERAL]
    assert learned(samples, more).extract(one(60, ["file"], twice=True))["input"] == rows(["file"])


def test_a_heading_with_an_introduction_in_its_own_block_heads_what_follows() -> None:
    def part(name: str, said: list[str]) -> str:
        rows = "".join(f"<div class=row><b>{word(len(one))} {one}</b><p>{one} of it.</p></div>" for one in said)
        lead = "Here you find what others have to say, the newest first, and the old ones below."
        return f"<header><h3>{name}</h3><p>{lead}</p></header><div class=rows>{rows}</div>" if said else ""

    def told(said: list[str]) -> list[dict[str, str]]:
        return [{"who": f"{word(len(one))} {one}", "text": f"{one} of it."} for one in said]

    def one(n: int, reviews: list[str], questions: list[str]) -> str:
        return page(word(n), f"<p>Of {word(n)}.</p>", part("Reviews", reviews), part("Questions", questions))

    given = {n: [word(n), word(n + 1)] for n in (1, 2)}
    samples = [(one(n, some, []), {"name": word(n), "reviews": told(some)}) for n, some in given.items()]
    more = [one(n, [word(n + 1)] if n % 3 else [], [word(n + 2), word(n + 3)] if n % 2 else []) for n in SEVERAL]
    wrapper = learned(samples, more)
    assert wrapper.extract(one(60, ["Good"], ["Why"]))["reviews"] == told(["Good"])
