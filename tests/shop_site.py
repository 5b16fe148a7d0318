"""Small shops whose records can be learned from two samples."""

from __future__ import annotations

from tests.site_server import SiteServer

SAMPLES = """
[[samples]]
url = "{url}/item/1"
fields = {{ title = "Thor", price = "$11.48" }}

[[samples]]
url = "{url}/item/2"
fields = {{ title = "From Dead to Worse", price = "$7.19" }}
"""


def shop(site: SiteServer, first: int = 1) -> None:
    """Twelve items with title and price, and two pages under the same URL form that are nothing of the kind.

    Items are numbered from *first*.
    """
    titles = ["Thor", "From Dead to Worse", *(f"Book number {n}" for n in range(3, 13))]
    site.links = {"/": [f"/item/{n}" for n in range(first, first + 14)]}
    for number, title in enumerate(titles, first):
        price = {1: "$11.48", 2: "$7.19"}.get(number, f"${number}.50")
        site.links[f"/item/{number}"] = ["/"]
        site.texts[f"/item/{number}"] = f'<h2 class="t">{title}</h2><p>Price: <b class="p">{price}</b></p>'
    for number in (first + 12, first + 13):
        site.links[f"/item/{number}"] = ["/"]
        site.texts[f"/item/{number}"] = "<p>We are closed in August.</p>"


def product(number: int, price: int | None = None, *, priced: bool = True, advert: str = "") -> tuple[bytes, str]:
    """The page of a product, for `SiteServer.bodies`; it costs as many dollars as its number says, or *price*."""
    dollars = number if price is None else price
    offer = f"<p class='buy'><span>${dollars}.50</span></p>" if priced else "<div class='offer'>Ask us</div>"
    body = (
        f"<html><head><title>Shop</title></head><body><div id='main'><h1>Product number {number}</h1>"
        f"<p>A fine thing of our own workshop, number {number}, made to last.</p>{offer}</div>"
        f"<p>{advert}</p><a href='/'>home</a></body></html>"
    )
    return body.encode(), "text/html; charset=utf-8"


def put_products(site: SiteServer, count: int, *, priced: int | None = None) -> None:
    """A list page and products from number 0 on; only the first *priced* say what they cost."""
    site.links = {"/": [f"/item/{number}" for number in range(count)]}
    for number in range(count):
        site.bodies[f"/item/{number}"] = product(number, priced=priced is None or number < priced)


def fresh_products(site: SiteServer, count: int) -> None:
    """The list page and the products as they are at first, whatever a test has changed; nothing counts as asked for."""
    site.clear()
    for changed in (site.bodies, site.statuses, site.headers, site.delays, site.modified):
        changed.clear()
    site.bodies["/robots.txt"] = (b"", "text/plain")
    put_products(site, count)


def product_site_file(url: str, samples: tuple[int, int]) -> str:
    """A site file for such a shop, with the products of these numbers as samples."""
    shown = "\n".join(
        f'[[samples]]\nurl = "{url}/item/{number}"\n'
        f'fields = {{ title = "Product number {number}", price = "${number}.50" }}\n'
        for number in samples
    )
    return f'entry = ["{url}/"]\n{shown}\n[learn]\npages = 40\n'
