"""Sections: the heading they stand behind, whatever its number, and where they end on pages that go on otherwise."""

from __future__ import annotations

import pytest

from gwc_crawler.extract import Wrapper, text_of
from gwc_crawler.learn.texts import numbered, unnumbered
from gwc_crawler.page import parse_html
from tests.extract.pages import learned, word

TEXTS = [f"{word(n).title()} is what this part tells of. It goes on for a while, and then it ends." for n in range(40)]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("二、基本情况", "基本情况"),
        ("（三）风险提示", "风险提示"),
        ("第十章 附则", "附则"),
        ("1.2 Overview", "Overview"),
        ("1.2. Overview", "Overview"),
        ("3. Use", "Use"),
        ("12 Angry Men", "12 Angry Men"),
        ("3 May", "3 May"),
        ("一次", "一次"),
        ("1.2", "1.2"),
        ("2.5 kg", "kg"),
    ],
)
def test_a_heading_is_known_without_its_number(text: str, heading: str) -> None:
    assert unnumbered(text) == heading
    if parts := numbered(text):
        assert text.partition(parts[0])[2] == parts[1]


def notice(*sections: tuple[str, str], closing: str = "") -> str:
    """Sections with numbers, as Chinese announcements have them; *closing* stands below all of them."""
    numbers = "一二三四五六"
    shown = "".join(
        f"<p><strong>{numbers[n]}、{name}</strong></p><p>{text}</p><p>{text[::-1]}</p>"
        for n, (name, text) in enumerate(sections)
    )
    signed = f"<p>{closing}</p><p style=text-align:right>{len(sections)} May</p>" if closing else ""
    return f"<body><h1>{sections[0][1][:9]}</h1><div class=content>{shown}{signed}</div></body>"


def both(text: str) -> str:
    return f"{text} {text[::-1]}"


def test_a_section_is_read_behind_its_heading_whatever_number_that_has_here() -> None:
    samples = [
        (notice(("提示", TEXTS[0]), ("情况", TEXTS[1]), ("文件", TEXTS[2])), {"situation": both(TEXTS[1])}),
        (notice(("提示", TEXTS[3]), ("情况", TEXTS[4]), ("影响", TEXTS[5])), {"situation": both(TEXTS[4])}),
    ]
    more = [notice(*[("提示", TEXTS[n + 1])] * (n % 2), ("情况", TEXTS[n]), ("文件", TEXTS[-n])) for n in range(6, 16)]
    wrapper = learned(samples, more)
    assert wrapper.extract(notice(("情况", TEXTS[20]), ("影响", TEXTS[21])))["situation"] == both(TEXTS[20])
    assert wrapper.extract(notice(("提示", TEXTS[20]), ("影响", TEXTS[21])))["situation"] is None


def test_a_last_section_ends_at_the_words_that_close_all_pages() -> None:
    def announced(n: int, is_last: bool) -> str:
        sections = [*[("提示", TEXTS[-n])] * (n % 2), ("影响", TEXTS[n]), *[("文件", TEXTS[-n - 1])] * (not is_last)]
        return notice(*sections, closing="特此公告。")

    samples = [(announced(n, False), {"effect": both(TEXTS[n])}) for n in (0, 1)]
    wrapper = learned(samples, [announced(n, n % 3 == 0) for n in range(2, 18)])
    assert wrapper.extract(announced(20, True))["effect"] == both(TEXTS[20])


def manual(name: str, *sections: tuple[str, str], footer: str = "") -> str:
    shown = "".join(f"<h1 id={head.replace(' ', '-')}>{head}</h1><p>{text}</p><p>More.</p>" for head, text in sections)
    return f"<body><p class=nav>Index</p>{shown}{footer}</body>"


@pytest.mark.parametrize("first", [False, True], ids=["a heading follows on the samples", "the footer does"])
def test_a_last_section_ends_above_the_footer_and_another_one_at_the_next_heading(first: bool) -> None:
    def page(name: str, *sections: tuple[str, str]) -> str:
        return manual(name, *sections, footer=f"<table border=0 width=100%><tr><td>{name}</td></tr></table>")

    def ordered(n: int, is_last: bool) -> list[tuple[str, str]]:
        own, other = ("SEE ALSO", TEXTS[n]), (("BUGS", "AUTHOR", "COPYRIGHT")[n % 3], TEXTS[-n - 1])
        return [("NAME", word(n)), *([other, own] if is_last else [own, other])]

    samples = [(page(word(n), *ordered(n, first)), {"see_also": f"{TEXTS[n]} More."}) for n in (0, 1)]
    wrapper = learned(samples, [page(word(n), *ordered(n, n % 2 > 0)) for n in range(2, 14)])
    for is_last in (False, True):
        assert wrapper.extract(page("new", *ordered(20, is_last))) == {"see_also": f"{TEXTS[20]} More."}


def post(*sections: tuple[str, str]) -> str:
    shown = "".join(f"<h2>{head}</h2><p>{text}</p><p>{text[::-1]}</p>" for head, text in sections)
    return f"<body><h1>{sections[0][1][:9]}</h1><div class=post>{shown}</div><div class=foot>Foot</div></body>"


def test_a_section_that_one_sample_has_is_read_behind_its_own_heading_not_behind_the_one_before() -> None:
    samples = [
        (post(("Day 1", TEXTS[0]), ("Costs", TEXTS[1]), ("Summary", TEXTS[2])), {"conclusion": both(TEXTS[2])}),
        (post(("Day 1", TEXTS[3])), {}),
    ]
    costs, end = [("Costs", TEXTS[-1])], [("Summary", TEXTS[-2])]
    more = [post(("Day 1", TEXTS[n]), *costs * (n % 3 == 0), *end * (n % 2)) for n in range(4, 20)]
    wrapper = learned(samples, more)
    assert wrapper.extract(post(("Day 1", TEXTS[20]), ("Summary", TEXTS[21])))["conclusion"] == both(TEXTS[21])


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


def test_a_page_without_the_closing_box_is_read_to_its_end() -> None:
    body, foot = "<p>{0}</p><blockquote>So it says: {0}</blockquote>", "<div class='md:w-1/2,x share'>Share it</div>"
    wrapper, text = learned_effect(body, foot), body.format(TEXTS[22])
    for beside in ("", foot):
        assert wrapper.extract(chapters("new", ("Effect", text), foot=beside)) == {"effect": said(text)}
    boxed = f"{text}<div>And more.</div>"
    assert wrapper.extract(chapters("new", ("Effect", boxed)))["effect"].endswith("And more.")
