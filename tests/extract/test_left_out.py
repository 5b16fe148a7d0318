"""A field that one sample has and another lacks: rare on the site, or merely left out by a person."""

from __future__ import annotations

from gwc_crawler.extract import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word


def goods(n: int, *, note: str = "", sale: str = "") -> str:
    noted = f"<b>{note}</b>" if note else ""
    reduced = f"<p class='price'>Now {sale}</p>" if sale else ""
    return (
        f"<html><body><div class='goods'>{noted}<h1 class='name'>{word(n)} jar</h1>{reduced}"
        f"<p class='price'>{n}.50 EUR</p>{noted}<p class='maker'>{word(n + 5)} Works</p></div></body></html>"
    )


def learned(first: str, fields: dict[str, str], second: str, others: dict[str, str], more: list[str]) -> Wrapper:
    samples = [Sample("https://a.example/1", first, {**fields}), Sample("https://a.example/2", second, {**others})]
    return learn_wrapper(samples, [(f"https://a.example/more/{n}", one) for n, one in enumerate(more)])


def test_a_rare_field_is_not_read_where_the_sample_without_it_shows_another_one() -> None:
    more = [goods(n, sale=f"{n}.20 EUR" if n % 9 == 0 else "") for n in range(20, 40)]
    first = goods(3, sale="3.20 EUR"), {"sale": "3.20 EUR", "price": "3.50 EUR"}
    wrapper = learned(*first, goods(4), {"price": "4.50 EUR"}, more)
    assert wrapper.extract(goods(50))["sale"] is None
    assert wrapper.extract(goods(50, sale="9.00 EUR"))["sale"] == "9.00 EUR"
