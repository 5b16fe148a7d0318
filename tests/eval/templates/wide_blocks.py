"""Further blocks: values in attributes, split over elements, in one text with others, in nested tables, as stars.

They are drawn by `Template.drawn(seed, wide=True)`, beside those of `blocks` and `long_blocks`; each has the same form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.eval.templates.blocks import FACTS, Block, Filled
from tests.eval.templates.look import MONTHS, Draw, Look, written_day

NUMBERS = ("Zero", "One", "Two", "Three", "Four", "Five")


@dataclass
class Stars:
    """A rating without a text: in a class, a width, a count of icons, or what machines are told."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("class", "word", "token", "width", "icons", "images", "meta", "alt"))
        self.share = self.look.rng.choice((1.0, 0.8))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """Stars, none on some pages."""
        if not draw.chance(self.share):
            return {}, ""
        count = draw.rng.randint(1, 5)
        value, written = stars(self.style, count)
        return {"stars": value}, f"<div>{written}</div>"


def stars(style: str, count: int) -> tuple[str, str]:
    """A rating as a person types it, and its markup."""
    full, empty = '<i class="icon full"></i>' * count, '<i class="icon empty"></i>' * (5 - count)
    images = '<img src="/star.gif" alt="">' * count + '<img src="/nostar.gif" alt="">' * (5 - count)
    written = {
        "class": f'<span class="star-{count}"></span>',
        "word": f'<p class="star-rating {NUMBERS[count]}"><i></i><i></i></p>',
        "token": f'<span class="stars stars{count} small"></span>',
        "width": f'<div class="bar"><span style="width: {20 * count}%"></span></div>',
        "icons": f'<span class="icons">{full}{empty}</span>',
        "images": f'<span class="icons">{images}</span>',
        "meta": f'<span itemprop="ratingValue" content="{count}"></span>',
        "alt": f'<img src="/s{count}.gif" alt="{count} of 5 stars">',
    }[style]
    return NUMBERS[count] if style == "word" else str(count), written


@dataclass
class Posted:
    """A date whose machine form is asked for, or that is split over elements."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("ago", "content", "data", "parts", "calendar", "among"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """A date."""
        day = draw.day()
        year, month, number = day
        iso, name = written_day(day, "iso"), MONTHS[month - 1][:3]
        named = self.look.named("posted")
        written = {
            "ago": f'<p{named}><time datetime="{iso}">{draw.rng.randint(2, 90)} days ago</time></p>',
            "content": f'<p{named}><meta itemprop="datePublished" content="{iso}">{year}</p>',
            "data": f'<p{named}><span data-date="{iso}">{draw.rng.randint(2, 90)} days ago</span></p>',
            "parts": f"<p{named}><span>{number}</span> <span>{name}</span> <span>{year}</span></p>",
            "calendar": f"<div{named}><div>{number}</div><div>{name}</div><div>{year}</div></div>",
            "among": f"<p{named}><b>{name}</b> {number}, <i>{year}</i> - {draw.rng.randint(2, 90)} views</p>",
        }[self.style]
        split = {"parts": f"{number} {name} {year}", "calendar": f"{number} {name} {year}"}
        split["among"] = f"{name} {number}, {year}"
        return {"posted": split.get(self.style, iso)}, written


@dataclass
class Cost:
    """A price whose cents or currency stand in elements of their own."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("dotted", "fraction", "small", "currency", "both", "data"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """A price."""
        whole, cents = str(draw.rng.randint(1, 900)), f"{draw.rng.randint(0, 99):02}"
        named = self.look.named("cost")
        written = {
            "dotted": f"<span{named}>${whole}<sup>.{cents}</sup></span>",
            "fraction": f"<span{named}><span>$</span><span>{whole}<span>.</span></span><span>{cents}</span></span>",
            "small": f"<p{named}>Now <b>${whole}.<small>{cents}</small></b> incl. tax</p>",
            "currency": f"<p{named}><span>USD</span>{whole}.{cents} <em>each</em></p>",
            "both": f"<span{named}><span hidden>${whole}.{cents}</span><b>${whole}<sup>{cents}</sup></b></span>",
            "data": f'<button{named} data-cost="{whole}.{cents}">Buy</button>',
        }[self.style]
        value = {"currency": f"{whole}.{cents}", "data": f"{whole}.{cents}"}.get(self.style, f"${whole}.{cents}")
        return {"cost": value}, f"<div>{written}</div>"


@dataclass
class Photo:
    """An image that is loaded late, or of which there are several sizes."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("lazy", "original", "noscript", "srcset", "picture", "background", "full"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """An absolute address."""
        path = f"/photos/{draw.rng.randrange(10**8)}.jpg"
        named = self.look.named("photo")
        written = {
            "lazy": f'<img{named} src="data:image/gif;base64,R0" data-lazy-src="{path}">',
            "original": f'<img{named} src="/blank.gif" data-original="{path}">',
            "noscript": f'<img{named} src="/blank.gif"><noscript><img src="{path}"></noscript>',
            "srcset": f'<img{named} src="/small{path}" srcset="{path} 800w, /small{path} 300w">',
            "picture": f'<picture><source srcset="{path}"><img{named} src="/small{path}"></picture>',
            "background": f"<div{named} style=\"background-image: url('{path}')\"></div>",
            "full": f'<a{named} data-full="https://templates.example{path}"><img src="/small{path}"></a>',
        }[self.style]
        return {"photo": f"https://templates.example{path}"}, f"<div>{written}</div>"


@dataclass
class Several:
    """A definition list whose terms have one or several definitions."""

    look: Look

    def __post_init__(self) -> None:
        self.names = ("colours", "makers", "places")
        self.optional = self.look.rng.random() < 0.5

    def fill(self, draw: Draw, variant: int) -> Filled:
        """Lists, each under its term."""
        values: dict[str, Any] = {}
        written = []
        for name in self.names:
            if self.optional and draw.chance(0.3):
                continue
            values[name] = list(dict.fromkeys(draw.words(1, 2) for _ in range(draw.rng.randint(1, 3))))
            dds = "".join(f"<dd>{self.look.text(one)}</dd>" for one in values[name])
            written.append(f"<dt>{name.capitalize()}</dt>{dds}")
        inner = self.look.joined(*written)
        return {key: value for key, value in values.items() if key != "places"}, f"<dl>{inner}</dl>" if inner else ""


@dataclass
class Nested:
    """Facts in a table inside a cell of another one, or of which a cell spans columns."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        self.style = rng.choice(("nested", "spanned", "stacked", "line", "wide", "bars"))
        names = rng.sample(FACTS, rng.randint(3, 5))
        self.shares = {f"{name}_of": rng.choice((1.0, 1.0, 0.6)) for name in names}

    def fill(self, draw: Draw, variant: int) -> Filled:
        """The facts that this page has."""
        there = [name for name, share in self.shares.items() if draw.chance(share)] or [next(iter(self.shares))]
        values = {name: draw.fact(name.removesuffix("_of")) for name in there}
        shown = [(self.look.label(name.removesuffix("_of")), self.look.text(values[name])) for name in there]
        return values, self._written(shown, draw)

    def _written(self, rows: list[tuple[str, str]], draw: Draw) -> str:
        join, chinese = self.look.joined, self.look.language == "zh"
        colon = "：" if chinese else ": "
        if self.style == "nested":
            inner = join(*(f"<tr><td>{label}</td><td>{text}</td></tr>" for label, text in rows))
            return f"<table><tr><td>{draw.words(2, 3)}</td><td><table>{inner}</table></td></tr></table>"
        if self.style == "spanned":
            lines = [f"<tr><td>{label}</td><td>{text}</td></tr>" for label, text in rows]
            first = f'<tr><td rowspan="{len(rows) + 1}"><img src="/x.gif"></td><td colspan="2">Facts</td></tr>'
            return f"<table>{join(first, *lines)}</table>"
        if self.style == "stacked":
            cells = "".join(f"<td><b>{label}</b><br>{text}</td>" for label, text in rows)
            return f"<table><tr>{cells}</tr></table>"
        if self.style == "line":
            return f"<p>{('　' if chinese else ' ').join(f'{label}{colon}{text}' for label, text in rows)}</p>"
        if self.style == "bars":
            return f"<p>{' | '.join(f'{label}{colon}{text}' for label, text in rows)}</p>"
        lines = [f"<tr><th>{label}</th><td colspan=3><div><span>{text}</span></div></td></tr>" for label, text in rows]
        return f"<table>{join(*lines)}</table>"


@dataclass
class Entries:
    """Records without an element of their own, over two rows, in grids, grouped under spanning cells."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        self.style = rng.choice(
            ("headed", "plain", "two rows", "spans", "groups", "starred", "data", "dl", "hr", "grid")
        )
        self.most = rng.choice((3, 5))
        self.optional = rng.random() < 0.5
        self.stars = rng.choice(("class", "width", "icons", "alt"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """One record or several."""
        records: list[dict[str, Any]] = []
        group, left = "", 0
        for _ in range(draw.rng.randint(1, self.most)):
            one: dict[str, Any] = {"name": draw.title(), "said": draw.sentence()}
            if not self.optional or draw.chance(0.7):
                one["when"] = written_day(draw.day(), "iso")
            if self.style in ("spans", "groups"):
                if not left:
                    group, left = draw.words(1, 2).capitalize(), draw.rng.randint(1, 3)
                one["group"], left = group, left - 1
            if self.style == "starred":
                one["stars"] = str(draw.rng.randint(1, 5))
            records.append(one)
        inner = self._written(records)
        head, end = f"<h2>{self.look.label('reviews')}</h2>", f"<h2>{self.look.label('notes')}</h2><p>All.</p>"
        return {"entries": records}, f"<div>{head}{inner}{end}</div>"

    def _written(self, records: list[dict[str, Any]]) -> str:
        named, join, text = self.look.named, self.look.joined, self.look.text
        rows = [(text(one["name"]), text(one["said"]), one.get("when", "")) for one in records]
        if self.style == "headed":
            return join(
                *(f"<h3>{name}</h3><p>{said}</p>" + (f"<p><i>{day}</i></p>" if day else "") for name, said, day in rows)
            )
        if self.style == "plain":
            return join(*(f"<p><b>{name}</b> {day}</p><p>{said}</p>" for name, said, day in rows))
        if self.style == "two rows":
            lines = (
                f"<tr><th>{name}</th><td>{day}</td></tr><tr><td colspan=2>{said}</td></tr>" for name, said, day in rows
            )
            return f"<table>{join(*lines)}</table>"
        if self.style == "spans":
            return self._spanned(records)
        if self.style == "groups":
            return self._grouped(records)
        if self.style == "starred":
            shown = (stars(self.stars, int(one["stars"]))[1] for one in records)
            lines = (
                f"<div{named('entry')}><b>{name}</b> {rating} <i>{day}</i><p>{said}</p></div>"
                for (name, said, day), rating in zip(rows, shown, strict=True)
            )
            return f"<div{named('entries')}>{join(*lines)}</div>"
        if self.style == "data":
            lines = (
                f'<li data-name="{name.strip()}"' + (f' data-when="{day}"' if day else "") + f"><p>{said}</p></li>"
                for name, said, day in rows
            )
            return f"<ul>{join(*lines)}</ul>"
        if self.style == "dl":
            days = [f"<dd><i>{day}</i></dd>" if day else "" for *_, day in rows]
            lines = (f"<dt>{name}</dt><dd>{said}</dd>{day}" for (name, said, _), day in zip(rows, days, strict=True))
            return f"<dl>{join(*lines)}</dl>"
        if self.style == "hr":
            return "<div>" + "<hr>".join(f"<b>{name}</b> <i>{day}</i><br>{said}" for name, said, day in rows) + "</div>"
        cells = [f"<td><b>{name}</b><p>{said}</p><small>{day}</small></td>" for name, said, day in rows]
        return (
            f"<table>{join(*('<tr>' + ''.join(cells[n : n + 2]) + '</tr>' for n in range(0, len(cells), 2)))}</table>"
        )

    def _spanned(self, records: list[dict[str, Any]]) -> str:
        lines = ["<tr><th>Group</th><th>Name</th><th>Said</th><th>When</th></tr>"]
        for number, one in enumerate(records):
            first = number == 0 or records[number - 1]["group"] != one["group"]
            span = sum(other["group"] == one["group"] for other in records)
            cell = f'<td rowspan="{span}">{one["group"]}</td>' if first else ""
            name, said = self.look.text(one["name"]), self.look.text(one["said"])
            lines.append(f"<tr>{cell}<td>{name}</td><td>{said}</td><td>{one.get('when', '')}</td></tr>")
        return f"<table>{self.look.joined(*lines)}</table>"

    def _grouped(self, records: list[dict[str, Any]]) -> str:
        lines = []
        for number, one in enumerate(records):
            if number == 0 or records[number - 1]["group"] != one["group"]:
                lines.append(f'<tr><td colspan="3">{one["group"]}</td></tr>')
            name, said = self.look.text(one["name"]), self.look.text(one["said"])
            lines.append(f"<tr><td>{name}</td><td>{said}</td><td>{one.get('when', '')}</td></tr>")
        return f"<table>{self.look.joined(*lines)}</table>"


WIDE_SMALL: tuple[Callable[[Look], Block], ...] = (Stars, Posted, Cost, Photo)
WIDE_LONG: tuple[Callable[[Look], Block], ...] = (Several, Nested, Entries, Entries)
