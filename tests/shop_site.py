"""A small shop whose records can be learned from two samples."""

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
