"""What differs between two pages built alike while the rest is the same: texts under a class, an id, an itemprop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gwc_crawler.propose.guessing.core import COMMENTS
from gwc_crawler.propose.guessing.field_names import name_of_class
from gwc_crawler.propose.guessing.guess import Clue, Guess
from gwc_crawler.propose.guessing.labels import value_in
from gwc_crawler.propose.guessing.page_reading import ReadPage, around

LONGEST = 600
MOST = 40


PROSE = frozenset({"p", "ul", "ol", "blockquote", "br", "em", "i", "b", "strong", "a", "pre", "h3", "h4"})


def is_value(element: Any, page: ReadPage) -> bool:
    """Whether an element is one value: it has a text of its own, or holds nothing but prose."""
    if (element.text or "").strip() or any((child.tail or "").strip() for child in element):
        return element.tag not in ("tr", "table", "ul", "ol", "dl", "form") and len(element) <= 12
    children = [child for child in element if isinstance(child.tag, str) and page.text(child)]
    plain = all(child.tag in PROSE and not child.get("class") and not child.get("itemprop") for child in children)
    return plain and (len(children) > 1 or (len(children) == 1 and children[0].tag in ("p", "a", "b", "strong", "em")))


def varying_texts(page: ReadPage, other: ReadPage) -> Iterator[Guess]:
    """Texts that stand once on *page* in a form of their own, and not the same on *other*, named by their classes."""
    count = 0
    for form, elements in page.by_form.items():
        if len(elements) != 1 or count >= MOST:
            continue
        element = elements[0]
        if element.tag in ("a", "html", "body", "img") or page.is_chrome(element):
            continue
        own = element.get("itemprop") or element.get("id") or ""
        name = name_of_class(element.get("itemprop") or "") or name_of_class(f"{element.get('class') or ''} {own}")
        text = page.text(element) if name else ""
        if not 0 < len(text) <= LONGEST or not any(sign.isalnum() for sign in text):
            continue
        theirs = other.by_form.get(form, [])
        if len(theirs) > 1 or any(other.text(one) == text for one in theirs):
            continue
        if not is_value(element, page) or COMMENTS.search(around(element, 6)):
            continue
        count += 1
        token = (element.get("itemprop") or element.get("class") or element.get("id") or "").split()[0]
        yield Guess(
            name,
            value_in(element, page),
            f"form:{form}",
            Clue.DIFFERS.at(f"<{element.tag} {token}>"),
            element,
        )
