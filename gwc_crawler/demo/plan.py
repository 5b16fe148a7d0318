"""The mall's plan: which pages there are, under which number, in which list, in which charset.

Made from a seed and a size alone; no page is written here (see `pages`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from gwc_crawler.demo.words import ENGLISH, SIMPLIFIED, TRADITIONAL, Words, day
from gwc_crawler.items import Extracted

PAGE_SIZE = 12
MIN_SIZE = 30
DISALLOWED_NUMBERS = "77"
LOOP_PATHS = ("/item/790001.html", "/item/790002.html")
BOMB_PATH = "/item/790003.html"
FIELDS = (
    "title", "price", "discount", "sku", "brand", "warranty", "tags", "image", "description", "reviews",
)  # fmt: skip


@dataclass(frozen=True)
class Category:
    """A department of the mall; `declared` says where its pages name their charset."""

    slug: str
    chinese: str
    english: str
    nouns: tuple[str, ...]
    language: str
    charset: str
    declared: str
    share: float = 0.1
    island: bool = False
    sessions: bool = False


CATEGORIES = (
    Category("tea", "茶叶", "Tea", tuple(["红茶", "绿茶", "白茶", "普洱", "乌龙茶", "花茶"]), SIMPLIFIED, "utf-8", "header", 0.28),
    Category("phones", "手机", "Phones", tuple(["手机", "充电器", "耳机", "手机壳", "数据线"]), SIMPLIFIED, "gbk", "meta", 0.12),
    Category("toys", "玩具", "Toys", tuple(["积木", "拼图", "布偶", "小火车", "风筝"]), SIMPLIFIED, "gb2312", "header", 0.12),
    Category("music", "唱片", "Records", tuple(["唱片", "乐谱", "二胡", "笛子", "口琴"]), TRADITIONAL, "big5", "meta", 0.12),
    Category("pottery", "陶瓷", "Pottery", tuple(["茶壶", "花瓶", "碗", "盘子", "酒杯"]), TRADITIONAL, "big5", "header", 0.1),
    Category(
        "kitchen", "厨房", "Kitchen", ("Kettle", "Bowl", "Bread Knife", "Pan", "Jar"), ENGLISH, "utf-8", "both", 0.14,
        sessions=True,
    ),
    Category("garden", "园艺", "Garden", ("Spade", "Watering Can", "Bench", "Lantern", "Rake"), ENGLISH, "utf-8", "meta", 0.12),
    Category("maps", "地图", "Old Maps", ("Map", "Chart", "Atlas", "Globe"), ENGLISH, "utf-8", "header", 0.0, island=True),
    Category("seals", "印章", "Seals", tuple(["印章", "印泥", "石料", "刻刀"]), SIMPLIFIED, "gbk", "both", 0.0, island=True),
)  # fmt: skip


@dataclass(frozen=True)
class Product:
    """A product page: its record and the parts that are on the page but in no record."""

    path: str
    category: Category
    record: dict[str, Extracted]
    series: str | None
    material: str | None
    weight: str | None
    listed: str
    old_price: str | None
    replies: tuple[str | None, ...]


@dataclass(frozen=True)
class Article:
    """An information page; `bridge_to` is the one path an off-topic bridge leads to."""

    path: str
    title: str
    language: str
    charset: str
    declared: str
    bridge_to: str | None = None


@dataclass
class Plan:
    """All pages of a mall. `lists` gives each category's entries in list order, page after page."""

    seed: int
    size: int
    products: dict[str, Product] = field(default_factory=dict)
    events: dict[str, Category] = field(default_factory=dict)
    soft404: dict[str, Category] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    redirects: dict[str, tuple[int, str]] = field(default_factory=dict)
    disallowed: dict[str, Product] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    deep: set[str] = field(default_factory=set)
    articles: dict[str, Article] = field(default_factory=dict)
    bridges: list[str] = field(default_factory=list)

    def list_pages(self, slug: str) -> list[str]:
        """Paths of a list's pages, first to last."""
        pages = max(1, -(-len(self.lists[slug]) // PAGE_SIZE))
        return [list_path(slug, number) for number in range(1, pages + 1)]

    def shown_products(self, slug: str) -> list[str]:
        """Products of a category that other pages may recommend: not the deep ones, not those only a redirect finds."""
        return [path for path in self.lists[slug] if path in self.products and path not in self.deep]


def list_path(slug: str, number: int) -> str:
    """/list/tea/ for the first page, /list/tea/2/ for the second."""
    return f"/list/{slug}/" if number == 1 else f"/list/{slug}/{number}/"


def make_plan(seed: int, size: int) -> Plan:
    """Plan a mall of *size* fetchable products; ValueError under 30."""
    if size < MIN_SIZE:
        raise ValueError(f"a mall of {size} products is too small to hold every kind of page; the least is {MIN_SIZE}")
    plan = Plan(seed, size)
    rng = Random(f"{seed}:plan:{size}")
    counts = _share_out(size)
    extra = size // 2 + 40
    numbers = iter(rng.sample(range(100_000, 760_000), size + extra))
    for category in CATEGORIES:
        _fill_category(plan, category, counts[category.slug], numbers, rng)
    _write_articles(plan, rng)
    return plan


def _share_out(size: int) -> dict[str, int]:
    counts = {c.slug: max(2, size // 40) if c.island else max(3, int(size * c.share)) for c in CATEGORIES}
    counts["tea"] += size - sum(counts.values())
    return counts


def _fill_category(plan: Plan, category: Category, count: int, numbers: Iterator[int], rng: Random) -> None:
    def item() -> str:
        return f"/item/{next(numbers)}.html"

    products = [item() for _ in range(count)]
    for path in products:
        plan.products[path] = make_product(plan.seed, path, category)
    entries = list(products)
    if not category.island:
        entries += _add_oddities(plan, category, entries, count, item, rng)
    rng.shuffle(entries)
    if category.slug == "tea":
        page_of = {path: index // PAGE_SIZE for index, path in enumerate(entries)}
        last = page_of[entries[-1]]
        plan.deep.update(path for path in products if path in page_of and page_of[path] >= max(1, last - 1))
    plan.lists[category.slug] = entries


def _add_oddities(
    plan: Plan, category: Category, entries: list[str], count: int, item: Callable[[], str], rng: Random
) -> list[str]:
    """Events, dead ends, redirects and forbidden pages for one list; a moved product leaves *entries* for its old path."""
    odd: list[str] = []
    for _ in range(max(1, count // 6)):
        odd.append(item())
        plan.events[odd[-1]] = category
    odd.append(item())
    plan.soft404[odd[-1]] = category
    if category.slug in ("phones", "garden"):
        odd.append(item())
        plan.gone.add(odd[-1])
        known, moved = rng.sample(entries, 2)
        odd += [item(), item()]
        plan.redirects[odd[-2]] = (302, known)
        plan.redirects[odd[-1]] = (301, moved)
        entries.remove(moved)
    if category.slug in ("tea", "music", "kitchen"):
        path = f"/item/{DISALLOWED_NUMBERS}{rng.randint(1000, 9999)}.html"
        odd.append(path)
        plan.disallowed[path] = make_product(plan.seed, path, category)
    return odd


def make_product(seed: int, path: str, category: Category) -> Product:
    """Invent the product at *path*; equal arguments give equal products."""
    rng = Random(f"{seed}:{path}")
    words = Words(category.language)
    name = words.say(rng.choice(category.nouns), rng.choice(category.nouns))
    number = path.removeprefix("/item/").removesuffix(".html")
    reviews, replies = _make_reviews(words, rng)
    price = words.price(rng)
    record: dict[str, Extracted] = {
        "title": words.product_name(rng, name),
        "price": price,
        "discount": f"-{rng.randrange(5, 60, 5)}%" if rng.random() < 0.45 else None,
        "sku": f"{category.slug[:2].upper()}-{number}-{rng.choice('ABCDEFGHJK')}{rng.randint(1, 9)}",
        "brand": words.brand(rng),
        "warranty": _warranty(words, rng) if rng.random() < 0.5 else None,
        "tags": list(words.tags(rng)),
        "image": f"http://img.mall.invalid/{category.slug}/{number}.jpg",
        "description": words.paragraph(rng, 3, 7),
        "reviews": reviews,
    }
    return Product(
        path,
        category,
        record,
        series=words.series(rng) if rng.random() < 0.4 else None,
        material=words.material(rng) if rng.random() < 0.7 else None,
        weight=f"{rng.randint(40, 4000)} g" if rng.random() < 0.6 else None,
        listed=day(rng),
        old_price=words.price(rng) if record["discount"] and rng.random() < 0.6 else None,
        replies=replies,
    )


def _warranty(words: Words, rng: Random) -> str:
    years = rng.randint(1, 10)
    return words.say(f"全国联保{years}年", f"{years} years, parts & labour")


def _make_reviews(words: Words, rng: Random) -> tuple[list[dict[str, str]], tuple[str | None, ...]]:
    reviews = [
        {"author": words.person(rng), "text": words.opinion(rng), "date": day(rng)} for _ in range(rng.randint(0, 8))
    ]
    replies = tuple(
        words.say("谢谢您的支持！", "Thank you, we are glad to hear it.") if rng.random() < 0.25 else None
        for _ in reviews
    )
    return reviews, replies


_ARTICLE_FORMS = (
    (SIMPLIFIED, "utf-8", "both"),
    (SIMPLIFIED, "gbk", "none"),
    (TRADITIONAL, "big5", "none"),
    (ENGLISH, "utf-8", "header"),
)


def _write_articles(plan: Plan, rng: Random) -> None:
    """Plain articles, then two chains of two bridges, each to one island's list."""
    count = max(12, plan.size // 6)
    numbers = rng.sample(range(1000, 1000 + 20 * count), count + 4)
    islands = [list_path(c.slug, 1) for c in CATEGORIES if c.island]
    paths = [f"/guide/{number}.html" for number in numbers]
    targets: dict[str, str] = {}
    for index, island in enumerate(islands):
        first, second = paths[count + 2 * index], paths[count + 2 * index + 1]
        targets[first], targets[second] = second, island
        plan.bridges += [first, second]
    for index, path in enumerate(paths):
        language, charset, declared = _ARTICLE_FORMS[index % len(_ARTICLE_FORMS)]
        title = Words(language).say(
            f"{rng.choice(['怎样保养', '如何挑选', '闲谈', '走访'])}{rng.choice(['家居', '老物件', '节日', '手艺', '旅行'])}（{rng.randint(1, 99)}）",
            f"{rng.choice(['Caring for', 'Choosing', 'A short history of', 'Notes on'])} {rng.choice(['old things', 'gifts', 'small rooms', 'long evenings'])} ({rng.randint(1, 99)})",
        )
        plan.articles[path] = Article(path, title, language, charset, declared, targets.get(path))
    entry_points = [path for path in paths if path not in plan.bridges[1::2]]
    rng.shuffle(entry_points)
    plan.lists["guides"] = entry_points
