"""A locator: one way to read one value, as an XPath, a way of reading the selected nodes, and a cut.

A scope is a page's root, a record's element, or a `Run` of siblings that together make a record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from lxml import etree

from gwc_crawler.extract.affixes import NO_AFFIXES, Affixes
from gwc_crawler.extract.fields import address_in, holds_address, split_outside, without_copies
from gwc_crawler.extract.nodes import html_of, lines_of, run_of, running_text, text_after, text_of, texts_after
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Family, ValueShape
from gwc_crawler.page.text import fold
from gwc_crawler.page.walks import walk

STRUCTURED = Family.STRUCTURED  # a member looked up for each value would be dear
EACH_AFTER = "each after:"
RUN = "run"
RUNNING = "running"
COUNT = "count"

WHOLE_READS = ("all", COUNT)  # ways of reading that take everything selected as one

NO_VALUES = frozenset(("-", "--", "–", "—", "——", "‒", "―", "－", "(none)", "(None)", "N/A", "n/a", "（无）", "暂无"))
"""Texts that stand in place of a value, or of an empty list."""

UNDER = "/self::node()[not(preceding::"
"""The beginning of the test, at a path's end, for the heading above rows or a value."""

BEFORE = "./preceding::"  # the beginning of a path that leads out of a record, to nodes before it

BESIDES = re.compile(
    r"meta:|link:"
    r"|\w+:(?:BreadcrumbList|ImageObject|ListItem|Organization|Person|SearchAction|SiteNavigationElement|Thing|VideoObject"
    r"|WebPage|WebSite|WP[A-Z]\w*)\b"
    r"|.*/(?:image|logo|publisher|isPartOf|potentialAction|video)\b"
)
"""Addresses of structured data that is not of the thing a page is about: its head, its surroundings, its pictures."""


def structured_cost(address: str) -> float:
    """Return the cost of an address of structured data, by what may break: low if it is about the page's main thing."""
    base, step = (1.3, 0.2) if BESIDES.match(address) else (0.8, 0.1)
    return base + step * address.count("/") + 0.3 * ("*" in address)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A record made of siblings: its `head` and the siblings up to the next record's head."""

    head: Any
    members: frozenset[Any]

    def holds(self, node: Any) -> bool:
        """Say whether a selected node (or text) lies inside the run."""
        if isinstance(node, str):
            node = node.getparent()  # type: ignore[attr-defined]  # lxml's text results know their element
        while node is not None and node.getparent() is not self.head.getparent():
            node = node.getparent()
        return node in self.members


@dataclass(frozen=True, slots=True)
class Locator:
    """One way to read one value.

    Attributes:
        read: "text" (as it stands), "apart" (blocks set apart by blanks), "@name" (the result of `address_in` for an
            attribute), "after:a,b" (the siblings' text up to an element a or b; "like": up to the next heading of its
            kind; "a.x": up to an a of class x), "each after:a,b" (the same one by one), "all" (the texts of all nodes,
            joined by blanks), "running" (a text with the links and other elements in its line), "run" (the selected
            node and the like ones that follow it at once), "count" (the number of nodes), "lines" (each line of the
            text is a value of its own), "html", "all html" and "run html" (the inner HTML).
    """

    family: Family  # the feature that the path relies on; fallbacks are taken from different families
    path: str  # an XPath relative to the scope; for the family "structured" a key of the page's structured data
    read: str = "text"
    drop: tuple[str, ...] = ()  # elements left out of the text, as "name" or "name.class"
    cut: Affixes = NO_AFFIXES  # the literals around the value
    split: str = ""  # the separator of a list's values inside one text, not counted within brackets; "" for none
    cost: float = 1.0  # grows with the parts that may break; lower is better
    without: tuple[str, ...] = ()  # texts among a list's items that are no items

    def first(self, page: PageView, scope: Any = None) -> str | None:
        """Return the value in *scope* (None: the page) from the first selected node; None if there is none."""
        for text in self.texts(page, scope, limit=1):
            return self.cut.apply(text) or None
        return None

    def value(self, shape: ValueShape, page: PageView, scope: Any = None) -> str | list[str] | None:
        """Return `first` for a text, `every` for a list."""
        return self.first(page, scope) if shape is ValueShape.TEXT else self.every(page, scope)

    def every(self, page: PageView, scope: Any = None) -> list[str]:
        """Return all values in *scope*, in document order, without blank ones; [] if only a dash is in their place."""
        texts: Iterable[str] = self.texts(page, scope)
        if self.split:
            values = [part for text in texts for part in self._split(text) if part]
        else:
            values = [value for text in texts if text not in self.without and (value := self.cut.apply(text))]
        return [] if len(values) == 1 and values[0] in NO_VALUES else values

    def _split(self, text: str) -> list[str]:
        inner = self.cut.apply(text)
        return [fold(part) for part in split_outside(inner, self.split)] if inner else []

    def texts(self, page: PageView, scope: Any = None, limit: int = 0) -> list[str]:
        """Return the texts the path selects, before the cut; at most *limit* (0: all)."""
        if self.family is STRUCTURED:
            return [fold(text) for text in page.structured.get(self.path)]
        first = limit == 1 and not self.read.startswith(WHOLE_READS)
        nodes = select(self.path, page, scope, first=first)
        if self.read[0] == "@" and not (first and nodes) and (alike := also_in_pictures(self.path)):
            nodes = select(alike, page, scope, first=first)
        return read_nodes(nodes, self.read, self.drop, page)

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the wrapper file; defaults are left out."""
        read = self.read if self.read != "text" else ""
        more = {"read": read, "drop": list(self.drop), "cut": self.cut.to_json(), "split": self.split}
        more["without"] = list(self.without)
        return {"family": self.family, "path": self.path, **{key: value for key, value in more.items() if value}}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Locator:
        """Return the locator that `to_json` wrote."""
        if data["family"] != Family.STRUCTURED:
            compiled(data["path"])
        return cls(
            Family(data["family"]),
            data["path"],
            data.get("read", "text"),
            tuple(data.get("drop", ())),
            Affixes.from_json(data.get("cut", {})),
            data.get("split", ""),
            without=tuple(data.get("without", ())),
        )


@lru_cache(maxsize=50_000)
def compiled(path: str) -> etree.XPath:
    """Return the compiled XPath. Raises ValueError: the path, edited by hand, is no XPath."""
    straight = path
    if not COUNTED_BELOW.search(path):  # "/descendant::x" is walked once; paths that count mean something else
        straight = QUOTED_OR_BELOW.sub(lambda hit: "/descendant::" if hit[0] == "//" else hit[0], path)
    try:
        return etree.XPath(straight)
    except etree.XPathSyntaxError as error:
        raise ValueError(f"{path!r} is no XPath: {error}") from error


QUOTED_OR_BELOW = re.compile(r'"[^"]*"|\'[^\']*\'|//')
COUNTED_BELOW = re.compile(r"//[^/()\[\]]+(?:\[[^\]]*\])*\[(?:\d+|last\(\))\]|//[@.(]|//[\w-]+::")

_PICTURE_STEP = re.compile(r"(.*?[^/])(?:/picture)?/img(\[\d+\])?")


@lru_cache(maxsize=50_000)
def also_in_pictures(path: str) -> str:
    """Return a picture's path that also selects `<picture>` and `<amp-img>`; "" if the path is no picture's.

    >>> also_in_pictures("//li/img"), also_in_pictures("//img"), also_in_pictures("//li/a")
    ('//li/*[self::img or self::amp-img or self::picture]', '', '')
    """
    step = _PICTURE_STEP.fullmatch(path)
    return f"{step[1]}/*[self::img or self::amp-img or self::picture]{step[2] or ''}" if step else ""


def select(path: str, page: PageView, scope: Any = None, *, first: bool = False) -> Sequence[Any]:
    """Return the nodes and texts that *path* selects in *scope*, in document order; at most the *first* of them."""
    if scope is not None or page.selected is None:
        return _select(path, page, scope, first)
    key = path, first
    if key not in page.selected:
        every = page.selected.get((path, False))
        page.selected[key] = _select(path, page, None, first) if every is None else every[:1]
    return page.selected[key]


def _select(path: str, page: PageView, scope: Any, first: bool) -> Sequence[Any]:
    if scope is None:
        base, tag, word = section_of(path)
        within = _in_section(select(base, page), tag, word, page, first) if base else None
        return _select_on_page(path, page, first) if within is None else within
    if not isinstance(scope, Run):
        return _evaluated(path, scope, first)
    if path.startswith(BEFORE):
        return _evaluated(path, scope.head, first)
    inside = (node for node in _evaluated(path, scope.head, first=False) if scope.holds(node))
    return list(islice(inside, 1 if first else None))


_SECTION = re.compile(rf'(.+?){re.escape(UNDER)}(h[1-6])\[1\]\[not\(contains\(normalize-space\(\),"([^"]*)"\)\)\]\)\]')


@lru_cache(maxsize=50_000)
def section_of(path: str) -> tuple[str, str, str]:
    """Split a path at its final test for a heading: the path of the nodes, the heading's tag, and a word of it.

    >>> section_of('//li/self::node()[not(preceding::h2[1][not(contains(normalize-space(),"See"))])]')
    ('//li', 'h2', 'See')
    >>> section_of("//li")
    ('', '', '')
    """
    parts = _SECTION.fullmatch(path)
    return (parts[1], parts[2], parts[3]) if parts else ("", "", "")


def _in_section(nodes: Sequence[Any], tag: str, word: str, page: PageView, first: bool) -> list[Any] | None:
    """Return the elements with no heading of a level before them, or with the word in the last one; None for texts.
    Cost: one walk over the elements of these tags; libxml2 goes back from each element over all others.
    """
    if not all(map(etree.iselement, nodes)):
        return None
    wanted, found, headings, says = set(nodes), list[Any](), list[Any](), dict[Any, bool]()
    for element in page.tree.iter(tag, *{one.tag for one in nodes}) if nodes else ():
        if element in wanted:
            around = set(element.iterancestors(tag))
            before = next((one for one in reversed(headings) if one not in around), None)
            if before is not None and before not in says:
                says[before] = word in fold("".join(before.itertext()))
            if before is None or says[before]:
                found.append(element)
                if first:
                    break
        if element.tag == tag:
            headings.append(element)
    return found


def _select_on_page(path: str, page: PageView, first: bool) -> Sequence[Any]:
    """Select the path's first step, in C or remembered, and go on from there; libxml2 gets the whole path of many."""
    if (plain := plain_path(path)) is not None:
        return find(page.tree, *plain, first=first)
    begin, rest = first_step(path)
    plain = plain_path(begin) if rest else None
    if not rest or (page.selected is None and not (plain and plain[1])):
        return _evaluated(path, page.tree, first)
    nodes = select(begin, page)
    if len(nodes) > _FEW or not all(map(etree.iselement, nodes)):
        return _evaluated(path, page.tree, first)
    return _evaluated(f"$begin{rest}", page.tree, first, begin=list(nodes))


_FEW = 200
_PREDICATES = r"""(?:\[(?:[^]["']|"[^"]*+"|'[^']*+'|\[(?:[^]["']|"[^"]*+"|'[^']*+')*+\])*+\])*+"""
_FIRST_STEP = re.compile(rf"//(?:text\(\){_PREDICATES}//?)?+[a-z*][\w.:*-]*+(?:\(\))?+{_PREDICATES}(?=/)")


@lru_cache(maxsize=50_000)
def first_step(path: str) -> tuple[str, str]:
    """Split a path behind its first step, or behind the next one if the first selects texts; "" for no rest.

    >>> first_step('//h1[a/@id="x/y"]/../p')
    ('//h1[a/@id="x/y"]', '/../p')
    >>> first_step('//text()[.="in"]/ancestor::p/a'), first_step("//h1"), first_step("/html/body")
    (('//text()[.="in"]/ancestor::p', '/a'), ('//h1', ''), ('/html/body', ''))
    """
    step = _FIRST_STEP.match(path)
    return (step[0], path[step.end() :]) if step else (path, "")


def _evaluated(path: str, scope: Any, first: bool, **variables: Any) -> Sequence[Any]:
    try:
        found = compiled(f"({path})[1]" if first else path)(scope, **variables)
    except etree.XPathEvalError:
        return ()
    return found if isinstance(found, list) else ()


PLAIN_PATH = re.compile(r'//([a-z][a-z0-9]*)(?:\[contains\(concat\(" ",@class," "\)," ([^" ]+) "\)\])?')


@lru_cache(maxsize=50_000)
def plain_path(path: str) -> tuple[str, str] | None:
    """Return the tag and class ("" for any) of a path that consists of nothing else.

    >>> plain_path('//p[contains(concat(" ",@class," ")," price ")]'), plain_path("//h1"), plain_path("//ul/li")
    (('p', 'price'), ('h1', ''), None)
    """
    plain = PLAIN_PATH.fullmatch(path)
    return None if plain is None else (plain[1], plain[2] or "")


def find(tree: Any, tag: str, name: str, *, first: bool) -> Sequence[Any]:
    """Return the elements of a tag and a class ("": any), at most the *first*; lxml's `iter` looks one too far."""
    found: list[Any] | None = walk.find_elements(tree, tag, name, first) if walk else None
    if found is not None:
        return found
    if first:
        nearest: list[Any] = _first_of(tag)(tree)
        if not nearest or not name or _has_class(nearest[0], name):
            return nearest
        return next(([element] for element in tree.iter(tag) if _has_class(element, name)), [])
    return [element for element in tree.iter(tag) if not name or _has_class(element, name)]


@lru_cache(maxsize=1_000)
def _first_of(tag: str) -> etree.XPath:
    return etree.XPath(f"/descendant::{tag}[1]", regexp=False)  # to offer regular expressions takes as long as the look


def _has_class(element: Any, name: str) -> bool:
    return f" {name} " in f" {element.get('class', '')} "


def read_nodes(nodes: Sequence[Any], read: str, drop: tuple[str, ...], page: PageView) -> list[str]:
    """Return the text of each node, as *read* says."""
    if read[0] == "@":
        return [text for node in without_copies(nodes) if (text := _attribute(node, read[1:], page))]
    if read.startswith("after:"):
        stop = frozenset(read[6:].split(","))
        return [text_after(node, stop) for node in nodes if not isinstance(node, str)]
    if read.startswith(EACH_AFTER):
        stop = frozenset(read.removeprefix(EACH_AFTER).split(","))
        return [text for node in nodes if not isinstance(node, str) for text in texts_after(node, stop)]
    if read == COUNT:
        return [str(len(nodes))] if nodes else []
    if read == "lines":
        return [line for node in nodes for line in ([fold(node)] if isinstance(node, str) else lines_of(node))]
    if read == RUNNING:
        return [running_text(node) if isinstance(node, str) else text_of(node) for node in nodes]
    left_out = frozenset(drop)
    if read.startswith(RUN):
        runs = [run_of(node) for node in nodes if not isinstance(node, str)]
        if read == RUN:
            return [fold(" ".join(text_of(one, apart=True, drop=left_out) for one in run)) for run in runs]
        return ["".join(html_of(one, left_out) for one in run) for run in runs]
    if read.endswith("html"):
        markup = [html_of(node, left_out) for node in nodes]
        return ["".join(markup)] if read == "all html" and markup else markup
    apart = read != "text"
    texts = [fold(node) if isinstance(node, str) else text_of(node, apart=apart, drop=left_out) for node in nodes]
    return [fold(" ".join(texts))] if read == "all" and texts else texts


def _attribute(node: Any, name: str, page: PageView) -> str:
    said = "" if isinstance(node, str) else address_in(node, name, page)
    return page.absolute(said) if said and holds_address(name) else fold(said)
