"""What reads a field on a page that shows JSON → the selectors that a person could write into the site file instead.

In: a learned rule and a page. Out: JMESPath that reads the same there, or nothing where none can be told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from lxml import etree

from gwc_crawler.extract.best import BestRule
from gwc_crawler.extract.finder import select
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.extract.records_rule import RecordsRule
from gwc_crawler.extract.selected import SelectedRule, Way
from gwc_crawler.items import Family, ValueShape

Steps: TypeAlias = Sequence[str | int]
"""From a document down: keys, and places in lists."""

_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def as_selected(rule: object, page: PageView) -> SelectedRule | None:
    """Return JMESPath that reads on a page of JSON what a learned rule does; None where none can."""
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
    """Where what a rule reads stands in the JSON; () where it reads nothing."""
    found = next((one for one in rule.finders if one.first(page, scope) is not None), None)
    nodes = select(found.path, page, scope) if found and found.family is not Family.STRUCTURED else ()
    return _steps(nodes[0]) if nodes else ()


def _steps(node: Any) -> Steps:
    """The keys that became classes of elements, and the places of their items: what `page.json_page` did, undone."""
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
