"""A field that one sample has and another lacks: rare on the site, or merely left out by a person."""

from __future__ import annotations

from gwc_crawler.extract.wrapper import Wrapper
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


def test_a_long_text_that_a_sample_leaves_out_is_read_though_its_page_alone_looks_otherwise() -> None:
    def shown(n: int) -> str:
        return (
            f"<html><body><div class='goods kind-{n % 12}'><h1>{word(n)} jar</h1><div class='tabs'>"
            f"<a>About</a><div class='about'>{about(n)}</div></div></div></body></html>"
        )

    def about(n: int) -> str:
        return " ".join(word(n * 3 + m) for m in range(20)).capitalize() + "."

    more = [shown(n) for n in range(20, 40)]
    wrapper = learned(
        shown(3), {"name": f"{word(3)} jar", "about": about(3)}, shown(4), {"name": f"{word(4)} jar"}, more
    )
    assert [wrapper.extract(shown(n))["about"] for n in (51, 52, 63)] == [about(51), about(52), about(63)]
    assert any("'about'" in told and "https://a.example/2" in told for told in wrapper.warnings)


def test_a_long_part_that_all_records_of_a_sample_leave_out_is_read() -> None:
    def shown(n: int, count: int) -> str:
        rows = "".join(f"<li><b>{one['name']}</b><p>{one['does']}</p></li>" for one in methods(n, count))
        menu = "".join(f"<li><a>{one['name']}</a></li>" for one in reversed(methods(n, count)))
        return f"<html><body><ul class='menu'>{menu}</ul><h1>{word(n)}</h1><p>Methods</p><ul>{rows}</ul></body></html>"

    def methods(n: int, count: int) -> list[dict[str, str]]:
        texts = (" ".join(word(n * 5 + 7 * m + k) for k in range(12)) for m in range(count))
        return [{"name": f"{word(n + m)}{m}", "does": text} for m, text in enumerate(texts)]

    names = [{"name": one["name"]} for one in methods(4, 5)]
    more = [shown(n, 2 + n % 3) for n in range(20, 32)]
    wrapper = learned(shown(3, 2), {"methods": methods(3, 2)}, shown(4, 5), {"methods": names}, more)  # type: ignore[dict-item]
    assert wrapper.extract(shown(51, 4))["methods"] == methods(51, 4)


def test_data_that_contradict_what_the_page_shows_by_the_same_name_are_something_else() -> None:
    def shown(n: int) -> str:
        code = f"A{n}" if n % 2 else f"#{n}-B"
        data = f'{{"@type": "Product", "sku": "{code if n < 10 or n % 2 else f"feed_{n}"}"}}'
        told = f"<p>Code: <span class='sku'>{code}</span></p>" if n % 3 else ""
        script = f'<script type="application/ld+json">{data}</script>'
        return f"<html><head>{script}</head><body><h1>{word(n)}</h1>{told}</body></html>"

    wrapper = learned(shown(5), {"sku": "A5"}, shown(7), {"sku": "A7"}, [shown(n) for n in range(20, 40)])
    assert [wrapper.extract(shown(n))["sku"] for n in (50, 52, 53)] == ["#50-B", "#52-B", "A53"]


def test_a_long_section_that_few_pages_have_is_not_read_where_it_lacks() -> None:
    def shown(n: int, *, noted: bool = False) -> str:
        awards = f"<h3>Awards</h3><p>{text(n, 2)}</p>" if noted else ""
        shown = f"<h1>{word(n)}</h1><p>{text(n, 5)}</p>{awards}<p>{text(n, 9)}</p>"
        return f"<html><body><div class='entry'>{shown}</div></body></html>"

    def text(n: int, by: int) -> str:
        return " ".join(word(n * by + m) for m in range(15)).capitalize() + "."

    more = [shown(n, noted=n == 23) for n in range(20, 40)]
    first = shown(3, noted=True), {"name": word(3), "awards": text(3, 2)}
    wrapper = learned(*first, shown(4), {"name": word(4)}, more)
    assert wrapper.extract(shown(51)).get("awards") is None
    assert wrapper.extract(shown(52, noted=True))["awards"] == text(52, 2)


def test_a_text_that_a_sample_leaves_out_is_read_though_only_its_neighbours_tell_where_it_stands() -> None:
    def shown(n: int) -> str:
        texts = word(n), f"[{word(n + 9)}]", poem(n), f"Notes of {word(n + 4)}."
        verses = "".join(f"<p>{text}</p>" for text in texts)
        return f"<html><body><h1>{word(n)}</h1><div class=entry>{verses}</div></body></html>"

    def poem(n: int) -> str:
        return " ".join(word(n * 3 + m) for m in range(16)).capitalize() + "."

    told = {"name": word(3), "author": word(12), "poem": poem(3), "notes": f"Notes of {word(7)}."}
    others = {"name": word(4), "author": word(13), "notes": f"Notes of {word(8)}."}
    wrapper = learned(shown(3), told, shown(4), others, [shown(n) for n in range(20, 40)])
    assert [wrapper.extract(shown(n))["poem"] for n in (51, 52)] == [poem(51), poem(52)]


def test_a_label_with_the_letters_of_another_fields_value_is_its_own() -> None:
    def shown(n: int, *, noted: bool = False) -> str:
        notice = f"<p class=label>Notice:</p><p>{text(n)}</p>" if noted else ""
        shown = f"{notice}<p>No</p><p>{text(n + 50)}</p>"
        return f"<html><body><h1>{word(n)}</h1><div class=goods>{shown}</div></body></html>"

    def text(n: int) -> str:
        return " ".join(word(n * 3 + m) for m in range(16)).capitalize() + "."

    first = shown(3, noted=True), {"name": word(3), "notice": text(3), "sold": "No"}
    more = [shown(n, noted=n % 3 == 0) for n in range(20, 40)]
    wrapper = learned(*first, shown(4), {"name": word(4), "sold": "No"}, more)
    assert [wrapper.extract(shown(n, noted=n > 51))["notice"] for n in (51, 52)] == [None, text(52)]
