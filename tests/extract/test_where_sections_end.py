"""Sections: the heading they stand behind, whatever its number, and where they end on pages that go on otherwise."""

from __future__ import annotations

import pytest

from gwc_crawler.extract.nodes import text_of
from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.page.parse import parse_html
from tests.extract.pages import learned, word

TEXTS = [f"{word(n).title()} is what this part tells of. It goes on for a while, and then it ends." for n in range(40)]


def errors(*rows: tuple[str, str], before: str = "") -> str:
    shown = "".join(f"<dt><a>{code}</a></dt><dd>{text}</dd>" for code, text in rows)
    section = f"<section><h1><a>ERRORS</a></h1>{before}<dl>{shown}</dl></section>" if rows else ""
    notes = "<section><h1><a>NOTES</a></h1><p>None.</p><dl><dt><a>A</a></dt><dd>B</dd></dl></section>"
    return f"<body><section><h1><a>NAME</a></h1><p>It is called.</p></section>{section}{notes}</body>"


def test_records_below_a_paragraph_of_their_section_are_found() -> None:
    def fields(*rows: tuple[str, str]) -> dict[str, object]:
        return {"errors": [{"code": code, "text": text} for code, text in rows]}

    one, two = [("EBADF", "It is no file."), ("EINVAL", "It is wrong.")], [("EIO", "It fails."), ("EPERM", "Not so.")]
    remark = "<p>See elsewhere.</p><p>These errors can occur:</p>"
    more = [errors((word(n).upper(), TEXTS[n]), before=remark * (n % 3 == 0)) for n in range(12)]
    wrapper = learned([(errors(*one), fields(*one)), (errors(), {})], [*more, errors()])
    assert wrapper.extract(errors(*two, before=remark)) == fields(*two)
    assert wrapper.extract(errors())["errors"] == []


def test_a_measure_is_no_numbered_heading() -> None:
    def goods(weight: str, colour: str) -> str:
        return f"<body><h1>{colour[::-1]}</h1><div><span>{weight}</span><span>{colour}</span></div></body>"

    samples = [(goods("2.5 kg", "Red"), {"colour": "Red"}), (goods("3.7 kg", "Blue"), {"colour": "Blue"})]
    wrapper = learned(samples, [goods(f"{n}.5 kg", word(n)) for n in range(2, 9)])
    assert wrapper.extract(goods("750 g", "Green")) == {"colour": "Green"}


def chapters(name: str, *sections: tuple[str, str], foot: str = "") -> str:
    return f"<body><h1>{name}</h1>{''.join(f'<h2>{head}</h2>{body}' for head, body in sections)}{foot}</body>"


def said(html: str) -> str:
    return text_of(parse_html(html), apart=True)


def learned_effect(body: str, foot: str = "") -> Wrapper:
    """From pages on which the effect is the last section at times, and its *body* has {} for a text."""

    def page(n: int, is_last: bool) -> str:
        rest = [] if is_last else [(("Risk", "Files")[n % 2], body.format(TEXTS[-n]))]
        return chapters(word(n), ("Effect", body.format(TEXTS[n])), *rest, foot=foot)

    samples = [(page(n, False), {"effect": said(body.format(TEXTS[n]))}) for n in (0, 1)]
    return learned(samples, [page(n, n % 3 == 0) for n in range(2, 16)])


@pytest.mark.parametrize(
    "body",
    [
        "<blockquote>It said: {0}</blockquote><p class=text>{0}</p><p class=text>{0}</p><p class=text>End</p>",
        "<p>{0}</p><p>Example</p><p>{0}</p>",
    ],
    ids=["paragraphs of a class", "a line that all sections have"],
)
def test_what_sections_have_in_common_closes_no_page(body: str) -> None:
    wrapper, text = learned_effect(body), body.format(TEXTS[22])
    last = chapters("new", ("Risk", body.format(TEXTS[23])), ("Effect", text))
    assert wrapper.extract(last) == {"effect": said(text)}
