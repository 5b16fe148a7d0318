"""Values of a page's parts, behind the label by which the page's own is read: "Since" of a member, not of the class.

Where a page has none of its own, the first of theirs would be read. On the samples such parts stand in boxes, several
of a page, and none of these holds the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gwc_crawler.extract import Finder, PageView, select
from gwc_crawler.items import Family
from gwc_crawler.learn.places import attribute_test, with_test
from gwc_crawler.learn.texts import ExampleContext

_ROWS = frozenset({"dd", "dt", "li", "p", "td", "th", "tr"})
"""What is called so may be striped: its class counts rows."""
_LEAST_INSIDE, _LEAST_OUTSIDE = 2, 3
"""On so many pages the value stands in such a box, and on so many, the samples among them, outside of any. So many
have several values: what a page has once is its own, in whatever box."""

Box = tuple[str, str]
"""An element's name and one of its classes."""


def outside_of_parts(
    chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; where one goes by a label, outside of the boxes that hold parts of a page.

    Args:
        chosen: best first.
        contexts: the samples.
        pages: further pages.
    """
    led = next((one for one in chosen if one.family is Family.LABEL), None)
    having = [one.at.page for one in contexts if not one.empty]
    if led is None or not (test := _test_for_none(led, having, pages)):
        return list(chosen)
    return [one if one.family is Family.STRUCTURED else replace(one, path=with_test(one.path, test)) for one in chosen]


def _test_for_none(finder: Finder, samples: Sequence[PageView], pages: Sequence[PageView]) -> str:
    """The test that something stands in no part of a page, "" where no further page has the value in one."""
    around = [(page, _boxes_around(finder, page)) for page in (*samples, *pages)]
    found = [(page, boxes) for page, boxes in around if boxes is not None]
    own = frozenset[Box]().union(*(boxes for page, boxes in found if page in samples))
    inside = [boxes - own for page, boxes in found if page not in samples]
    several = {box for page in samples for box, count in _counts(page).items() if count > 1}
    parts = [boxes & several for boxes in inside if boxes & several]
    with_several = sum(len(select(finder.path, page)) > 1 for page, _ in found)
    if min(len(parts), with_several) < _LEAST_INSIDE or len(found) - len(parts) < _LEAST_OUTSIDE:
        return ""
    tests = ((name, attribute_test("class", token)) for name, token in sorted(frozenset.intersection(*parts)))
    return next((f"not(ancestor::{name}[{test}])" for name, test in tests if test is not None), "")


def _boxes_around(finder: Finder, page: PageView) -> frozenset[Box] | None:
    """The names and classes of the elements around what a finder reads first; None where it reads nothing."""
    node: Any = next(iter(select(finder.path, page, None, first=True)), None)
    if node is None:
        return None
    element = node.getparent() if isinstance(node, str) else node  # type: ignore[attr-defined]
    around = (one for one in (element, *element.iterancestors()) if one.tag not in _ROWS)
    return frozenset(box for one in around for box in _names(one))


def _counts(page: PageView) -> Counter[Box]:
    return Counter(box for one in page.tree.iter("*") for box in _names(one))


def _names(element: Any) -> list[Box]:
    return [(element.tag, token) for token in (element.get("class") or "").split()]
