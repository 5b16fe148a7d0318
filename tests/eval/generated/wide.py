"""What real sites have besides: filters of lists, a calendar without an end, neighbours, talk pages, a mobile host.

In: a built site. Out: the same site with further pages and links. `--wide` draws them.
"""

from __future__ import annotations

import random
from html import escape
from itertools import product
from typing import Any

from tests.eval.generated.grammar import Grammar
from tests.eval.generated.markup import link

MOBILE = "http://m.generated.example"
_MONTHS = 400
"""More than a pre-crawl may spend on a calendar; the last month leads on to one that is not there."""
_FILTERS = {"colour": ("red", "green", "blue"), "size": ("small", "large"), "order": ("name", "price")}


def widen(site: Any, grammar: Grammar) -> None:
    """Add what the grammar asks for to *site*, a `site.Site`."""
    if grammar.neighbours:
        _link_neighbours(site)
    if grammar.talk:
        _add_talk(site, grammar)
    if grammar.facets:
        _add_filters(site, random.Random(f"facets {grammar.seed}"))
    if grammar.calendar:
        _add_calendar(site)
    if grammar.mobile:
        _add_mobile(site)


def _link_neighbours(site: Any) -> None:
    """Each target leads to the one before it and the one behind."""
    paths = list(site.targets)
    for place, path in enumerate(paths):
        near = [(paths[place - 1], "←")] if place else []
        near += [(paths[place + 1], "→")] if place + 1 < len(paths) else []
        _append(site, path, "".join(link(address, sign) for address, sign in near))


def _add_talk(site: Any, grammar: Grammar) -> None:
    """Each target has a page on which it is talked about, and one of those that link to it."""
    for path, record in list(site.targets.items()):
        name = escape(record["title"])
        for space in ("Talk", "Special"):
            address = _in_space(path, space, grammar)
            body = f"<h1>{space}: {name}</h1><ul><li>{name} <b>?</b></li><li>{link(path, record['title'])}</li></ul>"
            site.pages[address] = _framed(site.pages[path], f"{space}: {name}", body)
            _append(site, path, link(address, space))


def _in_space(path: str, space: str, grammar: Grammar) -> str:
    if grammar.address in ("wiki", "title"):
        stem, sign, name = path.rpartition("=" if grammar.address == "title" else "/")
        return f"{stem}{sign}{space}:{name}"
    if "?" in path:
        return f"{path}&space={space.lower()}"
    return f"/{space.lower()}{path}"


def _add_filters(site: Any, rng: random.Random) -> None:
    """The first pages of lists can be filtered by query strings, in any combination."""
    lists = [path for path in site.others["lists"] if path in site.pages]
    for path in lists[:3]:
        page, joint = site.pages[path], "&" if "?" in path else "?"
        names = list(_FILTERS)
        addresses = []
        for count in (1, 2):
            for keys in ((one,) for one in names) if count == 1 else ((names[0], one) for one in names[1:]):
                for values in product(*(_FILTERS[key] for key in keys)):
                    asked = "&".join(f"{key}={value}" for key, value in zip(keys, values, strict=True))
                    addresses.append(f"{path}{joint}{asked}")
        rng.shuffle(addresses)
        filters = "".join(f"<li>{link(one, one.rpartition('=')[2])}</li>" for one in addresses)
        for one in (path, *addresses):
            site.pages[one] = page.replace("</body>", f"<ul>{filters}</ul></body>")


def _add_calendar(site: Any) -> None:
    """Months that lead to the next and the one before, and show nothing."""
    frame = site.pages["/"]
    addresses = [f"/calendar/{2000 + month // 12}/{month % 12 + 1:02}" for month in range(_MONTHS)]
    for place, address in enumerate(addresses):
        near = [addresses[one] for one in (place - 1, place + 1) if 0 <= one < _MONTHS]
        days = "".join(f"<td>{day}</td>" for day in range(1, 29))
        body = f"<h1>{address[10:]}</h1><table><tr>{days}</tr></table>{''.join(link(one, one[10:]) for one in near)}"
        site.pages[address] = _framed(frame, address[10:], body)
    for path in ("/", *site.others["lists"]):
        _append(site, path, link(addresses[_MONTHS // 2], "▦"))


def _add_mobile(site: Any) -> None:
    """Each target is there once more on a host for telephones, which names it as its main version."""
    for path, record in list(site.targets.items()):
        address = MOBILE + path
        page = site.pages[path].replace("</head>", f'<link rel="canonical" href="{escape(site.address(path))}"></head>')
        site.pages[address] = page
        site.versions[address] = path
        _append(site, path, link(address, record["title"]))


def _append(site: Any, path: str, more: str) -> None:
    if path in site.pages:
        site.pages[path] = site.pages[path].replace("</body>", f"<p>{more}</p></body>")


def _framed(page: str, title: str, body: str) -> str:
    """A page with the head of another one."""
    head = page.partition("<title>")[0]
    return f"{head}<title>{title}</title></head><body>{body}{link('/', '⌂')}</body></html>"
