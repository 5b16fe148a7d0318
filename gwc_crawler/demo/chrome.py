"""The parts that all pages of the mall share: language, head, navigation, sidebar, footer, the form of a page."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from html import escape
from importlib.resources import files
from random import Random
from typing import Any

# --- The mall's language: names, sentences and dates in English, simplified and traditional Chinese -------------------


SIMPLIFIED = "zh-Hans"
TRADITIONAL = "zh-Hant"
ENGLISH = "en"


class WordSource:
    """Draws words and sentences of one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._is_english = language == ENGLISH
        self._lists: dict[str, list[str]] = vocabulary()["english" if self._is_english else "chinese"]

    def say(self, chinese: str, english: str) -> str:
        """Return one of two fixed texts: the Chinese one in this language's characters, or the English one."""
        return english if self._is_english else self._write(chinese)

    def pick(self, rng: Random, kind: str) -> str:
        """Return one word of a *kind*: "brands", "people", "series", "materials", …"""
        return self._write(rng.choice(self._lists[kind]))

    def pick_some(self, rng: Random, kind: str, low: int, high: int) -> list[str]:
        """*low* to *high* different words of a *kind*."""
        words = self._lists[kind]
        return [self._write(word) for word in rng.sample(words, min(rng.randint(low, high), len(words)))]

    def paragraph(self, rng: Random, low: int, high: int, kind: str = "sentences") -> str:
        """Return a text of *low* to *high* sentences that don't repeat."""
        return (" " if self._is_english else "").join(self.pick_some(rng, kind, low, high))

    def product_name(self, rng: Random, noun: str) -> str:
        """E.g. "Maple Folding Kettle, No. 36"."""
        place, adjective, edition = (self.pick(rng, kind) for kind in ("places", "adjectives", "editions"))
        number = rng.randint(2, 999)
        if self._is_english:
            return f"{place} {adjective} {noun}, {edition} {number}"
        return f"{place}{adjective}{noun}（第{number}{edition}）"

    def event_name(self, rng: Random) -> str:
        """E.g. "Harbour Workshop 12"."""
        place, event, number = self.pick(rng, "places"), self.pick(rng, "events"), rng.randint(2, 60)
        return f"{place} {event} {number}" if self._is_english else f"{place}{event}第{number}期"

    def article_title(self, rng: Random) -> str:
        """E.g. "Notes on small rooms (7)"."""
        heading, topic, number = self.pick(rng, "headings"), self.pick(rng, "topics"), rng.randint(1, 99)
        return f"{heading} {topic} ({number})" if self._is_english else f"{heading}{topic}（{number}）"

    def price(self, rng: Random) -> str:
        """Return a price in the language's currency."""
        amount = rng.randint(900, 99900) / 100
        if self._is_english:
            return f"${amount:,.2f}"
        return f"￥{amount:.2f}" if self.language == SIMPLIFIED else f"NT$ {int(amount * 4):,}"

    def _write(self, text: str) -> str:
        return text.translate(_to_traditional()) if self.language == TRADITIONAL else text


def day(rng: Random) -> str:
    """Return an ISO date within three years."""
    return (date(2022, 3, 1) + timedelta(days=rng.randrange(1100))).isoformat()


@cache
def vocabulary() -> dict[str, Any]:
    """Return the words and departments in `vocabulary.toml`."""
    return tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))


@cache
def _to_traditional() -> dict[int, int]:
    table = vocabulary()["traditional"]
    return str.maketrans(table["from"], table["to"])


INFO_PAGES = {
    "/about.html": ("关于我们", "About us"),
    "/help.html": ("购物帮助", "Help"),
    "/contact.html": ("联系我们", "Contact"),
}
FIRST_MONTH = "/calendar/2025/1/"
_CLASSES = (
    "top nav menu crumb side hot box item name price old discount code facts tags pic description review head who date "
    "text reply stars pager foot links note hours place steps lead month day empty"
)
_STYLE = "\n".join(
    f".{name} {{ margin: {index % 7}px {index % 5}px; color: #{index * 1123 % 4096:03x}; border: 1px solid #eee }}"
    for index, name in enumerate(_CLASSES.split())
)
_SCRIPT = """
var basket = { items: [], total: 0 };
function addToBasket(id, price) { basket.items.push(id); basket.total += price; show('basket', basket.items.length); }
function show(id, text) { var e = document.getElementById(id); if (e) { e.innerHTML = '<b>' + text + '</b>'; } }
if (document.cookie.indexOf('seen=1') < 0) { document.cookie = 'seen=1; path=/'; }
"""


@dataclass(frozen=True, slots=True)
class PageForm:
    """How a page is written: its language, the charset it names, and where: "header", "meta", "both" or "none"."""

    language: str
    charset: str = "utf-8"
    declared: str = "header"

    @property
    def words(self) -> WordSource:
        """The words of its language."""
        return WordSource(self.language)

    @property
    def codec(self) -> str:
        """The real codec of the bytes: a page that calls itself GB2312 is in GBK, as browsers know."""
        return "gbk" if self.charset == "gb2312" else self.charset

    @property
    def content_type(self) -> str:
        """The header's value: with the charset only if it is declared there."""
        return f"text/html; charset={self.charset}" if self.declared in ("header", "both") else "text/html"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page ready to be encoded."""

    html: str
    form: PageForm
    status: int = 200


class Chrome:
    """The frame around every page. `menu`: (href, caption) of the departments; `guides`: href of their list."""

    def __init__(self, menu: list[tuple[str, str]], guides: str) -> None:
        self._menu = "".join(f"<li><a href='{href}'>{caption}</a></li>" for href, caption in menu)
        self._guides = guides

    def sheet(
        self, form: PageForm, title: str, body: str, *, side: str = "", canonical: str = "", status: int = 200
    ) -> Sheet:
        """Put *body* (HTML) under *title* (plain text) into the frame."""
        words = form.words
        said = f"<meta http-equiv='Content-Type' content='text/html; charset={form.charset}'>"
        meta = said if form.declared in ("meta", "both") else ""
        link = f"<link rel='canonical' href='{canonical}'>" if canonical else ""
        html = f"""<!DOCTYPE html>
<html lang="{form.language}">
<head>{meta}<title>{escape(title)} - {words.say("蓝桥商城", "Bluebridge Mall")}</title>{link}
<style>{_STYLE}</style>
<script>{_SCRIPT}</script>
</head>
<body>
{self._top(words)}
{side}
<div class="main" id="main">
{body}
</div>
{_foot(words)}
<!-- rendered by shop/2.4 -->
</body></html>
"""
        return Sheet(html, form, status)

    def _top(self, words: WordSource) -> str:
        return f"""<div class="top"><a class="logo" href="/"><img src="/static/logo.png" alt="Bluebridge"></a>
<form action="/search" method="get"><input name="q"><select name="in"><option>{words.say("全部", "All")}</option>
</select></form> <span id="basket">0</span></div>
<ul class="nav"><li><a href="/">{words.say("首页", "Home")}</a></li>{self._menu}
<li><a href="{self._guides}">{words.say("指南", "Guides")}</a></li>
<li><a href="{FIRST_MONTH}">{words.say("日历", "Calendar")}</a></li></ul>"""


def _foot(words: WordSource) -> str:
    info = "".join(f"<a href='{path}'>{words.say(*names)}</a> | " for path, names in INFO_PAGES.items())
    return f"""<div class="foot"><p>{info}<a href="/members/">{words.say("会员", "Members")}</a></p>
<p><a href="http://partner.invalid/">Partner</a> <a href="https://www.partner.invalid/shop?from=mall&amp;id=7">Shop</a>
<a href="mailto:hello@mall.invalid">Mail</a> <a href="javascript:show('basket', 0)">Basket</a>
<a href="tel:+3225550100">Tel</a> <a href="#main">{words.say("回到页首", "Back to top")}</a></p>
<p>&copy; 2019&ndash;2025 Bluebridge Mall, {words.say("江南路八号", "8 Quay Street")}</p></div>"""
