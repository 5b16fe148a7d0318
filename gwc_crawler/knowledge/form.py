"""The shape of a knowledge file, key by key: `Knowledge.load` and `Wrapper.load` check files by it.

No part of a file is used before all of it fits, so all readers of knowledge may rely on it. The meaning of a key is
documented where it is used: `Knowledge`, `extract.Wrapper`, `extract.Locator`, `extract.page_check`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import Any

from gwc_crawler.errors import KeywordError
from gwc_crawler.field_types.table import NoSuchType, checked_type
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.knowledge.checked_json import (
    Misfit,
    Path,
    Shape,
    anything,
    by_key,
    compiled,
    describe,
    flag,
    list_of,
    map_of,
    matching,
    nearest,
    number,
    one_of,
    optional,
    regex,
    share,
    table,
    text,
    whole,
)
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.knowledge.selectors import (
    SELECTED,
    SELECTOR_KINDS,
    Fault,
    compiled_xpath,
    css_fault,
    plain_xpath_fault,
    selector_fault,
)
from gwc_crawler.modes import LearnMode
from gwc_crawler.urls import segment_pattern

VERSION = 1
"""Version of the file, and of the wrapper in it."""

_NEWER_TAGS = (
    *("bdi", "data", "dialog", "main", "math", "menuitem", "nobr", "picture", "rb", "rtc", "search", "slot", "svg"),
    *("template",),
)
"""Elements that lxml's list lacks."""


_A_SLIP = 0.8
"""How like the name of an element another one is that is meant for it."""


def version(value: Any, path: Path) -> None:
    """Accept the version that this program writes."""
    if isinstance(value, int) and value > VERSION:
        raise Misfit(path, f"{value} is newer than this program, which knows {VERSION}: update gwc-crawler")
    whole(VERSION, VERSION)(value, path)


def keywords(value: Any, path: Path) -> None:
    """Accept a keyword expression, or an empty text."""
    text(value, path)
    if value:
        try:
            Keywords.parse(value)
        except KeywordError as error:
            raise Misfit(path, str(error)) from error


def xpath(value: Any, path: Path) -> None:
    """Accept an XPath that selects nodes or texts; an empty page will do, as its kind of result is constant."""
    from lxml import etree  # what only tells of a site needs no HTML parser

    text(value, path)
    _unless(plain_xpath_fault(value), value, path)
    try:
        found = compiled_xpath(value)(etree.Element("html"))
    except etree.XPathError as error:
        raise Misfit(path, f"{value!r} can't be evaluated ({error})") from error
    if not isinstance(found, list):
        kind = "true or false" if isinstance(found, bool) else "a text" if isinstance(found, str) else "a number"
        raise Misfit(path, f"{value!r} gives {kind}, has to select elements, texts or attributes")


def attribute(value: Any, path: Path) -> None:
    """Accept an attribute's name, as lxml takes it."""
    from lxml import etree  # as above

    text(value, path)
    try:
        etree.Element("a").get(value)
    except ValueError as error:
        raise Misfit(path, f"{value!r} is no attribute's name ({error})") from error


def css(value: Any, path: Path) -> None:
    """Accept a CSS path."""
    text(value, path)
    _unless(css_fault(value), value, path)


def _unless(fault: Fault | None, value: str, path: Path) -> None:
    if fault is not None:
        raise Misfit(path, f"{value!r} {fault.text}")


def field_type(value: Any, path: Path) -> None:
    """Accept a type of fields, with or without the notation of its texts."""
    text(value, path)
    try:
        checked_type(value)
    except NoSuchType as error:
        hint = nearest(error.word, error.known, "known")
        raise Misfit(path, f"is {describe(value)}, has an {error} ({hint})") from error


CUT = table(
    {},
    {
        "before": text,
        "after": text,
        "whole_before": flag,
        "whole_after": flag,
        "last": flag,
        "any_case": flag,
        "optional": flag,
        "digits": flag,
        "sentence": flag,
        "longest": whole(0),
        "nothing": list_of(text),
    },
)
READ = matching(
    r"(?:all )?(?:text|html)|(?:run )?html|apart|all|run(?:ning)?|count|lines|"
    r"@\S+|(?:each )?after:\S+",
    "a way of reading, such as 'text' or '@href'",
)


@cache
def _tags() -> frozenset[str]:
    from lxml.html import defs  # as above

    return frozenset({*defs.tags, *_NEWER_TAGS})


def ends_section(name: str) -> bool:
    """Tell whether an element of this *name* may end the text behind another: an HTML element, one with a hyphen or a
    prefix (such names are free), "like", or "-", which no element has; with a class, "div.note".

    A page may have elements of any name; one that is nearly one of HTML's is a slip.

    >>> ends_section("h2"), ends_section("my-box"), ends_section("like"), ends_section("price"), ends_section("lik")
    (True, True, True, True, False)
    >>> ends_section("div.note"), ends_section("tabel.note"), ends_section("div.")
    (True, False, False)
    """
    known = {*_tags(), "like"}
    place = re.fullmatch(r"([^./]+)(\.[^\s./]+)?", name)
    name = place[1] if place else name
    if name in known or "-" in name or ":" in name:
        return True
    return name.islower() and name.isalnum() and not get_close_matches(name, known, 1, _A_SLIP)


def read(value: Any, path: Path) -> None:
    """Accept a way of reading."""
    READ(value, path)
    way, after, names = value.partition("after:")
    for name in names.split(",") if after and way in ("", "each ") else ():
        if not ends_section(name):
            near = get_close_matches(name.lower(), sorted({"like", *_tags()}), 1)
            hint = f"did you mean {near[0]!r}?" if near else "such as 'h2'"
            raise Misfit(path, f"is {describe(value)}; {name!r} is neither 'like' nor an element of HTML ({hint})")


def locator(value: Any, path: Path) -> None:
    """Accept a way to one value: by the page's structured data, or by an XPath."""
    table(
        {"family": one_of(*Family), "path": text},
        {"read": read, "drop": list_of(text), "cut": CUT, "split": text, "without": list_of(text)},
    )(value, path)
    if value["family"] != Family.STRUCTURED:
        xpath(value["path"], (*path, "path"))


BEST = table(
    {"kind": one_of("best"), "shape": one_of(ValueShape.TEXT, ValueShape.LIST), "finders": list_of(locator, 1)}, {}
)
PARTED = matching(r"[a-z][a-z0-9]*(?:\.\S+)?", "an element, such as 'td' or 'div.entry'")
ROWS = table(
    {"rows": locator, "fields": map_of(BEST)},
    {"flat": flag, "must": list_of(text), "always": list_of(text), "parts": list_of(PARTED, 2)},
)


def row_rule(value: Any, path: Path) -> None:
    """Accept a way to read records, with required parts among its own fields: no record would have another."""
    ROWS(value, path)
    for key in ("must", "always"):
        for place, name in enumerate(value.get(key, ())):
            if name not in value["fields"]:
                hint = nearest(name, value["fields"], "its fields")
                raise Misfit((*path, key, place), f"{name!r} is no field of these records ({hint})")


RECORDS = table({"kind": one_of("records"), "ways": list_of(row_rule, 1)}, {})
COLUMN = table({"path": css, "what": attribute}, {})


def paper(value: Any, path: Path) -> None:
    """Accept a rule of the paper's mode: one column, or for records one for each key."""
    shape = one_of(*ValueShape)
    table({"kind": one_of("paper"), "shape": shape, "columns": map_of(COLUMN)}, {})(value, path)
    if not value["columns"] or (value["shape"] != ValueShape.RECORDS and set(value["columns"]) != {""}):
        raise Misfit((*path, "columns"), 'has to have the one key "", or one for each key of the records')


def selector(value: Any, path: Path) -> None:
    """Accept a way to a value that a person has chosen: each kind of selector at most once, one at least."""
    table({}, dict.fromkeys(SELECTOR_KINDS, text))(value, path)
    if not value:
        raise Misfit(path, f"has to have one of {', '.join(SELECTOR_KINDS)}")
    for kind, written in value.items():
        _unless(selector_fault(kind, written), written, (*path, kind))


SELECTORS = {"kind": one_of(SELECTED), "ways": list_of(selector, 1)}
SELECTED_PART = table({**SELECTORS, "shape": one_of(ValueShape.TEXT, ValueShape.LIST)}, {})
SELECTED_FIELD = table({**SELECTORS, "shape": one_of(*ValueShape)}, {"parts": map_of(SELECTED_PART)})


WRAPPER = table(
    {
        "version": version,
        "fields": map_of(by_key("kind", {"best": BEST, "records": RECORDS, "paper": paper, SELECTED: SELECTED_FIELD})),
    },
    {"mode": one_of(*LearnMode), "optional": list_of(text), "warnings": list_of(text), "report": map_of(anything)},
)

PAGE_CHECK = table(
    {},
    {
        "required": list_of(text),
        "forbidden": list_of(text),
        "least_required": share,
        "most_forbidden": share,
        "fields": list_of(text),
        "least_fields": share,
        "keywords": keywords,
        "canonical": flag,
    },
)

URL_CLASS = table(
    {"regex": regex()},
    {"size": whole(0), "examples": list_of(text), "score": number, "evidence": map_of(anything), "given": flag},
)
PAGING = table({"regex": regex(), "cut": regex("{}", groups=1)}, {"parent_number": whole(0)})
SITE_LINKS = table(
    {}, {"common": map_of(list_of(text)), "classes": list_of(table({"regex": regex(), "size": whole(0)}, {}))}
)
NOTATION = {"type": text, "chosen": text, "votes": map_of(number), "open": number, "example": text}
QUESTION = {"told": text, "pages": whole(0), "example": text, "values": map_of(anything), "patterns": list_of(text, 1)}
SAID = one_of("also", "exclude")
EVIDENCE = table(
    {},
    {
        "questions": list_of(table({**QUESTION, "yes": SAID, "no": SAID}, {})),
        "fields": map_of(table({}, {"coverage": optional(number)}, more=True)),
        "notations": map_of(table({**NOTATION, "options": list_of(text)}, {"language": text})),
    },
    more=True,
)


def url_classes(value: Any, path: Path) -> None:
    """Accept filters, which have to compile together, too."""
    list_of(URL_CLASS)(value, path)
    compiled("|".join(f"(?:{one['regex']})" for one in value), path, "the regular expressions do not go together")


def ignored_key(value: Any, path: Path) -> None:
    """Accept a query key, or `REGEX?key`."""
    text(value, path)
    regex()(value.rpartition("?")[0], path)


def _empty_or(shape: Shape) -> Shape:
    return lambda value, path: None if value == {} else shape(value, path)


KNOWLEDGE = table(
    {
        "version": version,
        "site": text,
        "mode": one_of(*LearnMode),
        "targets": url_classes,
        "directories": url_classes,
        "max_weight": whole(0),
    },
    {
        "excluded": url_classes,
        "keywords": keywords,
        "wrapper": _empty_or(WRAPPER),
        "types": map_of(field_type),
        "ignored_query_keys": list_of(ignored_key),
        "ignored_segments": map_of(text, keys=regex(segment_pattern("{}").pattern)),
        "page_check": PAGE_CHECK,
        "paging": map_of(PAGING),
        "site_links": SITE_LINKS,
        "evidence": EVIDENCE,
        "learned_at": text,
        "is_whole": flag,
        "is_json": flag,
    },
)
