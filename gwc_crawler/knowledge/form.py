"""What a knowledge file looks like, key by key; no part of a file is used before all of it fits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from gwc_crawler.errors import KeywordError, did_you_mean, nearest
from gwc_crawler.field_types.table import NoSuchType, checked_type
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.knowledge.checked_json import (
    Form,
    also,
    below,
    by_key,
    check,
    list_of,
    map_of,
    matching,
    number,
    one_of,
    share,
    table,
    whole,
)
from gwc_crawler.knowledge.keywords import Keywords
from gwc_crawler.knowledge.selectors import (
    SELECTED,
    SELECTOR_KINDS,
    Fault,
    compiled,
    compiled_xpath,
    css_fault,
    plain_xpath_fault,
    regex_fault,
    selector_fault,
)
from gwc_crawler.modes import LearnMode
from gwc_crawler.urls import segment_pattern

VERSION = 1  # version of the file, and of the wrapper in it

_NEWER_TAGS = (  # elements that lxml's list lacks
    *("bdi", "data", "dialog", "main", "math", "menuitem", "nobr", "picture", "rb", "rtc", "search", "slot", "svg"),
    *("template",),
)
_A_SLIP = 0.8  # how like the name of an element another one is that is meant for it


def version(value: Any) -> None:
    """Accept the version that this program writes."""
    if isinstance(value, int) and value > VERSION:
        raise ValueError(f"{value} is newer than this program, which knows {VERSION}: update gwc-crawler")
    check(value, whole(VERSION))


def keywords(value: str) -> None:
    """Accept a keyword expression, or an empty text."""
    if value:
        try:
            Keywords.parse(value)
        except KeywordError as error:
            raise ValueError(error) from error


def xpath(value: str) -> None:
    """Accept an XPath that selects nodes or texts; an empty page will do, as its kind of result is constant."""
    from lxml import etree  # what only tells of a site needs no HTML parser

    _unless(plain_xpath_fault(value), value)
    try:
        found = compiled_xpath(value)(etree.Element("html"))
    except etree.XPathError as error:
        raise ValueError(f"{value!r} can't be evaluated ({error})") from error
    if not isinstance(found, list):
        kind = "true or false" if isinstance(found, bool) else "a text" if isinstance(found, str) else "a number"
        raise ValueError(f"{value!r} gives {kind}, has to select elements, texts or attributes")


def attribute(value: str) -> None:
    """Accept an attribute's name, as lxml takes it."""
    from lxml import etree  # as above

    try:
        etree.Element("a").get(value)
    except ValueError as error:
        raise ValueError(f"{value!r} is no attribute's name ({error})") from error


def css(value: str) -> None:
    """Accept a CSS path."""
    _unless(css_fault(value), value)


def _unless(fault: Fault | None, value: str) -> None:
    if fault is not None:
        raise ValueError(f"{quoted(value)} {fault.text}")


def quoted(text: str) -> str:
    """Write a text as a message quotes it: of a long one the beginning."""
    return repr(text) if len(text) < 80 else f"{text[:80]!r} …"


def field_type(value: str) -> None:
    """Accept a type of fields, with or without the notation of its texts."""
    try:
        checked_type(value)
    except NoSuchType as error:
        raise ValueError(f"{quoted(value)} has an {error} ({nearest(error.word, error.known)})") from error


def regex(form: str = "(?:{})", groups: int | None = None) -> Form:
    """Return the form of a regular expression that compiles inside *form*, with this number of groups."""

    def checks(value: str) -> None:
        _unless(regex_fault(pattern := form.replace("{}", value)), value)
        if groups is not None and (count := re.compile(pattern).groups) != groups:
            raise ValueError(f"{quoted(value)} has {count} groups, has to have {groups}")

    return also(str, checks)


REGEX = regex()
FLAGS = ("whole_before", "whole_after", "last", "any_case", "optional", "digits", "sentence")
CUT = table(
    {}, {"before": str, "after": str, **dict.fromkeys(FLAGS, bool), "longest": whole(0), "nothing": list_of(str)}
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


def section_end(value: str) -> None:
    """Accept a way of reading, which may name elements."""
    way, after, names = value.partition("after:")
    for name in names.split(",") if after and way in ("", "each ") else ():
        if not ends_section(name):
            hint = did_you_mean(name, {"like", *_tags()}) or "such as 'h2'"
            raise ValueError(f"{quoted(value)}: {name!r} is neither 'like' nor an element of HTML ({hint})")


READ = also(
    matching(r"(?:all )?(?:text|html)|(?:run )?html|apart|all|run(?:ning)?|count|lines|@\S+|(?:each )?after:\S+"),
    section_end,
)


def path_of_family(value: Mapping[str, Any]) -> None:
    """Accept a way to one value: by the page's structured data, or by an XPath."""
    if value["family"] != Family.STRUCTURED:
        with below("path"):
            xpath(value["path"])


LOCATOR = also(
    table(
        {"family": one_of(*Family), "path": str},
        {"read": READ, "drop": list_of(str), "cut": CUT, "split": str, "without": list_of(str)},
    ),
    path_of_family,
)
PLAIN_SHAPE = one_of(ValueShape.TEXT, ValueShape.LIST)
BEST = table({"kind": one_of("best"), "shape": PLAIN_SHAPE, "finders": list_of(LOCATOR, 1)}, {})
ROWS = table(
    {"rows": LOCATOR, "fields": map_of(BEST)},
    {
        "flat": bool,
        "must": list_of(str),
        "always": list_of(str),
        "parts": list_of(matching(r"[a-z][a-z0-9]*(?:\.\S+)?"), 2),
    },
)


def own_fields(value: Mapping[str, Any]) -> None:
    """Accept required parts among the records' own fields: no record would have another."""
    for key in ("must", "always"):
        for place, name in enumerate(value.get(key, ())):
            if name not in value["fields"]:
                hint = nearest(name, value["fields"], "its fields")
                with below(key, place):
                    raise ValueError(f"{name!r} is no field of these records ({hint})")


RECORDS = table({"kind": one_of("records"), "ways": list_of(also(ROWS, own_fields), 1)}, {})


def columns(value: Mapping[str, Any]) -> None:
    """Accept one column for a rule of the paper's mode, or for records one for each key."""
    if not value["columns"] or (value["shape"] != ValueShape.RECORDS and set(value["columns"]) != {""}):
        with below("columns"):
            raise ValueError('has to have the one key "", or one for each key of the records')


COLUMN = table({"path": also(str, css), "what": also(str, attribute)}, {})
PAPER = table({"kind": one_of("paper"), "shape": one_of(*ValueShape), "columns": map_of(COLUMN)}, {})


def selectors(value: Mapping[str, str]) -> None:
    """Accept a way to a value that a person has chosen, with one selector at least."""
    if not value:
        raise ValueError(f"has to have one of {', '.join(SELECTOR_KINDS)}")
    for kind, written in value.items():
        with below(kind):
            _unless(selector_fault(kind, written), written)


WAY = also(table({}, dict.fromkeys(SELECTOR_KINDS, str)), selectors)
SELECTORS = {"kind": one_of(SELECTED), "ways": list_of(WAY, 1)}
SELECTED_PART = table({**SELECTORS, "shape": PLAIN_SHAPE}, {})
SELECTED_FIELD = table({**SELECTORS, "shape": one_of(*ValueShape)}, {"parts": map_of(SELECTED_PART)})
RULES = {"best": BEST, "records": RECORDS, "paper": also(PAPER, columns), SELECTED: SELECTED_FIELD}

WRAPPER = table(
    {"version": also(Any, version), "fields": map_of(by_key("kind", RULES))},
    {"mode": one_of(*LearnMode), "optional": list_of(str), "warnings": list_of(str), "report": map_of(Any)},
)

KEYWORDS = also(str, keywords)
PAGE_CHECK = table(
    {},
    {
        **dict.fromkeys(("required", "forbidden", "fields"), list_of(str)),
        **dict.fromkeys(("least_required", "most_forbidden", "least_fields"), share),
        "keywords": KEYWORDS,
        "canonical": bool,
    },
)

URL_CLASS = table(
    {"regex": REGEX},
    {"size": whole(0), "examples": list_of(str), "score": number, "evidence": map_of(Any), "given": bool},
)
PAGING = table({"regex": REGEX, "cut": regex("{}", groups=1)}, {"parent_number": whole(0)})
SITE_LINKS = table(
    {}, {"common": map_of(list_of(str)), "classes": list_of(table({"regex": REGEX, "size": whole(0)}, {}))}
)
NOTATION = {"type": str, "chosen": str, "votes": map_of(number), "open": number, "example": str}
QUESTION = {"told": str, "pages": whole(0), "example": str, "values": map_of(Any), "patterns": list_of(str, 1)}
SAID = one_of("also", "exclude")
EVIDENCE = table(
    {},
    {
        "questions": list_of(table({**QUESTION, "yes": SAID, "no": SAID}, {})),
        "fields": map_of(table({}, {"coverage": number | None}, more=True)),
        "notations": map_of(table({**NOTATION, "options": list_of(str)}, {"language": str})),
    },
    more=True,
)


def together(value: Sequence[Mapping[str, Any]]) -> None:
    """Accept filters that compile together, too."""
    compiled("|".join(f"(?:{one['regex']})" for one in value), "the regular expressions do not go together")


def wrapper(value: Mapping[str, Any]) -> None:
    """A site without fields has an empty one."""
    if value:
        check(value, WRAPPER)


URL_CLASSES = also(list_of(URL_CLASS), together)

KNOWLEDGE = table(
    {
        "version": also(Any, version),
        "site": str,
        "mode": one_of(*LearnMode),
        "targets": URL_CLASSES,
        "directories": URL_CLASSES,
        "max_weight": whole(0),
    },
    {
        "excluded": URL_CLASSES,
        "keywords": KEYWORDS,
        "wrapper": also(dict[str, Any], wrapper),
        "types": map_of(also(str, field_type)),
        "ignored_query_keys": list_of(also(str, lambda value: check(value.rpartition("?")[0], REGEX))),
        "ignored_segments": map_of(str, keys=regex(segment_pattern("{}").pattern)),
        "page_check": PAGE_CHECK,
        "paging": map_of(PAGING),
        "site_links": SITE_LINKS,
        "evidence": EVIDENCE,
        "learned_at": str,
        "is_whole": bool,
        "is_json": bool,
    },
)
