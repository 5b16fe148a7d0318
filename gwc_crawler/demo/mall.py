"""The bundled mall: a seed and a size → the same site for ever, with all facts about it.

`Mall.page(path)` gives the bytes a server sends, `Mall.records` what a crawl should find.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from random import Random

from gwc_crawler.demo.chrome import (
    ENGLISH,
    INFO_PAGES,
    SIMPLIFIED,
    Chrome,
    PageForm,
    Sheet,
    WordSource,
    day,
)
from gwc_crawler.demo.mall_plan import (
    CATEGORIES,
    DISALLOWED_NUMBERS,
    PAGE_SIZE,
    SESSION_KEY,
    SHOWN_CATEGORIES,
    Article,
    Category,
    MallPlan,
    Product,
    list_path,
    make_plan,
)
from gwc_crawler.items import Extracted

# --- The two kinds of page under /item/: a product, and an event that looks like one from outside ---------------------


def product_body(product: Product) -> str:
    """Return everything of a product between breadcrumbs and recommendations."""
    words, record = product.category.form.words, product.record
    title = escape(str(record["title"]))
    tags = "".join(f"<li>{escape(str(tag))}</li>" for tag in _members(record["tags"]))
    heading = words.say("商品介绍", "Description")
    return (
        f"<div class='product'><h1 class='name'>{title}</h1>"
        f"<div class='pic'><img id='photo' src='{record['image']}' alt='{title}' width='320'></div>"
        f"{_price_box(product)}"
        f"<p class='code'><b>SKU:</b> {record['sku']}<br><b>上架 Listed:</b> {product.listed}</p>"
        f"{_facts(product)}"
        f"<ul class='tags'>{tags}</ul>"
        f"<div class='description'><h2>{heading}</h2><p>{escape(str(record['description']))}</p></div>"
        f"{_reviews(product, words)}</div>"
    )


def event_body(title: str, words: WordSource, rng: Random) -> str:
    """Return an event: the same heading, facts and tags, sometimes a price, but nothing a record is made of."""
    fee = f"<div class='pricebox'><span class='price'>{words.price(rng)}</span></div>" if rng.random() < 0.4 else ""
    facts = {
        "日期 Date": day(rng),
        "地址 Place": f"{words.pick(rng, 'series')} {rng.randint(1, 300)}",
        "主办 Host": words.pick(rng, "people"),
    }
    rows = "".join(f"<tr><th>{label}</th><td>{escape(value)}</td></tr>" for label, value in facts.items())
    tags = "".join(f"<li>{escape(tag)}</li>" for tag in words.pick_some(rng, "tags", 1, 5))
    steps = words.pick_some(rng, "sentences", 2, 5)
    programme = "".join(f"<li>{9 + hour}:00 {escape(step)}</li>" for hour, step in enumerate(steps))
    return (
        f"<div class='event'><h1 class='name'>{escape(title)}</h1>{fee}"
        f"<table class='facts'>{rows}</table><ul class='tags'>{tags}</ul>"
        f"<div class='steps'><h2>{words.say('活动安排', 'Programme')}</h2>"
        f"<p>{escape(words.paragraph(rng, 4, 9))}</p><ol>{programme}</ol></div></div>"
    )


def _members(value: Extracted) -> list[object]:
    assert isinstance(value, list)
    return value


def _price_box(product: Product) -> str:
    discount = product.record["discount"]
    before = f"<del class='old'>{escape(product.old_price)}</del> " if product.old_price else ""
    after = f" <span class='discount'>{discount}</span>" if discount else ""
    price = escape(str(product.record["price"]))
    return f"<div class='pricebox'>{before}<span class='price'>{price}</span>{after}</div>"


def _facts(product: Product) -> str:
    rows = {
        "系列 Series": product.series,
        "保修 Warranty": product.record["warranty"],
        "品牌 Brand": product.record["brand"],
        "材料 Material": product.material,
        "重量 Weight": product.weight,
    }
    cells = "\n".join(f"<tr><th>{label}</th><td>{escape(str(text))}</td></tr>" for label, text in rows.items() if text)
    return f"<table class='facts'>\n{cells}\n</table>"


def _reviews(product: Product, words: WordSource) -> str:
    reviews = _members(product.record["reviews"])
    blocks = "".join(_review(review, reply, words) for review, reply in zip(reviews, product.replies, strict=True))
    none = f"<p class='empty'>{words.say('还没有评论', 'No reviews yet')}</p>"
    heading = f"{words.say('评论', 'Reviews')} ({len(reviews)})"
    return f"<div class='reviews' id='reviews'><h2>{heading}</h2>{blocks or none}</div>"


def _review(review: object, reply: str | None, words: WordSource) -> str:
    assert isinstance(review, dict)
    shop = words.say("店主", "The shop")
    answer = f"<div class='reply'><b>{shop}:</b> <span>{escape(reply)}</span></div>" if reply else ""
    return (
        f"<div class='review'><div class='head'><span class='who'>{escape(review['author'])}</span> "
        f"<span class='date'>{review['date']}</span></div>"
        f"<p class='text'>{escape(review['text'])}</p>{answer}</div>\n"
    )


# --- The mall's pages: a path → a sheet of HTML. What a page says is drawn from the seed and the path alone -----------


_ENGLISH = PageForm(ENGLISH)
_GUIDES = PageForm(SIMPLIFIED, "utf-8", "both")
_INFO = PageForm(SIMPLIFIED, "gbk", "meta")


class PageWriter:
    """Writes any page of a plan."""

    def __init__(self, plan: MallPlan) -> None:
        self._plan = plan
        menu = [(list_path(c.slug, 1), c.caption) for c in SHOWN_CATEGORIES]
        self._chrome = Chrome(menu, list_path("guides", 1))
        self._categories = {c.slug: c for c in CATEGORIES}
        self._shown = {c.slug: plan.shown_products(c.slug) for c in CATEGORIES}
        self._lists = {path: (slug, n) for slug in plan.lists for n, path in enumerate(plan.list_pages(slug), start=1)}

    def write(self, path: str) -> Sheet | None:
        """Return the page at *path*, or None where the mall has none (and for redirects)."""
        plan = self._plan
        if path == "/":
            return self._home()
        if path.startswith("/item/"):
            return self._item(path)
        if path in self._lists:
            return self._list(path, *self._lists[path])
        if path in plan.articles:
            return self._article(plan.articles[path])
        if path in INFO_PAGES:
            return self._info(path)
        if path in ("/members/", "/members/orders.html"):
            body = "<h1>Members</h1><p>Orders and addresses.</p><a href='/members/orders.html'>Orders</a>"
            return self._chrome.sheet(_ENGLISH, "Members", body)
        return self._calendar(path)

    def _home(self) -> Sheet:
        words, rng = _ENGLISH.words, self._rng("/")
        parts = [f"<p class='lead'>{escape(words.paragraph(rng, 3, 4))}</p>"]
        for category in SHOWN_CATEGORIES:
            picks = _sample(rng, self._shown[category.slug], 6)
            parts.append(f"<div class='box'><h2>{category.caption}</h2>{self._captions(picks, words)}</div>")
        plain = [path for path in self._plan.lists["guides"] if path not in self._plan.bridges]
        guides = [*self._plan.bridges[::2], *_sample(rng, plain, 4)]
        rng.shuffle(guides)
        parts.append(f"<div class='box'><h2>指南 Guides</h2>{self._captions(guides, words)}</div>")
        return self._chrome.sheet(_ENGLISH, "蓝桥商城", "".join(parts))

    def _list(self, path: str, slug: str, number: int) -> Sheet:
        entries = self._plan.lists[slug][(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        category = self._categories.get(slug)
        if category is None:
            words = _GUIDES.words
            body = f"<h1>指南 Guides</h1>{self._captions(entries, words)}{self._pager(slug, number, words)}"
            return self._chrome.sheet(_GUIDES, "指南 Guides", body)
        words = category.form.words
        title = f"{category.caption} - {words.say(f'第{number}页', f'page {number}')}"
        rows = "\n".join(self._list_row(path, entry, category, words) for entry in entries)
        body = f"<h1>{category.caption}</h1><div class='grid'>{rows}</div>{self._pager(slug, number, words)}"
        return self._chrome.sheet(category.form, title, body, side=self._side(path, category, words))

    def _list_row(self, list_page: str, entry: str, category: Category, words: WordSource) -> str:
        number = hashlib.md5(list_page.encode(), usedforsecurity=False).hexdigest()[:12]
        session = f"?{SESSION_KEY}={number}" if category.sessions else ""
        caption, number = escape(self._title(entry, words)), _item_number(entry)
        href = entry if list_page.endswith(f"/{category.slug}/") else f"../../../item/{number}.html"
        product = self._plan.products.get(entry)
        price = f"<span class='price'>{escape(str(product.record['price']))}</span>" if product else ""
        note = escape(words.paragraph(self._rng(entry, "note"), 1, 1))
        return (
            f"<div class='item' id='i{number}'><a class='pic' href='{entry}{session}'>"
            f"<img src='http://img.mall.invalid/s/{number}.jpg' alt=''></a>"
            f"<h3><a href='{href}' title='{caption}'>{caption}</a></h3>{price}<p class='note'>{note}</p></div>"
        )

    def _pager(self, slug: str, number: int, words: WordSource) -> str:
        """Return links to the first three pages and the neighbours: deeper pages take one click after the other."""
        last = len(self._plan.list_pages(slug))
        shown = sorted({n for n in (1, 2, 3, number - 1, number, number + 1) if 1 <= n <= last})
        pages = " ".join(f"<b>{n}</b>" if n == number else f"<a href='{list_path(slug, n)}'>{n}</a>" for n in shown)
        onward = f"<a rel='next' href='{list_path(slug, number + 1)}'>{words.say('下一页', 'Next')} &raquo;</a>"
        return f"<div class='pager'>{pages} {onward if number < last else ''} {number}/{last}</div>"

    def _item(self, path: str) -> Sheet | None:
        plan = self._plan
        if product := plan.products.get(path) or plan.disallowed.get(path):
            return self._offer(path, product.category, product_body(product))
        if category := plan.events.get(path):
            event = event_body(self._title(path, category.form.words), category.form.words, self._rng(path, "event"))
            return self._offer(path, category, event)
        if (category := plan.soft404.get(path) or plan.gone.get(path)) is None:
            return None
        words = category.form.words
        title = words.say("页面不存在", "Page not found")
        reason = words.say("您访问的商品已下架或页面不存在。", "The page you asked for does not exist or was removed.")
        body = f"<div class='empty'><h1>{title}</h1><p>{reason}</p></div>"
        return self._chrome.sheet(category.form, title, body, status=200 if path in plan.soft404 else 404)

    def _offer(self, path: str, category: Category, offer: str) -> Sheet:
        words = category.form.words
        body = f"{_crumbs(category, words)}{offer}{self._related(path, category, words)}"
        side = self._side(path, category, words)
        return self._chrome.sheet(category.form, self._title(path, words), body, side=side, canonical=path)

    def _article(self, article: Article) -> Sheet:
        words, rng = article.form.words, self._rng(article.path)
        text = "".join(f"<p>{escape(words.paragraph(rng, 4, 9))}</p>" for _ in range(rng.randint(3, 7)))
        partner = f"<p class='note'><a href='http://partner.invalid/read/{rng.randint(1, 99)}'>partner.invalid</a></p>"
        body = (
            f"<div class='article'><h1>{escape(article.title)}</h1><p class='date'>{day(rng)}</p>{text}"
            f"{self._onward(article, rng, words)}{partner}</div>"
        )
        return self._chrome.sheet(article.form, article.title, body)

    def _onward(self, article: Article, rng: Random, words: WordSource) -> str:
        """Return an article's links: a bridge to its target, or two other articles, for one in five also a product."""
        if article.bridge_to:
            here = words.say("这里", "over here")
            return f"<p>{words.say('另见', 'See also')} <a href='{article.bridge_to}'>{here}</a></p>"
        picks = _sample(rng, self._plan.lists["guides"], 2, but=article.path)
        if rng.random() < 0.2:
            picks += _sample(rng, self._shown[rng.choice(SHOWN_CATEGORIES).slug], 1)
        return self._captions(picks, words)

    def _info(self, path: str) -> Sheet:
        rng, title = self._rng(path), " ".join(INFO_PAGES[path])
        text = "".join(f"<p>{_INFO.words.paragraph(rng, 3, 8)}</p>" for _ in range(4))
        return self._chrome.sheet(_INFO, title, f"<h1>{title}</h1>{text}")

    def _calendar(self, path: str) -> Sheet | None:
        """Return an endless calendar: every month leads to the next month and the next year."""
        parts = path.strip("/").split("/")
        if len(parts) != 3 or parts[0] != "calendar" or not all(part.isdecimal() for part in parts[1:]):
            return None
        year, month = int(parts[1]), int(parts[2])
        days = "".join(f"<td class='day'>{n}</td>{'</tr><tr>' if n % 7 == 0 else ''}" for n in range(1, 29))
        body = (
            f"<h1>{year}-{month:02d}</h1><table class='month'><tr>{days}</tr></table>"
            f"<p>{escape(_ENGLISH.words.paragraph(self._rng(path), 2, 4))}</p>"
            f"<a href='/calendar/{year + month // 12}/{month % 12 + 1}/'>Next month</a> "
            f"<a href='/calendar/{year + 1}/{month}/'>Next year</a>"
        )
        return self._chrome.sheet(_ENGLISH, f"Calendar {year}-{month:02d}", body)

    def _side(self, path: str, category: Category, words: WordSource) -> str:
        picks = _sample(self._rng(path, "side"), self._shown[category.slug], 3, but=path)
        prices = (escape(str(self._plan.products[pick].record["price"])) for pick in picks)
        rows = "".join(
            f"<li><a href='{pick}'>{escape(self._title(pick, words))}</a> <span class='price'>{price}</span></li>"
            for pick, price in zip(picks, prices, strict=True)
        )
        return f"<div class='side'><h4>{words.say('热卖', 'Popular')}</h4><ul class='hot'>{rows}</ul></div>"

    def _related(self, path: str, category: Category, words: WordSource) -> str:
        rng = self._rng(path, "related")
        picks = self._captions(_sample(rng, self._shown[category.slug], rng.randint(2, 5), but=path), words)
        return f"<div class='box'><h2>{words.say('相关商品', 'You may also like')}</h2>{picks}</div>"

    def _captions(self, paths: Sequence[str], words: WordSource) -> str:
        rows = "".join(f"<li><a href='{path}'>{escape(self._title(path, words))}</a></li>" for path in paths)
        return f"<ul class='links'>{rows}</ul>"

    def _title(self, path: str, words: WordSource) -> str:
        plan = self._plan
        if product := plan.products.get(path) or plan.disallowed.get(path):
            return str(product.record["title"])
        if category := plan.events.get(path):
            return category.form.words.event_name(self._rng(path))
        if article := plan.articles.get(path):
            return article.title
        return f"{words.say('特别推荐', 'Special offer')} {_item_number(path)}"

    def _rng(self, path: str, purpose: str = "") -> Random:
        return Random(f"{self._plan.seed}:{path}:{purpose}")


def _crumbs(category: Category, words: WordSource) -> str:
    home = "/index.html" if category.form.charset == "gbk" else "/"  # its old address, in one department
    caption = words.say(category.chinese, category.english)
    return (
        f"<div class='crumb'><a href='{home}'>{words.say('首页', 'Home')}</a> &gt; "
        f"<a href='{list_path(category.slug, 1)}'>{caption}</a></div>"
    )


def _item_number(path: str) -> str:
    return path.removeprefix("/item/").removesuffix(".html")


def _sample(rng: Random, paths: Sequence[str], count: int, but: str = "") -> list[str]:
    picks = rng.sample(paths, min(count + 1, len(paths)))
    return [path for path in picks if path != but][:count]


ROBOTS = f"""# Bluebridge Mall
User-agent: *
Disallow: /members/
Disallow: /item/{DISALLOWED_NUMBERS}
Disallow: /search
""".encode()

ALIASES = {"/index.html": (301, "/")}


@dataclass(frozen=True, slots=True)
class MallPage:
    """One answer of the mall; `location` is set for redirects."""

    body: bytes
    content_type: str = "text/html"
    status: int = 200
    location: str = ""


class Mall:
    """A generated shop of *size* products (30 or more); equal seeds and sizes give equal bytes on every machine."""

    def __init__(self, seed: int = 1, size: int = 200) -> None:
        self.seed = seed
        self.size = size
        self.plan = make_plan(seed, size)
        self.records = {path: product.record for path, product in self.plan.products.items()}
        """Path of a product → field → the exact text on its page; absent ones are None or []."""
        self._writer = PageWriter(self.plan)
        self._pages: dict[str, MallPage | None] = {}

    def page(self, target: str) -> MallPage | None:
        """Return the answer to a path (its query changes nothing), or None where the mall has no page."""
        path = target.partition("?")[0]
        if path.startswith("/calendar/"):  # endless: not kept
            return self._write(path)
        if path not in self._pages:
            self._pages[path] = self._write(path)
        return self._pages[path]

    def text(self, path: str) -> str:
        """Return the decoded page at *path*; KeyError if there is none."""
        page = self.page(path)
        if page is None:
            raise KeyError(path)
        return page.body.decode(self.form(path).codec)

    def form(self, path: str) -> PageForm:
        """Return how the page at *path* is written."""
        sheet = self._writer.write(path)
        return sheet.form if sheet else _ENGLISH

    def _write(self, path: str) -> MallPage | None:
        moved = ALIASES.get(path) or self.plan.redirects.get(path)
        if moved:
            status, location = moved
            body = f"<html><head><title>Moved</title></head><body><a href='{location}'>Moved</a></body></html>".encode()
            return MallPage(body, "text/html; charset=utf-8", status, location)
        if path == "/robots.txt":
            return MallPage(ROBOTS, "text/plain")
        sheet = self._writer.write(path)
        if sheet is None:
            return None
        body = sheet.html.encode(sheet.form.codec, "xmlcharrefreplace")
        return MallPage(body, sheet.form.content_type, sheet.status)
