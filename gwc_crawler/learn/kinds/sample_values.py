"""The samples' values as evidence: the words they share, the elements that hold them, the labels before them.

In: the sample pages with their values. Out: words, which may be names of directories; nesting marks of elements,
which have other names on pages of another kind in the same skin; and signs that a page has a field, whatever the
wrapper reads. Pages of other kinds have other labels in the same places.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.page_check import nesting_mark, text_mark
from gwc_crawler.items import FieldValue, StoredPage
from gwc_crawler.learn.degrees import SEVERAL
from gwc_crawler.page.parse import parse_html

_WORD = re.compile(r"[^\W_]+")
_LEAST_SPREAD = 4
"""Characters of a value that is looked for across several texts."""
_LABELS = frozenset({"dt", "th"})
_HEADINGS = frozenset({"h1", "h2", "title"})
_CODE = ("pre", "code")


def word_set(text: Any) -> frozenset[str]:
    """Part a text into its words, in small letters.

    >>> sorted(word_set("PHP array_chunk()"))
    ['array', 'chunk', 'php']
    """
    return frozenset(_WORD.findall(str(text).lower()))


def places_of(samples: Sequence[tuple[StoredPage, Mapping[str, FieldValue]]]) -> dict[str, frozenset[str]]:
    """Field → the nesting marks of elements that hold its value on all samples which have it."""
    found: dict[str, frozenset[str]] = {}
    for page, fields in samples:
        body = parse_html(page.html, page.charset or None).find("body")
        texts = _texts_of(body)
        holders = {name: [_holder_of(texts[place][0]) for place in places] for name, places in _located(texts, fields)}
        holders |= _spread(texts, {name: value for name, value in fields.items() if name not in holders})
        for name, elements in holders.items():
            marks = frozenset(nesting_mark(element, body) for element in elements)
            found[name] = found.get(name, marks) & marks
    return found


def _spread(texts: Sequence[tuple[Any, str]], fields: Mapping[str, FieldValue]) -> dict[str, list[Any]]:
    """Map each field whose value is made up of several consecutive texts to the innermost element around them."""
    joined = [squeeze(text) for _, text in texts]
    starts = [0, *accumulate(map(len, joined))]
    whole, places = "".join(joined), {start: place for place, start in enumerate(starts)}
    found: dict[str, list[Any]] = {}
    for name, value in fields.items():
        wanted = squeeze(value) if isinstance(value, str) else ""
        start = whole.find(wanted) if len(wanted) >= _LEAST_SPREAD else -1
        first, end = places.get(start), places.get(start + len(wanted))
        if start >= 0 and first is not None and end is not None:
            around, around_last = (
                [holder, *holder.iterancestors()] for holder in map(_holder_of, (texts[first][0], texts[end - 1][0]))
            )
            found[name] = [next(one for one in around if one in around_last)]
    return found


def _texts_of(body: Any) -> list[tuple[Any, str]]:
    """Return the texts of a page in its order, each as XPath gives it and with white space folded."""
    every = [] if body is None else body.xpath(".//text()[not(ancestor::script or ancestor::style)]")
    return [(one, text) for one in every if (text := " ".join(one.split()))]


def _located(texts: Sequence[tuple[Any, str]], fields: Mapping[str, FieldValue]) -> Iterator[tuple[str, list[int]]]:
    places: dict[str, list[int]] = {}
    for place, (_, text) in enumerate(texts):
        places.setdefault(text, []).append(place)
    for name, value in fields.items():
        if isinstance(value, str) and (found := places.get(" ".join(value.split()))):
            yield name, found


def _holder_of(text: Any) -> Any:
    return text.getparent().getparent() if text.is_tail else text.getparent()


class Sign(NamedTuple):
    """A mark that stands with the values of a field; `is_label` says whether it is a text before them."""

    field: str
    mark: str
    is_label: bool


def signs_of(samples: Sequence[tuple[StoredPage, Mapping[str, FieldValue]]]) -> list[Sign]:
    """Find the signs of the fields that all samples have.

    A label is a `dt` or `th`, ends with a colon, or is one of several elements of its name. A text before the title
    is a topic, not a label, and neither is a word of code (`use std::fs` in an example). Without a label, the element
    of the value is a sign if it has a name of its own.
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
    texts = _texts_of(body)
    marks = Counter(nesting_mark(element, body) for element in body.iter("*")) if texts else {}
    return [
        Sign(name, mark, is_label)
        for name, places in _located(texts, fields)
        for place in places
        for mark, is_label in _around(texts, place, body, marks)
    ]


def _around(
    texts: Sequence[tuple[Any, str]], place: int, body: Any, marks: Mapping[str, int]
) -> Iterator[tuple[str, bool]]:
    holder = _holder_of(texts[place][0])
    if holder.tag in _HEADINGS or holder is body:
        return
    before = texts[place - 1][0] if place else None
    if before is not None and not before.is_tail and (mark := text_mark(label := before.getparent())):
        above = [holder, *holder.iterancestors()][:SEVERAL]
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
