"""Hand-made pages for proposals: a shop of dishes, with labels, lists, reviews, and a front page that lists them."""

from __future__ import annotations

from dataclasses import dataclass, field

from gwc_crawler.errors import SiteError
from gwc_crawler.learn.propose.fetching import Fetched
from gwc_crawler.learn.propose.page_reading import ReadPage

ORIGIN = "http://dishes.example"
NAMES = ("Mapo Tofu", "Kung Pao Chicken", "Dan Dan Noodles", "Twice Cooked Pork", "Fish Fragrant Aubergine", "Hot Pot")
MENU = '<div class="menu"><a href="/">Home</a><a href="/about.html">About us</a><a href="/help.html">Help</a></div>'
COOKS = ("Chen", "Ding", "Li Wei", "Hua", "Zhou", "Wang Fang")


def dish(number: int, *, reviews: int = 2, label: str = "Cuisine") -> str:
    """A page of one dish; its price is split, its reviews have answers."""
    said = "".join(
        f'<div class="review r{number}{one}"><b class="who">guest {number}-{one}</b>'
        f'<i class="when">2024-0{one + 1}-1{number}</i>'
        f"<p>Dish number {number}, eaten for the {one + 1}th time.</p></div>"
        for one in range(reviews)
    )
    return f"""<html><head><title>{NAMES[number]} | Dishes</title></head><body>
{MENU}
<div class="dish"><h1>{NAMES[number]}</h1><p class="by">by
<a rel="author" href="/cooks/{number}">{COOKS[number]}</a></p>
<img class="photo" src="/img/{number}.jpg" alt="{NAMES[number]}"><span class="price"><b>$</b>{number + 7}.50</span>
<p><b>{label}:</b> Sichuan style {number}<br><b>Heat:</b> {number} of 9</p>
<table><tr><th>Weight</th><td>{300 + number} g</td></tr></table>
<ul class="tags">{"".join(f"<li>tag {number}{one}</li>" for one in range(2 + number % 2))}</ul>
<div class="story">{f"The story of {NAMES[number]} begins long ago, and nobody knows where. " * 4}</div></div>
<h2>Reviews ({reviews})</h2><div id="reviews">{said}</div><div class="footer">All rights reserved</div></body></html>"""


def front() -> str:
    """A list of all dishes, under a menu."""
    links = "".join(f'<li class="card"><a href="/dish/{n}.html">{name}</a></li>' for n, name in enumerate(NAMES))
    return f"<html><head><title>Dishes</title></head><body>{MENU}<h1>All dishes</h1><ul>{links}</ul></body></html>"


def page(number: int, **how: int) -> ReadPage:
    """A dish's page as it is read."""
    return ReadPage(f"{ORIGIN}/dish/{number}.html", dish(number, **how).encode())  # type: ignore[arg-type]


@dataclass
class Pages:
    """A site in memory, in the place of a fetcher."""

    bodies: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def get(self, url: str) -> Fetched:
        """The page at *url*."""
        self.asked.append(url)
        if url not in self.bodies:
            raise SiteError(f"{url}: the server says HTTP 404")
        kind = "application/json" if self.bodies[url].startswith("{") else "text/html; charset=utf-8"
        return Fetched(url, self.bodies[url].encode(), kind)


def dishes() -> Pages:
    """The whole site."""
    bodies = {f"{ORIGIN}/dish/{n}.html": dish(n, reviews=n % 3 + 1) for n in range(len(NAMES))}
    return Pages({f"{ORIGIN}/": front(), **bodies})
