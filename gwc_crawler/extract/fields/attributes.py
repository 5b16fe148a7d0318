"""What an attribute says beyond its own text: a class name's ending, a style's width, the largest of several images.

`read_attribute` in `finder` asks with what follows the "@" of a way of reading: "class:star-" is what follows "star-"
in the first class that begins so (behind a letter a number), "style:width" a property of the style, "style:width/5"
that share of five, "srcset" the largest image.
"""

from __future__ import annotations

import re

URL_ATTRIBUTES = frozenset({"href", "src", "action", "poster", "cite", "data-src", "data-original", "data-href"})
"""Attributes that hold an address, and are given out absolute."""
LATE = re.compile(r"data-(?:[\w-]*-)?(?:src|original|url|image|img|href|full|large|zoom|lazy|lazyload|echo|poster)")
"""Names of attributes in which a script finds the address of an image or page."""
PROPERTY = re.compile(r"([\w-]+)\s*:\s*((?:url\([^)]*\)|[^;(]|\([^)]*\))*)")
ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)""")
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
SIZE = re.compile(r"\s+(\d+(?:\.\d+)?)[wx]\s*(?:,\s*|$)|\s*,\s+|\s*$")


def holds_address(name: str) -> bool:
    """Whether what is read of an attribute is an address.

    >>> [holds_address(one) for one in ("src", "data-lazy-src", "srcset", "style:background-image", "title")]
    [True, True, True, True, False]
    """
    if name in URL_ATTRIBUTES or is_set(name) or LATE.fullmatch(name):
        return True
    return name.startswith("style:") and "/" not in name and name.endswith(("background", "-image"))


def is_set(name: str) -> bool:
    """Whether an attribute names images of several sizes."""
    return name == "srcset" or (name.startswith("data-") and name.endswith("srcset"))


def said_by(what: str, text: str) -> str:
    """What *text*, the value of an attribute, says to *what*; "" where it says nothing.

    >>> said_by("class:star-", "big star-4"), said_by("style:width/5", "color: red; width: 60%")
    ('4', '3')
    >>> said_by("srcset", "/a.jpg 300w, /b.jpg 800w"), said_by("style:background", "background: url('/c.jpg')")
    ('/b.jpg', '/c.jpg')
    """
    name, _, part = what.partition(":")
    if is_set(name):
        return largest_of(text)
    if name == "class" and part:
        endings = (one[len(part) :] for one in text.split() if one.startswith(part))
        return next((one for one in endings if one and (one[0].isdigit() or not part[-1].isalnum())), "")
    if name == "style" and part:
        wanted, _, most = part.partition("/")
        said = next((hit[2].strip() for hit in PROPERTY.finditer(text) if hit[1].lower() == wanted), "")
        if most:
            return share_of(said, int(most)) if most.isdigit() else ""
        address = ADDRESS.search(said)
        return address[1].strip() if address else said
    return text


def properties_of(style: str) -> list[str]:
    """The names of the properties that a style sets."""
    return [hit[1].lower() for hit in PROPERTY.finditer(style)]


def share_of(text: str, most: int) -> str:
    """The share of *most* that a percentage is, as a person writes it.

    >>> share_of("60%", 5), share_of("90%", 5), share_of("60px", 5)
    ('3', '4.5', '')
    """
    percent = PERCENT.fullmatch(text)
    return f"{float(percent[1]) * most / 100:g}" if percent else ""


def largest_of(sources: str) -> str:
    """The address of the largest image among those of a `srcset`; of equals the first.

    >>> largest_of("/a.jpg, /b.jpg 2x"), largest_of("/only.jpg")
    ('/b.jpg', '/only.jpg')
    """
    best, most, at = "", -1.0, 0
    while at < len(sources):
        end = SIZE.search(sources, at)
        address = sources[at : end.start()].strip(" ,\n\t") if end else ""
        size = float(end[1]) if end and end[1] else 1.0
        if address and size > most:
            best, most = address, size
        if end is None or end.end() <= at:
            break
        at = end.end()
    return best
