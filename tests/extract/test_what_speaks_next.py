"""Which way speaks where the first one finds nothing: not what cuts words off, nor what hangs on any text before."""

from __future__ import annotations

import pytest

from tests.extract.pages import learned, word


def stock(n: int, label: str = "Stock:") -> str:
    shown = f"<b>{label}</b> <i class=stock>{n} pieces</i>"
    return f"<html><body><h1>T{n}</h1><div class=box>{shown}</div><p>Text {n}</p></body></html>"


def test_a_number_with_its_unit_is_found_by_its_class_where_the_label_reads_otherwise() -> None:
    wrapper = learned([(stock(n), {"count": str(n)}) for n in (11, 27)], [stock(n) for n in range(30, 42)])
    assert wrapper.extract(stock(77))["count"] == "77"
    assert wrapper.extract(stock(77, "In stock now:"))["count"] == "77"


def test_a_title_hangs_on_no_link_that_stands_before_it() -> None:
    def page(n: int, name: str = "title", back: str = "Back to list") -> str:
        shown = f"<a href=/>{back}</a><h1 class={name}>{word(n)}</h1><p>Text {n}</p>"
        return f"<html><body><main>{shown}</main></body></html>"

    wrapper = learned([(page(n), {"title": word(n)}) for n in (1, 2)], [page(n) for n in range(5, 15)])
    assert wrapper.extract(page(20, "headline", "Zurück"))["title"] == word(20)


LANGUAGES = ("Franz", "Deutsch", "Span", "Ital", "Holl", "Griech", "Poln", "Russ")


def test_a_constant_field_is_not_read_behind_another_label_that_never_says_the_same() -> None:
    def page(n: int, original: str) -> str:
        rows = f"<dt>Sprache</dt><dd class=lang>Englisch</dd><dt>Originalsprache</dt><dd>{original}</dd>"
        return f"<html><body><h1>Buch {n}</h1><dl>{rows}</dl><p>end</p></body></html>"

    samples = [(page(n, "Englisch"), {"title": f"Buch {n}", "language": "Englisch"}) for n in (1, 2)]
    wrapper = learned(samples, [page(n, LANGUAGES[n % 8]) for n in range(10, 26)])
    assert wrapper.extract(page(99, "Latein"))["language"] == "Englisch"


@pytest.mark.parametrize("both", [False, True], ids=["either", "both"])
def test_a_class_that_names_a_value_goes_before_a_label_that_stands_before_a_related_things_too(both: bool) -> None:
    def page(n: int, *, has: bool = True, related: bool = True) -> str:
        size = f"<p class=row><b>Size:</b> <i class=sz>{word(n)}</i></p>" if has else ""
        other = f"<p class=row><b>Size:</b> <i>{word(n + 3)} zz</i></p>" if related else "<p class=row>none</p>"
        facts = f"<h2>Facts</h2><p class=row><b>Kind:</b> <i>k{n}</i></p>{size}"
        return f"<html><body><h1>T{n}</h1><div><h2>Related</h2>{other}</div><div>{facts}</div></body></html>"

    samples = [(page(n, related=False), {"size": word(n)}) for n in (1, 2)]
    samples.append((page(3, has=False, related=False), {}))
    more = [page(n, has=n % 3 > 0, related=not n % 3 or (both and n % 4 == 0)) for n in range(5, 25)]
    assert learned(samples, more).extract(page(41))["size"] == word(41)
