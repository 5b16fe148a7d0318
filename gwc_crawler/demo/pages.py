"""The mall's pages: a planned page → HTML text. Same chrome everywhere, like a shop that grew over ten years.

`PageWriter.write(path)` is the one entry; what a page says is drawn from the seed and the path alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from html import escape
from random import Random

from gwc_crawler.demo.plan import CATEGORIES, PAGE_SIZE, Article, Category, Plan, Product, list_path
from gwc_crawler.demo.truth import SESSION_KEY
from gwc_crawler.demo.words import ENGLISH, SIMPLIFIED, Words, day

INFO_PAGES = {
    "/about.html": ("关于我们", "About us"),
    "/help.html": ("购物帮助", "Help"),
    "/contact.html": ("联系我们", "Contact"),
}
FIRST_MONTH = "/calendar/2025/1/"

_STYLE = "\n".join(
    f".{name}{{margin:{index % 7}px {index % 5}px;padding:{index % 4}px;color:#{index * 1123 % 4096:03x};border:1px solid #eee}}"
    for index, name in enumerate(
        [
            "top",
            "nav",
            "menu",
            "crumb",
            "side",
            "hot",
            "box",
            "item",
            "name",
            "price",
            "old",
            "discount",
            "code",
            "facts",
            "tags",
            "pic",
            "description",
            "review",
            "head",
            "who",
            "date",
            "text",
            "reply",
            "stars",
            "pager",
            "foot",
            "links",
            "note",
            "hours",
            "place",
            "steps",
            "lead",
            "month",
            "day",
            "empty",
        ]
    )
)
_SCRIPT = """
var basket = { items: [], total: 0 };
function addToBasket(id, price) { basket.items.push(id); basket.total += price; show('basket', basket.items.length); }
function show(id, text) { var e = document.getElementById(id); if (e) { e.innerHTML = '<b>' + text + '</b>'; } }
if (document.cookie.indexOf('seen=1') < 0) { document.cookie = 'seen=1; path=/'; }
"""


@dataclass(frozen=True)
class Sheet:
    """A page ready to be encoded."""

    html: str
    charset: str = "utf-8"
    declared: str = "header"
    status: int = 200


class PageWriter:
    """Writes any page of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._list_of = {
            path: (slug, number)
            for slug in plan.lists
            for number, path in enumerate(plan.list_pages(slug), start=1)
        }  # fmt: skip
        self._shown = {c.slug: plan.shown_products(c.slug) for c in CATEGORIES}

    def write(self, path: str) -> Sheet | None:
        """The page at *path*, or None where the mall has none (and for redirects)."""
        plan = self._plan
        if path == "/":
            return self._home()
        if path in self._list_of:
            return self._list(path, *self._list_of[path])
        if product := plan.products.get(path) or plan.disallowed.get(path):
            return self._product(product)
        if path in plan.events:
            return self._event(path, plan.events[path])
        if path in plan.soft404:
            return self._missing(plan.soft404[path], 200)
        if path in plan.gone:
            return self._missing(CATEGORIES[0], 404)
        if path in plan.articles:
            return self._article(plan.articles[path])
        if path in INFO_PAGES:
            return self._info(path)
        if path.startswith("/members/"):
            return self._members(path)
        if path.startswith("/calendar/"):
            return self._calendar(path)
        return None

    def titles(self, path: str, words: Words) -> str:
        """The caption of a link to *path*."""
        plan = self._plan
        if product := plan.products.get(path) or plan.disallowed.get(path):
            return str(product.record["title"])
        if path in plan.events:
            return self._event_title(path, plan.events[path])
        if path in plan.articles:
            return plan.articles[path].title
        return words.say("特别推荐", "Special offer") + " " + path.strip("/").removesuffix(".html")[-3:]

    # ---- kinds of pages -------------------------------------------------------------------------------------------

    def _home(self) -> Sheet:
        words, rng = Words(ENGLISH), Random(f"{self._plan.seed}:/")
        blocks = []
        for category in CATEGORIES:
            if not category.island:
                picks = _sample(rng, self._shown[category.slug], 6)
                blocks.append(f"<div class='box'><h2>{_caption(category)}</h2>{self._captions(picks, words)}</div>")
        plain = [path for path in self._plan.lists["guides"] if path not in self._plan.bridges]
        guides = [*self._plan.bridges[::2], *_sample(rng, plain, 4)]
        rng.shuffle(guides)
        blocks.append(f"<div class='box'><h2>Guides 指南</h2>{self._captions(guides, words)}</div>")
        lead = f"<p class='lead'>{escape(words.paragraph(rng, 3, 4))}</p>"
        return Sheet(_chrome(words, "Bluebridge Mall 蓝桥商城", lead + "".join(blocks), "", "utf-8", "header"))

    def _list(self, path: str, slug: str, number: int) -> Sheet:
        if slug == "guides":
            return self._guide_list(path, number)
        category = next(c for c in CATEGORIES if c.slug == slug)
        words = Words(category.language)
        entries = self._plan.lists[slug][(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        rows = "".join(self._list_row(path, entry, category, words) for entry in entries)
        title = f"{_caption(category)} - {words.say('第', 'page ')}{number}{words.say('页', '')}"
        body = f"<div class='grid'>{rows}</div>{self._pager(slug, number, words)}"
        return self._sheet(category, words, title, body, self._hot(path, category, words))

    def _list_row(self, list_page: str, entry: str, category: Category, words: Words) -> str:
        rng = Random(f"{self._plan.seed}:{entry}:row")
        session = f"?{SESSION_KEY}={_session(list_page)}" if category.sessions else ""
        caption, number = escape(self.titles(entry, words)), entry[6:-5]
        relative = f"../../item/{number}.html" if list_page.count("/") == 3 else entry
        product = self._plan.products.get(entry)
        price = f"<span class='price'>{escape(str(product.record['price']))}</span>" if product else ""
        return (
            f"<div class='item' id='i{number}'><a class='pic' href='{entry}{session}'>"
            f"<img src='http://img.mall.invalid/s/{number}.jpg' alt=''></a>"
            f"<h3><a href='{relative}' title='{caption}'>{caption}</a></h3>{price}"
            f"<p class='note'>{escape(words.paragraph(rng, 1, 1))}</p></div>\n"
        )

    def _pager(self, slug: str, number: int, words: Words) -> str:
        last = len(self._plan.list_pages(slug))
        shown = sorted({1, *range(max(1, number - 1), min(last, number + 1) + 1)})
        numbers = "".join(f"<b>{n}</b> " if n == number else f"<a href='{list_path(slug, n)}'>{n}</a> " for n in shown)
        onward = f"<a rel='next' href='{list_path(slug, number + 1)}'>{words.say('下一页', 'Next')} &raquo;</a>"
        return f"<div class='pager'>{numbers}{onward if number < last else ''} {number}/{last}</div>"

    def _guide_list(self, path: str, number: int) -> Sheet:
        words = Words(SIMPLIFIED)
        entries = self._plan.lists["guides"][(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
        body = f"<h1>指南 Guides</h1>{self._captions(entries, words)}{self._pager('guides', number, words)}"
        return Sheet(_chrome(words, "指南 Guides", body, "", "utf-8", "both"), "utf-8", "both")

    def _product(self, product: Product) -> Sheet:
        words, record, category = Words(product.category.language), product.record, product.category
        title = escape(str(record["title"]))
        old = f"<del class='old'>{escape(product.old_price)}</del> " if product.old_price else ""
        discount = f" <span class='discount'>{record['discount']}</span>" if record["discount"] else ""
        tags = record["tags"]
        assert isinstance(tags, list)
        body = (
            f"{self._crumbs(category, words)}<div class='product'><h1 class='name'>{title}</h1>"
            f"<div class='pic'><img id='photo' src='{record['image']}' alt='{title}' width='320'></div>"
            f"<div class='pricebox'>{old}<span class='price'>{escape(str(record['price']))}</span>{discount}</div>"
            f"<p class='code'><b>SKU:</b> {record['sku']}<br><b>上架 Listed:</b> {product.listed}</p>"
            f"{_facts(product)}"
            f"<ul class='tags'>{''.join(f'<li>{escape(tag)}</li>' for tag in tags)}</ul>"
            f"<div class='description'><h2>{words.say('商品介绍', 'Description')}</h2><p>{escape(str(record['description']))}</p></div>"
            f"{_reviews(product, words)}</div>{self._related(product.path, category, words)}"
        )
        side = self._hot(product.path, category, words)
        return self._sheet(category, words, str(record["title"]), body, side, canonical=product.path)

    def _event(self, path: str, category: Category) -> Sheet:
        words, rng = Words(category.language), Random(f"{self._plan.seed}:{path}:event")
        title = escape(self._event_title(path, category))
        fee = f"<div class='pricebox'><span class='price'>{words.price(rng)}</span></div>" if rng.random() < 0.4 else ""
        tags = "".join(f"<li>{escape(tag)}</li>" for tag in words.tags(rng))
        body = (
            f"{self._crumbs(category, words)}<div class='event'><h1 class='name'>{title}</h1>{fee}"
            f"<table class='facts'><tr><th>日期 Date</th><td>{day(rng)}</td></tr>"
            f"<tr><th>地址 Place</th><td>{escape(words.series(rng))} {rng.randint(1, 300)}</td></tr>"
            f"<tr><th>主办 Host</th><td>{escape(words.person(rng))}</td></tr></table>"
            f"<ul class='tags'>{tags}</ul>"
            f"<div class='steps'><h2>{words.say('活动安排', 'Programme')}</h2><p>{escape(words.paragraph(rng, 4, 9))}</p>"
            f"<ol>{''.join(f'<li>{9 + hour}:00 {escape(words.paragraph(rng, 1, 1))}</li>' for hour in range(rng.randint(2, 5)))}</ol>"
            f"</div></div>{self._related(path, category, words)}"
        )
        return self._sheet(category, words, self._event_title(path, category), body, self._hot(path, category, words))

    def _event_title(self, path: str, category: Category) -> str:
        return Words(category.language).event_name(Random(f"{self._plan.seed}:{path}"))

    def _missing(self, category: Category, status: int) -> Sheet:
        words = Words(category.language)
        title = words.say("页面不存在", "Page not found")
        body = f"<div class='empty'><h1>{title}</h1><p>{words.say('您访问的商品已下架或页面不存在。', 'The page you asked for does not exist or was removed.')}</p></div>"
        return self._sheet(category, words, title, body, "", status=status)

    def _article(self, article: Article) -> Sheet:
        words, rng = Words(article.language), Random(f"{self._plan.seed}:{article.path}")
        text = "".join(f"<p>{escape(words.paragraph(rng, 4, 9))}</p>" for _ in range(rng.randint(3, 7)))
        if article.bridge_to:
            onward = f"<p>{words.say('另见', 'See also')} <a href='{article.bridge_to}'>{words.say('这里', 'over here')}</a></p>"
        else:
            others = [path for path in _sample(rng, self._plan.lists["guides"], 3) if path != article.path]
            onward = self._captions(others, words) + self._mention(article, rng, words)
        partner = f"<p class='note'><a href='http://partner.invalid/read/{rng.randint(1, 99)}'>partner.invalid</a></p>"
        body = f"<div class='article'><h1>{escape(article.title)}</h1><p class='date'>{day(rng)}</p>{text}{onward}{partner}</div>"
        html = _chrome(words, article.title, body, "", article.charset, article.declared)
        return Sheet(html, article.charset, article.declared)

    def _mention(self, article: Article, rng: Random, words: Words) -> str:
        """One plain article in five names a product."""
        if rng.random() > 0.2:
            return ""
        return self._captions(_sample(rng, self._shown[rng.choice(CATEGORIES[:7]).slug], 1), words)

    def _info(self, path: str) -> Sheet:
        chinese, english = INFO_PAGES[path]
        words = Words(SIMPLIFIED)
        rng = Random(f"{self._plan.seed}:{path}")
        text = "".join(f"<p>{words.paragraph(rng, 3, 8)}</p>" for _ in range(4))
        title = f"{chinese} {english}"
        return Sheet(_chrome(words, title, f"<h1>{title}</h1>{text}", "", "gbk", "meta"), "gbk", "meta")

    def _members(self, path: str) -> Sheet:
        words = Words(ENGLISH)
        body = "<h1>Members</h1><p>Orders and addresses.</p><a href='/members/orders.html'>Orders</a>"
        return Sheet(_chrome(words, "Members", body, "", "utf-8", "header"))

    def _calendar(self, path: str) -> Sheet | None:
        parts = path.strip("/").split("/")
        if len(parts) != 3 or not all(part.isdigit() for part in parts[1:]) or not 1 <= int(parts[2]) <= 12:
            return None
        year, month = int(parts[1]), int(parts[2])
        words, rng = Words(ENGLISH), Random(f"{self._plan.seed}:{path}")
        onward = f"/calendar/{year + month // 12}/{month % 12 + 1}/"
        cells = "".join(
            f"<td class='day'>{number}</td>{'</tr><tr>' if number % 7 == 0 else ''}" for number in range(1, 29)
        )
        body = (
            f"<h1>{year}-{month:02d}</h1><table class='month'><tr>{cells}</tr></table>"
            f"<p>{escape(words.paragraph(rng, 2, 4))}</p>"
            f"<a href='{onward}'>Next month</a> <a href='/calendar/{year + 1}/{month}/'>Next year</a>"
        )
        return Sheet(_chrome(words, f"Calendar {year}-{month:02d}", body, "", "utf-8", "header"))

    # ---- parts of pages -------------------------------------------------------------------------------------------

    def _sheet(
        self,
        category: Category,
        words: Words,
        title: str,
        body: str,
        side: str,
        *,
        status: int = 200,
        canonical: str = "",
    ) -> Sheet:
        html = _chrome(words, title, body, side, category.charset, category.declared, canonical)
        return Sheet(html, category.charset, category.declared, status)

    def _captions(self, paths: list[str], words: Words) -> str:
        rows = "".join(f"<li><a href='{path}'>{escape(self.titles(path, words))}</a></li>" for path in paths)
        return f"<ul class='links'>{rows}</ul>"

    def _crumbs(self, category: Category, words: Words) -> str:
        home = "/index.html" if category.charset == "gbk" else "/"
        return (
            f"<div class='crumb'><a href='{home}'>{words.say('首页', 'Home')}</a> &gt; "
            f"<a href='{list_path(category.slug, 1)}'>{words.say(category.chinese, category.english)}</a></div>"
        )

    def _hot(self, path: str, category: Category, words: Words) -> str:
        """The sidebar: three products with prices that belong to none of the page's fields."""
        rng = Random(f"{self._plan.seed}:{path}:hot")
        rows = "".join(
            f"<li><a href='{pick}'>{escape(self.titles(pick, words))}</a> "
            f"<span class='price'>{escape(str(self._plan.products[pick].record['price']))}</span></li>"
            for pick in _sample(rng, [pick for pick in self._shown[category.slug] if pick != path], 3)
        )
        return f"<div class='side'><h4>{words.say('热卖', 'Popular')}</h4><ul class='hot'>{rows}</ul></div>"

    def _related(self, path: str, category: Category, words: Words) -> str:
        rng = Random(f"{self._plan.seed}:{path}:related")
        picks = _sample(rng, [pick for pick in self._shown[category.slug] if pick != path], rng.randint(2, 5))
        return f"<div class='box'><h2>{words.say('相关商品', 'You may also like')}</h2>{self._captions(picks, words)}</div>"


def _facts(product: Product) -> str:
    rows = [
        ("系列 Series", product.series),
        ("保修 Warranty", product.record["warranty"]),
        ("品牌 Brand", product.record["brand"]),
        ("材料 Material", product.material),
        ("重量 Weight", product.weight),
    ]
    cells = "\n".join(f"<tr><th>{label}</th><td>{escape(str(value))}</td></tr>" for label, value in rows if value)
    return f"<table class='facts'>\n{cells}\n</table>"


def _reviews(product: Product, words: Words) -> str:
    reviews = product.record["reviews"]
    assert isinstance(reviews, list)
    blocks = []
    for review, reply in zip(reviews, product.replies, strict=True):
        answer = (
            f"<div class='reply'><b>{words.say('店主', 'The shop')}:</b> <span>{reply}</span></div>" if reply else ""
        )
        blocks.append(
            f"<div class='review'><div class='head'><span class='who'>{escape(review['author'])}</span> "
            f"<span class='date'>{review['date']}</span></div><p class='text'>{escape(review['text'])}</p>{answer}</div>"
        )
    none = f"<p class='empty'>{words.say('还没有评论', 'No reviews yet')}</p>"
    return f"<div class='reviews' id='reviews'><h2>{words.say('评论', 'Reviews')} ({len(reviews)})</h2>{''.join(blocks) or none}</div>"


def _chrome(words: Words, title: str, body: str, side: str, charset: str, declared: str, canonical: str = "") -> str:
    """Head, navigation, sidebar and footer around *body*."""
    meta = (
        f"<meta http-equiv='Content-Type' content='text/html; charset={charset}'>"
        if declared in ("meta", "both")
        else ""
    )
    link = f"<link rel='canonical' href='{canonical}'>" if canonical else ""
    menu = "".join(f"<li><a href='{list_path(c.slug, 1)}'>{_caption(c)}</a></li>" for c in CATEGORIES if not c.island)
    info = "".join(f"<a href='{path}'>{words.say(*names)}</a> | " for path, names in INFO_PAGES.items())
    return f"""<!DOCTYPE html>
<html lang="{words.language}">
<head>{meta}<title>{escape(title)} - {words.say("蓝桥商城", "Bluebridge Mall")}</title>{link}
<style>{_STYLE}</style>
<script>{_SCRIPT}</script>
</head>
<body>
<div class="top"><a class="logo" href="/"><img src="/static/logo.png" alt="Bluebridge"></a>
<form action="/search" method="get"><input name="q"><select name="in"><option>{words.say("全部", "All")}</option></select></form>
<span id="basket">0</span></div>
<ul class="nav"><li><a href="/">{words.say("首页", "Home")}</a></li>{menu}
<li><a href="{list_path("guides", 1)}">{words.say("指南", "Guides")}</a></li>
<li><a href="{FIRST_MONTH}">{words.say("日历", "Calendar")}</a></li></ul>
{side}
<div class="main" id="main">
{body}
</div>
<div class="foot"><p>{info}<a href="/members/">{words.say("会员", "Members")}</a></p>
<p><a href="http://partner.invalid/">Partner</a> <a href="https://www.partner.invalid/shop?from=mall&amp;id=7">Shop</a>
<a href="mailto:hello@mall.invalid">Mail</a> <a href="javascript:show('basket', 0)">Basket</a> <a href="tel:+3225550100">Tel</a>
<a href="#main">{words.say("回到页首", "Back to top")}</a></p>
<p>&copy; 2019&ndash;2025 Bluebridge Mall, {words.say("江南路八号", "8 Quay Street")}</p></div>
<!-- rendered by shop/2.4 -->
</body></html>
"""


def _caption(category: Category) -> str:
    return f"{category.chinese} {category.english}"


def _session(list_page: str) -> str:
    return hashlib.md5(list_page.encode(), usedforsecurity=False).hexdigest()[:12]


def _sample(rng: Random, paths: list[str], count: int) -> list[str]:
    return rng.sample(paths, min(count, len(paths)))
