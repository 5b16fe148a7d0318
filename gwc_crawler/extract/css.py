"""Write a locator's path as the paper's CSS path, if CSS can express it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import Family

STEP = re.compile(r"(/{1,2})(\*|[a-z0-9]+)((?:\[[^\]]*\])*)")
CLASS_TEST = re.compile(r'\[contains\(concat\(" ",@class," "\)," ([^" ]+) "\)\]')
EQUAL_TEST = re.compile(r"""\[@([\w-]+)=("[^"]*"|'[^']*')\]""")
TEXT_STEP = re.compile(r"/text\(\)\[normalize-space\(\)\](\[1\])?$")
PLACE_TEST = re.compile(r"\[(\d+)\]")


def css_of(locator: Locator) -> str | None:
    """Return the CSS path equivalent to the locator's XPath; None where labels, cuts or the like are needed."""
    is_cut = locator.cut != NO_AFFIXES or locator.split or locator.drop or locator.without
    if locator.family is Family.STRUCTURED or is_cut:
        return None
    if locator.read not in ("text", "apart") and (locator.read[0] != "@" or ":" in locator.read):
        return None
    return css_of_path(TEXT_STEP.sub("", locator.path))


def joined_css(rows: Locator, locator: Locator) -> str | None:
    """Return the CSS path of a sub-field in all rows; None where CSS can't say it."""
    inner = css_of(replace(locator, path=locator.path.removeprefix(".") or "/"))
    outer = css_of(rows)
    if outer is None or (inner is None and locator.path != "."):
        return None
    joint = " > " if locator.path.startswith("./") and not locator.path.startswith(".//") else " "
    return f"{outer}{joint}{inner}" if inner else outer


def css_of_path(path: str) -> str | None:
    """Return the CSS form of one of our XPaths, None if it has none."""
    steps: list[str] = []
    end = 0
    for step in STEP.finditer(path):
        if step.start() != end or (css := _tests(step[3])) is None:
            return None
        end = step.end()
        joint = "" if not steps else " " if step[1] == "//" else " > "
        steps.append(f"{joint}{step[2]}{css}")
    return "".join(steps) if end == len(path) and steps else None


def _tests(tests: str) -> str | None:
    css = CLASS_TEST.sub(_class_css, tests)
    css = EQUAL_TEST.sub(lambda hit: f"[{hit[1]}={hit[2]}]", css)
    css = PLACE_TEST.sub(lambda hit: f":nth-of-type({hit[1]})", css).replace("[last()]", ":last-of-type")
    return None if "(" in css.replace("nth-of-type(", "") and not css.count("nth-of-type(") else css


def _class_css(hit: re.Match[str]) -> str:
    return f".{hit[1]}" if re.fullmatch(r"[A-Za-z_][\w-]*", hit[1]) else f'[class~="{hit[1]}"]'


# --- The paper's addresses --------------------------------------------------------------------------------------------

NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def path_to(node: Any, *, without: str = "", shared: Any = None) -> str:
    """Walk from *node* to the root; each step is the name, told apart by an attribute, else by its position.

    Args:
        without: an attribute value that must not serve to tell nodes apart (the sample's own value).
        shared: the ancestor-or-self at which values repeat: there every sibling of its name counts.
    """
    steps: list[str] = []
    while node is not None:
        name = step_name(node)
        steps.append(name if node is shared else name + _distinction(node, without))
        node = node.getparent()
    return " > ".join(reversed(steps))


def step_name(node: Any) -> str:
    """Return the element's name as CSS can say it."""
    return node.tag if NAME.fullmatch(node.tag) else "*"


def _distinction(node: Any, without: str) -> str:
    parent = node.getparent()
    if parent is None:
        return ""
    same = [child for child in child_elements(parent) if child.tag == node.tag]
    if len(same) == 1 and step_name(node) != "*":
        return ""
    for name in sorted(node.attrib, key=lambda name: ({"id": 0, "class": 1}.get(name, 2), name)):
        value = node.get(name)
        if value and value != without and NAME.fullmatch(name) and sum(one.get(name) == value for one in same) == 1:
            quoted = re.sub(r'[\\"]|[\x00-\x1f]', lambda hit: f"\\{ord(hit[0]):x} ", value)
            return f'[{name}="{quoted}"]'
    if step_name(node) == "*":
        return f":nth-child({list(child_elements(parent)).index(node) + 1})"
    return f":nth-of-type({same.index(node) + 1})"


def repeating_level(one: Any, other: Any) -> Any:
    """Go up from two leaves until they are siblings; give the first one's ancestor at that level."""
    above = [other, *other.iterancestors()]
    for node in (one, *one.iterancestors()):
        parent = node.getparent()
        if parent is not None and any(candidate.getparent() is parent for candidate in above):
            return node
    return None
