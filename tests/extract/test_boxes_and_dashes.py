"""What stands before a first paragraph, behind a dash, and beside a list on further pages, and not on the samples."""

from __future__ import annotations

from typing import Any

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word

URL = "https://a.example/{}"


def learn(*samples: tuple[str, dict[str, Any]], more: list[str]) -> Wrapper:
    given = [Sample(URL.format(n), page, fields) for n, (page, fields) in enumerate(samples)]
    return learn_wrapper(given, [(URL.format(100 + n), page) for n, page in enumerate(more)])


def names(*numbers: int) -> str:
    return " ".join(map(word, numbers))


def ticket(n: int, keywords: int, copy: bool) -> str:
    def cell(name: str, label: str, texts: list[str]) -> str:
        links = ", ".join(f"<a href='/query?{name}={one}'>{one}</a>" for one in texts)
        return f"<th id='h_{name}'>{label}</th><td headers='h_{name}'>{links}</td>"

    kept = cell("keywords", "Keywords:", [word(n + one) for one in range(keywords)])
    kept += cell("cc", "Cc:", [f"{word(n + 50)}"] * copy)
    first = f"<th>Component:</th><td>{word(n + 9)}</td><th>Version:</th><td>2.{n}</td>"
    return f"<html><body><h1>{word(n)}</h1><table><tr>{first}</tr><tr>{kept}</tr></table></body></html>"


def test_a_list_takes_nothing_from_the_cell_of_another_label_where_its_own_is_empty() -> None:
    samples = [(ticket(n, n, False), {"keywords": [word(n + one) for one in range(n)]}) for n in (3, 2)]
    more = [ticket(n, 0 if n % 4 == 0 else 1 + n % 2, n % 8 == 0) for n in range(20, 40)]
    wrapper = learn(*samples, more=more)
    assert not wrapper.extract(ticket(7, 0, True))["keywords"]
    assert wrapper.extract(ticket(7, 2, True))["keywords"] == [word(7), word(8)]


def reference_of(n: int, members: list[str], methods: list[str], seen: list[str]) -> str:
    def part(label: str, entries: list[str]) -> str:
        details = "<dl><dt>Source:</dt><dd><ul><li>core.js</li></ul></dd></dl><div>Is told here.</div>"
        return f"<h3>{label}</h3>" * bool(entries) + "".join(f"<h4 class='name'>{one}</h4>{details}" for one in entries)

    see = "".join(f"<li>{one}</li>" for one in seen)
    head = f"<h4 class='name'>new {word(n)}</h4><dl><dt>See:</dt><dd class='see'><ul>{see}</ul></dd></dl>" * bool(seen)
    other = f"<dl><dt>See:</dt><dd class='see'><ul><li>{word(n + 70)}</li></ul></dd></dl>" * (n % 3 == 0)
    parts = f"{part('Members', members)}{part('Methods', methods)}"
    body = f"<section><div class='overview'>{head}</div>{parts}{other}</section>"
    return f"<html><body><h1>{word(n)}</h1>{body}</body></html>"


def words(start: int, count: int) -> list[str]:
    return [word(number) for number in range(start, start + count)]


def test_a_list_goes_from_its_heading_up_to_the_next_one_though_more_stands_between_its_items() -> None:
    samples = [
        (reference_of(n, words(n, n), words(n + 30, 2), words(n + 50, 2)), {"members": words(n, n)}) for n in (1, 4)
    ]
    more = [reference_of(n, words(n, n % 4), words(n + 30, n % 3), words(n + 50, 2)) for n in range(20, 40)]
    wrapper = learn(*samples, more=more)
    assert wrapper.extract(reference_of(5, words(5, 3), words(35, 2), words(50, 1)))["members"] == words(5, 3)
    assert not wrapper.extract(reference_of(5, [], words(35, 2), words(50, 1)))["members"]


def function(n: int, arguments: int, returns: bool) -> tuple[str, dict[str, Any]]:
    """As Sphinx writes it: several arguments as a list, a single one as a paragraph."""
    texts = [f"<strong>{word(n + one)}</strong> – {names(one + 3, 2 * n)} is given." for one in range(arguments)]
    listed = "".join(f"<li><p>{text}</p></li>" for text in texts)
    said = f"<p>{texts[0]}</p>" if arguments == 1 else f"<ul class='simple'>{listed}</ul>"
    rows = f"<dt>Parameters<span>:</span></dt><dd>{said}</dd>" * bool(arguments)
    rows += f"<dt>Returns<span>:</span></dt><dd><p>{names(n, 3)} of all.</p></dd>" * returns
    html = f"<html><body><h1>{word(n)}</h1><p>Does {names(n, 9)}.</p><dl class='fields'>{rows}</dl></body></html>"
    wanted = [{"name": word(n + one), "text": f"{names(one + 3, 2 * n)} is given."} for one in range(arguments)]
    return html, {"arguments": wanted} if wanted else {}


def test_a_single_record_that_is_written_as_a_paragraph_is_read_though_the_samples_have_lists() -> None:
    more = [function(n, n % 4, n % 3 > 0)[0] for n in range(20, 40)]
    wrapper = learn(function(3, 3, True), function(4, 2, True), more=more)
    for arguments in (1, 2, 3):
        page, wanted = function(7, arguments, True)
        assert wrapper.extract(page) == wanted
    assert not wrapper.extract(function(7, 0, True)[0])["arguments"]
