"""Damage a page as a site's redesign would, and leave what should be extracted where it is: `edit_page`.

Forty random edits of the tree and a tenth of the class names and ids renamed, each page its own way. The text nodes
that hold a truth value are never touched, nor is anything put between them or into an element that holds the value
alone; whatever contains them is neither deleted nor copied. All else may go, labels too. Rows that are shuffled move
whole, and a row's cells keep their order, so that a heading still says what its column is.
"""

from __future__ import annotations

import copy
import random
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from lxml import html as lxml_html

from tests.eval.scoring import fold
from tests.eval.tasks import EvalPage, decode, parse, squeeze

EDITS = 40
RENAMED = 0.10
LARGE = 0.05
"""An element with more than this share of the page's elements is not deleted, moved or copied."""
SHORT = 4
"""A value of fewer characters is protected only where it stands alone in its text node, if it does so anywhere."""

_WORDS = ("offer", "click", "banner", "promo", "deal", "news", "shop", "more", "best", "special", "summer", "sale")
_CONTAINERS = frozenset(
    {"body", "div", "section", "article", "main", "aside", "header", "footer", "td", "form", "center"}
)
_WRAPPABLE = frozenset(
    {
        "div",
        "p",
        "span",
        "h1",
        "h2",
        "h3",
        "h4",
        "ul",
        "ol",
        "dl",
        "table",
        "section",
        "article",
        "a",
        "b",
        "strong",
        "pre",
    }
)
_INLINE = frozenset({"span", "a", "b", "strong", "i", "em", "img"})
_ROWS = frozenset({"li", "tr", "div", "article", "section"})
_STRUCTURE = frozenset({"html", "head", "body", "tbody", "thead", "tr", "td", "th", "colgroup", "col", "dt", "dd"})
"""Never deleted, moved or copied alone: a table would lose its columns, a label its description."""


def edit_page(page: EvalPage, seed: int) -> str:
    """Return the page's HTML after EDITS edits and the renaming; equal seeds give equal pages."""
    tree = parse(decode(page.html))
    body = tree.find("body")
    if body is not None:
        rng = random.Random(f"{page.url} edits {seed}")
        editor = _Editor(body, protected(body, page.truth.values()), rng)
        for _ in range(EDITS):
            editor.edit()
        _rename(body, rng, {squeeze(one) for one in _texts(page.truth.values())})
    return str(lxml_html.tostring(tree, encoding="unicode", doctype="<!DOCTYPE html>"))


class Protected:
    """What must stay.

    Attributes:
        frozen: elements that hold a value or a part of it and nothing else.
        kept: elements with something frozen in them.
        mixed: elements that nothing is put into, since a value lies among their children.
        followed: elements with a value right behind them: deleting one would join that to other text.
    """

    def __init__(self) -> None:
        self.frozen: set[Any] = set()
        self.kept: set[Any] = set()
        self.mixed: set[Any] = set()
        self.followed: set[Any] = set()

    def is_free(self, element: Any) -> bool:
        """Say whether an element may go: nothing of the truth is in it."""
        return element not in self.frozen and element not in self.kept


# ---------------------------------------------------------------------------- what is protected


def protected(body: Any, truth: Iterable[Any]) -> Protected:
    """Find every occurrence of every truth value in the texts of *body* and protect it."""
    nodes = list(_text_nodes(body))
    text, starts = _joined(nodes)
    result = Protected()
    for value in {squeeze(one) for one in _texts(truth)} - {""}:
        spans = list(_alone(nodes, value)) if len(value) < SHORT else []
        for first, last in spans or _occurrences(text, starts, value):
            _protect(nodes[first : last + 1], value, result)
    for element in [*result.frozen, *result.mixed]:
        result.kept.update(element.iterancestors())
        result.kept.add(element)
    return result


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(value.values())
    elif value is not None:
        for one in value:
            yield from _texts(one)


def _text_nodes(body: Any) -> Iterator[tuple[Any, bool, str]]:
    """Yield (element, is its tail, squeezed text) in document order."""
    for event, element in _events(body):
        text = element.text if event == "start" else element.tail
        if text and (squeezed := squeeze(text)):
            yield element, event == "end", squeezed


def _events(body: Any) -> Iterator[tuple[str, Any]]:
    for child in body.iterchildren():
        if isinstance(child.tag, str) and child.tag not in ("script", "style", "noscript"):
            yield "start", child
            yield from _events(child)
        yield "end", child


def _joined(nodes: list[tuple[Any, bool, str]]) -> tuple[str, list[int]]:
    starts, position = [], 0
    for _, _, text in nodes:
        starts.append(position)
        position += len(text)
    return "".join(text for _, _, text in nodes), starts


def _alone(nodes: list[tuple[Any, bool, str]], value: str) -> Iterator[tuple[int, int]]:
    return ((place, place) for place, (_, _, text) in enumerate(nodes) if text == value)


def _occurrences(text: str, starts: list[int], value: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last text node of each occurrence of *value* in the joined text."""
    position = text.find(value)
    while position >= 0:
        yield bisect_right(starts, position) - 1, bisect_right(starts, position + len(value) - 1) - 1
        position = text.find(value, position + 1)


def _protect(nodes: list[tuple[Any, bool, str]], value: str, result: Protected) -> None:
    holders = [element.getparent() if is_tail else element for element, is_tail, _ in nodes]
    common = _common_ancestor(holders)
    whole = _widest_holder(common, value)
    if whole is not None:
        result.frozen.update(whole.iter())
        return
    result.mixed.add(common)
    for (element, is_tail, _), holder in zip(nodes, holders, strict=True):
        result.mixed.add(holder)
        if is_tail:
            result.followed.add(element)
        while holder is not common:
            result.frozen.update(holder.iter())
            holder = holder.getparent()


def _widest_holder(element: Any, value: str) -> Any:
    """Return the outermost element from *element* up whose text is *value* and no more; None if there is none."""
    widest = None
    while element is not None and squeeze("".join(element.itertext())) == value:
        widest, element = element, element.getparent()
    return widest


def _common_ancestor(elements: list[Any]) -> Any:
    first = elements[0]
    chain = [first, *first.iterancestors()]
    for element in elements[1:]:
        others = {element, *element.iterancestors()}
        chain = [one for one in chain if one in others]
    return chain[0]


# ---------------------------------------------------------------------------- the edits


class _Editor:
    """Applies one random edit at a time; an edit that finds nothing to do does nothing."""

    def __init__(self, body: Any, kept: Protected, rng: random.Random) -> None:
        self._body, self._kept, self._rng = body, kept, rng
        self._looks = {_look(element) for element in kept.frozen}
        self._largest = max(3, LARGE * sum(1 for _ in body.iter()))

    def edit(self) -> None:
        """Do one of the seven kinds."""
        kinds: tuple[Callable[[], None], ...] = (
            self._insert,
            self._wrap,
            self._delete,
            self._shuffle,
            self._move,
            self._copy,
            self._relabel,
        )
        self._rng.choice(kinds)()

    def _insert(self) -> None:
        """Put an advertisement somewhere between blocks."""
        if (container := self._container()) is not None:
            block = lxml_html.fragment_fromstring(self._advertisement())
            container.insert(self._rng.randint(0, len(container)), block)

    def _advertisement(self) -> str:
        words = " ".join(self._rng.choices(_WORDS, k=self._rng.randint(2, 8)))
        tag = self._rng.choice(("div", "p", "section"))
        link = f'<a href="/{self._name()}">{words}</a>'
        return f'<{tag} class="{self._name()}">{link} <b>{self._rng.choice(_WORDS)}</b></{tag}>'

    def _wrap(self) -> None:
        """Put a new element around one, be it one that holds a value."""
        elements = [
            one
            for one in self._body.iterdescendants(*_WRAPPABLE)
            if one.getparent() not in self._kept.frozen and one.getparent().tag not in ("table", "ul", "ol", "dl")
        ]
        if elements:
            inner = self._rng.choice(elements)
            outer = lxml_html.Element("span" if inner.tag in _INLINE else "div", {"class": self._name()})
            outer.tail, inner.tail = inner.tail, None
            inner.getparent().replace(inner, outer)
            outer.append(inner)
            if not self._kept.is_free(inner):
                self._kept.kept.add(outer)

    def _delete(self) -> None:
        if (element := self._free()) is not None:
            self._take_out(element)

    def _move(self) -> None:
        if (element := self._free(alike=False)) is not None:
            self._take_out(element)
            if (container := self._container()) is not None:
                container.insert(self._rng.randint(0, len(container)), element)

    def _copy(self) -> None:
        """Show a banner or menu twice."""
        if (element := self._free(alike=False)) is not None and (container := self._container()) is not None:
            twin = copy.deepcopy(element)
            twin.tail = None
            container.insert(self._rng.randint(0, len(container)), twin)

    def _shuffle(self) -> None:
        """Shuffle adjacent rows of one kind."""
        runs = [run for parent in self._body.iter() if isinstance(parent.tag, str) for run in self._runs(parent)]
        if runs:
            run = self._rng.choice(runs)
            parent = run[0].getparent()
            place = parent.index(run[0])
            tails = [row.tail for row in run]
            self._rng.shuffle(run)
            for offset, (row, tail) in enumerate(zip(run, tails, strict=True)):
                row.tail = tail
                parent.insert(place + offset, row)

    def _runs(self, parent: Any) -> Iterator[list[Any]]:
        """Yield the runs of three or more adjacent rows under *parent* that may change places."""
        if parent in self._kept.frozen or parent in self._kept.mixed or _has_text(parent):
            return
        run: list[Any] = []
        for child in [*parent, None]:
            if child is not None and run and _row_kind(child) == _row_kind(run[0]):
                run.append(child)
                continue
            if len(run) >= 3:
                yield run
            run = [child] if child is not None and _row_kind(child) is not None else []

    def _relabel(self) -> None:
        """Give a short text another wording."""
        texts = [
            one
            for one in self._body.iterdescendants()
            if isinstance(one.tag, str)
            and one.tag not in ("script", "style")
            and self._kept.is_free(one)
            and 0 < len(fold(one.text or "")) < 30
        ]
        if texts:
            self._rng.choice(texts).text = " ".join(self._rng.choices(_WORDS, k=2))

    def _container(self) -> Any:
        """Return an element that blocks may be put into, or None."""
        containers = [
            one
            for one in self._body.iter(*_CONTAINERS)
            if one not in self._kept.frozen and one not in self._kept.mixed and not _has_text(one) and not _is_cell(one)
        ]
        return self._rng.choice(containers) if containers else None

    def _free(self, *, alike: bool = True) -> Any:
        """Return an element that may go, with all that is in it, or None.

        What is put elsewhere must not be *alike*: one that looks like a value could become one more of a list.
        """
        elements = [
            one
            for one in self._body.iterdescendants()
            if isinstance(one.tag, str)
            and one.tag not in _STRUCTURE
            and self._kept.is_free(one)
            and one not in self._kept.followed
            and (_is_blank(one.tail) or _is_blank(_text_before(one)))
            and (alike or not any(_look(part) in self._looks for part in one.iter()))
        ]
        self._rng.shuffle(elements)
        return next((one for one in elements if sum(1 for _ in one.iter()) <= self._largest), None)

    def _take_out(self, element: Any) -> None:
        """Remove an element and leave its tail in place."""
        tail, parent, before = element.tail, element.getparent(), element.getprevious()
        element.tail = None
        parent.remove(element)
        if tail and before is not None:
            before.tail = (before.tail or "") + tail
        elif tail:
            parent.text = (parent.text or "") + tail

    def _name(self) -> str:
        return f"{self._rng.choice(_WORDS)}-{self._rng.randint(1, 99)}"


def _row_kind(element: Any) -> tuple[str, str] | None:
    """Return tag and class of a row that may be shuffled; None for heading rows, spanning rows and all else."""
    if element.tag not in _ROWS or (element.tag == "tr" and element.xpath("th|*[@rowspan]")):
        return None
    return element.tag, element.get("class") or ""


def _look(element: Any) -> tuple[Any, str]:
    return element.tag, element.get("class") or ""


def _is_cell(element: Any) -> bool:
    """Say whether a td is a datum's, not the layout's: an empty one would get the advertisement as its datum."""
    return element.tag == "td" and element.find(".//table") is None and element.find("div") is None


def _has_text(element: Any) -> bool:
    return not _is_blank(element.text) or any(not _is_blank(child.tail) for child in element)


def _text_before(element: Any) -> str | None:
    before = element.getprevious()
    text: str | None = element.getparent().text if before is None else before.tail
    return text


def _is_blank(text: str | None) -> bool:
    return not text or not text.strip()


def _rename(body: Any, rng: random.Random, truth: Collection[str]) -> None:
    """Give a tenth of the class names and ids of the page new names, the same everywhere on it; truth texts stay."""
    for attribute in ("class", "id"):
        elements = body.xpath(f".//*[@{attribute}]")
        names = sorted({name for element in elements for name in element.get(attribute).split()})
        chosen = {name: f"r{rng.randint(100, 999)}" for name in names if rng.random() < RENAMED and name not in truth}
        for element in elements:
            element.set(attribute, " ".join(chosen.get(name, name) for name in element.get(attribute).split()))
