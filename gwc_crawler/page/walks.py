"""The walks through a page: those in C (`_walk.pyx`), or None where no compiler was at hand, or PAGE_WALKS=python is
set."""

from __future__ import annotations

import os
from typing import Any

from lxml import etree

INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|label|mark|nobr|q|s|samp|small|span|strike|"
    "strong|sub|sup|time|tt|u|var|wbr"
)
"""Tags that set no words apart."""
HIDDEN = "head|script|style|template|noscript|noframes|iframe"  # tags with text that browsers don't show
UNMARKED = "script|style|noscript|template|svg|head"
"""Tags of elements that, with their content, tell nothing about the kind of page."""

_TAGS = (
    "area base basefont br col dd dt embed frame hr img input isindex keygen li link menuitem meta option p param "
    "source track wbr"
)
"""Those that an HTML serialiser may leave open."""
_ATTRIBUTES = (
    "allowfullscreen async autofocus autoplay checked compact controls declare default defer disabled hidden inert "
    "ismap itemscope loop multiple muted nohref nomodule noresize noshade novalidate nowrap open playsinline readonly "
    "required reversed selected"
)
"""Those that it may write without their value."""

FORM = 8  # version of the C module that fits this code


def _load() -> Any:
    if os.environ.get("PAGE_WALKS") == "python":
        return None
    try:
        from gwc_crawler.page import _walk
    except ImportError:
        return None
    if getattr(_walk, "FORM", 1) != FORM:  # built from another state of this checkout
        return None
    _walk.learn_text(INLINE.replace("|", " "), HIDDEN.replace("|", " "))
    _walk.learn_marks(UNMARKED.replace("|", " "))
    _walk.learn_serialiser(*_habits())
    _walk.keep_memory(etree.__file__)
    return _walk


def _habits() -> tuple[str, str, str]:
    """Return the names for which this libxml2 leaves out content, end tags or attribute values when writing HTML."""
    div = etree.fromstring(b"<div></div>", etree.HTMLParser())[0][0]
    div[:] = [etree.Element(tag) for tag in _TAGS.split()]
    left_open = [one.tag for one in div if b"</" not in _html(one)]
    for one in div:
        one.text = "~"
    void = [one.tag for one in div if b"~" not in _html(one)]
    flags = [name for name in _ATTRIBUTES.split() if b"~" not in _html(etree.SubElement(div, "p", {name: "~"}))]
    return " ".join(void), " ".join(left_open), " ".join(flags)


def _html(element: Any) -> bytes:
    html: bytes = etree.tostring(element, encoding="utf-8", method="html", with_tail=False)
    return html


walk = _load()  # the module of the walks in C, None if there is none
