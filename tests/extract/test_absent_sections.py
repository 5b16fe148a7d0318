"""A section that a page lacks is absent, whatever the next one looks like; under another heading it is not lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.extract.pages import learned, word
from tests.extract.test_new_markup import learn

Section = tuple[str, str]
SHAPES: dict[str, Callable[[str, str], str]] = {
    "heading": lambda label, value: f"<h2>{label}</h2><pre>{value}</pre>",
    "bold paragraph": lambda label, value: f"<p><b>{label}</b></p><pre>{value}</pre>",
    "class": lambda label, value: f"<h4 class='t'>{label}</h4><div class='sec'>{value}</div>",
    "two classes": lambda label, value: f"<div class='cap'>{label}</div><div class='val'>{value}</div>",
    "text between": lambda label, value: f"<h3>{label}</h3><p>So {value[:4]}:</p><pre>{value}</pre>",
}
LABELS = {"en": ("Syntax", "Returns", "Example"), "zh": ("用法", "返回值", "示例")}


def page(n: int, sections: list[Section], shape: str) -> str:
    body = "".join(SHAPES[shape](label, value) for label, value in sections)
    return f"<html><body><div id='main'><h1>{word(n)}</h1><p>About {word(n + 1)}.</p>{body}</div></body></html>"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("language", LABELS)
def test_an_absent_section_is_not_read_from_the_next_one(shape: str, language: str) -> None:
    syntax, returns, example = LABELS[language]

    def sections(n: int, *has: str) -> list[Section]:
        return [
            (label, f"{label[0]} {word(n * 7 + k)} {word(n)}")
            for k, label in enumerate(LABELS[language], 1)
            if label in has
        ]

    def full(n: int) -> tuple[str, dict[str, object]]:
        had = sections(n, syntax, returns)
        return page(n, had, shape), {"title": word(n), "syntax": had[0][1]}

    more = [
        page(n, sections(n, *([syntax] if n % 4 else []), *([example] if n % 3 == 0 else []), returns), shape)
        for n in range(10, 30)
    ]
    wrapper = learn(full(2), full(4), more=more)
    assert not wrapper.extract(page(40, sections(40, example), shape))["syntax"]
    assert wrapper.extract(page(41, sections(41, syntax, example), shape))["syntax"] == sections(41, syntax)[0][1]


def test_a_section_is_read_under_another_heading_that_never_stands_beside_its_own() -> None:
    def sections(n: int) -> str:
        own = f"<h2>{('Usage', 'Syntax', 'Syntax')[n % 3]}</h2><pre>f {word(n + 50)}</pre><h2>Returns</h2><p>r</p>"
        more = f"<h2>Example</h2><pre>x {word(n + 70)}</pre>" if n % 2 else ""
        return f"<html><body><h1>{word(n)}</h1><div id='main'>{own}{more}</div></body></html>"

    samples = [(sections(n), {"syntax": f"f {word(n + 50)}"}) for n in (4, 8)]
    wrapper = learn(*samples, more=[sections(n) for n in range(10, 30)])
    assert all(wrapper.extract(sections(n))["syntax"] == f"f {word(n + 50)}" for n in range(30, 50))


def test_a_heading_above_the_samples_own_is_theirs_too() -> None:
    def sections(n: int, below: bool) -> str:
        inner = "<h3>Short form</h3>" if below else ""
        more = f"<h2>Example</h2><pre>x {word(n + 70)}</pre>" if n % 2 else ""
        return f"<html><body><h1>{word(n)}</h1><h2>Syntax</h2>{inner}<pre>f {word(n + 50)}</pre>{more}</body></html>"

    samples = [(sections(n, True), {"syntax": f"f {word(n + 50)}"}) for n in (4, 8)]
    wrapper = learn(*samples, more=[sections(n, n % 3 == 0) for n in range(10, 30)])
    assert all(wrapper.extract(sections(n, False)).get("syntax") == f"f {word(n + 50)}" for n in range(30, 40))


def test_what_is_counted_behind_another_label_is_not_read_where_the_fields_own_is_missing() -> None:
    def sections(n: int, *has: str) -> str:
        made = "".join(f"<h2>{label}</h2><pre>{label[0]} {word(n + len(label))}</pre>" for label in has)
        made += f"<h2>Returns</h2><p>r {word(n)}</p>"
        return f"<html><body><div id='main'><h1>{word(n)}</h1>{made}</div></body></html>"

    ways = [("Syntax", "Usage"), ("Usage",), ("Syntax", "Usage", "Example"), ("Syntax",)]
    samples = [(sections(n, "Syntax", "Usage"), {"usage": f"U {word(n + 5)}"}) for n in (2, 4)]
    wrapper = learn(*samples, more=[sections(n, *ways[n % 4]) for n in range(10, 30)])
    assert wrapper.extract(sections(40, "Syntax", "Example"))["usage"] is None
    assert wrapper.extract(sections(41, "Syntax", "Usage", "Example"))["usage"] == f"U {word(46)}"


def test_a_list_is_not_read_from_the_box_in_its_place_that_the_samples_have_beside_it() -> None:
    def page(n: int, *notes: str) -> str:
        copies = "<table><tr><th>Type</th><th>Status</th></tr><tr><td>Book</td><td>in</td></tr></table>"
        shown = f"<div id=notes>{''.join(f'<p>{note}</p>' for note in notes)}</div>" if notes else ""
        comments = f"<div id=comments><p>{f'Comment {word(n)}' if n % 3 else 'No comments.'}</p></div>"
        return f"<body><h1>{word(n)}</h1><div>{copies}</div>{shown}{comments}</body>"

    def notes(n: int) -> list[str]:
        return [f"Note {word(n + k)} of {n}" for k in range(n % 3 + 1)]

    samples = [(page(n, *notes(n)), {"notes": notes(n)}) for n in (1, 2)]
    wrapper = learned(samples, [page(n, *(notes(n) if n % 2 else ())) for n in range(10, 40)])
    assert [wrapper.extract(page(n))["notes"] for n in (3, 4)] == [[], []]
    assert wrapper.extract(page(5, *notes(5)))["notes"] == notes(5)
