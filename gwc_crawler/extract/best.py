"""The rules of the best mode: a field is read by its finder, or by the next of a few that rely on something else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.css import css_of
from gwc_crawler.extract.fields import is_empty
from gwc_crawler.extract.finder import Finder
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Extracted, Family, ValueShape

TEXT = ValueShape.TEXT  # a member looked up for each value would be dear


@dataclass(frozen=True, slots=True)
class BestRule:
    """How one text or list is read: the first finder that gives something."""

    shape: ValueShape
    finders: tuple[Finder, ...]

    def read(self, page: PageView) -> Extracted:
        """The field's value on *page*; None (lists: []) where no finder gives anything."""
        return self.read_in(page, None)

    def read_in(self, page: PageView, scope: Any) -> str | list[str] | None:
        """As `read`, within a record."""
        if self.shape is TEXT:
            for finder in self.finders:
                if (value := finder.first(page, scope)) is not None:
                    return value
            return None
        for finder in self.finders:
            if values := finder.every(page, scope):
                return values
        return []

    def count(self, page: PageView) -> int:
        """How many different values the first of a text's ways finds on a page; of a list 1 for any."""
        found = not is_empty(self.read(page))
        if not found or self.shape is not TEXT or self.finders[0].family is Family.STRUCTURED:
            return int(found)
        return max(1, len(set(self.finders[0].every(page))))

    def source(self, page: PageView) -> str:
        """Which finder gives the page's value, of how many, and its path."""
        for number, finder in enumerate(self.finders, start=1):
            found = finder.first(page) is not None if self.shape is ValueShape.TEXT else bool(finder.every(page))
            if found:
                return f"{finder.family} {finder.path} (rule {number} of {len(self.finders)})"
        return ""

    def closest(self, page: PageView) -> str:
        """What the first finder's path still selects without its cut, else the longest living beginning of the path."""
        finder = self.finders[0]
        if texts := finder.texts(page):
            return texts[0][:200]
        steps = finder.path.split("/")
        for count in range(len(steps) - 1, 2, -1):
            path = "/".join(steps[:count])
            if _selects(path, page):
                return path
        return ""

    def as_html(self) -> BestRule:
        """The same rule, giving HTML where it reads whole elements."""
        return replace(self, finders=tuple(_as_html(finder) for finder in self.finders))

    def paper_form(self, name: str) -> dict[str, str]:
        """`{"label#text": "css path"}` for the first finder that can be said so."""
        for finder in self.finders:
            if (css := css_of(finder)) is not None:
                what = finder.read[1:] if finder.read[0] == "@" else "text"
                return {f"{name}#{what}": css}
        return {}

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file."""
        return {"kind": "best", "shape": self.shape, "finders": [finder.to_json() for finder in self.finders]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BestRule:
        """The rule that `to_json` wrote."""
        return cls(ValueShape(data["shape"]), tuple(Finder.from_json(one) for one in data["finders"]))


def _as_html(finder: Finder) -> Finder:
    read = {"text": "html", "apart": "html", "all": "all html", "run": "run html"}.get(finder.read)
    return finder if read is None or finder.cut != NO_AFFIXES or finder.split else replace(finder, read=read)


def _selects(path: str, page: PageView) -> bool:
    try:
        return bool(Finder(Family.PATH, path).texts(page))
    except ValueError:
        return False
