"""Records in grids of boxes, as Javadoc writes them, and parts that enumerate names, as Sphinx writes types."""

from __future__ import annotations

from typing import Any

import pytest

from gwc_crawler.extract.wrapper import Wrapper
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.samples import Sample
from tests.extract.pages import word

URL = "https://a.example/{}"


def learn(*samples: tuple[str, dict[str, Any]], more: list[str]) -> Wrapper:
    given = [Sample(URL.format(n), page, fields) for n, (page, fields) in enumerate(samples)]
    return learn_wrapper(given, [(URL.format(100 + n), page) for n, page in enumerate(more)])


def members(n: int, count: int, *, is_old: bool = False) -> tuple[str, dict[str, Any]]:
    """A class with a grid of fields: three boxes in a row, the headers among them; old ones have two texts in a box."""
    wanted = [
        {"type": f"static {word(n + k)}", "name": word(2 * n + k).upper(), "text": f"Holds {word(3 * n + k)} of all."}
        for k in range(count)
    ]
    old = "<div class='block'><b>Deprecated.</b></div>" if is_old else ""
    cells = "".join(
        f"<div class='first r{k % 2}'><code>{one['type']}</code></div>"
        f"<div class='second r{k % 2}'><code><a href='#{k}'>{one['name']}</a></code></div>"
        f"<div class='last r{k % 2}'>{old}<div class='block'>{one['text']}</div></div>"
        for k, one in enumerate(wanted)
    )
    heads = "<div class='head first'>Type</div><div class='head second'>Field</div><div class='head last'>What</div>"
    grid = f"<section><h2>Fields</h2><div class='grid'>{heads}{cells}</div></section>" if count else ""
    html = f"<html><body><main><h1>{word(n)}</h1><p>Is {word(n + 9)}.</p>{grid}</main></body></html>"
    texts = [{**one, "text": f"Deprecated. {one['text']}" if is_old else one["text"]} for one in wanted]
    return html, {"title": word(n), "fields": texts} if texts else {"title": word(n)}


@pytest.mark.parametrize("counts", [(1, 0), (1, 1), (3, 2)], ids=["a single one", "one each", "several"])
def test_the_headers_of_a_grid_tell_how_many_boxes_a_record_has(counts: tuple[int, int]) -> None:
    more = [members(n, n % 5)[0] for n in range(20, 40)]
    wrapper = learn(members(3, counts[0]), members(4, counts[1]), more=more)
    for count in (1, 2, 5):
        page, wanted = members(7, count)
        assert wrapper.extract(page) == wanted


def function(n: int, types: list[str], *, marked: str = "", apart: str = ", ") -> tuple[str, dict[str, Any]]:
    """A function whose arguments have several types each, the mark between them in an element of its own, or not."""
    said = f"</em>{apart}<em>".join(types) if not marked else f"</em><em>{marked}</em><em>".join(types)
    rows = [(word(n + k), said, f"{word(n + 3 * k)} is given.") for k in range(2)]
    listed = "".join(f"<li><p><strong>{name}</strong> (<em>{kind}</em>): {text}</p></li>" for name, kind, text in rows)
    html = f"<html><body><h1>{word(n)}</h1><dl><dt>Parameters</dt><dd><ul>{listed}</ul></dd></dl></body></html>"
    joined = (marked or apart).join(types)
    return html, {"params": [{"name": name, "type": joined, "text": text} for name, _, text in rows]}


def test_what_stands_beside_a_name_without_a_mark_between_is_no_more_of_it() -> None:
    more = [function(n, ["int", "new"][: 1 + n % 2], apart=" ")[0] for n in range(20, 40)]
    wrapper = learn(function(3, ["str"]), function(4, ["float"]), more=more)
    page, _ = function(7, ["str", "new"], apart=" ")
    assert [one["type"] for one in wrapper.extract(page)["params"]] == ["str", "str"]


def test_where_a_sample_means_the_first_of_several_names_no_more_is_read() -> None:
    more = [function(n, ["int", "optional"][: 1 + n % 2])[0] for n in range(20, 40)]
    page, fields = function(3, ["str", "optional"])
    fields["params"] = [{**one, "type": "str"} for one in fields["params"]]
    wrapper = learn((page, fields), function(4, ["float"]), more=more)
    assert [one["type"] for one in wrapper.extract(function(7, ["bool", "bytes"])[0])["params"]] == ["bool", "bool"]


def test_a_text_that_fills_its_box_on_the_samples_is_all_that_stands_there_elsewhere() -> None:
    more = [members(n, n % 5)[0] for n in range(20, 40)]
    wrapper = learn(members(3, 3), members(4, 2), more=more)
    page, wanted = members(7, 3, is_old=True)
    assert wrapper.extract(page) == wanted
