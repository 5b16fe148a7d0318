"""Which rows are records, where their parts stand, and how many records a list has that the samples show one by one."""

from __future__ import annotations

from typing import Any

from tests.extract.pages import learned, sentence, word
from tests.extract.test_told_by_itself import SEVERAL, page

Samples = list[tuple[str, dict[str, Any]]]

# A word of code in a term, and in a paragraph


def options(n: int, count: int, note: str = "") -> str:
    terms = "".join(f"<dt><tt>{word(n + k)}</tt></dt><dd>It is {word(n + k + 9)}.</dd>" for k in range(count))
    return page(word(n), note, f"<dl>{terms}</dl>", "<dl><dt>Since</dt><dd>long ago</dd></dl>")


def of_options(n: int, count: int) -> list[dict[str, Any]]:
    return [{"option": word(n + k), "text": f"It is {word(n + k + 9)}."} for k in range(count)]


def test_a_paragraph_with_a_word_of_code_is_no_term() -> None:
    samples: Samples = [(options(n, 2), {"name": word(n), "options": of_options(n, 2)}) for n in (1, 5)]
    note = "<p><tt>{}</tt> is gone.</p>"
    wrapper = learned(samples, [options(n, n % 3 + 1, note.format(word(n + 7)) * (n % 4 == 0)) for n in SEVERAL])
    assert wrapper.extract(options(60, 3, note.format("gone")))["options"] == of_options(60, 3)


# A part that both samples write in another way


def parts(n: int, count: int, *, led: bool = False) -> tuple[str, list[dict[str, Any]]]:
    uses = [(word(at + 3), word(at + 5)) for at in range(n, n + count)]
    written = ["a: {}, b: {}" if led else "c: {} {}" if (n + k) % 4 == 0 else "{} {}" for k in range(count)]
    rows = [{"name": word(n + k), "use": written[k].format(*use)} for k, use in enumerate(uses)]
    shown = "".join(f"<tr><td>{row['name']}</td><td>{row['use']}</td></tr>" for row in rows)
    return page(word(n), f"<p>Of {word(n + 7)}.</p><table>{shown}</table>"), rows


def test_a_cell_is_read_by_its_place_though_both_samples_have_the_same_words_in_it() -> None:
    samples: Samples = []
    for n in (1, 5):
        body, rows = parts(n, 2, led=True)
        samples.append((body, {"title": word(n), "parts": rows}))
    wrapper = learned(samples, [parts(n, n % 4 + 1)[0] for n in SEVERAL])
    for body, rows in (parts(60, 3), parts(61, 2, led=True)):
        assert wrapper.extract(body)["parts"] == rows


# Lists with one record each


# A row that is what its record says


def noted(n: int, count: int, empty: str = "") -> tuple[str, list[dict[str, Any]]]:
    rows = [{"text": sentence(n + k), "by": word(n + k + 20)} for k in range(count)]
    shown = "".join(f"{empty}<p>{row['text']}</p><div><i>{row['by']}</i></div>" for row in rows)
    return page(word(n), f"<section>{shown}</section>"), rows


def test_an_empty_paragraph_before_a_record_that_is_one_does_not_stop_the_learning() -> None:
    samples: Samples = []
    for n in (1, 5):
        body, rows = noted(n, 2)
        samples.append((body, {"title": word(n), "notes": rows}))
    wrapper = learned(samples, [noted(n, n % 4 + 1, "<p> </p>" if n % 2 else "")[0] for n in SEVERAL])
    body, rows = noted(60, 3)
    assert wrapper.extract(body)["notes"] == rows
