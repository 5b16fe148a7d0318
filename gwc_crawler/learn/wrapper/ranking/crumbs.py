"""The step of a path of links that is meant where the paths of other pages are longer or shorter.

"Home › Hardware › *Keyboards* › this page" and "Home › *Jobs* › this page": what stands nearest to the page's own name
is what the page is filed under, and not the second step, nor what stands behind "Hardware".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.extract import NO_AFFIXES, Finder, PageView, select
from gwc_crawler.items import Family
from gwc_crawler.learn.places import form_step
from gwc_crawler.learn.texts import ExampleContext

_LEVELS_UP, _LEAST_LINKS, _LONGEST = 4, 2, 12
_CALLED = re.compile(r"crumb|面包屑", re.IGNORECASE)
_SAME_TIMES = 6
"""A link that says the same on so many pages, and nothing else stands there, is a button: "Edit"."""
_FILED = frozenset({"board", "category", "channel", "forum", "section"})
_FILED_SIGNS = ("分类", "分類", "类别", "類別", "栏目", "欄目", "版块", "板块", "频道", "頻道")
"""Words and signs in the names of fields that say what a page is filed under."""
_ATTRIBUTES = ("class", "id", "aria-label", "itemtype")


def nearest_to_the_page(
    name: str, chosen: Sequence[Finder], contexts: Sequence[ExampleContext], pages: Sequence[PageView]
) -> list[Finder]:
    """The finders; first one that counts the links of a path from its end, where the best one reads such a link.

    On the samples it reads the same, and wherever the best one speaks it speaks as well: of a field that is called so
    what is nearest is what is meant, of others only where the best one is silent on some pages. A version, or a
    department, is the second step on all.

    Args:
        name: of the field.
        chosen: best first.
        contexts: the samples.
        pages: further pages.
    """
    best = chosen[0]
    if best.family is Family.STRUCTURED or best.cut != NO_AFFIXES or best.read not in ("text", "apart"):
        return list(chosen)
    found = {_place(best, one.at.page) for one in contexts if not one.empty}
    place = found.pop() if len(found) == 1 else None
    if place is None:
        return list(chosen)
    path, behind = place
    last = replace(best, path=f"({path}//a)[last(){f'-{behind}' if behind else ''}]")
    same = all(last.first(one.at.page) == best.first(one.at.page) for one in contexts)
    spoken = all(last.first(page) is not None for page in pages if best.first(page) is not None)
    pairs = [(best.first(page), last.first(page)) for page in pages]
    new = [theirs for mine, theirs in pairs if theirs != mine]
    is_nearest = (_is_filed(name) or None in dict(pairs)) and len(new) < _SAME_TIMES * len(set(new))
    return [last, *chosen] if same and spoken and is_nearest else list(chosen)


def _is_filed(name: str) -> bool:
    folded = name.casefold()
    return not _FILED.isdisjoint(re.findall(r"[a-z]+", folded)) or any(sign in folded for sign in _FILED_SIGNS)


def _place(finder: Finder, page: PageView) -> tuple[str, int] | None:
    """The path of links in which a finder reads one, and how many stand behind it; None where it reads none."""
    node: Any = next(iter(select(finder.path, page, None, first=True)), None)
    if node is None or isinstance(node, str):
        return None
    for level, box in enumerate((node, *node.iterancestors())):
        links = list(box.iter("a"))
        if level > _LEVELS_UP or len(links) > _LONGEST:
            return None
        own = [n for n, link in enumerate(links) if link is node or link in node.iter("a") or node in link.iter()]
        if (
            len(links) >= _LEAST_LINKS
            and len(own) == 1
            and (_is_called(box) or (_is_path(box) and _leads_home(links[0], page)))
        ):
            step = form_step(box)
            return (f"//{step}", len(links) - 1 - own[0]) if step is not None and own[0] else None
    return None


def _is_called(box: Any) -> bool:
    return any(_CALLED.search(box.get(name) or "") for name in _ATTRIBUTES)


def _is_path(box: Any) -> bool:
    """Whether an element is a list, or has hardly a sign between its links."""
    if box.tag in ("nav", "ol", "ul"):
        return True
    linked = sum(sum(map(str.isalnum, "".join(link.itertext()))) for link in box.iter("a"))
    last = next(iter(reversed(list(box))), None)
    is_link = last is None or next(last.iter("a"), None) is not None
    behind = "" if last is None or is_link else "".join(last.itertext())  # the page's own name
    said = sum(map(str.isalnum, "".join(box.itertext()))) - sum(map(str.isalnum, behind))
    return said <= linked


def _leads_home(link: Any, page: PageView) -> bool:
    """Whether a link leads to the site's first page."""
    try:
        there = urlsplit(page.absolute(link.get("href") or "#"))
    except ValueError:  # what stands there is no address
        return False
    return there.path.removesuffix("index.html").strip("/") == "" and not there.query and bool(link.get("href"))
