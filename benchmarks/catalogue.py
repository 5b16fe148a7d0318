"""A product catalogue of any size, computed page by page from a number: nothing is stored, everything is repeatable.

One home page, list pages with 30 products each, one page a product. Every page is about 40 KB long and has 50 links,
nearly all of them to pages that a crawl already knows, as on real shops.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape

PRODUCTS_A_LIST = 30
LINKS_A_PAGE = 50
PAGE_BYTES = 40_000
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
SECTIONS = 17

FIRST = ("Copper", "Silent", "Northern", "Folding", "Little", "Amber", "Double", "Old", "Wide", "Paper", "Winter")
SECOND = ("Lantern", "Kettle", "Atlas", "Compass", "Garden", "Chair", "Violin", "Ladder", "Basket", "Mirror")
BRANDS = ("Alder & Finch", "Brindle", "Corvid Works", "Dunmore", "Eastlight", "Fallow", "Greyson")
FEATURES = (
    "washable",
    "made of oak",
    "two years' warranty",
    "flat packed",
    "recycled card",
    "hand finished",
    "in blue",
)
OPINION = (
    "I was not sure at first but it came two days early and my sister says it looks like more than what we had to pay "
    "for it; the only thing to know is that the small parts are hard to find when you lose them so keep the box. We "
    "use it each day and after a long winter it still does what it should. Would I buy it again? Yes, and one for him."
)


@dataclass(frozen=True)
class Catalogue:
    """The site with *pages* pages in all; a page is known by its path."""

    pages: int

    def __post_init__(self) -> None:
        if self.pages < 100:
            raise ValueError(f"a catalogue has 100 pages at least, not {self.pages}")

    @property
    def lists(self) -> int:
        """Number of list pages: /list/1 … /list/<lists>."""
        return -(-(self.pages - 1) // (PRODUCTS_A_LIST + 1))

    @property
    def products(self) -> int:
        """Number of products: /product/1 … /product/<products>."""
        return self.pages - 1 - self.lists

    def paths(self) -> Iterator[str]:
        """Every path, each once."""
        yield "/"
        yield from (f"/list/{number}" for number in range(1, self.lists + 1))
        yield from (f"/product/{number}" for number in range(1, self.products + 1))

    def record(self, product: int) -> dict[str, str | list[str]]:
        """What stands on a product's page: the truth an extraction is compared with."""
        count = 2 + product % 3
        return {
            "title": f"{FIRST[product % len(FIRST)]} {SECOND[product % len(SECOND)]} No. {product}",
            "price": f"${product * 7 % 900 + 10}.{product * 13 % 100:02d}",
            "brand": BRANDS[product % len(BRANDS)],
            "code": f"{product * 7919 % 10**8:08d}-{product % 10}",
            "features": [FEATURES[(product + step) % len(FEATURES)] for step in range(count)],
        }

    def render(self, path: str) -> bytes | None:
        """The page's HTML in UTF-8, or None where there's no such page."""
        kind, _, digits = path[1:].partition("/")
        number = int(digits) if digits.isascii() and digits.isdecimal() else 0
        if path == "/":
            return self._page("The whole catalogue", "", self._list_links(1))
        if kind == "list" and 1 <= number <= self.lists:
            return self._page(f"List {number}", "", self._list_links(number))
        if kind == "product" and 1 <= number <= self.products:
            return self._page(self._title(number), self._details(number), self._product_links(number))
        return None

    def _title(self, product: int) -> str:
        return str(self.record(product)["title"])

    def _list_links(self, number: int) -> list[str]:
        """Sections, neighbours, then the list's own products; the last list is filled up with the first products."""
        start = (number - 1) * PRODUCTS_A_LIST
        shown = [(start + step) % self.products + 1 for step in range(PRODUCTS_A_LIST)]
        near = [f"/list/{(number + step) % self.lists + 1}" for step in (-2, 0)]  # the one before, the next
        return [*self._sections, *near, *(f"/product/{product}" for product in shown)]

    def _product_links(self, number: int) -> list[str]:
        """Sections, the product's own list, then related products from all over the catalogue."""
        own = f"/list/{(number - 1) // PRODUCTS_A_LIST + 1}"
        count = LINKS_A_PAGE - 1 - len(self._sections) - 1
        related = ((number * 31 + step * step * 97) % self.products + 1 for step in range(count))
        return [*self._sections, own, *(f"/product/{product}" for product in related)]

    @cached_property
    def _sections(self) -> list[str]:
        return [f"/list/{step * self.lists // SECTIONS + 1}" for step in range(SECTIONS)]

    def _page(self, title: str, details: str, links: list[str]) -> bytes:
        menu = "".join(
            f'<li class="menu-item"><a href="{link}">Section {link[6:]}</a></li>' for link in links[:SECTIONS]
        )
        tiles = "".join(
            f'<div class="tile"><a class="tile-link" href="{link}"><span class="name">Go to {link[1:]}</span></a></div>'
            for link in links[SECTIONS:]
        )
        top = HEAD.format(title=title) + f'<nav><a href="/">Home</a><ul class="menu">{menu}</ul></nav><main>'
        text = f'{top}<h1 class="headline">{title}</h1>{details}<section class="tiles">{tiles}</section>'
        return self._filled(text.encode(), len(links) * 31 + len(title))

    def _filled(self, text: bytes, start: int) -> bytes:
        parts = [text]
        length = len(text) + len(FOOT)
        turn = start
        while length < PAGE_BYTES:
            block = FILLER[turn % len(FILLER)]
            parts.append(block)
            length += len(block)
            turn += 1
        return b"".join([*parts, FOOT])

    def _details(self, product: int) -> str:
        record = self.record(product)
        features = "".join(f"<li>{feature}</li>" for feature in record["features"])
        brand = escape(str(record["brand"]))
        return (
            f'<div class="buy"><p class="price">{record["price"]}</p><p class="brand">{brand}</p></div>'
            f'<table class="facts"><tr><th>Code</th><td class="code">{record["code"]}</td></tr></table>'
            f'<ul class="features">{features}</ul>'
        )


HEAD = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} - Catalogue</title>'
    '<link rel="stylesheet" href="/style.css"><script>var page = {{"seen": 1 < 2}};</script></head><body>'
)
FOOT = b'</main><footer><p class="small">Prices include tax.</p></footer></body></html>'


def _filler(random_source: random.Random) -> bytes:
    """About 1 KB of what shop pages are full of: opinions in nested tags, a form, an inline script, a comment."""
    say = " ".join(random_source.choices(OPINION.split(), k=110))
    name = random_source.choice(FIRST)
    return (
        f'<article class="opinion"><header><b class="who">{name}</b> <i>wrote on day {random_source.randrange(1000)}'
        f"</i></header><div><p>{say[:280]}</p><p>{say[280:]}</p><div class='stars'><span></span><span></span></div>"
        f'<!-- {name} --><form><input type="hidden" name="opinion"><button>helpful</button></form></div>'
        f"<script>track({random_source.randrange(10**6)});</script></article>"
    ).encode()


FILLER = tuple(_filler(random.Random(seed)) for seed in range(97))
