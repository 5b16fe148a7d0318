"""Values that related cards below a record have, too; what says that there are no records; two values in a text."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.locators.fits import fit_beside_value
from tests.extract.pages import learned, word

MORE = range(10, 40)


def page(name: str, *parts: str) -> str:
    return f"<body><div class=app><h1>{name}</h1>{''.join(parts)}</div></body>"


def learned_of(one: Any, *given: tuple[int, dict[str, Any]], more: Any = MORE) -> Wrapper:
    """What is learned from pages of *one* for some numbers, with their fields, and further ones."""
    return learned([(one(n), fields) for n, fields in given], [one(n) for n in more])


def test_no_offers_is_told_by_the_part_that_offers_always_have() -> None:
    def deal(n: int, k: int) -> dict[str, str]:
        parts = {"name": word(n + k), "price": f"¥{n + k}"}
        parts |= {"was": f"¥{n + k + 90}"} if (n + k) % 3 else {}
        return parts | ({"sold": str(n * 3 + k)} if (n + k) % 4 else {})

    def shop(n: int) -> str:
        deals = [deal(n, k) for k in range(n % 4)]
        rows = (
            f"<div class=item><div class=content><div class=main>{one['name']}"
            + (f"<div class=note>sold {one['sold']}</div>" if "sold" in one else "")
            + f"</div><div class=extra><b>{one['price']}</b>"
            + (f"<del>{one['was']}</del>" if "was" in one else "")
            + "</div></div></div>"
            for one in deals
        )
        body = "".join(rows) or "<div class=item><div class=content><div class=main>No offers</div></div></div>"
        return page(word(n), f"<div class=list><div class=header>Offers</div><div class=body>{body}</div></div>")

    given = [deal(13, 0)]
    assert set(given[0]) == {"name", "price", "was", "sold"}
    wrapper = learned_of(shop, (13, {"title": word(13), "deals": given}), (8, {"title": word(8)}))
    for n in (50, 51, 54):
        assert wrapper.extract(shop(n))["deals"] == [deal(n, k) for k in range(n % 4)]
    assert not wrapper.extract(shop(52)).get("deals")


def test_two_values_in_a_text() -> None:
    def course(n: int) -> str:
        units = (f"<li><h5>第{n + 3 * k}章<!-- --> {word(n + k)} 《{word(k)}》</h5></li>" for k in range(1, 4))
        return page(word(n), f"<p class=lead>{word(n)}大学<!-- -->　<!-- -->{word(n + 9)}师</p><ul>", *units, "</ul>")

    def fields(n: int) -> dict[str, Any]:
        units = [{"no": f"第{n + 3 * k}章", "name": f"{word(n + k)} 《{word(k)}》"} for k in range(1, 4)]
        return {"school": f"{word(n)}大学", "teacher": f"{word(n + 9)}师", "units": units}

    wrapper = learned_of(course, *((n, fields(n)) for n in (1, 2)))
    assert wrapper.extract(course(51)) == fields(51)


@pytest.mark.parametrize(
    ("pairs", "others", "cut"),
    [
        ([("甲大学 李明", "甲大学"), ("乙学院 王红", "乙学院")], ["李明", "王红"], ("", " ")),
        ([("甲大学 李明", "李明"), ("乙学院 王红", "王红")], ["甲大学", "乙学院"], (" ", "")),
        ([("甲大学 李明", "李明"), ("乙学院 王红", "王红")], ["甲大学"], None),
        ([("甲大学/李明", "李明"), ("乙学院 王红", "王红")], ["甲大学", "乙学院"], None),
        ([("第 1 章 李 明", "李 明"), ("第 2 章 王红", "王红")], ["第 1 章", "第 2 章"], None),
    ],
)
def test_a_cut_between_two_values(pairs: list[tuple[str, str]], others: list[str], cut: tuple[str, str] | None) -> None:
    found = fit_beside_value(pairs, lambda text: text in others)
    assert (found and (found.before, found.after)) == cut


@pytest.mark.parametrize("sign", [";", ",", "、"])
def test_a_list_whose_sign_stands_behind_its_last_item_too(sign: str) -> None:
    def names(n: int) -> list[str]:
        return [f"{word(n + k)}醇" for k in range(n % 4 + (n % 4 == 0))]

    def chemical(n: int) -> str:
        listed = "".join(one + sign for one in names(n))
        rows = f"<tr><td>编号：</td><td>2{n}</td></tr><tr><td>别名：</td><td>{listed}</td></tr>"
        return page(word(n), f"<table>{rows}</table>")

    wrapper = learned_of(chemical, *((n, {"title": word(n), "alias": names(n)}) for n in (3, 7)))
    assert [wrapper.extract(chemical(n))["alias"] for n in (50, 51, 52)] == [names(n) for n in (50, 51, 52)]
