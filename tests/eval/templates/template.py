"""A template: blocks in a layout, with what stands in the head; and its pages with their true values."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.eval.templates.blocks import SMALL, Block, Facts, Title
from tests.eval.templates.long_blocks import LONG, Advertisement, Related
from tests.eval.templates.look import Draw, Look
from tests.eval.templates.wide_blocks import WIDE_LONG, WIDE_SMALL

ORIGIN = "https://templates.example"
LAYOUTS = ("article", "columns", "flat", "table", "main")
STRAIGHT = str.maketrans({"“": '"', "”": '"', "’": "'"})


@dataclass(frozen=True)
class Page:
    """One page and what stands there."""

    url: str
    html: str
    truth: dict[str, Any]
    variant: int = 0
    """Which of the template's layouts it has."""


@dataclass
class Template:
    """The blocks of a template, how they are laid out, and what machines are told."""

    seed: int
    look: Look
    blocks: list[Block]
    layout: str
    data: str
    second: float
    single: bool = False
    """The sample pages are those with the fewest records."""
    fields: dict[str, str] = field(default_factory=dict)
    """Each field with its shape, as the pages have it."""

    @classmethod
    def drawn(cls, seed: int, *, wide: bool = False) -> Template:
        """The template of a seed; a *wide* one has blocks of `wide_blocks`, too."""
        rng = random.Random(f"{'wide ' * wide}template {seed}")
        look = Look.drawn(rng)
        kinds = _wide_kinds(rng) if wide else _usual_kinds(rng)
        rng.shuffle(kinds)
        kinds += [Related] if rng.random() < 0.5 else []
        blocks: list[Block] = [Title(look)]
        for kind in kinds:
            blocks.append(kind(look))
            if rng.random() < (0.4 if wide else 0.15):
                blocks.append(Advertisement(look))
        data = rng.choices(("", "product", "graph", "meta", "some"), (4, 2, 1, 2, 1))[0]
        second = 0.3 if rng.random() < 0.12 else 0.0
        layout = rng.choice(LAYOUTS)
        return cls(seed, look, blocks, layout, data, second, wide and rng.random() < 0.25)

    def pages(self, count: int) -> list[Page]:
        """So many pages, the same each time."""
        rng = random.Random(f"pages {self.seed}")
        pages = [self._page(n, Draw(rng, self.look.language, self.look.curly)) for n in range(count)]
        for page in pages:
            self.fields |= {name: shape_of(value) for name, value in page.truth.items()}
        return pages

    def _page(self, number: int, draw: Draw) -> Page:
        variant = int(draw.chance(self.second))
        truth: dict[str, Any] = {}
        parts = []
        for block in self.blocks:
            values, written = block.fill(draw, variant)
            truth |= values
            parts.append(written)
        if variant:
            parts = [f'<div class="wide">{part}</div>' for part in parts]
        body = self._laid_out(parts)
        head = f"<title>{html.escape(truth['title'])} | Template Site</title>{self._data(truth, draw)}"
        nav = '<ul class="menu"><li><a href="/">Home</a></li><li><a href="/all">All</a></li></ul>'
        foot = '<div class="foot"><p>Copyright Template Site</p><a href="/about">About</a></div>'
        page = f"<!DOCTYPE html><html><head><meta charset=utf-8>{head}</head><body>{nav}{body}{foot}</body></html>"
        return Page(f"{ORIGIN}/p/{number}.html", page, truth, variant)

    def _laid_out(self, parts: list[str]) -> str:
        join, named = self.look.joined, self.look.named
        if self.layout == "article":
            return f"<article{named('post')}>{join(*parts)}</article>"
        if self.layout == "columns":
            half = len(parts) // 2 + 1
            return f"<div{named('left')}>{join(*parts[:half])}</div><div{named('right')}>{join(*parts[half:])}</div>"
        if self.layout == "table":
            rows = (f"<tr><td>{part}</td></tr>" for part in parts if part)
            return f"<table width=100%>{join(*rows)}</table>"
        if self.layout == "main":
            return f"<main><div>{join(*(f'<div>{part}</div>' for part in parts if part))}</div></main>"
        return join(*parts)

    def _data(self, truth: dict[str, Any], draw: Draw) -> str:
        if not self.data or (self.data == "some" and draw.chance(0.4)):
            return ""
        title, text = truth["title"].translate(STRAIGHT), str(truth.get("description", "")).translate(STRAIGHT)
        if self.data == "meta":
            about = html.escape(text[:150])
            return (
                f'<meta property="og:title" content="{html.escape(title)}"><meta name="description" content="{about}">'
            )
        thing: dict[str, Any] = {"@context": "https://schema.org", "@type": "Product", "name": title}
        if text:
            thing["description"] = text
        if "price" in truth:
            thing["offers"] = {"@type": "Offer", "price": truth["price"].lstrip("$£€¥US ")}
        site = {"@context": "https://schema.org", "@type": "Organization", "name": "Template Site"}
        if self.data == "graph":
            return _script({"@context": "https://schema.org", "@graph": [site, thing]})
        return _script(site) + _script(thing)


def _usual_kinds(rng: random.Random) -> list[Callable[[Look], Block]]:
    kinds: list[Callable[[Look], Block]] = [Facts] if rng.random() < 0.85 else []
    kinds += rng.sample(SMALL, rng.randint(1, 4))
    return kinds + rng.sample(LONG, rng.randint(1, 3))


def _wide_kinds(rng: random.Random) -> list[Callable[[Look], Block]]:
    kinds: list[Callable[[Look], Block]] = [Facts] if rng.random() < 0.3 else []
    kinds += rng.sample(WIDE_SMALL, rng.randint(1, 3))
    kinds += rng.sample(sorted(set(WIDE_LONG), key=WIDE_LONG.index), rng.randint(1, 2))
    kinds += rng.sample(SMALL, rng.randint(0, 1))
    return kinds + rng.sample(LONG, rng.randint(0, 1))


def _script(data: dict[str, Any]) -> str:
    return f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'


def shape_of(value: Any) -> str:
    """ "text", "list" or "records"."""
    if isinstance(value, str):
        return "text"
    return "records" if value and isinstance(value[0], dict) else "list"
