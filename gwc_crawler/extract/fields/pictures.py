"""The address of the picture that a reader sees, wherever an element has it until a script puts it into `src`.

An attribute says what it says. Where it is missing, or holds only what is shown meanwhile, the picture's address is
read from where else the element has it; so pages with and without late pictures are read alike, and so is a gallery
whose first picture alone is there from the start.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from gwc_crawler.extract.fields.attributes import (
    ADDRESS,
    holds_address,
    is_set,
    largest_of,
    properties_of,
    said_by,
)

PICTURES = frozenset({"img", "amp-img", "amp-anim", "iframe", "video"})
"""Elements whose `src` a script may fill in later."""
BACKGROUND = "style:background-image"
_LOADED = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-lazyload", "data-echo")
"""Where loaders of late pictures look, the usual names first."""
_LATE_SOURCE = re.compile(
    r"(?!src$|.*(?:zoom|full|large|big|hi-?res|thumb|small|low|fallback|error|place))[\w-]*(?:src|original|lazy|lazyload|echo)"
)
"""Other such names, and none that names another size of the picture, or what is shown without it."""
_LATE_BACKGROUND = re.compile(r"data-(?:[\w-]*-)?(?:bg|background)(?:-?(?:image|img|src|url))?")
_NO_PICTURE = re.compile(r"(?:alt|title|class|id|style|on\w+|.*(?:placeholder|fallback|error|loading|default|blank).*)")
_FILE = re.compile(r"[^\s?#]+\.(?:jpe?g|jfif|png|gif|webp|avif|svg|bmp|ico|tiff?|heic|jxl)(?:[?#]\S*)?", re.IGNORECASE)
_MEANWHILE = re.compile(
    r"blank|spacer|placeholder|holder|loading|(?:pre)?loader|spinner|preload|lazy(?:load(?:ing|er)?)?|transparent|dummy|shim"
    r"|zhanwei|cargando|chargement|laden|caricamento"
)
_OF_A_GIF = re.compile(r"pixel|empty|clear|trans|gr[ae]y|white|space|load|[bst]")
_BESIDES = re.compile(r"ima?ges?|pics?|photo|picture|bg|gif|png|svg|icon|small|large|ajax|square|dot|x|px")
"""Words of a file's name that say nothing by themselves: "ajax-loader", "img-placeholder-300x200"."""
_WORD = re.compile(r"[^\W\d_]+")
_HINT = re.compile(rf"{_MEANWHILE.pattern}|1x0*1|\.gif")
"""What every name of such a file has: most have not, and are looked at once."""


def is_placeholder(address: str) -> bool:
    """Whether an address leads to no picture of its own: nowhere, or to what is shown until the picture is there.

    >>> [is_placeholder(one) for one in ("", "data:image/gif;base64,R0", "/i/1x1.gif", "/a/Blank_2.png?v=1", "//:0")]
    [True, True, True, True, True]
    >>> [is_placeholder(one) for one in ("/blank-canvas.jpg", "/1.jpg", "/loading/7.jpg", "/lazy-dog.png", "/img/a")]
    [False, False, False, False, False]
    """
    address = address.strip()
    if not address or address[0] == "#" or address.startswith(("data:", "about:", "javascript:", "blob:", "//:")):
        return True
    name = address.partition("?")[0].partition("#")[0].rpartition("/")[2].lower()
    if _HINT.search(name) is None:
        return False
    stem, _, ending = name.rpartition(".")
    if re.fullmatch(r"0*1x0*1", stem):
        return True
    words = _WORD.findall(stem or name)
    empty = [one for one in words if _MEANWHILE.fullmatch(one) or (ending == "gif" and _OF_A_GIF.fullmatch(one))]
    return bool(empty) and all(one in empty or _BESIDES.fullmatch(one) for one in words)


def address_in(node: Any, name: str, page: Any) -> str:
    """What an attribute says (as in `said_by`); of a picture that is elsewhere, or comes later, its address; else "".

    Of a `<picture>` its `<img>` is asked.

    Args:
        page: the page's view, which knows what else its pictures show (`PageView.meanwhile`).
    """
    if node.tag == "picture" and (shown := node.find("img")) is not None:
        node = shown
    text = node.get(name.partition(":")[0])
    said = said_by(name, text) if text else ""
    if said and not is_placeholder(said) and not (_comes_late(node) and said.strip() in page.meanwhile):
        return said
    places = _places(node, name)
    return said if places is None else next((one for one in places if not _is_meanwhile(one, page)), said)


def addresses_in(node: Any, page: Any) -> Iterator[tuple[str, str]]:
    """What can be read of an element that is an address: the attribute's name (as in `said_by`), and the address."""
    names = [name for name in node.attrib if holds_address(name)]
    if node.tag in PICTURES:
        names = list(dict.fromkeys(("src", *names, "data-src")))
    if node.tag == "video":
        names = list(dict.fromkeys((*names, "poster")))
    if "style" in node.attrib:
        styles = (f"style:{one}" for one in properties_of(node.get("style")))
        names += [one for one in styles if holds_address(one)]
    elif any(map(_LATE_BACKGROUND.fullmatch, node.attrib)):
        names.append(BACKGROUND)
    for name in names:
        if said := address_in(node, name, page):
            yield name, said


def shown_meanwhile(tree: Any) -> frozenset[str]:
    """The addresses that several pictures of a page have in `src`, while another attribute tells them apart."""
    late = defaultdict[str, set[str]](set)
    for node in tree.iter("img", "amp-img"):
        if (source := (node.get("src") or "").strip()) and _comes_late(node):
            late[source].update(islice(chain(_loaded(node), _sets(node)), 1))
    return frozenset(source for source, others in late.items() if len(others - {source}) > 1)


def without_copies(nodes: Any) -> Any:
    """The nodes, without a picture's copies for readers without scripts, where the picture itself is among them."""
    if len(nodes) < 2 or not any(map(_copied, nodes)):
        return nodes
    given = set(nodes)
    return [one for one in nodes if given.isdisjoint(_copied(one))]


def _copied(node: Any) -> list[Any]:
    """The pictures that one inside `<noscript>` is a copy of: around it, or right before; [] for all others."""
    inside = () if isinstance(node, str) or node.tag not in PICTURES else node.iterancestors("noscript")
    copy = next(iter(inside), None)
    if copy is None:
        return []
    before = copy.getprevious()
    return [copy.getparent(), *(() if before is None else before.iter(*PICTURES))]


def _comes_late(node: Any) -> bool:
    return node.tag in PICTURES and bool(_late_names(tuple(node.keys())))


@lru_cache(maxsize=10_000)
def _late_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of an element's attributes where loaders look, the usual ones first, then those of several sizes."""
    others = sorted(name for name in names if name not in _LOADED and _LATE_SOURCE.fullmatch(name))
    sets = (name for name in names if name != "srcset" and is_set(name))
    return (*(name for name in _LOADED if name in names), *others, *sets)


def _is_meanwhile(address: str, page: Any) -> bool:
    return is_placeholder(address) or address.strip() in page.meanwhile


def _places(node: Any, name: str) -> Iterator[str] | None:
    """Where else the address is looked for that an attribute should have; None where the attribute alone is meant."""
    if name.startswith("style:") and holds_address(name):
        return _backgrounds(node)
    if name == "poster":
        return (text for other, text in node.items() if other.startswith("data-") and other.endswith("poster"))
    if node.tag not in PICTURES:
        return None
    if is_set(name):
        return chain(_sets(node), _loaded(node), [node.get("src") or ""], _behind(node), _files(node))
    if name == "src" or name in _LOADED or _LATE_SOURCE.fullmatch(name):
        return chain(_loaded(node), [node.get("src") or ""], _sets(node), _behind(node), _files(node))
    return None


def _loaded(node: Any) -> Iterator[str]:
    for name in _late_names(tuple(node.keys())):
        if not is_set(name) and re.search("[/.]", text := node.get(name).strip()) and not re.search(r"[\s{]", text):
            yield text


def _sets(node: Any) -> Iterator[str]:
    """The largest of the images of several sizes, the element's own and those of the `<picture>` around it."""
    yield from _own_sets(node)
    around = next((one for one in node.iterancestors() if one.tag == "picture"), None) if node.tag == "img" else None
    if around is not None:
        sources = list(around.iter("source"))
        for source in sorted(sources, key=lambda one: "max-width" in (one.get("media") or "")):
            yield from _own_sets(source)


def _own_sets(node: Any) -> Iterator[str]:
    for name in sorted(filter(is_set, node.attrib), key=lambda one: one == "srcset"):
        yield largest_of(node.get(name))


def _behind(node: Any) -> Iterator[str]:
    """The picture for readers without scripts: in the element, or right behind it and what holds it alone."""
    places = list(node.iter("noscript"))
    while node is not None and not places:
        behind, parent = node.getnext(), node.getparent()
        places = [] if behind is None or behind.tag != "noscript" else [behind]
        node = parent if parent is not None and parent.tag != "body" and parent[-1] is node else None
    for copy in chain.from_iterable(one.iter("img") for one in places):
        yield copy.get("src") or ""
        yield from _own_sets(copy)


def _files(node: Any) -> Iterator[str]:
    """Whatever attribute has the name of a picture's file."""
    return (text.strip() for name, text in node.items() if not _NO_PICTURE.fullmatch(name) and _FILE.fullmatch(text))


def _backgrounds(node: Any) -> Iterator[str]:
    for name, text in node.items():
        if _LATE_BACKGROUND.fullmatch(name):
            address = ADDRESS.search(text)
            yield address[1].strip() if address else text if re.search("[/.]", text) and "(" not in text else ""
    yield from _loaded(node)
