"""The second batch of development sites: flat prefixes, package trees, sparse records, print versions, unusual markup.

They are crawled whole (`crawls`). What the truth cuts off ("Creates a new …") or does not know is not scored; a sample
has it as its page does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.eval.corpora import corpora_root, page_file, read_rows
from tests.eval.cut_off import has_cut, is_cut
from tests.eval.tasks import EvalPage, Task

ORIGIN = "http://{corpus}.example"
_TEXT = ""
_LIST: tuple[()] = ()
_RUST = dict.fromkeys(("name", "module", "summary", "since"), _TEXT)
_MAY_BE_UNKNOWN = "desc"
_METHODS = {"methods": ("name", "desc")}

SHAPES: Mapping[str, Mapping[str, Any]] = {
    "nomura/entry": dict.fromkeys(("title", "date", "content"), _TEXT) | {"tags": _LIST, "paragraphs": _LIST},
    "ruststd/struct": _RUST | _METHODS,
    "ruststd/trait": _RUST | _METHODS,
    "ruststd/fn": _RUST | {"signature": _TEXT},
    "ruststd/enum": _RUST | {"variants": ("name", "desc")},
    "ruststd/macro": _RUST | {"signature": _TEXT},
    "shici/poem": dict.fromkeys(("title", "author", "dynasty", "poem", "translation", "appreciation"), _TEXT)
    | dict.fromkeys(("categories", "notes", "tags"), _LIST),
    "tipshop/game": dict.fromkeys(("title", "entries_found"), _TEXT)
    | {"sections": _LIST, "entries": ("section", "source", "text"), "pokes": ("description", "poke")},
    "cloudchem/product": dict.fromkeys(
        ("title", "price", "availability", "short_description", "description", "rating"), _TEXT
    )
    | dict.fromkeys(("features", "sizes"), _LIST)
    | {"reviews": ("author", "date", "rating", "title", "text")},
    "commonsmath/class": dict.fromkeys(("title", "name", "kind", "package", "summary", "since", "type_params"), _TEXT)
    | dict.fromkeys(("implements", "subclasses"), _LIST)
    | {"constructors": ("signature", "desc"), "methods": ("returns", "name", "signature", "desc")},
}
"""Corpus and truth group, and the shape of each field, as in `tasks`."""


@cache
def more_tasks() -> tuple[Task, ...]:
    """Return one task for each page class of the sites that are there."""
    return tuple(_task(name, shape) for name, shape in SHAPES.items() if _is_there(name))


def _is_there(name: str) -> bool:
    return (corpora_root() / name.partition("/")[0] / "truth.jsonl").is_file()


def _task(name: str, shape: Mapping[str, Any]) -> Task:
    corpus, _, group = name.partition("/")
    origin, truth = ORIGIN.format(corpus=corpus), f"{corpus}/truth.jsonl"
    pages = tuple(
        EvalPage(
            origin + row["url"],
            page_file(corpus, row["url"]),
            {field: _value(row, field, shape) for field in shape},
            {field: _value(row, field, shape, whole=True) for field in shape if has_cut(row.get(field))},
        )
        for row in read_rows(truth)
        if row["group"] == group
    )
    return Task(name, name, truth, pages, sparse=True)


def _value(row: Mapping[str, Any], field: str, shape: Mapping[str, Any], *, whole: bool = False) -> Any:
    value, parts = row.get(field), shape[field]
    if isinstance(parts, str):
        return _known(value, whole=whole) if value not in (None, "") else ""
    if not parts:
        return list(value or [])
    return [{part: _known(record.get(part), part, whole=whole) for part in parts} for record in value or []]


def _known(text: Any, part: str = "", *, whole: bool = False) -> str | None:
    """Return a text; None where the truth cuts it off (but for *whole*), or does not know a description."""
    if text is None:
        return None if part == _MAY_BE_UNKNOWN else ""
    return None if is_cut(text) and not whole else str(text)
