"""The picture as one HTML file: to zoom, to search, to see each page's in-links; without a network.

Its own Content-Security-Policy allows the script and the style in it, by their hashes, and nothing else: no request
goes out, whatever stands in a page's title. All that comes from the site is put in as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files

from gwc_crawler.graph.groups import PicturePlan
from gwc_crawler.graph.model import SiteGraph
from gwc_crawler.graph.picture import Picture
from gwc_crawler.graph.stats import GraphStats
from gwc_crawler.graph.svg import STYLE, draw_svg

MOST_PAGES = 50_000
"""Pages that the file lists; of a larger site those with the most PageRank."""


def draw_html(graph: SiteGraph, plan: PicturePlan, picture: Picture, site: str, stats: GraphStats) -> str:
    """Return the whole file."""
    style, script = _asset("page.css"), _asset("page.js")
    svg = draw_svg(picture, site, stats).replace(f"<style>{STYLE}</style>", "")
    policy = (
        f"default-src 'none'; style-src {_hash(style)} {_hash(STYLE)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(site)}: link graph</title><style>{style}</style><style>{STYLE}</style></head><body>"
        f'<div id="stage">{svg}</div><aside><div id="find">'
        '<input id="q" type="search" placeholder="search" title="in addresses and titles" aria-label="search">'
        '<button id="nearer" title="nearer">+</button><button id="farther" title="farther">−</button>'
        '<button id="top" title="large enough to read">1:1</button>'
        '<button id="all" title="the whole picture">all</button>'
        '</div><div id="told"></div></aside>'
        f'<script id="data" type="application/json">{_data(graph, plan, picture, site, stats)}</script>'
        f"<script>{script}</script></body></html>\n"
    )


def _data(graph: SiteGraph, plan: PicturePlan, picture: Picture, site: str, stats: GraphStats) -> str:
    """What the script reads, as JSON that no HTML parser takes for markup."""
    kinds = list(dict.fromkeys(page.kind for page in graph.pages))
    chosen = sorted(range(len(graph.pages)), key=lambda place: -stats.rank[place])[:MOST_PAGES]
    listed = {place: number for number, place in enumerate(sorted(chosen))}
    pages = []
    for place in listed:
        page, parent = graph.pages[place], graph.parent[place]
        pages.append(
            [
                *(page.url, page.title[:200], kinds.index(page.kind), graph.depth[place]),
                *(graph.in_links[place], graph.out_links[place], round(stats.rank[place], 6)),
                *(plan.group_of[place], -1 if parent is None else listed.get(parent, -1)),
            ]
        )
    told = list(stats.lines())
    if len(pages) < len(graph.pages):
        told.insert(0, ("listed", f"the {len(pages):,} pages with the most PageRank"))
    value = {
        "site": site,
        "told": told,
        "kinds": kinds,
        "groups": [[plan.groups[dot.group].name, round(dot.x, 1), round(dot.y, 1), dot.kind] for dot in picture.dots],
        "links": [[*pair, count, cut] for pair, (count, cut) in plan.links.items()],
        "pages": pages,
    }
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (files("gwc_crawler.graph") / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
