"""What shows that a page has a field, whatever the wrapper makes of it: the label before the value, or its element.

In: the sample pages with their values. Out: for each field the mark (`page_features`) that stands with its value on all
samples. Pages of another kind in the same skin have other labels in the same places, where a path finds their values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gwc_crawler.extract import nesting_mark, text_mark
from gwc_crawler.items import FieldValue, StoredPage
from gwc_crawler.learn.kinds.sample_values import holder_of, located, texts_of
from gwc_crawler.page import parse_html

_LABELS = frozenset({"dt", "th"})
_HEADINGS = frozenset({"h1", "h2", "title"})
_CODE = ("pre", "code")
_ELEMENTS = "*"
_NEAR = 3
"""A label stands below one of so many elements above the value, the nearest first."""


class Sign(NamedTuple):
    """A mark that stands with the values of a field; `is_label` says whether it is a text before them."""

    field: str
    mark: str
    is_label: bool


def signs_of(samples: Sequence[tuple[StoredPage, Mapping[str, FieldValue]]]) -> list[Sign]:
    """Find the signs of the fields that all samples have.

    A label is a `dt` or `th`, ends with a colon, or is one of several elements of its name; what stands before the
    title is none, but a topic, and neither is a word of code (`use std::fs` in an example). Else the element of the
    value is a sign if it has a name of its own.
    """
    found = [_signs_on(page, fields) for page, fields in samples if fields]
    if not found:
        return []
    shared = [sign for sign in dict.fromkeys(found[0]) if all(sign in other for other in found[1:])]
    times = Counter(sign.mark for sign in shared)
    own = [sign for sign in shared if times[sign.mark] == 1]
    labelled = {sign.field for sign in own if sign.is_label}
    return [sign for sign in own if sign.is_label or sign.field not in labelled]


def _signs_on(page: StoredPage, fields: Mapping[str, FieldValue]) -> list[Sign]:
    body = parse_html(page.html, page.charset or None).find("body")
    texts = texts_of(body)
    marks = Counter(nesting_mark(element, body) for element in body.iter(_ELEMENTS)) if texts else {}
    return [
        Sign(name, mark, is_label)
        for name, places in located(texts, fields)
        for place in places
        for mark, is_label in _around(texts, place, body, marks)
    ]


def _around(
    texts: Sequence[tuple[Any, str]], place: int, body: Any, marks: Mapping[str, int]
) -> Iterator[tuple[str, bool]]:
    """The marks of the label before a value, and of the value's element."""
    holder = holder_of(texts[place][0])
    if holder.tag in _HEADINGS or holder is body:
        return
    before = texts[place - 1][0] if place else None
    if before is not None and not before.is_tail and (mark := text_mark(label := before.getparent())):
        above = [holder, *holder.iterancestors()][:_NEAR]
        if label.getparent() in above and _is_label(label, mark, body):
            yield mark, True
    own = nesting_mark(holder, body)
    if marks[own] == 1 and (holder.get("class") or holder.get("id")):
        yield own, False


def _is_label(element: Any, mark: str, body: Any) -> bool:
    if element.tag in _CODE or next(element.iterancestors(*_CODE), None) is not None:
        return False
    if element.tag in _LABELS or mark.endswith((":", "\uff1a")):
        return True
    alike = (other for other in body.iter(element.tag) if other.get("class") == element.get("class"))
    return len({" ".join((other.text or "").split()) for other in alike}) > 1
