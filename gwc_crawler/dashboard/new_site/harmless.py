"""A foreign page as something to point at: its texts in plain elements of ours, numbered; of its own nothing is left.

No attribute, script, style, address or form of the page goes through: what comes out is made anew of a few names of
elements, escaped texts and our numbers. So it can stand in a page of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup, escape

from gwc_crawler.markup import visible
from gwc_crawler.propose.guessing import ReadPage

NEVER_SHOWN = frozenset(
    {
        *("script", "style", "noscript", "template", "head", "title", "meta", "link", "base", "iframe", "frame"),
        *("frameset", "object", "embed", "applet", "param", "svg", "math", "canvas", "audio", "video", "source"),
        *("track", "map", "area", "select", "option", "optgroup", "datalist", "textarea", "input", "dialog"),
    }
)
"""Elements that are left out with all that is in them."""

KEPT = frozenset(
    {
        *("p", "div", "ul", "ol", "li", "dl", "dt", "dd", "table", "tbody", "thead", "tfoot", "tr", "td", "th", "b"),
        *("strong", "i", "em", "small", "blockquote", "pre", "section", "article", "main", "header", "footer"),
        *("aside", "nav", "figure", "figcaption", "span", "sup", "sub"),
    }
)
BLOCKS = frozenset(
    {
        *("h1", "h2", "h3", "h4", "h5", "h6", "form", "fieldset", "center", "address", "details", "summary"),
        *("hgroup", "legend", "caption"),
    }
)
"""Become `div`: the outline of the page around is ours."""

MOST_ELEMENTS = 5_000
MOST_CHARACTERS = 300_000
DEEPEST = 60


def numbered(page: ReadPage) -> list[Any]:
    """The elements of a page by their numbers."""
    return [one for one in page.tree.iter() if isinstance(one.tag, str)]


def harmless(page: ReadPage, marked: Mapping[Any, str]) -> Markup:
    """Return the page's body.

    Args:
        marked: element → name of the field that it gives.
    """
    numbers = {element: number for number, element in enumerate(numbered(page))}
    body = next(iter(page.tree.iter("body")), page.tree)
    return Markup("").join(_parts(body, numbers, marked))


def _parts(body: Any, numbers: Mapping[Any, int], marked: Mapping[Any, str]) -> Iterator[Markup]:
    stack: list[tuple[Any, Markup | None]] = [(body, None)]
    elements = characters = 0
    while stack:
        element, ending = stack.pop()
        if ending is not None:
            yield ending
            continue
        elements += 1
        characters += len(element.text or "") + len(element.tail or "")
        if elements > MOST_ELEMENTS or characters > MOST_CHARACTERS:
            yield from (rest for _, rest in reversed(stack) if rest is not None)
            return
        tail = _text(element.tail) if element is not body else Markup("")
        if not isinstance(element.tag, str) or element.tag in NEVER_SHOWN or len(stack) > 20 * DEEPEST:
            yield tail
            continue
        if element.tag in ("br", "hr"):
            yield Markup("<br>") + tail
            continue
        opened, closed = _around(element, numbers[element], marked)
        yield opened + _text(element.text)
        stack.append((element, closed + tail))
        stack.extend((child, None) for child in reversed(element))


def _around(element: Any, number: int, marked: Mapping[Any, str]) -> tuple[Markup, Markup]:
    """What stands before and behind what is in an element."""
    is_heading = element.tag in BLOCKS
    name = element.tag if element.tag in KEPT else "div" if is_heading else "span"
    told = Markup("")
    if element.tag == "img":
        alt = (element.get("alt") or (element.get("src") or "").rpartition("/")[2])[:60]
        text = Markup(' class="pic" tabindex="0" role="button"') + _field(element, marked)
        return Markup('<span data-e="{}"{}>🖼 ').format(number, text) + _text(alt), Markup("</span>")
    if (element.text or "").strip() or any((child.tail or "").strip() for child in element) or element in marked:
        told = Markup(' tabindex="0" role="button"')
    kind = Markup(' class="heading"') if is_heading and element.tag[0] == "h" else Markup("")
    return Markup('<{} data-e="{}"{}{}{}>').format(name, number, kind, told, _field(element, marked)), Markup(
        "</{}>"
    ).format(name)


def _field(element: Any, marked: Mapping[Any, str]) -> Markup:
    return Markup(' data-field="{}"').format(marked[element]) if element in marked else Markup("")


def _text(text: str | None) -> Markup:
    return escape(visible(text)) if text else Markup("")
