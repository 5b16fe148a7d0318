"""Check whether a page is of the target category, by the marks that `learn` keeps in `Knowledge.page_check`: one URL
form may serve several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from gwc_crawler.extract.structured import MAX_NODES
from gwc_crawler.items import Extracted, is_empty
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.page.text import text_outside_links
from gwc_crawler.page.walks import UNMARKED, walk

_LONGEST_LABEL = 30
_LONGEST_TEXT = 4 * _LONGEST_LABEL  # characters; blanks are among them
_SKIPPED = frozenset(UNMARKED.split("|"))
_PLAIN_MARK = re.compile(r"[^:>]*>[^:>]*>([a-z][a-z0-9]*)(?:[.#][^:>]*)?|([a-z][a-z0-9]*):[^>]*")
_MANY = ("", "a", "li", "div", "span", "p", "td", "option", "i", "b")
"""Tags that many elements of a page have (empty: any tag will do), the commonest first."""
_PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789"
_HAS_DIGIT = re.compile(r"[0-9０-９]")


def page_features(tree: Any) -> frozenset[str]:
    """Return the marks of a page: how its elements are nested, and its short texts outside links.

    A nesting mark is `grandparent>parent>element`, each as tag, classes and id; names with digits are left out, they
    number things. A text mark is `tag:text` for texts of 2 to 30 characters without digits.

    Cost: about .2 µs an element, in Python 6; elements after the first 20,000 are not looked at.
    """
    body = tree.find("body")
    if body is None:
        return frozenset()
    walked: frozenset[str] | None = walk and walk.marks(body, MAX_NODES, 4 * _LONGEST_TEXT, _name, _label)
    return _marks_in(body) if walked is None else walked


def _marks_in(body: Any) -> frozenset[str]:
    found: set[str] = set()
    stack = [(body, "", "", False)]
    seen = 0
    while stack and seen < MAX_NODES:
        element, grandparent, parent, linked = stack.pop()
        tag = element.tag
        if not isinstance(tag, str) or tag in _SKIPPED:
            continue
        seen += 1
        name = _name_of(element)
        found.add(f"{grandparent}>{parent}>{name}")
        linked = linked or (tag == "a" and element.get("href") is not None)
        if not linked and (text := text_mark(element)):
            found.add(text)
        stack.extend((child, parent, name, linked) for child in islice(element, MAX_NODES - seen))
    return frozenset(found)


def page_agrees(
    tree: Any, text: str | None, fields: Mapping[str, Extracted], check: Mapping[str, Any], judged_from: int = 0
) -> str | None:
    """Say why a page is not of the target category, or None if it is.

    Args:
        text: its text outside links, for keywords; None to take it from the tree.
        fields: the values that the wrapper extracted.
        check: `Knowledge.page_check`. Each key is optional: "required" marks, of which the share "least_required" must
            be there; "forbidden" marks, of which less than the share "most_forbidden" may be there; "fields", of which
            the share "least_fields" must have a value; "keywords" that must hold outside links. "canonical" is asked
            before (`extract_target`).
        judged_from: of so many fields or more one must have a value; 0: that isn't asked.
    """
    if (why := _marks_against(tree, check) or too_few_fields(fields, check)) is not None:
        return why
    return _keywords_against(tree, text, str(check.get("keywords", ""))) or no_field(fields, judged_from)


NO_FIELD = "none of the fields is there"  # why a page is no target though its URL is one's


def fields_check(names: Iterable[str], least: float) -> dict[str, Any]:
    """Return what learning adds to a page check: of these fields that share has to be there."""
    return {"fields": list(names), "least_fields": least}


def too_few_fields(fields: Mapping[str, Extracted], check: Mapping[str, Any]) -> str | None:
    """Say that less than the share "least_fields" of a check's "fields" is there; None if it is enough."""
    wanted = [name for name in check.get("fields", ()) if name in fields]
    empty = [name for name in wanted if is_empty(fields[name])]
    if wanted and len(wanted) - len(empty) < float(check.get("least_fields", 0.5)) * len(wanted):
        return f"{len(empty)} of {len(wanted)} fields are not there: {', '.join(empty)}"
    return None


def no_field(fields: Mapping[str, Extracted], judged_from: int = 2) -> str | None:
    """Say that none of *judged_from* fields or more is there: that a single one is missing says little."""
    return NO_FIELD if 0 < judged_from <= len(fields) and all(map(is_empty, fields.values())) else None


def mostly_empty(fields: Mapping[str, Any]) -> bool:
    """Say whether half of the fields are missing: where a host answers the same everywhere, such a record is none."""
    return 2 * sum(map(is_empty, fields.values())) >= len(fields)


def _marks_against(tree: Any, check: Mapping[str, Any]) -> str | None:
    required, forbidden = check.get("required", ()), check.get("forbidden", ())
    least, most = float(check.get("least_required", 0.5)), float(check.get("most_forbidden", 0.5))
    if _has_share(tree, required, least, likely=True) and not (forbidden and _has_share(tree, forbidden, most)):
        return None
    present = page_features(tree)
    missing = [mark for mark in required if mark not in present]
    if required and len(required) - len(missing) < least * len(required):
        return f"lacks {len(missing)} of {len(required)} marks of a target page, such as {shown_mark(missing)}"
    foreign = [mark for mark in forbidden if mark in present]
    if forbidden and len(foreign) >= most * len(forbidden):
        return f"has {len(foreign)} of {len(forbidden)} marks of another kind of page, such as {shown_mark(foreign)}"
    return None


def shown_mark(marks: Iterable[str]) -> str:
    """Return the most telling of some marks as a person sees it: a text of the page, else an element.

    >>> shown_mark(["main>ul.tags>li", "td:Weight"]), shown_mark(["main>ul.tags>li"]), shown_mark(["div>p>b.price"])
    ("'Weight'", '<ul.tags> <li>', '<b.price>')
    """
    mark = min(marks, key=lambda one: ">" in one)
    if ">" not in mark:
        return repr(mark.partition(":")[2])
    *_, parent, name = mark.split(">")
    return f"<{name}>" if name.strip(_PLAIN) or not parent else f"<{parent}> <{name}>"


def _has_share(tree: Any, marks: Sequence[str], share: float, *, likely: bool = False) -> bool:
    """Tell whether at least *share* of the marks are there; where they are, in half the time of `page_features`."""
    wanted = share * len(marks)
    body = next(tree.iterchildren("body"), None)
    if wanted <= 0 or body is None:
        return wanted <= 0
    return (likely and _finds(body, _seldom(tuple(marks), wanted), wanted)) or _finds(body, tuple(marks), wanted)


def _finds(body: Any, marks: tuple[str, ...], wanted: float) -> bool:
    left = set(marks)
    tags, labelled, names = _bearers(marks)
    for element in body.iter(*tags):
        borne = []
        name = _name_of(element)
        if (not tags or name in names) and (nesting := _nesting_mark(element, name, body)) in left:
            borne.append(nesting)
        if (not tags or element.tag in labelled) and (text := text_mark(element)) in left and not _is_linked(element):
            borne.append(text)
        if borne and not any(one.tag in _SKIPPED for one in chain([element], element.iterancestors())):
            left.difference_update(borne)
            if len(marks) - len(left) >= wanted:
                return True
    return False


def _is_linked(element: Any) -> bool:
    return any(one.tag == "a" and one.get("href") is not None for one in chain([element], element.iterancestors("a")))


@lru_cache(maxsize=64)
def _seldom(marks: tuple[str, ...], wanted: float) -> tuple[str, ...]:
    """Return the marks without those of very frequent tags, as far as that leaves more than enough."""
    for tag in _MANY:
        rest = tuple(mark for mark in marks if _tag_of(mark) != tag)
        marks = rest if len(rest) >= 1.5 * wanted else marks
    return marks


def _tag_of(mark: str) -> str:
    """Return the tag of elements that bear a mark; "" where any may, because it is not plain."""
    plain = _PLAIN_MARK.fullmatch(mark)
    return plain[1] or plain[2] if plain else ""


def _nesting_mark(element: Any, name: str, body: Any) -> str:
    """Return the nesting mark of an element named *name*, which stands in *body*."""
    parent = None if element is body else element.getparent()
    grandparent = None if parent is None or parent is body else parent.getparent()
    return f"{_name_of(grandparent)}>{_name_of(parent)}>{name}"


def nesting_mark(element: Any, body: Any) -> str:
    """Return the nesting mark of an element in *body*."""
    return _nesting_mark(element, _name_of(element), body)


def text_mark(element: Any) -> str:
    """Return the text mark of an element, "" if its text makes none (see `page_features`); links have none."""
    label = _label(element.text)
    return f"{element.tag}:{label}" if label else ""


@lru_cache(maxsize=64)
def _bearers(marks: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Return the tags of elements with the marks, of text marks, the names in nesting marks; none if not plain."""
    matches = [_PLAIN_MARK.fullmatch(mark) for mark in marks]
    plain = [match for match in matches if match]
    if len(plain) < len(matches):
        return (), frozenset(), frozenset()
    return (
        tuple(dict.fromkeys(match[1] or match[2] for match in plain)),
        frozenset(match[2] for match in plain if match[2]),
        frozenset(match[0].rpartition(">")[2] for match in plain if match[1]),
    )


def _keywords_against(tree: Any, text: str | None, expression: str) -> str | None:
    if not expression or _parsed(expression)(text_outside_links(tree) if text is None else text):
        return None
    return f"the keywords {expression!r} do not hold outside links"


@lru_cache(maxsize=64)
def _parsed(expression: str) -> Callable[[str], bool]:
    return Keywords.parse(expression).matches


def _name_of(element: Any) -> str:
    """Return an element's name in a mark; "" for none."""
    return "" if element is None else _name(element.tag, element.get("class"), element.get("id"))


@lru_cache(maxsize=16_384)
def _name(tag: str, classes: str | None, identifier: str | None) -> str:
    names = [name for name in sorted(set((classes or "").split()))[:3] if not _HAS_DIGIT.search(name)]
    marked = "".join(f".{name}" for name in names)
    if identifier and not _HAS_DIGIT.search(identifier) and not identifier.isspace():
        marked += f"#{identifier}"
    return tag + marked


def _label(text: str | None) -> str:
    if not text or len(text) > _LONGEST_TEXT:
        return ""
    label = " ".join(text.split())
    return label if 2 <= len(label) <= _LONGEST_LABEL and not _HAS_DIGIT.search(label) else ""
