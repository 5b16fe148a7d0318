"""A finder's path as the paper's CSS path, where CSS can say it."""

from __future__ import annotations

import re
from dataclasses import replace

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.finder import Finder
from gwc_crawler.items import Family

STEP = re.compile(r"(/{1,2})(\*|[a-z0-9]+)((?:\[[^\]]*\])*)")
CLASS_TEST = re.compile(r'\[contains\(concat\(" ",@class," "\)," ([^" ]+) "\)\]')
EQUAL_TEST = re.compile(r"""\[@([\w-]+)=("[^"]*"|'[^']*')\]""")
TEXT_STEP = re.compile(r"/text\(\)\[normalize-space\(\)\](\[1\])?$")
PLACE_TEST = re.compile(r"\[(\d+)\]")


def css_of(finder: Finder) -> str | None:
    """The CSS path that selects what the finder's XPath does; None where labels, cuts or the like are needed."""
    if finder.family is Family.STRUCTURED or finder.cut != NO_AFFIXES or finder.split or finder.drop or finder.without:
        return None
    if finder.read not in ("text", "apart") and (finder.read[0] != "@" or ":" in finder.read):
        return None
    return css_of_path(TEXT_STEP.sub("", finder.path))


def joined_css(rows: Finder, finder: Finder) -> str | None:
    """The CSS path of a sub-field in all rows; None where CSS can't say it."""
    inner = css_of(replace(finder, path=finder.path.removeprefix(".") or "/"))
    outer = css_of(rows)
    if outer is None or (inner is None and finder.path != "."):
        return None
    joint = " > " if finder.path.startswith("./") and not finder.path.startswith(".//") else " "
    return f"{outer}{joint}{inner}" if inner else outer


def css_of_path(path: str) -> str | None:
    """The CSS form of an XPath of ours, None where it has none."""
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
