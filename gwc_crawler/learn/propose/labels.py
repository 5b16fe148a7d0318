"""Values beside their labels: "ISBN: …", "作者：…", dt and dd, th and td, a label element and its neighbour."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import FieldValue
from gwc_crawler.learn.degrees import ENOUGH, NAME_LENGTH, VERY_MANY
from gwc_crawler.learn.propose.guess import Clue, Guess
from gwc_crawler.learn.propose.page_reading import ReadPage, inside

# --- Names of fields: from labels in any language, class names, and property names of structured data -----------------

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

_EMPTY_NAME = re.compile(
    r"wrap|wrapper|inner|outer|container|content|contents|box|block|row|col|column|item|items|list|"
    r"text|txt|value|val|data|field|fields|info|main|left|right|top|bottom|clearfix|clear|first|"
    r"last|odd|even|active|link|links|view|section|span|div|group|widget|area|panel|body|head|"
    r"header|bd|hd|ft|media|entry|post|page|article|product|woocommerce|single|meta|summary|detail|"
    r"details|module|el|element|cell|line|label|small|big|large|medium|red|blue|green|bold|normal|"
    r"hidden|visible|btn|button|icon|img|image-wrapper|grid|flex"
)
"""Words of class names that name no kind of value."""


def name_of_label(label: str) -> str:
    """Return a field's name for a visible label; "" if it has no letter.

    >>> name_of_label("Publication Date:"), name_of_label("作者："), name_of_label("品牌 Brand"), name_of_label("—")
    ('publication_date', 'author', 'brand', '')
    """
    text = re.sub(r"\([^)]*\)", " ", label).strip().strip(":：*#-–—|·.").strip()
    if (known := _BY_WORD.get(text.lower())) is not None:
        return known
    words = re.findall(r"[A-Za-z][A-Za-z0-9]*|\d+", unicodedata.normalize("NFKD", text)) if _has_latin(text) else []
    is_told = any(len(word) > 1 or word.isalpha() for word in words)
    name = "_".join(words).lower() if is_told else "_".join(re.findall(r"\w+", text))
    name = name[:NAME_LENGTH].strip("_")
    return _BY_WORD.get(name.replace("_", " "), name) if any(sign.isalpha() for sign in name) else ""


def _has_latin(text: str) -> bool:
    letters = [sign for sign in text if sign.isalpha()]
    return sum(map(str.isascii, letters)) >= 2 or all("LATIN" in unicodedata.name(sign, "") for sign in letters)


def name_of_class(names: str) -> str:
    """Return a field's name for an id and classes; "" where they name no kind of value.

    >>> name_of_class("product-price"), name_of_class("col-md-8 clearfix"), name_of_class("entry-author-name")
    ('price', '', 'author_name')
    """
    best = ""
    for token in re.sub(r"([a-z])([A-Z])", r"\1-\2", names).lower().split():
        words = [word for word in re.split(r"[-_]+", token) if word.isalpha() and len(word) > 1]
        told = [word for word in words if not _EMPTY_NAME.fullmatch(word) and len(word) < 20]
        if len(words) < len(re.split(r"[-_]+", token)) - 1 or re.search(r"\d", token):
            continue  # made by a machine, or a grid's
        if told and len(told) <= 3 and (not best or len(told) < best.count("_") + 1):
            best = "_".join(told)
    return _BY_WORD.get(best.replace("_", " "), best)


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    if name not in taken:
        return name
    return next(f"{name}_{number}" for number in range(2, 1000) if f"{name}_{number}" not in taken)


_OF_THE_SITE = re.compile(
    r"previous|prev|next|on this page|contents|table of contents|share|share this|follow us|上一篇|下一篇|"
    r"上一页|下一页|前へ|次へ|zurück|weiter"
)
"""Labels of links that lead elsewhere."""
LONGEST_VALUE = 400

LABELLING = frozenset({"b", "strong", "label", "span", "em", "i", "small", "font", "div", "h4", "h5", "h6", "p", "a"})
BOLD = frozenset({"b", "strong", "label"})
INLINE = frozenset({"a", "span", "time", "em", "i", "b", "strong"})
NO_VALUES = frozenset({"br", "hr", "ul", "ol", "table", "h1", "h2"})
_COLON = re.compile(r"^\s*([^:：]{1,40}?)\s*[:：]\s*(?=\S)")
_SEPARATORS = re.compile(r"(?:[\s,，、;；/|·&]|\band\b|\bby\b)*", re.IGNORECASE)


def labelled(page: ReadPage, other: ReadPage) -> Iterator[Guess]:
    """Yield the values of *page* that stand beside a label; a label without a colon has to stand on *other*, too."""
    count = 0
    for element in page.tree.iter():
        if not isinstance(element.tag, str) or element not in page.forms or count >= ENOUGH:
            continue
        if inside(element, "pre", "code", "textarea"):
            continue
        for label, value, where in _at(element, page, other):
            name = name_of_label(label)
            if not name or not value or page.is_chrome(element):
                continue
            if plausible(label, value) and not _is_label(value, other):
                count += 1
                place = f"label:{label.strip(' :：').lower()}"
                yield Guess(name, value, place, Clue.LABEL.at(repr(label.strip())), where)


def _is_label(value: FieldValue, other: ReadPage) -> bool:
    """Say whether a value begins as the next label does, which another page has, too: this one has none."""
    found = _COLON.match(value) if isinstance(value, str) else None
    return found is not None and any(text.startswith(found[0].strip()) for text in other.texts)


def plausible(label: str, value: FieldValue) -> bool:
    """Tell whether a text reads like a label, and the text beside it like a value."""
    text = value if isinstance(value, str) else " ".join(map(str, value))
    return (
        not _OF_THE_SITE.fullmatch(label.strip(" :：«»<>←→").lower())
        and not re.search(r"\d{3}|\d\s*[:：]|\d.*\d{2}\b.*\d{4}", label)
        and len(label) <= NAME_LENGTH
        and len(label.split()) <= 5
        and not re.search(r"https?:?$|[.!?]\s|\w\.\w+\.\w|[(){}=<>]{2}|<\w", label.strip().lower())
        and 0 < len(text) <= LONGEST_VALUE
        and any(sign.isalnum() for sign in text)
    )


def _at(element: Any, page: ReadPage, other: ReadPage) -> Iterator[tuple[str, FieldValue, Any]]:
    tag = element.tag
    if tag == "dt":
        values = list(takewhile(lambda one: one.tag == "dd", element.itersiblings()))
        if len(values) == 1:
            yield page.text(element), value_in(values[0], page), values[0]
        elif values:
            yield page.text(element), [text for one in values if (text := page.text(one))], values[0]
    elif tag == "tr":
        yield from _of_row(element, page, other)
    elif tag in LABELLING or tag in ("li", "td", "dd"):
        yield from _of_pair(element, page, other)
        yield from _of_text(element, page)


def _of_row(row: Any, page: ReadPage, other: ReadPage) -> Iterator[tuple[str, FieldValue, Any]]:
    cells = list(child_elements(row))
    if len(cells) != 2:
        return
    label, value = cells
    text = page.text(label)
    is_known = text in other.texts and page.texts[text] == 1 and label.find("a") is None
    is_label = label.tag == "th" or _ends_in_colon(text) or is_known
    if is_label and value.tag == "td" and value.find(".//table") is None:
        yield text, value_in(value, page), value


def _of_pair(label: Any, page: ReadPage, other: ReadPage) -> Iterator[tuple[str, FieldValue, Any]]:
    """Yield a label element and the value behind it: a neighbour, or the text up to the next label."""
    text = page.text(label)
    if not text or len(text) > NAME_LENGTH:
        return
    parent = label.getparent()
    if parent is None or page.count(parent) > VERY_MANY or (not _ends_in_colon(text) and text not in other.texts):
        return
    tail = (label.tail or "").strip()
    if tail and (_ends_in_colon(text) or tail[0] in ":：" or label.tag in BOLD):
        yield text, _up_to_next(label, page), label
    elif not tail and (_ends_in_colon(text) or label.tag in BOLD or len(parent) == 2):
        value = label.getnext()
        if value is None or value.tag in NO_VALUES or not isinstance(value.tag, str):
            return
        if parent.index(label) and len(parent) == 2:
            return
        told = page.text(value)
        is_alone = not (value.tail or "").strip(" ,;|/\n\t")
        if told and is_alone and not _ends_in_colon(told) and (_ends_in_colon(text) or told not in other.texts):
            yield text, _up_to_next(label, page) if value.tag == "a" else value_in(value, page), value


def _up_to_next(label: Any, page: ReadPage) -> FieldValue:
    """Return the text that follows a label on its line."""
    parts, links = [label.tail or ""], []
    for sibling in label.itersiblings():
        if sibling.tag in ("br", "hr", "p", "div", "ul", "ol", "table", "dl") or sibling.tag in BOLD:
            break
        if isinstance(sibling.tag, str):
            text = page.text(sibling)
            if _ends_in_colon(text):
                break
            parts.append(text)
            links += [text] if sibling.tag == "a" and text else []
        parts.append(sibling.tail or "")
    whole = " ".join("".join(parts).split()).lstrip(":： ").strip()
    return links if _are_all_of(links, whole) else whole


def _of_text(element: Any, page: ReadPage) -> Iterator[tuple[str, FieldValue, Any]]:
    """Yield a text of the form "ISBN: 978…" in an element that holds nothing else."""
    text = page.text(element)
    if len(text) > LONGEST_VALUE or (found := _COLON.match(text)) is None or found[1].strip().isdigit():
        return
    children = list(child_elements(element))
    own = " ".join((element.text or "").split())
    if not children:
        yield found[1] + ":", text[found.end() :], element
    elif children[0].tag == "br" and (line := _COLON.match(own)):
        yield line[1] + ":", own[line.end() :], element  # what follows on the next line is a remark
    elif _COLON.match(own + " x") and {one.tag for one in children} <= INLINE:
        links = [page.text(one) for one in children if one.tag == "a"]
        rest = text[found.end() :]
        is_list = len(links) == len(children) and _are_all_of(links, rest)
        if not any(_ends_in_colon(page.text(one)) for one in children) and ":" not in rest[:NAME_LENGTH].split(" ")[0]:
            yield found[1] + ":", links if is_list else rest, element


def value_in(element: Any, page: ReadPage) -> FieldValue:
    """Return a cell's value: the list of its links or items if it has nothing else, else its text."""
    items = [one for one in element.iter("li") if page.text(one)]
    if len(items) > 1:
        return [page.text(one) for one in items]
    links = [page.text(one) for one in element.iter("a") if page.text(one)]
    text = page.text(element)
    return links if _are_all_of(links, text) else text


def _are_all_of(links: list[str], text: str) -> bool:
    """Say whether a text is several links and what separates them."""
    known = sorted(filter(None, links), key=len, reverse=True)
    rest = re.sub("|".join(map(re.escape, known)), "", text)
    return len(links) > 1 and _SEPARATORS.fullmatch(rest) is not None


def _ends_in_colon(text: str) -> bool:
    return text.rstrip().endswith((":", "："))
