"""The picture of a page and the text that it is there for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.items import FieldValue
from gwc_crawler.propose.guessing.core import COMMENTS, Scored, because, choose
from gwc_crawler.propose.guessing.guess import Clue, FieldProposal
from gwc_crawler.propose.guessing.page_reading import ReadPage, around, differs, inside, names_of, structured_values

LEAST_BODY = 100
BODY_TAGS = ("div", "article", "section", "td", "main", "p", "dd", "blockquote", "span")
PROSE = ("p", "ul", "ol", "blockquote", "pre", "h2", "h3", "h4", "table", "dl")
_BODY_NAME = re.compile(
    r"^(?:(?:article|entry|post|story|blog|page|main|text|news|single)[-_]?(?:content|body|text)|content|story|prose|body"
    r"|.*description.*|articleBody|text)$",
    re.IGNORECASE,
)
_SHOWN = re.compile(r"main|photo|cover|product|hero|featured|pic|primary|gallery", re.IGNORECASE)
_ASIDE = re.compile(r"avatar|icon|logo|sprite|thumb|related|pixel|banner|badge", re.IGNORECASE)


def image_field(one: ReadPage, two: ReadPage) -> FieldProposal | None:
    """The picture of the thing: the one that structured data names, else the likeliest one that is shown."""
    told = [_told_image(one, two), _told_image(two, one)]
    if all(told):
        values: list[FieldValue | None] = list(told)
        elements = [_shown_as(page, url) for page, url in zip((one, two), told, strict=True)]
        return FieldProposal("image", values, Clue.TOLD_PICTURE, "core:image", "", elements)
    return choose("image", _images, lambda page, image: page.view.picture(image), one, two, (0, 0), 1.0, Clue.PICTURE)


def _told_image(page: ReadPage, other: ReadPage) -> str:
    def named(of: ReadPage) -> list[str]:
        structured = of.view.structured
        found = (*structured.get("meta:og:image"), *structured_values(of, "image", "image/url"))
        return [url for one in found if (url := of.view.absolute(one)).startswith("http")]

    others = named(other)
    return next((url for url in named(page) if url not in others), "")


def _shown_as(page: ReadPage, url: str) -> Any:
    return next((one for one in page.tree.iter("img") if page.view.picture(one) == url), None)


def _images(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    others = {other.view.picture(one) for one in other.tree.iter("img")}
    title = squeeze(page.title)
    for number, image in enumerate(page.tree.iter("img")):
        url = page.view.picture(image)
        if (
            not url.startswith("http")
            or url in others
            or image not in page.forms
            or inside(image, "nav", "footer", "aside")
        ):
            continue
        name = squeeze(image.get("alt") or "")
        near = around(image, 3)
        score = 1.0 + 1.0 * (len(name) > 3 and name in title) + 0.5 * (_size(image) >= 150)
        score += 0.5 * bool(_SHOWN.search(near)) - 1.0 * (0 < _size(image) < 60)
        score -= min(len(page.by_form[page.forms[image]]) - 1, 10) * 0.1 + 0.02 * number
        score -= 0.8 * bool(_ASIDE.search(near)) + 0.8 * bool(COMMENTS.search(around(image, 6)))
        yield Scored(score, image)


def _size(image: Any) -> int:
    numbers = [int(found[0]) for name in ("width", "height") if (found := re.match(r"\d+", image.get(name) or ""))]
    return min(numbers, default=0) if len(numbers) == 2 else max(numbers, default=0)


def body_field(one: ReadPage, two: ReadPage) -> FieldProposal | None:
    """The text that the page is there for: the element with most of the text that other pages don't have."""
    found = choose("body", _bodies, _prose, one, two, (0, 0), 1.0, Clue.MOST_TEXT)
    if found is None:
        return None
    elements = [
        _below_heading(page, element, other)
        for page, other, element in zip((one, two), (two, one), found.elements, strict=True)
    ]
    known = next(element for element in elements if element is not None)
    if "description" in names_of(known).lower() or "description" in names_of(known.getparent()).lower():
        found.name = "description"
    values: list[FieldValue | None] = [
        (page.text(element) or None) if element is not None else None
        for page, element in zip((one, two), elements, strict=True)
    ]
    return FieldProposal(found.name, values, because(known, Clue.MOST_TEXT), "core:body", "", elements)


def _prose(page: ReadPage, element: Any) -> FieldValue:
    return page.text(element)


def _bodies(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    for element in page.tree.iter(*BODY_TAGS):
        if element not in page.forms or inside(element, "nav", "footer", "aside", "form"):
            continue
        text = page.text(element)
        if len(text) < LEAST_BODY or not differs(element, page, other) or element.find(".//h1") is not None:
            continue
        blocks = sum(len(page.text(child)) for child in element if child.tag in PROSE)
        own = blocks + sum(len((one or "").strip()) for one in (element.text, *(child.tail for child in element)))
        linked = sum(len(page.text(link)) for link in element.iter("a"))
        named = any(_BODY_NAME.match(name) for name in names_of(element).split())
        worth = (own - 1.5 * linked) * (2.0 if named else 1.0) * (0.2 if COMMENTS.search(around(element, 4)) else 1.0)
        if worth >= LEAST_BODY:
            yield Scored(1.0 + worth / 100, element)


def _below_heading(page: ReadPage, element: Any, other: ReadPage) -> Any:
    """What stands below a heading that all pages have, where a body is that and one element."""
    if element is None:
        return None
    parts = [one for one in element if isinstance(one.tag, str) and page.text(one)]
    plain = not (element.text or "").strip()
    if len(parts) == 2 and plain and parts[0].tag in ("h2", "h3", "h4", "strong") and len(page.text(parts[0])) < 40:
        return parts[1]
    return element
