"""The blocks of a template for long texts, sections under headings, and records; and what stands between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.eval.templates.blocks import Block, Filled
from tests.eval.templates.look import Draw, Look, written_day

STEMS = ("notes", "history", "usage", "features", "steps", "contents", "warning")


@dataclass
class Description:
    """A text of one paragraph or several."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("div", "div", "headed", "loose", "br", "bold", "box"))
        self.most = self.look.rng.choice((1, 4, 4, 6))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """The paragraphs, joined by blanks."""
        texts = draw.paragraphs(self.most)
        named, join = self.look.named("description"), self.look.joined
        shown = [self._shown(text, draw) for text in texts]
        paragraphs = join(*(f"<p>{text}</p>" for text in shown))
        label = self.look.label("description")
        written = {
            "div": f"<div{named}>{paragraphs}</div>",
            "headed": f"<h2>{label}</h2>{self.look.between}{paragraphs}{self.look.between}<h2>More</h2><p>See all.</p>",
            "loose": f"{paragraphs}{self.look.between}<hr>",
            "br": f"<div{named}>{'<br><br>'.join(shown)}</div>",
            "bold": f"<div><b>{label}</b><br>{'<br>'.join(shown)}</div>",
            "box": f"<div><div{self.look.named('head')}><h3>{label}</h3></div><div>{paragraphs}</div></div>",
        }[self.style]
        return {"description": " ".join(texts)}, written

    def _shown(self, text: str, draw: Draw) -> str:
        words = self.look.text(text)
        if self.look.language == "en" and draw.chance(0.2):
            first, _, rest = words.partition(". ")
            return f"<em>{first}.</em> {rest}" if rest else words
        return words


@dataclass
class Sections:
    """Sections between headings: texts and lists, some of them absent on some pages."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        self.heading = rng.choice(("h2", "h3", "h3", "dt", "b", "div"))
        kinds = ("text", "text", "list", "list", "lines", "linked") if self.heading != "dt" else ("text", "list")
        names = rng.sample(STEMS, rng.randint(2, 4))
        self.sections = [(name, rng.choice(kinds), rng.choice((1.0, 0.8, 0.5))) for name in names]
        self.boxed = rng.random() < 0.3 and self.heading != "dt"
        self.shuffled = rng.random() < 0.2

    def fill(self, draw: Draw, variant: int) -> Filled:
        """The sections that this page has."""
        values: dict[str, Any] = {}
        written: list[str] = []
        there = [one for one in self.sections if draw.chance(one[2])]
        if self.shuffled:
            draw.rng.shuffle(there)
        for name, kind, _ in there:
            value, body = self._section(kind, draw)
            values[name] = value
            heading = self.look.label(name)
            tag = self.heading
            head = f"<p><b>{heading}</b></p>" if tag == "b" else f"<{tag}{self._named(tag)}>{heading}</{tag}>"
            if tag == "dt":
                body = f"<dd>{body}</dd>"
            section = self.look.joined(head, body)
            written.append(f"<div{self.look.named('section')}>{section}</div>" if self.boxed else section)
        inner = self.look.joined(*written)
        end = "" if self.boxed or self.heading == "dt" else f"<{self.heading}>End</{self.heading}>"
        if self.heading == "b":
            end = "<p><b>End</b></p>"
        elif self.heading == "div":
            end = f"<div{self._named('div')}>End</div>"
        return values, f"<dl>{inner}</dl>" if self.heading == "dt" else f"<div>{inner}{end}</div>"

    def _named(self, tag: str) -> str:
        return ' class="head"' if tag == "div" else ""

    def _section(self, kind: str, draw: Draw) -> tuple[Any, str]:
        if kind == "text":
            texts = draw.paragraphs()
            return " ".join(texts), self.look.joined(*(f"<p>{self.look.text(text)}</p>" for text in texts))
        if kind == "lines":
            lines = list(dict.fromkeys(draw.words(2, 5) for _ in range(draw.rng.randint(1, 5))))
            return lines, self.look.joined(*(f"<p>{self.look.text(line)}</p>" for line in lines))
        items = list(dict.fromkeys(draw.words(2, 5) for _ in range(draw.rng.randint(1, 6))))
        if kind == "linked":
            return items, "<p>" + ", ".join(f'<a href="/l/{n}">{one}</a>' for n, one in enumerate(items)) + "</p>"
        return items, f"<ul>{self.look.joined(*(f'<li>{self.look.text(one)}</li>' for one in items))}</ul>"


@dataclass
class Reviews:
    """What readers say: records with parts that some lack, and texts of one paragraph or several."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        self.style = rng.choice(("div", "li", "article", "runs", "table", "nested", "cards"))
        self.headline = rng.random() < 0.4
        self.rated = rng.random() < 0.5
        self.paragraphs = rng.random() < 0.5
        self.form = rng.choice(("iso", "long")) if self.look.language == "en" else "iso"
        self.least = rng.choice((0, 1))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """None to five reviews."""
        records: list[dict[str, Any]] = []
        written: list[str] = []
        for _ in range(draw.rng.randint(self.least, 5)):
            record, body = self._review(draw)
            records.append(record)
            if self.style == "nested" and written and draw.chance(0.4):
                written[-1] = (
                    written[-1].removesuffix("</div>") + f"<div{self.look.named('replies')}>{body}</div></div>"
                )
                continue
            written.append(body)
        head = f"<h2>{self.look.label('reviews')}</h2>"
        inner = self.look.joined(*written)
        tag = {"li": "ul", "table": "table"}.get(self.style, "div")
        none = "" if records else "<p>None yet</p>"
        body = f"{head}<{tag}{self.look.named('reviews')}>{inner}</{tag}>{none}"
        return ({"reviews": records} if records else {}), body

    def _review(self, draw: Draw) -> tuple[dict[str, Any], str]:
        named = self.look.named
        texts = draw.paragraphs(3) if self.paragraphs else [draw.paragraph()]
        author, date = draw.person(), written_day(draw.day(), self.form)
        record: dict[str, Any] = {"author": author, "date": date, "text": " ".join(texts)}
        extra = ""
        if self.headline and draw.chance(0.7):
            record["title"] = draw.words(2, 4).title()
            extra += f"<h4{named('headline')}>{record['title']}</h4>"
        if self.rated and draw.chance(0.8):
            record["rating"] = str(draw.rng.randint(1, 5))
            extra += f"<span{named('stars')}>{record['rating']}</span>"
        who = f"<b{named('who')}>{author}</b>"
        when = f"<span{named('when')}>{date}</span>"
        said = self.look.joined(*(f"<p>{self.look.text(text)}</p>" for text in texts))
        if self.style == "runs":
            return record, f"<h3{named('who')}>{author} <small>{date}</small></h3>{self.look.between}{extra}{said}"
        if self.style == "table":
            return record, f"<tr><td>{who}<br>{when}</td><td>{extra}{said}</td></tr>"
        tag = {"li": "li", "article": "article"}.get(self.style, "div")
        said = f"<div{named('said')}>{said}</div>" if self.style != "cards" else said
        return record, f"<{tag}{named('review')}>{who} {when}{self.look.between}{extra}{said}</{tag}>"


@dataclass
class Specs:
    """A table of names and values that differ from page to page."""

    look: Look

    def __post_init__(self) -> None:
        self.style = self.look.rng.choice(("td", "th", "dl", "li", "grouped"))
        few = Draw(self.look.rng, self.look.language)
        self.names = list(dict.fromkeys(few.words(1, 2).capitalize() for _ in range(9)))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """Two to seven rows."""
        names = draw.rng.sample(self.names, min(len(self.names), draw.rng.randint(2, 7)))
        records = [{"name": name, "value": draw.words(1, 3)} for name in names]
        named, join = self.look.named("specs"), self.look.joined
        cell = "th" if self.style == "th" else "td"
        rows = [f"<tr><{cell}>{one['name']}</{cell}><td>{one['value']}</td></tr>" for one in records]
        if self.style == "dl":
            pairs = (f"<dt>{one['name']}</dt><dd>{one['value']}</dd>" for one in records)
            body = f"<dl{named}>{join(*pairs)}</dl>"
        elif self.style == "li":
            items = (f"<li><span>{one['name']}</span>: <em>{one['value']}</em></li>" for one in records)
            body = f"<ul{named}>{join(*items)}</ul>"
        elif self.style == "grouped":
            head = f'<tr><th colspan="2">{self.look.label("specs")}</th></tr>'
            body = f"<table{named}>{join(head, *rows)}</table>"
        else:
            body = f"<table{named}>{join(*rows)}</table>"
        return {"specs": records}, f"<h3>{self.look.label('specs')}</h3>{body}"


@dataclass
class Offers:
    """A table with a header; its columns change places on some pages, and a cell may span rows."""

    look: Look

    def __post_init__(self) -> None:
        rng = self.look.rng
        self.permuted = rng.random() < 0.3
        self.optional = rng.random() < 0.4
        self.head = rng.choice(("th", "td"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """One to five rows."""
        columns = ["size", "stock", "code"]
        if self.permuted and draw.chance(0.4):
            draw.rng.shuffle(columns)
        records, rows = [], []
        for number in range(draw.rng.randint(1, 5)):
            record = {
                "size": f"{number + 1}{draw.rng.randint(0, 9)} mm",
                "stock": str(draw.rng.randint(0, 200)),
                "code": draw.fact("code"),
            }
            if self.optional and draw.chance(0.2):
                record["stock"] = ""
            rows.append("<tr>" + "".join(f"<td>{record[name]}</td>" for name in columns) + "</tr>")
            records.append({key: value for key, value in record.items() if value})
        header = "".join(f"<{self.head}>{self.look.label(name)}</{self.head}>" for name in columns)
        body = self.look.joined(f"<tr>{header}</tr>", *rows)
        return {
            "offers": records
        }, f"<h3>{self.look.label('offers')}</h3><table{self.look.named('offers')}>{body}</table>"


@dataclass
class Related:
    """Other things in the markup of this one: nothing of it is asked for."""

    look: Look

    def fill(self, draw: Draw, variant: int) -> Filled:
        """Two to four cards."""
        named, currency = self.look.named, "$" if self.look.language == "en" else "¥"
        cards = [
            f'<div{named("card")}><h3><a href="/o/{n}">{draw.title()}</a></h3>'
            f"<span{named('price')}>{draw.money(currency)}</span><p>{draw.sentence()}</p></div>"
            for n in range(draw.rng.randint(2, 4))
        ]
        return {}, f"<h2>{self.look.label('related')}</h2><div>{self.look.joined(*cards)}</div>"


@dataclass
class Advertisement:
    """What stands between blocks on some pages."""

    look: Look

    def fill(self, draw: Draw, variant: int) -> Filled:
        """An advertisement, or nothing."""
        if not draw.chance(0.4):
            return {}, ""
        link = f'<a href="/ad/{draw.rng.randrange(999)}">{draw.words(2, 4)}</a>'
        return {}, draw.rng.choice((f"<div><p>{link}</p></div>", f"<aside>{link}</aside>", f"<p>{draw.sentence()}</p>"))


@dataclass
class Behind:
    """A value that only readers without scripts, or who open it, see."""

    look: Look

    def __post_init__(self) -> None:
        self.tag = self.look.rng.choice(("noscript", "template", "details", "hidden"))

    def fill(self, draw: Draw, variant: int) -> Filled:
        """A remark."""
        remark = draw.words(4, 7).capitalize()
        inner = f"<p{self.look.named('remark')}>{remark}</p>"
        if self.tag == "hidden":
            return {"remark": remark}, f'<div id="remark" hidden>{inner}</div>'
        summary = "<summary>More</summary>" if self.tag == "details" else ""
        return {"remark": remark}, f'<{self.tag} id="remark">{summary}{inner}</{self.tag}>'


LONG: tuple[Callable[[Look], Block], ...] = (Description, Sections, Reviews, Specs, Offers, Behind)
