"""The two kinds of page under /item/: a product, and an event that looks like one from outside."""

from __future__ import annotations

from html import escape
from random import Random

from gwc_crawler.demo.mall_words import WordSource, day
from gwc_crawler.demo.products import Product
from gwc_crawler.items import Extracted


def product_body(product: Product) -> str:
    """Everything of a product between breadcrumbs and recommendations."""
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


def event_body(path: str, title: str, words: WordSource, rng: Random) -> str:
    """An event: the same heading, facts and tags, sometimes a price, but nothing a record is made of."""
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
    """The table whose rows come and go: the brand stands in row 1, 2 or 3."""
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
