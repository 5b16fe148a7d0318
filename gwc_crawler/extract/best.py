"""The rules of the best mode: a field is read by its locator, or by the next of a few that use other features."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from gwc_crawler.extract.affixes import NO_AFFIXES
from gwc_crawler.extract.css import css_of
from gwc_crawler.extract.fields import is_blank
from gwc_crawler.extract.locator import Locator
from gwc_crawler.extract.page_view import PageView
from gwc_crawler.items import Extracted, Family, ValueShape

TEXT = ValueShape.TEXT  # a member looked up for each value would be dear


@dataclass(frozen=True, slots=True)
class BestRule:
    """How one text or list is read: the first locator that gives something."""

    shape: ValueShape
    locators: tuple[Locator, ...]

    def read(self, page: PageView) -> Extracted:
        """Return the field's value on *page*; None (lists: []) where no locator gives anything."""
        return self.read_in(page, None)

    def read_in(self, page: PageView, scope: Any) -> str | list[str] | None:
        """Read the value as `read` does, within a record."""
        if self.shape is TEXT:
            for locator in self.locators:
                if (value := locator.first(page, scope)) is not None:
                    return value
            return None
        for locator in self.locators:
            if values := locator.every(page, scope):
                return values
        return []

    def count(self, page: PageView) -> int:
        """Return how many different values the first of a text's ways finds on a page; of a list 1 for any."""
        found = not is_blank(self.read(page))
        if not found or self.shape is not TEXT or self.locators[0].family is Family.STRUCTURED:
            return int(found)
        return max(1, len(set(self.locators[0].every(page))))

    def source(self, page: PageView) -> str:
        """Return which locator gives the page's value, of how many, and its path."""
        for number, locator in enumerate(self.locators, start=1):
            if not is_blank(locator.value(self.shape, page)):
                return f"{locator.family} {locator.path} (rule {number} of {len(self.locators)})"
        return ""

    def closest(self, page: PageView) -> str:
        """Return the text at the first locator's path without its cut, else the path's longest beginning that fits."""
        locator = self.locators[0]
        if texts := locator.texts(page):
            return texts[0][:200]
        steps = locator.path.split("/")
        for count in range(len(steps) - 1, 2, -1):
            path = "/".join(steps[:count])
            with suppress(ValueError):
                if Locator(Family.PATH, path).texts(page):
                    return path
        return ""

    def as_html(self) -> BestRule:
        """Return the same rule, giving HTML where it reads whole elements."""
        return replace(self, locators=tuple(_as_html(locator) for locator in self.locators))

    def paper_form(self, name: str) -> dict[str, str]:
        """`{"label#text": "css path"}` for the first locator that can be said so."""
        for locator in self.locators:
            if (css := css_of(locator)) is not None:
                what = locator.read[1:] if locator.read[0] == "@" else "text"
                return {f"{name}#{what}": css}
        return {}

    def to_json(self) -> dict[str, Any]:
        """Plain values for the wrapper file."""
        return {"kind": "best", "shape": self.shape, "finders": [locator.to_json() for locator in self.locators]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BestRule:
        """Return the rule that `to_json` wrote."""
        return cls(ValueShape(data["shape"]), tuple(Locator.from_json(one) for one in data["finders"]))


def _as_html(locator: Locator) -> Locator:
    read = {"text": "html", "apart": "html", "all": "all html", "run": "run html"}.get(locator.read)
    return locator if read is None or locator.cut != NO_AFFIXES or locator.split else replace(locator, read=read)
