"""The mall's departments and products: what a product's record says, and what stands beside it on the page."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from gwc_crawler.demo.chrome import PageForm, WordSource, day, vocabulary
from gwc_crawler.items import Extracted

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
    share: float
    island: bool
    sessions: bool

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


def _read_categories() -> tuple[Category, ...]:
    return tuple(
        Category(
            slug=entry["slug"],
            chinese=entry["chinese"],
            english=entry["english"],
            nouns=tuple(entry["nouns"]),
            form=PageForm(**entry["form"]),
            share=entry.get("share", 0.0),
            island=entry.get("island", False),
            sessions=entry.get("sessions", False),
        )
        for entry in vocabulary()["categories"]
    )


CATEGORIES = _read_categories()
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
