"""The mall's plan: its pages, their numbers and lists, from a seed and a size alone; no page is written here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from gwc_crawler.demo.chrome import ENGLISH, SIMPLIFIED, TRADITIONAL, PageForm, WordSource, day, vocabulary
from gwc_crawler.items import Extracted

# --- The departments and products: the text of a record, and the other texts on its page ------------------------------


FIELDS = ("title", "price", "discount", "sku", "brand", "warranty", "tags", "image", "description", "reviews")


@dataclass(frozen=True)
class Category:
    """A department of the mall.

    Attributes:
        share: its part of all products; islands get theirs apart.
        island: nothing links to its list but an off-topic page.
        sessions: its lists put a session id into the links on pictures.
    """

    slug: str
    chinese: str
    english: str
    nouns: tuple[str, ...]
    form: PageForm
    share: float = 0.0
    island: bool = False
    sessions: bool = False

    @property
    def caption(self) -> str:
        """Its name in both languages."""
        return f"{self.chinese} {self.english}"


@dataclass(frozen=True)
class Product:
    """A product page: its record and the parts that are on the page but in no record."""

    path: str
    category: Category
    record: dict[str, Extracted]
    listed: str
    series: str | None
    material: str | None
    weight: str | None
    old_price: str | None
    replies: tuple[str | None, ...]


CATEGORIES = tuple(
    Category(**{**one, "nouns": tuple(one["nouns"]), "form": PageForm(**one["form"])})
    for one in vocabulary()["categories"]
)
SHOWN_CATEGORIES = tuple(category for category in CATEGORIES if not category.island)
ISLANDS = tuple(category for category in CATEGORIES if category.island)


def make_product(seed: int, path: str, category: Category) -> Product:
    """Invent the product at *path*; equal arguments give equal products."""
    rng, words = Random(f"{seed}:{path}"), category.form.words
    record = _make_record(rng, words, path, category)
    reviews = record["reviews"] or []
    thanks = words.say("谢谢您的支持！", "Thank you, we are glad to hear it.")
    return Product(
        path,
        category,
        record,
        listed=day(rng),
        series=words.pick(rng, "series") if rng.random() < 0.4 else None,
        material=words.pick(rng, "materials") if rng.random() < 0.7 else None,
        weight=f"{rng.randint(40, 4000)} g" if rng.random() < 0.6 else None,
        old_price=words.price(rng) if record["discount"] and rng.random() < 0.6 else None,
        replies=tuple(thanks if rng.random() < 0.25 else None for _ in reviews),
    )


def _make_record(rng: Random, words: WordSource, path: str, category: Category) -> dict[str, Extracted]:
    number = path.removeprefix("/item/").removesuffix(".html")
    noun = rng.choice(category.nouns)
    years = rng.randint(1, 10)
    warranty = words.say(f"全国联保{years}年", f"{years} years, parts & labour")
    return {
        "title": words.product_name(rng, words.say(noun, noun)),
        "price": words.price(rng),
        "discount": f"-{rng.randrange(5, 60, 5)}%" if rng.random() < 0.45 else None,
        "sku": f"{category.slug[:2].upper()}-{number}-{rng.choice('ABCDEFGHJK')}{rng.randint(1, 9)}",
        "brand": words.pick(rng, "brands"),
        "warranty": warranty if rng.random() < 0.5 else None,
        "tags": list(words.pick_some(rng, "tags", 1, 5)),
        "image": f"http://img.mall.invalid/{category.slug}/{number}.jpg",
        "description": words.paragraph(rng, 3, 7),
        "reviews": [
            {"author": words.pick(rng, "people"), "text": words.paragraph(rng, 1, 3, "opinions"), "date": day(rng)}
            for _ in range(rng.randint(0, 8))
        ],
    }


PAGE_SIZE = 12
MIN_SIZE = 30
SESSION_KEY = "sid"
ISLAND_WEIGHT = 3
"""The least `max_weight` at which the islands are reached."""

DISALLOWED_NUMBERS = "77"  # item numbers from 770000 on are forbidden by robots.txt; ordinary ones stay below 760000
LOOP_PATHS = ("/item/790001.html", "/item/790002.html")
BOMB_PATH = "/item/790003.html"
_DEEP_CATEGORY = "tea"
_REDIRECTING = ("phones", "garden")
_FORBIDDING = ("tea", "music", "kitchen")
_ARTICLE_FORMS = (
    PageForm(SIMPLIFIED, "utf-8", "both"),
    PageForm(SIMPLIFIED, "gbk", "none"),
    PageForm(TRADITIONAL, "big5", "none"),
    PageForm(ENGLISH, "utf-8", "header"),
)


@dataclass(frozen=True)
class Article:
    """An information page; `bridge_to` is the one path that an off-topic bridge leads to."""

    path: str
    title: str
    form: PageForm
    bridge_to: str | None = None


@dataclass
class MallPlan:
    """All pages of a mall by path; `lists` gives each list's entries in their order, page after page."""

    seed: int
    size: int
    products: dict[str, Product] = field(default_factory=dict)
    events: dict[str, Category] = field(default_factory=dict)
    soft404: dict[str, Category] = field(default_factory=dict)
    gone: dict[str, Category] = field(default_factory=dict)
    redirects: dict[str, tuple[int, str]] = field(default_factory=dict)
    disallowed: dict[str, Product] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)
    deep: set[str] = field(default_factory=set)
    articles: dict[str, Article] = field(default_factory=dict)
    bridges: list[str] = field(default_factory=list)

    def list_pages(self, slug: str) -> list[str]:
        """Return paths of a list's pages, first to last."""
        count = max(1, -(-len(self.lists[slug]) // PAGE_SIZE))
        return [list_path(slug, number) for number in range(1, count + 1)]

    def shown_products(self, slug: str) -> list[str]:
        """Products that other pages may recommend: not the deep ones, nor those that only a redirect finds."""
        return [path for path in self.lists[slug] if path in self.products and path not in self.deep]


def list_path(slug: str, number: int) -> str:
    """/list/tea/ for the first page, /list/tea/2/ for the second."""
    return f"/list/{slug}/" if number == 1 else f"/list/{slug}/{number}/"


def make_plan(seed: int, size: int) -> MallPlan:
    """Plan a mall of *size* products that a crawl can find; ValueError under 30 or over 400,000."""
    if not MIN_SIZE <= size <= 400_000:
        raise ValueError(f"a mall can have {MIN_SIZE} to 400000 products, so that every kind of page has room: {size}")
    plan = MallPlan(seed, size)
    rng = Random(f"{seed}:plan:{size}")
    numbers = iter(rng.sample(range(100_000, 760_000), size + size // 2 + 40))
    items = (f"/item/{number}.html" for number in numbers)
    for category, count in _share_out(size).items():
        _fill_category(plan, category, count, items, rng)
    _write_articles(plan, rng)
    return plan


def _share_out(size: int) -> dict[Category, int]:
    counts = {c: max(2, size // 40) if c.island else max(3, int(size * c.share)) for c in CATEGORIES}
    counts[CATEGORIES[0]] += size - sum(counts.values())
    return counts


def _fill_category(plan: MallPlan, category: Category, count: int, items: Iterator[str], rng: Random) -> None:
    entries = [next(items) for _ in range(count)]
    plan.products |= {path: make_product(plan.seed, path, category) for path in entries}
    if not category.island:
        _add_oddities(plan, category, entries, items, rng)
    rng.shuffle(entries)
    plan.lists[category.slug] = entries
    if category.slug == _DEEP_CATEGORY:
        last_pages = max(1, (len(entries) - 1) // PAGE_SIZE - 1)
        plan.deep.update(path for path in entries[last_pages * PAGE_SIZE :] if path in plan.products)


def _add_oddities(plan: MallPlan, category: Category, entries: list[str], items: Iterator[str], rng: Random) -> None:
    """Add to a list the oddities of a shop's lists: events, dead ends, old addresses, forbidden pages."""
    events = [next(items) for _ in range(max(1, len(entries) // 6))]
    plan.events |= dict.fromkeys(events, category)
    if category.slug in _REDIRECTING:
        known, moved = rng.sample(entries, 2)
        entries.remove(moved)  # from now on only its old address leads there
        entries += [_redirect(plan, next(items), 302, known), _redirect(plan, next(items), 301, moved)]
        entries.append(next(items))
        plan.gone[entries[-1]] = category
    entries.append(next(items))
    plan.soft404[entries[-1]] = category
    if category.slug in _FORBIDDING:
        entries.append(f"/item/{DISALLOWED_NUMBERS}{rng.randint(1000, 9999)}.html")
        plan.disallowed[entries[-1]] = make_product(plan.seed, entries[-1], category)
    entries += events


def _redirect(plan: MallPlan, path: str, status: int, target: str) -> str:
    plan.redirects[path] = (status, target)
    return path


def _write_articles(plan: MallPlan, rng: Random) -> None:
    """Plain articles, then for each island two bridges: the first is listed, only the second knows the island."""
    count = max(12, plan.size // 6)
    numbers = rng.sample(range(1000, 1000 + 20 * count), count + 2 * len(ISLANDS))
    paths = [f"/guide/{number}.html" for number in numbers]
    plan.bridges = paths[count:]
    leads = dict(zip(plan.bridges[::2], plan.bridges[1::2], strict=True))
    leads |= dict(zip(plan.bridges[1::2], (list_path(c.slug, 1) for c in ISLANDS), strict=True))
    for index, path in enumerate(paths):
        form = _ARTICLE_FORMS[index % len(_ARTICLE_FORMS)]
        plan.articles[path] = Article(path, form.words.article_title(rng), form, leads.get(path))
    plan.lists["guides"] = [path for path in paths if path not in plan.bridges[1::2]]
    rng.shuffle(plan.lists["guides"])
