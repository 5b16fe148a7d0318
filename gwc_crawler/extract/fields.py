"""Read a node as a field's value: attributes, pictures, texts; convert values to their types, and add companions."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, islice
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from gwc_crawler.field_types.numbers import MAX_CHARS, NotOfType, ValueContext
from gwc_crawler.field_types.table import RAW, FieldType, type_of
from gwc_crawler.items import FieldProblem
from gwc_crawler.page.text import fold

# --- The content of an attribute beyond its plain text ----------------------------------------------------------------

URL_ATTRIBUTES = frozenset({"href", "src", "action", "poster", "cite", "data-src", "data-original", "data-href"})
"""Attributes that hold an address, and are given out absolute."""
LATE = re.compile(r"data-(?:[\w-]*-)?(?:src|original|url|image|img|href|full|large|zoom|lazy|lazyload|echo|poster)")
"""Names of attributes in which a script finds the address of an image or page."""
PROPERTY = re.compile(r"([\w-]+)\s*:\s*((?:url\([^)]*\)|[^;(]|\([^)]*\))*)")
ADDRESS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)""")
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
SIZE = re.compile(r"\s+(\d+(?:\.\d+)?)[wx]\s*(?:,\s*|$)|\s*,\s+|\s*$")


def holds_address(name: str) -> bool:
    """Tell whether the text read from an attribute is an address.

    >>> [holds_address(one) for one in ("src", "data-lazy-src", "srcset", "style:background-image", "title")]
    [True, True, True, True, False]
    """
    if name in URL_ATTRIBUTES or is_set(name) or LATE.fullmatch(name):
        return True
    return name.startswith("style:") and "/" not in name and name.endswith(("background", "-image"))


def is_set(name: str) -> bool:
    """Say whether an attribute names images of several sizes."""
    return name == "srcset" or (name.startswith("data-") and name.endswith("srcset"))


def said_by(what: str, text: str) -> str:
    """Return the part of *text*, an attribute's value, that *what* asks for; "" if it has none.

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


def share_of(text: str, most: int) -> str:
    """Return the share of *most* that a percentage is, as a person writes it.

    >>> share_of("60%", 5), share_of("90%", 5), share_of("60px", 5)
    ('3', '4.5', '')
    """
    percent = PERCENT.fullmatch(text)
    return f"{float(percent[1]) * most / 100:g}" if percent else ""


def largest_of(sources: str) -> str:
    """Return the address of the largest image in a `srcset`; the first among equals.

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


# --- A record's fields as the site file wants them typed: `[types] price = "price"` -----------------------------------
@dataclass(frozen=True, slots=True)
class TypedFields:
    """All fields, typed if a type is given, with their companions; and the texts that are not of their type."""

    values: dict[str, Any]
    problems: tuple[FieldProblem, ...] = ()


def convert_fields(fields: Mapping[str, Any], types: Mapping[str, str], context: ValueContext) -> TypedFields:
    """Convert a record's fields by *types* (field or "field.part" → type name); absent values stay absent.

    >>> convert_fields({"price": "$ 11.48"}, {"price": "price"}, ValueContext()).values
    {'price': 11.48, 'price_currency': '$', 'price_raw': '$ 11.48'}
    """
    parts: dict[str, dict[str, str]] = {}
    for name, type_name in types.items():
        owner, dot, part = name.partition(".")
        if dot:
            parts.setdefault(owner, {})[part] = type_name
    values: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for name, value in fields.items():
        if name in parts and isinstance(value, list):
            records = [_convert_parts(name, record, parts[name], context) for record in value]
            values[name] = [record for record, _ in records]
            problems += [problem for _, found in records for problem in found]
            continue
        beside, found = _convert_one(name, name, value, types.get(name, ""), context)
        values |= beside
        problems += found
    return TypedFields(values, tuple(problems))


def _convert_parts(
    owner: str, record: Any, types: Mapping[str, str], context: ValueContext
) -> tuple[Any, list[FieldProblem]]:
    """Convert the parts of one record of a list; a part it does not have is left out."""
    if not isinstance(record, dict):
        return record, []
    typed: dict[str, Any] = {}
    problems: list[FieldProblem] = []
    for part, value in record.items():
        beside, found = _convert_one(part, f"{owner}.{part}", value, types.get(part, ""), context)
        typed |= beside
        problems += found
    return typed, problems


def _convert_one(
    name: str, problem_name: str, value: Any, type_name: str, context: ValueContext
) -> tuple[dict[str, Any], list[FieldProblem]]:
    """Return a value under its name with its companions, and the texts that are not of its type."""
    kind = type_of(type_name)
    beside = kind.companions(name)
    if not type_name or (value is None and not beside):
        return {name: value}, []
    if value is None:
        return dict.fromkeys((name, *beside)), []
    texts = value if isinstance(value, list) else [value]
    if kind.is_list:
        return {name: value if isinstance(value, list) else kind.read(str(value), context)}, []
    problems: list[FieldProblem] = []
    typed = [_convert_text(text, kind, context, problem_name, problems) for text in texts]
    columns = {name + tail: [one and one[key] for one in typed] for tail, key in kind.parts.items()} or {name: typed}
    if kind.keeps_raw:
        columns[name + RAW] = texts
    return columns if isinstance(value, list) else {key: column[0] for key, column in columns.items()}, problems


def _convert_text(text: Any, kind: FieldType, context: ValueContext, name: str, problems: list[FieldProblem]) -> Any:
    try:
        return kind.read(str(text), context)
    except NotOfType as error:
        problems.append(FieldProblem(name, str(error), str(text)[:MAX_CHARS]))
        return None


# --- The kinds of values, and when a sample's value and a page's text are the same ------------------------------------

INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
SMART = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‐": "-"}
)

_OPENS_PARAMETERS, _CLOSES_PARAMETERS = re.compile(r"\w<[A-Za-z_?&']"), re.compile(r"[\w>?\])]>(?!=)")
"""Match comparison signs that are brackets: "Map<K, V>", not "n<2, m>1"."""
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">", "（": "）", "【": "】", "《": "》", "「": "」", "『": "』"}

_FILE = re.compile(r"\.[A-Za-z]\w{2,3}$")


def level(text: str) -> str:
    """Fold, and level what keyboards and pages write differently: width, quotes, dashes, invisible characters."""
    if text.isascii():
        return fold(text).replace("`", "'")
    plain = unicodedata.normalize("NFKC", text.translate(INVISIBLE).translate(SMART))
    return fold(plain.translate(SMART))


def squeeze(text: str) -> str:
    """Level, and leave out all white space: equal results mean "the same value" when a sample is looked for.

    >>> squeeze("１ ２３\\xa0“a”") == squeeze('123 "a"')
    True
    """
    return level(text).replace(" ", "")


def same_text(one: str, other: str) -> bool:
    """Say whether two texts are the same value (see `squeeze`)."""
    return one == other or squeeze(one) == squeeze(other)


def is_url(text: str) -> bool:
    """Say whether *text* reads like an absolute http(s) URL; one of a file may have blanks."""
    text = text.strip()
    return text[:8].lower().startswith(("http://", "https://")) and (" " not in text or _FILE.search(text) is not None)


def same_url(one: str, other: str) -> bool:
    """Compare two absolute URLs; scheme and host in any case, with or without the lone final slash."""
    return _url_key(one) == _url_key(other)


@lru_cache(maxsize=10_000)
def _url_key(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, parts.fragment))


def same_value(found: Any, wanted: Any) -> bool:
    """Compare values of any shape: texts by `same_text`, lists in order, records key by key; empty is absent."""
    if is_blank(found) or is_blank(wanted):
        return is_blank(found) and is_blank(wanted)
    if isinstance(wanted, str):
        return isinstance(found, str) and (same_text(found, wanted) or (is_url(wanted) and same_url(found, wanted)))
    if isinstance(wanted, Mapping):
        if not isinstance(found, Mapping):
            return False
        return all(same_value(found.get(key), wanted.get(key)) for key in {*wanted, *found})
    if isinstance(found, str | Mapping) or not isinstance(found, Sequence) or len(found) != len(wanted):
        return False
    return all(same_value(mine, theirs) for mine, theirs in zip(found, wanted, strict=True))


def is_blank(value: Any) -> bool:
    """None, blank text, an empty list or record: "the page does not have this field". Of stored values: `is_empty`."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or not value


def split_outside(text: str, sign: str) -> list[str]:
    """Split a text at *sign*, but not inside brackets; a bracket without its other is a plain sign.

    >>> split_outside("Map<K, V>, Cloneable", ","), split_outside("a (b, c", ",")
    (['Map<K, V>', ' Cloneable'], ['a (b', ' c'])
    """
    if sign not in text:
        return [text]
    inside = _in_brackets(text)
    parts, start, at = [], 0, text.find(sign)
    while at >= 0:
        if not inside[at]:
            parts.append(text[start:at])
            start = at + len(sign)
        at = text.find(sign, at + len(sign))
    return [*parts, text[start:]]


def _in_brackets(text: str) -> list[bool]:
    """Tell for each character whether it stands between two brackets of one kind; in one pass."""
    steps = [0] * len(text)
    opened: dict[str, list[int]] = {end: [] for end in _BRACKETS.values()}
    for place, sign in enumerate(text):
        if sign in _BRACKETS:
            if sign != "<" or _OPENS_PARAMETERS.match(text, place - 1):
                opened[_BRACKETS[sign]].append(place)
        elif opened.get(sign) and (sign != ">" or _CLOSES_PARAMETERS.match(text, place - 1)):
            steps[opened[sign].pop()] += 1
            steps[place] -= 1
    return [depth > 0 for depth in accumulate(steps)]


# --- Whether values are of one kind -----------------------------------------------------------------------------------
def kind_of(samples: Sequence[Any]) -> Callable[[Any], float]:
    """Return a measure of whether a value is of the samples' kind: the same sorts of characters, of like length."""
    texts = [text for value in samples if not is_blank(value) for text in _texts(value_key(value))]
    sorts = {_sorts(text) for text in texts}
    if not texts:
        return lambda value: 1.0
    shortest, longest = min(map(len, texts)), max(map(len, texts))
    signs = set.intersection(*(set(OTHER.findall(text)) for text in texts))

    def has_signs(text: str) -> float:  # the "::" of "std::fs"
        return 0.7 + 0.3 * sum(sign in text for sign in signs) / len(signs) if signs else 1.0

    def measure(value: Any) -> float:
        found = _texts(value)
        if not found:
            return 0.0
        return sum(_likeness(text, sorts, shortest, longest) * has_signs(text) for text in found) / len(found)

    return measure


def _likeness(text: str, sorts: set[str], shortest: int, longest: int) -> float:
    here = _sorts(text)
    like = max(overlap(set(here), set(one)) for one in sorts) if here else 0.0
    fits = shortest / 8 - 2 <= len(text) <= 8 * longest + 20
    return like * (1.0 if fits else 0.6)


def _sorts(text: str) -> str:
    """Return a text's sorts of characters: a letter, d digit, c Chinese and the like, s currency, u URL, / others."""
    if text.startswith(("http:", "https:")):
        return "u"
    found = "".join(sort for sort, pattern in SORTS.items() if pattern.search(text))
    return found + "/" if "a" not in found and "c" not in found and OTHER.search(text) else found or "p"


SORTS = {
    "a": re.compile(r"[A-Za-z\u00c0-\u024f]"),
    "d": re.compile(r"\d"),
    "c": re.compile(r"[\u2e80-\U0003ffff]"),
    "s": re.compile(r"[$€£¥￥]"),
}
OTHER = re.compile(r"[^\w\s.,$€£¥￥\u2e80-\U0003ffff]")


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for part in value for text in _texts(part[1] if _is_named(part) else part)]
    return []


def _is_named(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], str) and not isinstance(part[1], str)


def value_key(value: Any) -> Any:
    """Return a hashable form of a value for comparing candidates; None for nothing."""
    if isinstance(value, str):
        return squeeze(value) or None
    if isinstance(value, list):
        return tuple(map(value_key, value)) or None
    if isinstance(value, dict):
        return tuple((name, value_key(part)) for name, part in value.items())
    return None


def overlap(one: Set[Any], other: Set[Any], *, of_nothing: float = 0.0) -> float:
    """Return the number of common elements as a share of all of both (Jaccard); *of_nothing* if both are empty.

    >>> overlap({"a", "b"}, {"b", "c"}), overlap(set(), set()), overlap(set(), set(), of_nothing=1.0)
    (0.3333333333333333, 0.0, 1.0)
    """
    either = len(one | other)
    return len(one & other) / either if either else of_nothing


# --- The address of the picture that a reader sees --------------------------------------------------------------------

PICTURES = frozenset({"img", "amp-img", "amp-anim", "iframe", "video"})
"""Elements whose `src` a script may fill in later."""
BACKGROUND = "style:background-image"
_LOADED = ("data-src", "data-original", "data-lazy-src", "data-lazy", "data-lazyload", "data-echo")
"""Attributes in which late loaders keep a picture's address, the usual names first."""
_LATE_SOURCE = re.compile(
    r"(?!src$|.*(?:zoom|full|large|big|hi-?res|thumb|small|low|fallback|error|place))[\w-]*(?:src|original|lazy|lazyload|echo)"
)
"""Matches further such names, except names of another size of the picture, or of a replacement for it."""
_LATE_BACKGROUND = re.compile(r"data-(?:[\w-]*-)?(?:bg|background)(?:-?(?:image|img|src|url))?")
_NO_PICTURE = re.compile(r"(?:alt|title|class|id|style|on\w+|.*(?:placeholder|fallback|error|loading|default|blank).*)")
_PICTURE_FILE = re.compile(r"[^\s?#]+\.(?:jpe?g|jfif|png|gif|webp|avif|svg|bmp|ico|tiff?|heic|jxl)(?:[?#]\S*)?", re.I)
_MEANWHILE = re.compile(
    r"blank|spacer|placeholder|holder|loading|(?:pre)?loader|spinner|preload|lazy(?:load(?:ing|er)?)?|transparent|dummy|shim"
    r"|zhanwei|cargando|chargement|laden|caricamento"
)
_OF_A_GIF = re.compile(r"pixel|empty|clear|trans|gr[ae]y|white|space|load|[bst]")
_BESIDES = re.compile(r"ima?ges?|pics?|photo|picture|bg|gif|png|svg|icon|small|large|ajax|square|dot|x|px")
"""Words of a file's name that say nothing by themselves: "ajax-loader", "img-placeholder-300x200"."""
_WORD = re.compile(r"[^\W\d_]+")
_HINT = re.compile(rf"{_MEANWHILE.pattern}|1x0*1|\.gif")
"""Matches every name of a placeholder's file: most addresses don't match, and need no second look."""


def is_placeholder(address: str) -> bool:
    """Tell whether an address leads to no picture of its own: nowhere, or to a stand-in until the picture is there.

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
    """Return an attribute's value (as in `said_by`), of a picture that comes later its address; "" for none."""
    if node.tag == "picture" and (shown := node.find("img")) is not None:
        node = shown
    text = node.get(name.partition(":")[0])
    said = said_by(name, text) if text else ""
    if said and not is_placeholder(said) and not (_comes_late(node) and said.strip() in page.meanwhile):
        return said
    places = _places(node, name) or ()
    return next((one for one in places if not is_placeholder(one) and one.strip() not in page.meanwhile), said)


def addresses_in(node: Any, page: Any) -> Iterator[tuple[str, str]]:
    """Yield the addresses that can be read of an element: the attribute's name (as in `said_by`), and the address."""
    names = [name for name in node.attrib if holds_address(name)]
    if node.tag in PICTURES:
        names = list(dict.fromkeys(("src", *names, "data-src")))
    if node.tag == "video":
        names = list(dict.fromkeys((*names, "poster")))
    if "style" in node.attrib:
        styles = (f"style:{hit[1].lower()}" for hit in PROPERTY.finditer(node.get("style")))
        names += [one for one in styles if holds_address(one)]
    elif any(map(_LATE_BACKGROUND.fullmatch, node.attrib)):
        names.append(BACKGROUND)
    for name in names:
        if said := address_in(node, name, page):
            yield name, said


def shown_meanwhile(tree: Any) -> frozenset[str]:
    """Return the addresses that several pictures of a page have in `src`, while another attribute tells them apart."""
    late = defaultdict[str, set[str]](set)
    for node in tree.iter("img", "amp-img"):
        if (source := (node.get("src") or "").strip()) and _comes_late(node):
            late[source].update(islice(chain(_loaded(node), _sets(node)), 1))
    return frozenset(source for source, others in late.items() if len(others - {source}) > 1)


def without_copies(nodes: Any) -> Any:
    """Drop a picture's copies for readers without scripts from the nodes, if the picture itself is among them."""
    if len(nodes) < 2 or not any(map(_copied, nodes)):
        return nodes
    given = set(nodes)
    return [one for one in nodes if given.isdisjoint(_copied(one))]


def _copied(node: Any) -> list[Any]:
    """Return the pictures that one inside `<noscript>` is a copy of: around it, or right before; [] for all others."""
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
    """Return the attributes that loaders read, the usual ones first, then those of several sizes."""
    others = sorted(name for name in names if name not in _LOADED and _LATE_SOURCE.fullmatch(name))
    sets = (name for name in names if name != "srcset" and is_set(name))
    return (*(name for name in _LOADED if name in names), *others, *sets)


def _places(node: Any, name: str) -> Iterator[str] | None:
    """Return further places of the address that an attribute should have; None if only the attribute is meant."""
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
    """Yield the largest of the images of several sizes: the element's own, then those of the `<picture>` around it."""
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
    """Yield the picture for readers without scripts: inside the element, or right behind it or a parent it ends."""
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
    texts = (text for name, text in node.items() if not _NO_PICTURE.fullmatch(name))
    return (text.strip() for text in texts if _PICTURE_FILE.fullmatch(text))


def _backgrounds(node: Any) -> Iterator[str]:
    for name, text in node.items():
        if _LATE_BACKGROUND.fullmatch(name):
            address = ADDRESS.search(text)
            yield address[1].strip() if address else text if re.search("[/.]", text) and "(" not in text else ""
    yield from _loaded(node)
