"""Fields that a person wrote selectors for: CSS, XPath, JMESPath and regular expressions, evaluated by parsel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import unescape
from itertools import islice
from typing import Any, TypeAlias

from lxml import etree
from parsel import Selector

from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.fields import holds_address, is_blank, said_by
from gwc_crawler.extract.locator import select
from gwc_crawler.extract.nodes import html_of, text_of
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.records_rule import MOST_ROWS, RecordsRule
from gwc_crawler.extract.structured import EXACT, MAX_SCRIPT_CHARS, documents, json_in
from gwc_crawler.items import Extracted, Family, ValueShape
from gwc_crawler.knowledge.selectors import SELECTED, SELECTOR_KINDS
from gwc_crawler.page.text import fold

_ATTRIBUTE = re.compile(r"(?:::attr\(\s*[\"']?([\w:.-]+)[\"']?\s*\)|/@([\w:.-]+))\s*$")
_PSEUDO_ELEMENT = re.compile(r"::(?:text|attr\(\s*[\"']?([\w:.-]+)[\"']?\s*\))\s*$")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a value. CSS or XPath selects on the page, JMESPath in the JSON of that (else of all scripts that hold
    any), the regular expression in the texts of that (else in the page's source).
    """

    css: str = ""
    xpath: str = ""
    jmespath: str = ""
    regex: str = ""

    def select(self, page: PageView, scope: Selector | None) -> Iterable[Selector]:
        """Return the nodes that the selectors before the regular expression select on the page, or within a row."""
        at = page.selector if scope is None else scope
        if self.css or self.xpath:
            nodes = () if at.type == "json" else self._nodes(at)
            return self._in_json(_json_of(nodes)) if self.jmespath else nodes
        if not self.jmespath:
            return (at,)
        if scope is None:
            return self._in_json(page.json)
        return self._in_json(json_in(at.root) if etree.iselement(at.root) else (at.root,))

    def _nodes(self, at: Selector) -> Iterable[Selector]:
        try:
            return at.css(self.css) if self.css else at.xpath(self.xpath)
        except ValueError:  # a function of parsel's does not take what the page has there
            return ()

    def _in_json(self, found: Iterable[Any]) -> Iterator[Selector]:
        for document in found:
            try:
                yield from Selector(root=document, type="json").jmespath(self.jmespath)
            except ValueError:  # of JMESPath's own: a function got an invalid argument, such as null
                continue

    def texts(self, page: PageView, scope: Selector | None, *, as_html: bool = False) -> Iterator[str]:
        """Yield the values, in page order, white space folded, addresses absolute; blank ones left out."""
        if self.regex:
            values = self._cut(page, scope)
        else:
            read = _html_of if as_html else _text_of
            values = (fold(read(one)) for one in self.select(page, scope))
        name = _ATTRIBUTE.search(self.css or self.xpath)
        attribute = (name[1] or name[2]) if name and not self.jmespath and not self.regex else ""
        if attribute and holds_address(attribute):
            values = (page.absolute(said) for value in values if (said := said_by(attribute, value)))
        return filter(None, values)

    def _cut(self, page: PageView, scope: Selector | None) -> Iterator[str]:
        is_alone = not (self.css or self.xpath or self.jmespath)
        texts = [page.source] if is_alone and scope is None else map(_text_of, self.select(page, scope))
        for text in texts:
            for found in Selector(text=text[:MAX_SCRIPT_CHARS], type="text").re(self.regex, replace_entities=False):
                yield fold(unescape(found) if is_alone else found)

    def __str__(self) -> str:
        """Return the text for a person: css .price::text, regex ([0-9.]+)."""
        return ", ".join(f"{kind} {text}" for kind in SELECTOR_KINDS if (text := getattr(self, kind)))

    def to_json(self) -> dict[str, str]:
        """Plain values for the wrapper file."""
        return {kind: text for kind in SELECTOR_KINDS if (text := getattr(self, kind))}


def _json_of(nodes: Iterable[Selector]) -> Iterator[Any]:
    for text in map(_text_of, nodes):
        if len(text) <= MAX_SCRIPT_CHARS:
            yield from documents(text, EXACT)


def _text_of(node: Selector) -> str:
    """Return the text of a selected node, white space of texts kept; for an element the text that a reader sees."""
    value = node.root
    if etree.iselement(value):
        return value.text or "" if value.tag == "script" else text_of(value, apart=True)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return str(value).removesuffix(".0") if type(value) is float else str(value)  # XPath knows no whole numbers
    return "" if value is None else str(value)


def _html_of(node: Selector) -> str:
    return html_of(node.root) if isinstance(node.root, str) or etree.iselement(node.root) else _text_of(node)


@dataclass(frozen=True, slots=True)
class SelectedRule:
    """Reads a field by a person's selectors, the first way with a result; records by a way to rows, and parts."""

    shape: ValueShape
    ways: tuple[Way, ...]
    parts: Mapping[str, SelectedRule] = field(default_factory=dict)
    gives_html: bool = False

    def read(self, page: PageView) -> Extracted:
        """Return the field's value on *page*; None (or []) where no selector gives anything."""
        return self._of(self._first(page, None)[1])

    def _first(self, page: PageView, scope: Selector | None) -> tuple[int, list[Any]]:
        """Return the number (from 1) of the first way with a result, and the result; 0 and nothing if none has one."""
        for number, way in enumerate(self.ways, 1):
            if found := self._records(way, page) if self.parts else self._texts(way, page, scope):
                return number, found
        return 0, []

    def _texts(self, way: Way, page: PageView, scope: Selector | None) -> list[Any]:
        most = 1 if self.shape is ValueShape.TEXT else MOST_ROWS
        return list(islice(way.texts(page, scope, as_html=self.gives_html), most))

    def _records(self, way: Way, page: PageView) -> list[Any]:
        records = (self._record(page, row) for row in islice(way.select(page, None), MOST_ROWS))
        return [record for record in records if record]

    def _record(self, page: PageView, row: Selector) -> dict[str, Any]:
        values = {name: part._of(part._first(page, row)[1]) for name, part in self.parts.items()}
        return {name: value for name, value in values.items() if not is_blank(value)}

    def _of(self, found: list[Any]) -> Extracted:
        if self.shape is not ValueShape.TEXT:
            return found
        return found[0] if found else None

    def count(self, page: PageView) -> int:
        """Count the different values of the first way that finds any on a page; of a list or records 1 for any."""
        if self.shape is not ValueShape.TEXT:
            return int(bool(self.read(page)))
        several = replace(self, shape=ValueShape.LIST)
        return len(set(several._first(page, None)[1]))

    def source(self, page: PageView) -> str:
        """Return which selector gives the page's value, of how many."""
        number, _ = self._first(page, None)
        return f"by hand: {self.ways[number - 1]} (selector {number} of {len(self.ways)})" if number else ""

    @property
    def written(self) -> str:
        """The first way as a person reads it: jmespath price.amount; of records also those to their parts."""
        parts = (f"parts.{name} {part.ways[0]}" for name, part in self.parts.items())
        return "; ".join([f"rows {self.ways[0]}", *parts]) if self.parts else str(self.ways[0])

    def closest(self, page: PageView) -> str:
        """Return the text that the first selector selects without its regular expression or its parts, else ""."""
        way = self.ways[0]
        if self.parts:
            count = sum(1 for _ in way.select(page, None))
            return f"{count} rows, none of them with a part of a record" if count else ""
        bare = replace(way, regex="") if way.regex else replace(way, css=_PSEUDO_ELEMENT.sub("", way.css))
        return next(bare.texts(page, None), "")[:200]

    def as_html(self) -> SelectedRule:
        """Return the same rule, giving HTML where it selects elements."""
        return replace(self, gives_html=True)

    def part_as_html(self, part: str) -> SelectedRule:
        """Return the same rule, giving one part of the records as HTML."""
        return replace(self, parts={name: one.as_html() if name == part else one for name, one in self.parts.items()})

    def paper_form(self, name: str) -> dict[str, str]:
        """`{"label#text": "css path"}` for the first way, if it is CSS alone; of records for each such part."""
        if self.parts:
            rows = self.ways[0].to_json()
            said = [one for key, part in self.parts.items() for one in part.paper_form(f"{name}.{key}").items()]
            return {key: f"{rows['css']} {css}" for key, css in said} if rows.keys() == {"css"} else {}
        if (written := self.ways[0].to_json()).keys() != {"css"} or "," in written["css"]:
            return {}
        pseudo = _PSEUDO_ELEMENT.search(written["css"])
        what = (pseudo[1] or "text") if pseudo else "text"
        return {f"{name}#{what}": _PSEUDO_ELEMENT.sub("", written["css"])}

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file."""
        parts = {"parts": {name: part.to_json() for name, part in self.parts.items()}} if self.parts else {}
        return {"kind": SELECTED, "shape": self.shape, "ways": [way.to_json() for way in self.ways], **parts}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SelectedRule:
        """Return the rule that `to_json` wrote, or a site file says."""
        parts = {name: cls.from_json(part) for name, part in data.get("parts", {}).items()}
        return cls(ValueShape(data["shape"]), tuple(Way(**way) for way in data["ways"]), parts)


def selected_texts(way: Mapping[str, str], page: PageView) -> list[str]:
    """Return all values that one way gives on a page: kind of selector → selector."""
    return list(islice(Way(**way).texts(page, None), MOST_ROWS))


# --- What reads a field on a page that shows JSON → the selectors that a person could write instead -------------------

Steps: TypeAlias = Sequence[str | int]  # the way down from a document: keys, and places in lists

_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def as_selected(rule: object, page: PageView) -> SelectedRule | None:
    """Return JMESPath that reads the same on a page of JSON as a learned rule; None if none can."""
    if isinstance(rule, RecordsRule):
        said = _records(rule, page)
    elif isinstance(rule, BestRule):
        said = _selected(rule, _steps_read(rule, page, None))
    else:
        return None
    return said if said is not None and rule.read(page) == said.read(page) else None


def _selected(rule: BestRule, steps: Steps) -> SelectedRule | None:
    return SelectedRule(rule.shape, (Way(jmespath=_jmespath(steps, rule.shape)),)) if steps else None


def _records(rule: RecordsRule, page: PageView) -> SelectedRule | None:
    way = next((one for one in rule.ways if one.read(page)), rule.ways[0])
    rows = [row for row, _ in way.rows_with_records(page) if etree.iselement(row)]
    parts = {}
    for name, one in way.fields.items():
        inside = ((_steps(row), _steps_read(one, page, row)) for row in rows)
        steps = next((steps[len(above) :] for above, steps in inside if steps), ())
        if (part := _selected(one, steps)) is not None:
            parts[name] = part
    if not parts:
        return None
    return SelectedRule(ValueShape.RECORDS, (Way(jmespath=_jmespath(_steps(rows[0]), ValueShape.LIST)),), parts)


def _steps_read(rule: BestRule, page: PageView, scope: Any) -> Steps:
    """Return the place in the JSON of the value that a rule reads; () if it reads nothing."""
    found = next((one for one in rule.locators if one.first(page, scope) is not None), None)
    nodes = select(found.path, page, scope) if found and found.family is not Family.STRUCTURED else ()
    return _steps(nodes[0]) if nodes else ()


def _steps(node: Any) -> Steps:
    """Return the keys that became classes of elements, and the places of items: the reverse of `page.json_page`."""
    element, found = node if etree.iselement(node) else node.getparent(), list[str | int]()
    for one in (element, *element.iterancestors()):
        if one.tag == "body":
            return found[::-1]
        found.append(one.get("class") or sum(1 for _ in one.itersiblings(preceding=True)))
    return ()


def _jmespath(steps: Steps, shape: ValueShape) -> str:
    """Say the steps; of a list all items are meant, of a text the one that it stands in."""
    said = ""
    for step in steps:
        if isinstance(step, int):
            said += f"[{step}]" if shape is ValueShape.TEXT else "[]"
        else:
            said += f"{'.' * bool(said)}{step if _KEY.fullmatch(step) else json.dumps(step, ensure_ascii=False)}"
    return said
