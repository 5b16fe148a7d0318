"""A page as extraction sees it: the shared tree, its URL, and results that are computed once for all fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit

from lxml import etree

from gwc_crawler.extract.fields import address_in, addresses_in, shown_meanwhile
from gwc_crawler.extract.structured import MAX_SCRIPT_CHARS, StructuredData, json_in
from gwc_crawler.page.parse import parse_html

if TYPE_CHECKING:
    from parsel import Selector

SPANNED = "rowspan"  # the attribute of a cell that spans rows
COLUMNS = "columns"  # in place of a separator: the parts are a table's columns, each of them a record
MOST_SPANNED = 1_000
PART = "part"  # the element that a parted view puts around the nodes between two separators


class PageView:
    """One parsed page. `selected`: the nodes that paths selected; None: nothing is remembered (learning does)."""

    def __init__(self, tree: Any, url: str = "") -> None:
        self.tree = tree
        self.url = url
        self.selected: dict[Any, Sequence[Any]] | None = None
        self._parted: dict[tuple[str, ...], Self] = {}
        self._addresses: dict[Any, tuple[tuple[str, str], ...]] = {}

    @classmethod
    def parse(cls, body: bytes | str, url: str = "") -> Self:
        """Parse *body*; anything gives a view, at worst of an empty page."""
        return cls(parse_html(body), url)

    @cached_property
    def base_url(self) -> str:
        """The address that relative addresses are joined to."""
        return base_url_of(self.tree, self.url)

    def absolute(self, address: str) -> str:
        """Return the absolute form of an address that stands on the page."""
        return make_absolute(self.base_url, address)

    def addresses(self, node: Any) -> tuple[tuple[str, str], ...]:
        """Return an element's addresses, absolute, each with its attribute (see `addresses_in`); remembered."""
        if node not in self._addresses:
            self._addresses[node] = tuple((name, self.absolute(said)) for name, said in addresses_in(node, self))
        return self._addresses[node]

    @cached_property
    def meanwhile(self) -> frozenset[str]:
        """The addresses in the `src` of the page's pictures before scripts put the real ones there."""
        return shown_meanwhile(self.tree)

    def picture(self, node: Any) -> str:
        """Return the absolute address of the picture that an element shows; "" for none."""
        said = address_in(node, "src", self)
        return self.absolute(said) if said else ""

    @cached_property
    def structured(self) -> StructuredData:
        """JSON-LD, microdata, RDFa and meta tags of the page, read when asked for."""
        return StructuredData(self.tree)

    @cached_property
    def selector(self) -> Selector:
        """Parsel's Selector of the page, around the tree that is there anyway."""
        from parsel import Selector  # where a person selects, or the paper's mode reads

        return Selector(root=self.tree)

    @property
    def is_data(self) -> bool:
        """Whether it is the page that shows a JSON document: nothing else has the data of an app alone in its head."""
        head = [] if (found := self.tree.find("head")) is None else [one.tag for one in found]
        return head == ["title", "script"] and self.tree.find("head/script").get("type") == "application/json"

    @cached_property
    def json(self) -> list[Any]:
        """The JSON documents in the page's scripts."""
        return list(json_in(self.tree))

    @cached_property
    def source(self) -> str:
        """The page as HTML; no more of it than is read of a script."""
        return str(etree.tostring(self.tree, encoding="unicode", method="html")[:MAX_SCRIPT_CHARS])

    def parted(self, how: tuple[str, ...]) -> Self:
        """Return the page with elements of its own around what separators set apart; the page itself where *how* is ().

        Args:
            how: the elements that are parted, as "name" or "name.class", then the separators in a row: ("td", "hr"),
                ("div.entry", "br", "br"); or "rowspan": cells are repeated in the rows they span; or "columns".
        """
        if not how:
            return self
        if how not in self._parted:
            view = type(self)(parted(self.tree, how), self.url)
            view._parted[how] = view
            self._parted[how] = view
        return self._parted[how]


def parted(tree: Any, how: tuple[str, ...]) -> Any:
    """Copy *tree*, with the parts of the elements that *how* names in elements `PART`; see `parted`."""
    container, *separators = how
    name, _, token = container.partition(".")
    copied = deepcopy(tree)
    for element in list(copied.iter(name)):
        if not token or token in (element.get("class") or "").split():
            if separators == [SPANNED]:
                _repeat_cells(element)
            elif separators == [COLUMNS]:
                _by_columns(element)
            else:
                _part(element, separators)
    return copied


def _by_columns(table: Any) -> None:
    """Put the cells of each column into an element of their own; other tables stay as they are."""
    if columns := columns_of(table):
        parts = []
        for cells in columns:
            parts.append(_new_part(None))
            parts[-1].extend(cells)
        table[:] = parts


def _repeat_cells(table: Any) -> None:
    """Put a cell that spans rows into each of them."""
    rows = [row for row in table.iter("tr") if next(row.iterancestors("table"), None) is table]
    for number, row in enumerate(rows):
        for cell in list(row):
            span = (cell.get(SPANNED) or "").strip() if isinstance(cell.tag, str) else ""
            if not span.isdigit() or int(span) < 2:
                continue
            del cell.attrib[SPANNED]
            place = row.index(cell)
            for below in rows[number + 1 : number + min(int(span), MOST_SPANNED)]:
                repeated = deepcopy(cell)
                repeated.tail = None
                below.insert(place, repeated)


def columns_of(table: Any) -> list[tuple[Any, ...]]:
    """Return the cells of each column of a table whose rows have equally many, at least two; [] for other tables."""
    rows = [list(row.iterchildren("td", "th")) for row in table.iter("tr")]
    is_grid = len(rows) > 1 and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1
    return list(zip(*rows, strict=True)) if is_grid and table.find(".//table") is None else []


def _part(element: Any, separators: list[str]) -> None:
    children = list(element)
    part = _new_part(element.text)
    parts = [part]
    element.text = None
    place = 0
    while place < len(children):
        if separates(children, place, separators):
            place += len(separators)
            part = _new_part(children[place - 1].tail)
            parts.append(part)
        else:
            part.append(children[place])
            place += 1
    for child in list(element):
        element.remove(child)
    element.extend(one for one in parts if len(one) or (one.text or "").strip())


def separates(children: list[Any], place: int, separators: list[str]) -> bool:
    """Say whether the *separators* stand at a place among an element's children, with only blanks between them."""
    here = children[place : place + len(separators)]
    return [one.tag for one in here] == separators and not any((one.tail or "").strip() for one in here[:-1])


def _new_part(text: str | None) -> Any:
    part = etree.Element(PART)
    part.text = text
    return part


def make_absolute(base_url: str, address: str) -> str:
    """Join an address found in an attribute to the page's base; one that can't be joined is returned unchanged."""
    address = address.strip()
    try:
        if _ROOTED.fullmatch(address) and (origin := _origin_of(base_url)):
            return origin + address
        return urljoin(base_url, address)
    except ValueError:
        return address


_ROOTED = re.compile(r"(?:/[\w%~-][\w.%~-]*)+", re.ASCII)  # addresses that `urljoin` only puts the origin before


@lru_cache(maxsize=1_000)
def _origin_of(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""


def base_url_of(root: Any, url: str) -> str:
    """Return the URL that relative addresses refer to: `<base href>`, else the page's own."""
    for base in root.iter("base"):
        if href := base.get("href"):
            return make_absolute(url, href)
    return url
