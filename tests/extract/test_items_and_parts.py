"""Items of lists and parts of records that further pages write otherwise: linked or not, marked up or not."""

from __future__ import annotations

from typing import Any

from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import learned, word

MORE = range(10, 40)


def page(name: str, *parts: str) -> str:
    return f"<body><div id=all><h1>{name}</h1>{''.join(parts)}</div></body>"


# -- parts of records ------------------------------------------------------------------------------------------------


# -- items of lists --------------------------------------------------------------------------------------------------


def learned_list(one: Any, given: tuple[Any, Any]) -> Any:
    """What is learned from two pages of *one* with the items *given*, and further ones."""
    samples: list[tuple[str, dict[str, Any]]] = []
    for n, items in enumerate(given, 1):
        html, values = one(n, items)
        samples.append((page(word(n), html), {"name": word(n)} | ({"items": values} if values else {})))
    return learned(samples, [page(word(n), one(n, items)[0]) for n, items in zip(MORE, [1, 0, 2, 3] * 8, strict=False)])


def test_the_first_line_of_each_item() -> None:
    def tiles(n: int, count: int) -> tuple[str, list[str]]:
        numbers = [f"GB {n}{k}.1" for k in range(count)]
        links = (f"<a class=tile href=/{one}>{one}<br>Safety of {word(n + k)}</a>" for k, one in enumerate(numbers))
        return f"<h2>Related</h2><div>{''.join(links)}</div>", numbers

    html, numbers = tiles(60, 3)
    assert learned_list(tiles, (2, 3)).extract(page("x", html))["items"] == numbers


def test_a_list_without_items_is_one() -> None:
    def see(n: int, count: int) -> tuple[str, list[str]]:
        names = [word(n + k) for k in range(count)]
        links = [f"<a href=/{name}>{name}</a>" for name in names]
        inside = links[0] if count == 1 else "".join(f"<li>{link}</li>" for link in links)
        return (f"<h3>See also:</h3><ul>{inside}</ul>" if names else "") + "<h3>Notes</h3><p>None.</p>", names

    wrapper = learned_list(see, (2, 3))
    for count in (1, 3):
        html, names = see(60, count)
        assert wrapper.extract(page("x", html))["items"] == names


def test_links_are_no_items_where_these_say_more() -> None:
    def interfaces(n: int, count: int) -> tuple[str, list[str]]:
        names = [word(n + k) for k in range(count)]
        values = [f"{name}<E>" if n > 9 and k else name for k, name in enumerate(names)]
        rests = (value[len(name) :].replace("<", "&lt;") for name, value in zip(names, values, strict=True))
        linked = (f"<a href=/{name}>{name}</a>{rest}" for name, rest in zip(names, rests, strict=True))
        shown = ", ".join(f"<code>{one}</code>" for one in linked)
        return f"<dl><dt>All Interfaces:</dt><dd>{shown}</dd></dl>" if names else "", values

    html, values = interfaces(60, 3)
    assert learned_list(interfaces, (3, 2)).extract(page("x", html))["items"] == values


def test_a_price_that_is_a_range_elsewhere_is_read_whole() -> None:
    def price(n: int) -> str:
        return f"${n}.00" if n % 4 else f"${n}.00 – ${n + 9}.50"

    def shown(n: int, count: int) -> str:
        amounts = [price(n + 1 + k).split(" – ") for k in range(count)]
        told = (" – ".join(f"<span class='amount'>{one}</span>" for one in some) for some in amounts)
        rows = "".join(f"<li><b>{word(n + k)}</b><span class='price'>{one}</span></li>" for k, one in enumerate(told))
        return f"<html><body><h1>{word(n)}</h1><ul class='goods'>{rows}</ul></body></html>"

    def goods(n: int, count: int) -> list[dict[str, str]]:
        return [{"name": word(n + k), "price": price(n + 1 + k)} for k in range(count)]

    more = [(f"https://a.example/{n}", shown(n, 4)) for n in range(20, 32)]
    given = [Sample(f"https://a.example/{n}", shown(n, 3), {"goods": goods(n, 3)}) for n in (4, 8)]
    assert learn_wrapper(given, more).extract(shown(50, 5))["goods"] == goods(50, 5)
