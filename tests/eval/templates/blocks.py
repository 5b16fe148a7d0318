"""The blocks of a template for single values and lists: title, facts, price, byline, rating, image, tags, crumbs.

Each is drawn once with a `Look`; its `fill` gives one page's values with their markup. An absent value is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.eval.templates.look import Draw, Look, written_day

Filled = tuple[dict[str, Any], str]
FACTS = ("publisher", "code", "pages", "language", "format", "weight", "country", "edition", "material", "model")
FACT_STYLES = ("th", "td", "dl", "li", "br", "rows", "plain", "cells", "across", "bare", "items", "dlrow")


class Block(Protocol):
    """A part of a page."""

    def fill(self, draw: Draw, variant: int) -> Filled:
        """One page's values, and how they are written; *variant* 1 on pages of the second layout."""


@dataclass
class Title:
    """The page's heading, at times with a badge beside it."""

    look: Look
    style: str = ""

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("plain", "span", "badge", "year", "link"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """A title."""
        title = draw.title()
        written = self.look.text(title)
        if self.style == "span":
            written = f"<span>{written}</span>"
        elif self.style == "badge" and draw.chance(0.4):
            written += f" <small{self.look.named('badge')}>{draw.rng.choice(('New', 'Sale', 'Hot'))}</small>"
        elif self.style == "year":
            written += f" <span{self.look.named('year')}>({draw.rng.randint(1990, 2023)})</span>"
        elif self.style == "link":
            written = f'<a href="/p/{draw.rng.randrange(10**6)}">{written}</a>'
        return {"title": title}, f"<h1{self.look.named('title')}>{written}</h1>"


@dataclass
class Facts:
    """Labels with values, in one of the usual ways; some absent on some pages, some not asked for."""

    look: Look
    styles: tuple[str, str] = ("", "")
    shares: dict[str, float] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        rng = self.look.rng
        first = rng.choice(FACT_STYLES)
        self.styles = first, rng.choice(FACT_STYLES)
        names = rng.sample(FACTS, rng.randint(3, 7))
        optional = first not in ("across", "bare")
        self.shares = {name: rng.choice((1.0, 1.0, 0.7, 0.4)) if optional else 1.0 for name in names}
        self.asked = frozenset(rng.sample(names, min(len(names), rng.randint(2, 4))))
        self.shuffled = optional and rng.random() < 0.25

    def fill(self, draw: Draw, variant: int) -> Filled:
        """The facts that this page has."""
        there = [name for name, share in self.shares.items() if draw.chance(share)]
        if self.shuffled:
            draw.rng.shuffle(there)
        values = {name: draw.fact(name) for name in there}
        shown = [(name, self.look.label(name, colon=True), self.look.text(values[name])) for name in there]
        written = self._written(self.styles[variant], shown) if shown else ""
        return {name: value for name, value in values.items() if name in self.asked}, written

    def _written(self, style: str, rows: list[tuple[str, str, str]]) -> str:
        named, join = self.look.named, self.look.joined
        if style in ("th", "td"):
            cells = [f"<tr><{style}>{label}</{style}><td>{text}</td></tr>" for _, label, text in rows]
            return f"<table{named('facts')}>{join(*cells)}</table>"
        if style == "dl":
            return f"<dl{named('facts')}>{join(*(f'<dt>{label}</dt><dd>{text}</dd>' for _, label, text in rows))}</dl>"
        if style == "dlrow":
            pairs = (f"<dl><dt>{label}</dt><dd>{text}</dd></dl>" for _, label, text in rows)
            return f"<div{named('facts')}>{join(*pairs)}</div>"
        if style == "li":
            return f"<ul{named('facts')}>{join(*(f'<li><b>{label}</b> {text}</li>' for _, label, text in rows))}</ul>"
        if style == "items":
            sign = "" if rows[0][1].endswith((":", "：")) else ":"
            return f"<ul{named('facts')}>{join(*(f'<li>{label}{sign} {text}</li>' for _, label, text in rows))}</ul>"
        if style == "br":
            return f"<p{named('facts')}>{join(*(f'<b>{label}</b> {text}<br>' for _, label, text in rows))}</p>"
        if style == "plain":
            sign = "" if rows[0][1].endswith((":", "：")) else ":"
            return f"<div{named('facts')}>{join(*(f'{label}{sign} {text}<br>' for _, label, text in rows))}</div>"
        if style == "rows":
            spans = (
                f"<div{named('row')}><span{named('label')}>{label}</span> <span{named('datum')}>{text}</span></div>"
                for _, label, text in rows
            )
            return f"<div{named('facts')}>{join(*spans)}</div>"
        if style == "cells":
            cells = [f"<td>{label}</td><td>{text}</td>" for _, label, text in rows]
            lines = ("<tr>" + "".join(cells[n : n + 2]) + "</tr>" for n in range(0, len(cells), 2))
            return f"<table{named('facts')}>{join(*lines)}</table>"
        if style == "across":
            head = "".join(f"<th>{label}</th>" for _, label, _ in rows)
            body = "".join(f"<td>{text}</td>" for _, _, text in rows)
            return f"<table{named('facts')}><tr>{head}</tr><tr>{body}</tr></table>"
        spans = (f'<span class="{name}">{text}</span>' for name, _, text in rows)
        return f"<div{named('facts')}>{join(*spans)}</div>"


@dataclass
class Price:
    """A price with its currency, and at times the old one before it."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        self.style = rng.choice(("span", "old", "split", "label", "item", "sentence"))
        self.currency = rng.choice(("$", "£", "€", "US$ ")) if self.look.language == "en" else "¥"

    def fill(self, draw: Draw, variant: int) -> Filled:
        """A price; with the style "old" also the old one where there is any."""
        price, named, label = draw.money(self.currency), self.look.named, self.look.label("price", colon=True)
        text = self.look.text(price)
        if self.style == "old":
            old = draw.money(self.currency) if draw.chance(0.5) else ""
            before = f"<del{named('old')}>{self.look.text(old)}</del> " if old else ""
            values = {"price": price} | ({"old_price": old} if old else {})
            return values, f"<div{named('prices')}>{before}<span{named('price')}>{text}</span></div>"
        if self.style == "split":
            amount = price.removeprefix(self.currency)
            inner = f"<sup>{self.currency.strip()}</sup><span>{amount}</span>"
            return {"price": self.currency.strip() + amount}, f"<div{named('price')}>{inner}</div>"
        if self.style == "label":
            return {"price": price}, f"<p><strong>{label}</strong> {text}</p>"
        if self.style == "item":
            amount = price.removeprefix(self.currency)
            return {"price": price}, f'<div><span itemprop="price" content="{amount}">{text}</span></div>'
        if self.style == "sentence":
            rest = f"({draw.rng.randint(2, 80)} left)" if draw.chance(0.5) else ""
            return {"price": price}, f"<p{named('price')}>{label} {text} {rest}</p>"
        return {"price": price}, f"<span{named('price')}>{text}</span>"


@dataclass
class Byline:
    """Who wrote the page, and when."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        forms = ("iso", "long", "short", "slashes") if self.look.language == "en" else ("iso", "chinese")
        self.form = rng.choice(forms)
        self.style = rng.choice(("time", "sentence", "bar", "spans", "attribute"))
        self.many = rng.choice(("", "links", "commas", "and", "items"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """Author or authors, and date."""
        people = draw.people()
        if not self.many:
            people = people[:1]
        day = draw.day()
        date = written_day(day, self.form)
        values: dict[str, Any] = {"authors": people} if self.many else {"author": people[0]}
        if self.style != "attribute":
            values["date"] = date
        return values, self._written(self._people(people), date, written_day(day, "iso"))

    def _people(self, people: list[str]) -> str:
        if self.many in ("links", ""):
            joint = ", " if self.look.language == "en" else "、"
            return joint.join(f'<a href="/by/{n}" rel="author">{one}</a>' for n, one in enumerate(people))
        if self.many == "items":
            return f"<ul{self.look.named('authors')}>{''.join(f'<li>{one}</li>' for one in people)}</ul>"
        if self.many == "and" and self.look.language == "en" and len(people) > 1:
            return ", ".join(people[:-1]) + ", " + people[-1]
        return (", " if self.look.language == "en" else "、").join(people)

    def _written(self, people: str, date: str, iso: str) -> str:
        named, english = self.look.named, self.look.language == "en"
        by, on = ("By ", "Posted on ") if english else ("作者：", "发布于 ")
        tag = "div" if self.many == "items" else "p"
        if self.style == "time":
            inner = f'{by}<span{named("author")}>{people}</span> <time datetime="{iso}">{date}</time>'
        elif self.style == "sentence":
            inner = f"{on}{date} <i>{by}</i><span{named('author')}>{people}</span>"
        elif self.style == "bar":
            inner = f"<span{named('author')}>{people}</span> | {date} | 5 min"
        elif self.style == "attribute":
            inner = f"{by}<span{named('author')}>{people}</span>"
        else:
            inner = f"<span{named('author')}>{people}</span><span{named('date')}>{date}</span>"
        return f"<{tag}{named('byline')}>{inner}</{tag}>"


@dataclass
class Rating:
    """A rating that stands in a text or an attribute."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("text", "aria", "title", "of"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """A rating, absent on some pages."""
        if not draw.chance(0.85):
            return {}, ""
        rating = f"{draw.rng.randint(1, 4)}.{draw.rng.randint(0, 9)}"
        named = self.look.named("rating")
        written = {
            "text": f"<span{named}>{rating}</span>",
            "of": f"<span{named}>{rating} / 5</span> ({draw.rng.randint(2, 90)})",
            "aria": f'<div{named} role="img" aria-label="{rating} out of 5 stars"><i></i><i></i></div>',
            "title": f'<div{named} title="{rating}"><i></i><i></i></div>',
        }[self.style]
        return {"rating": rating}, f"<div>{written}</div>"


@dataclass
class Picture:
    """An image, loaded late on some templates."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("src", "lazy", "link"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """An absolute address."""
        path = f"/images/{draw.rng.randrange(10**8)}.jpg"
        named = self.look.named("photo")
        written = {
            "src": f'<img{named} src="{path}" alt="">',
            "lazy": f'<img{named} src="/blank.gif" data-src="{path}" alt="">',
            "link": f'<a{named} href="{path}"><img src="/thumbs{path}" alt=""></a>',
        }[self.style]
        return {"image": f"https://templates.example{path}"}, f"<div>{written}</div>"


@dataclass
class Tags:
    """A list of short texts."""

    look: Look
    name: str = "tags"

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("links", "items", "commas", "spans", "labelled"))
        self.optional = self.look.rng.random() < 0.3

    def fill(self, draw: Draw, variant: int) -> Filled:
        """One to six different tags, none on some pages."""
        if self.optional and draw.chance(0.3):
            return {}, ""
        tags = list(dict.fromkeys(draw.words(1, 1) for _ in range(draw.rng.randint(1, 6))))
        named, label = self.look.named(self.name), self.look.label(self.name, colon=True)
        links = [f'<a href="/tag/{n}">{tag}</a>' for n, tag in enumerate(tags)]
        written = {
            "links": f"<div{named}>{', '.join(links)}</div>",
            "items": f"<ul{named}>{self.look.joined(*(f'<li>{tag}</li>' for tag in tags))}</ul>",
            "commas": f"<p{named}><b>{label}</b> {', '.join(tags)}</p>",
            "spans": f"<div{named}>{' '.join(f'<span>{tag}</span>' for tag in tags)}</div>",
            "labelled": f"<p>{label} {' '.join(links)}</p>",
        }[self.style]
        return {self.name: tags}, written


@dataclass
class Crumbs:
    """The way from the home page; its last part is the category."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice((" &gt; ", " / ", " » ", "items"))
        self.whole = self.look.rng.random() < 0.5
        few = Draw(self.look.rng, self.look.language)
        self.names = [few.words(1, 2).title() for _ in range(8)]

    def fill(self, draw: Draw, variant: int) -> Filled:
        """The crumbs as a list, or the category alone."""
        home = "Home" if self.look.language == "en" else "首页"
        way = [home, *draw.rng.sample(self.names, draw.rng.randint(1, 3) if self.whole else 1)]
        links = [f'<a href="/c/{n}">{one}</a>' for n, one in enumerate(way)]
        named = self.look.named("crumbs")
        values: dict[str, Any] = {"crumbs": way} if self.whole else {"category": way[-1]}
        if self.style == "items":
            return values, f"<ol{named}>{self.look.joined(*(f'<li>{link}</li>' for link in links))}</ol>"
        return values, f"<div{named}>{self.style.join(links)}</div>"


SMALL: tuple[Callable[[Look], Block], ...] = (Price, Byline, Rating, Picture, Tags, Crumbs)
