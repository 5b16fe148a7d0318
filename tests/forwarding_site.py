"""A shop whose lists link to addresses that lead on to its products' own: `/p/7` to `/p/7/amber-lamp-7`.

with SiteServer() as site:
    shop = ForwardingShop(short="/go/{n}", status=302)
    shop.put_into(site)
    project.write_site("shop", shop.site_file(site.url))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from tests.site_server import SiteServer

COLOURS = ("amber", "blue", "crimson", "denim", "ebony", "fawn", "green")
THINGS = ("lamp", "chair", "table", "shelf", "mirror")
HTML = "text/html; charset=utf-8"


def slug(number: int) -> str:
    """The name of a product in its address; four in five share a word with another."""
    return f"{COLOURS[number % len(COLOURS)]}-{THINGS[number % len(THINGS)]}"


@dataclass(frozen=True)
class ForwardingShop:
    """Products, ten on a list page; how they are linked to, and how they answer.

    Attributes:
        short: the address in links, with `{n}`, `{slug}`; it leads on to `final`.
        status: by which status; 0: by a meta refresh, -1: by a script.
        via: an address in between, "" for none.
        is_short: of which numbers the links are short.
        samples: two numbers, and whether each sample is given by its short address.
        list_short: the address of list pages in links, with `{n}`; "" where it is their own, `/list/{n}`.
        strays: what else short addresses (numbers from 900 on) lead to; each stands on a list page.
        relative: whether a Location is written as a path.
        chained: whether each list page is linked from the one before alone.
    """

    short: str = "/p/{n}"
    final: str = "/p/{n}/{slug}"
    status: int = 301
    via: str = ""
    is_short: Callable[[int], bool] = lambda number: True
    samples: tuple[tuple[int, bool], tuple[int, bool]] = ((7, False), (12, False))
    list_short: str = ""
    strays: tuple[str, ...] = ()
    relative: bool = True
    chained: bool = False
    products: int = 40

    def address(self, number: int, form: str) -> str:
        """An address of a product."""
        return form.format(n=number, slug=slug(number))

    def finals(self, url: str = "") -> set[str]:
        """The addresses under which the records are to stand."""
        return {url + self.address(number, self.final) for number in range(1, self.products + 1)}

    def pages(self, url: str) -> dict[str, tuple[int, str]]:
        """Path → status and body, or Location."""
        lists = -(-self.products // 10)
        found: dict[str, tuple[int, str]] = {}
        list_links = [(self.list_short or "/list/{n}").format(n=number) for number in range(1, lists + 1)]
        first = list_links[:1] if self.chained else list_links
        found["/"] = 200, _page("Welcome", "<p>Lamps and more since 1970.</p>", first)
        found["/about"] = 200, _page("About us", "<p>We sell what we make, and we make what lasts.</p>", ["/"])
        found["/login"] = 200, _page("Log in", "<form><input type=password></form>", ["/"])
        for number in range(1, self.products + 1):
            form = self.short if self.is_short(number) else self.final
            short, final = self.address(number, self.short), self.address(number, self.final)
            found.setdefault(f"/list/{(number - 1) // 10 + 1}", (200, ""))
            links = found[f"/list/{(number - 1) // 10 + 1}"][1]
            found[f"/list/{(number - 1) // 10 + 1}"] = 200, f"{links} {self.address(number, form)}"
            steps = [short, *([self.address(number, self.via)] if self.via else []), final]
            for here, there in pairwise(steps):
                if here != there:
                    found[here] = self._lead(there if self.relative else url + there)
            found[final] = 200, _product(number)
        for place, where in enumerate(self.strays):
            number = 900 + place
            found[self.address(number, self.short)] = self._lead(where)
            path = f"/list/{place % lists + 1}"
            found[path] = 200, f"{found[path][1]} {self.address(number, self.short)}"
        for number in range(1, lists + 1):
            more = ["/about", "/", *(list_links[number : number + 1] if self.chained else [])]
            body = _page(f"List {number}", "<p>Our things.</p>", [*found[f"/list/{number}"][1].split(), *more])
            found[f"/list/{number}"] = 200, body
            if self.list_short:
                found[self.list_short.format(n=number)] = self._lead(f"/list/{number}")
        return found

    def _lead(self, where: str) -> tuple[int, str]:
        if self.status > 0:
            return self.status, where
        if self.status == 0:
            return 200, f'<html><head><meta http-equiv="refresh" content="0; url={where}"></head><body></body></html>'
        return 200, f'<html><head><script>window.location.href = "{where}";</script></head><body></body></html>'

    def put_into(self, site: SiteServer) -> None:
        """Have *site* answer like this shop."""
        for path, (status, said) in self.pages(site.url).items():
            if status == 200:
                site.bodies[path] = said.encode(), HTML
            else:
                site.links[path] = []
                site.statuses[path], site.headers[path] = status, {"Location": said}

    def shown(self) -> list[tuple[str, dict[str, str]]]:
        """The samples: their addresses, as they are given, and what they show."""
        return [
            (
                self.address(number, self.short if is_short else self.final),
                {"title": _title(number), "price": f"${number}.50"},
            )
            for number, is_short in self.samples
        ]

    def site_file(self, url: str, more: str = "") -> str:
        """The site file with the samples."""
        samples = "\n".join(
            f'[[samples]]\nurl = "{url}{path}"\nfields = {{ title = "{shown["title"]}", price = "{shown["price"]}" }}\n'
            for path, shown in self.shown()
        )
        return f'entry = ["{url}/"]\n{samples}\n{more}'


def _title(number: int) -> str:
    return f"{slug(number).replace('-', ' ').title()} No. {number}"


def _product(number: int) -> str:
    body = f"<p>A fine thing of our own workshop, number {number}, made to last.</p><p>Price: <b>${number}.50</b></p>"
    return _page(_title(number), body, ["/"])


def _page(title: str, body: str, links: list[str]) -> str:
    anchors = "".join(f'<li><a href="{link}">to {link}</a></li>' for link in links)
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}<ul>{anchors}</ul></body></html>"
