"""Names of fields: from labels in any language, class names, and what structured data calls things."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 40

KNOWN: dict[str, tuple[str, ...]] = {
    "title": ("title", "name", "headline", "书名", "标题", "titel", "titre", "título"),
    "price": ("price", "our price", "价格", "售价", "現價", "preis", "prix", "precio", "prezzo", "価格"),
    "author": ("author", "authors", "by", "written by", "posted by", "byline", "作者", "autor", "auteur", "著者"),
    "date": ("date", "published", "posted", "posted on", "published on", "publish date", "日期", "发布时间", "datum"),
    "isbn": ("国际书号", "书号"),
    "publisher": ("出版社", "verlag"),
    "brand": ("品牌", "marke", "manufacturer"),
}
_BY_WORD = {word: name for name, words in KNOWN.items() for word in words}

_EMPTY_NAMES = frozenset(
    [
        "wrap",
        "wrapper",
        "inner",
        "outer",
        "container",
        "content",
        "contents",
        "box",
        "block",
        "row",
        "col",
        "column",
        "item",
        "items",
        "list",
        "text",
        "txt",
        "value",
        "val",
        "data",
        "field",
        "fields",
        "info",
        "main",
        "left",
        "right",
        "top",
        "bottom",
        "clearfix",
        "clear",
        "first",
        "last",
        "odd",
        "even",
        "active",
        "link",
        "links",
        "view",
        "section",
        "span",
        "div",
        "group",
        "widget",
        "area",
        "panel",
        "body",
        "head",
        "header",
        "bd",
        "hd",
        "ft",
        "media",
        "entry",
        "post",
        "page",
        "article",
        "product",
        "woocommerce",
        "single",
        "meta",
        "summary",
        "detail",
        "details",
        "module",
        "el",
        "element",
        "cell",
        "line",
        "label",
        "small",
        "big",
        "large",
        "medium",
        "red",
        "blue",
        "green",
        "bold",
        "normal",
        "hidden",
        "visible",
        "btn",
        "button",
        "icon",
        "img",
        "image-wrapper",
        "grid",
        "flex",
    ]
)
"""Words of class names that name no kind of value."""


def name_of_label(label: str) -> str:
    """A field's name for a visible label; "" where it has no letter.

    >>> name_of_label("Publication Date:"), name_of_label("作者："), name_of_label("品牌 Brand"), name_of_label("—")
    ('publication_date', 'author', 'brand', '')
    """
    text = re.sub(r"\([^)]*\)", " ", label).strip().strip(":：*#-–—|·.").strip()
    if (known := _BY_WORD.get(text.lower())) is not None:
        return known
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*|\d+", unicodedata.normalize("NFKD", text)) if _has_latin(text) else []
    if words and any(len(word) > 1 or word.isalpha() for word in words):
        name = "_".join(word.lower() for word in words)
    else:
        name = "_".join(re.findall(r"\w+", text))
    name = name[:LONGEST_NAME].strip("_")
    return _BY_WORD.get(name.replace("_", " "), name) if any(sign.isalpha() for sign in name) else ""


def _has_latin(text: str) -> bool:
    return sum(sign.isascii() and sign.isalpha() for sign in text) >= 2 or all(
        "LATIN" in unicodedata.name(sign, "") for sign in text if sign.isalpha()
    )


def name_of_class(names: str) -> str:
    """A field's name for an id and classes; "" where they name no kind of value.

    >>> name_of_class("product-price"), name_of_class("col-md-8 clearfix"), name_of_class("entry-author-name")
    ('price', '', 'author_name')
    """
    best = ""
    for token in re.sub(r"([a-z])([A-Z])", r"\1-\2", names).lower().split():
        words = [word for word in re.split(r"[-_]+", token) if word.isalpha() and len(word) > 1]
        told = [word for word in words if word not in _EMPTY_NAMES and len(word) < 20]
        if len(words) < len(re.split(r"[-_]+", token)) - 1 or re.search(r"\d", token):
            continue  # made by a machine, or a grid's
        if told and len(told) <= 3 and (not best or len(told) < best.count("_") + 1):
            best = "_".join(told)
    return _BY_WORD.get(best.replace("_", " "), best)


def free_name(name: str, taken: set[str]) -> str:
    """The name, or with a number behind it where it is taken."""
    if name not in taken:
        return name
    return next(f"{name}_{number}" for number in range(2, 1000) if f"{name}_{number}" not in taken)
