"""Fields that most records have: title, price, image, date, author, body. Found by structured data, names and form.

The value is the text that a reader sees. The form that scores most on both pages together is taken, so that both values
stand at the same place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import FieldValue
from gwc_crawler.learn.degrees import A_HANDFUL, MANY, NAME_LENGTH
from gwc_crawler.learn.propose.guess import Clue, FieldProposal, position
from gwc_crawler.learn.propose.labels import value_in
from gwc_crawler.learn.propose.left_out import is_of_others
from gwc_crawler.learn.propose.page_reading import (
    ReadPage,
    around,
    differs,
    inside,
    letters_of,
    names_of,
    structured_values,
)
from gwc_crawler.learn.urls.url_parts import common_start

PRICE = re.compile(
    r"(?:[$€£¥￥₹₽₩]|\b(?:USD|EUR|GBP|CNY|RMB|JPY|CHF)\b|[A-Z]{1,2}\$)\s*\d(?:[\d,. ]*\d)?"
    r"|\d(?:[\d., ]*\d)?\s*(?:[€£¥￥元円₽]|(?:EUR|USD|CHF|kr|zł)\b)"
)
DATE = re.compile(
    r"\b\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}(?:日|\b)|\b\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})\b"
    r"|\b(?:\d{1,2}(?:st|nd|rd|th)?\.?\s+)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
    r"(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s+\d{4}\b",
    re.IGNORECASE,
)
COMMENTS = re.compile(
    r"(?:^| )(?:comment|review|respon|related|sidebar|recommend|widget)"
    r"|(?:comments?|reviews?|respond|related|sidebar|widget)(?: |$)",
    re.IGNORECASE,
)
_OLD_PRICE = re.compile(
    r"old|\bwas\b|list|before|regular|strike|retail|rrp|msrp|save|shipping|club|member", re.IGNORECASE
)
_BASKET = re.compile(
    r"(?:^|[-_ ])(?:(?:mini|menu|header|shopping)[-_]?cart|cart[-_]?(?:contents|total|count)|basket|subtotal)"
    r"(?:$|[-_ ])",
    re.IGNORECASE,
)
_PRICE_NAME = re.compile(r"price|preis|prix|precio|amount|cost", re.IGNORECASE)
_DATE_NAME = re.compile(r"date|time|publish|posted|created", re.IGNORECASE)
_AUTHOR_NAME = re.compile(r"(?:^|[-_ ])(?:author|authors|byline|writer|posted-?by|creator)(?:$|[-_ ])", re.IGNORECASE)
_TITLE_NAME = re.compile(r"title|headline|(?:^|[-_ ])name(?:$|[-_ ])|heading", re.IGNORECASE)
BYLINE = re.compile(r"^(?:(?:written |posted )?by|von|par|por|作者|文)\s*[:：]?\s+|^作者[:：]?\s*", re.IGNORECASE)
_DATED_BYLINE = re.compile(r".{6,40}?\s(?:by|von|par|por)\s+(?P<name>.+)$", re.IGNORECASE)
_REMARK = re.compile(
    r"^[\[(〔【（［][^\])〕】）］]{1,12}[\])〕】）］]\s*"
)  # matches brackets before a name: a time, an office
_LABEL = re.compile(r"^[^\d$€£¥￥:：]{2,25}[:：]\s*|^(?:posted|published|updated)(?: on)?\s+", re.IGNORECASE)
_AFTER_PRICE = re.compile(r"\s*\((?:save|you save|-?\d+ ?%).*\)$", re.IGNORECASE)

TOLD = {"date": ("datePublished",), "author": ("author", "author/name")}
"""Field → the properties that give it if no element does; a price without its currency is no value."""

TITLE_PROPERTIES = ("name", "headline")
TITLE_TAGS = ("h1", "h2", "h3", "strong", "b", "span", "div", "p", "a", "td", "font", "center")
TITLE_RANK = {"h1": 2.0, "h2": 1.1, "h3": 0.8}
LONGEST_TITLE = 250


class Scored(NamedTuple):
    """An element that may hold what is looked for; more is likelier."""

    score: float
    element: Any


Look = Callable[[ReadPage, ReadPage, int], Iterator[Scored]]
Read = Callable[[ReadPage, Any], FieldValue]


def core_fields(one: ReadPage, two: ReadPage) -> Iterator[FieldProposal]:
    """Yield the title first, then what is looked for around it, each with its values on both pages."""
    title = choose("title", _titles, lambda page, element: page.text(element), one, two, (0, 0), 0.9, Clue.HEADING)
    if title is None:
        values: list[FieldValue | None] = [own_title(one.title, two.title), own_title(two.title, one.title)]
        if all(values):
            yield FieldProposal("title", values, Clue.TITLE_TAG, "core:title", "", [None, None])
        after = (0, 0)
    else:
        yield title
        first, second = title.elements
        after = (position(one, first) if first is not None else 0, position(two, second) if second is not None else 0)
    for name, look, read, least, why in (
        ("price", _prices, _price, 0.8, Clue.PRICE),
        ("date", _dates, _date, 0.7, Clue.DATE),
        ("author", _authors, _author, 0.9, Clue.AUTHOR),
    ):
        if (found := choose(name, look, read, one, two, after, least, why)) is not None:
            yield found


def told_fields(one: ReadPage, two: ReadPage) -> Iterator[FieldProposal]:
    """Yield values that structured data gives on both pages in one property, for fields without another source."""
    for name, properties in TOLD.items():
        for told in properties:
            values: list[FieldValue | None] = [next(iter(structured_values(page, told)), None) for page in (one, two)]
            if all(values):
                yield FieldProposal(name, values, Clue.TOLD, f"core:{name}", "", [None, None])
                break


def choose(
    name: str, look: Look, read: Read, one: ReadPage, two: ReadPage, after: tuple[int, int], least: float, why: Clue
) -> FieldProposal | None:
    """Choose the form with the highest scores on both pages; without any score there is no field."""
    found = [_by_form(look, one, two, after[0]), _by_form(look, two, one, after[1])]
    pages = (one, two)
    best: tuple[float, list[Any]] = (0.0, [])
    for form in {**found[0], **found[1]}:
        elements = [
            scored[form].element if form in scored else next(iter(page.by_form.get(form, ())), None)
            for scored, page in zip(found, pages, strict=True)
        ]
        scores = [scored[form].score if form in scored else -0.3 for scored in found]
        if max(scores) >= least and sum(scores) > best[0]:
            best = (sum(scores), elements)
    if best[0] < 1.6 * least:
        singles = [max(scored.values(), key=lambda one: one.score, default=Scored(0.0, None)) for scored in found]
        if all(single.score >= 1.3 * least for single in singles):
            best = (1.6 * least, [single.element for single in singles])
    if not best[1] or (best[0] < 1.2 * least and not all(one is not None for one in best[1])):
        return None
    elements, values = [], []
    for page, scored, element in zip(pages, found, best[1], strict=True):
        element = _elsewhere(scored, 1.5 * least) if element is None else element
        elements.append(element)
        values.append(None if element is None else read(page, element) or None)
    known = next(one for one in elements if one is not None)
    return FieldProposal(name, values, because(known, why), f"core:{name}", "", elements)


def _elsewhere(scored: dict[str, Scored], least: float) -> Any | None:
    best = max(scored.values(), key=lambda one: one.score, default=Scored(0.0, None))
    return best.element if best.score >= least else None


def _by_form(look: Look, page: ReadPage, other: ReadPage, after: int) -> dict[str, Scored]:
    found: dict[str, Scored] = {}
    for scored in look(page, other, after):
        form = page.forms[scored.element]
        is_better = form not in found or scored.score > found[form].score
        if is_better and not is_of_others(scored.element, page):
            found[form] = scored
    return found


def _titles(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    """Yield headings that name the page: they stand in <title> or structured data, and another page has another one."""
    meta = page.structured.get("meta:og:title")
    title = page.title if page.title != other.title else ""
    own = own_title(title, other.title)
    told = [squeeze(text) for text in (title, own, *structured_values(page, *TITLE_PROPERTIES), *meta)]
    told = list(dict.fromkeys(text for text in told if text))
    for element in page.tree.iter(*TITLE_TAGS):
        # a heading without a button that another page has, too; mostly that is all of it
        parts = [one for one in child_elements(element) if page.text(one)]
        varying = [one for one in parts if differs(one, page, other)]
        is_mixed = (element.text or "").strip() or any((one.tail or "").strip() for one in element)
        part = varying[0] if len(varying) == 1 < len(parts) and not is_mixed else element
        text = page.text(part) if part in page.forms else ""
        if not 1 <= len(text) <= LONGEST_TITLE or inside(element, "nav", "footer", "select", "button", "aside"):
            continue
        score = max(_title_score(element, squeeze(text), told), _slug_score(element, text, page.slugs))
        if score > 0 and differs(element, page, other):
            yield Scored(score, part)


def _title_score(element: Any, plain: str, told: list[str]) -> float:
    rank = TITLE_RANK.get(element.tag, 0.0)
    rank += 0.5 * bool(_TITLE_NAME.search(names_of(element)))
    match = max((_share(plain, text) for text in told), default=0.0)
    begins = squeeze(element.text or "")
    if not match and len(begins) > 2 and any(text.startswith(begins) for text in told):
        match = 0.5
    if (not match and element.tag != "h1") or (rank == 0.0 and match < 0.3):
        return 0.0
    return rank + 1.6 * match


def _slug_score(element: Any, text: str, slugs: list[str]) -> float:
    """Return a title that the address spells out, whole or cut off."""
    mine = letters_of(text)
    fits = any(mine == slug or (len(slug) >= MANY and mine.startswith(slug)) for slug in slugs)
    if not fits or inside(element, "a"):
        return 0.0
    return 1.0 + TITLE_RANK.get(element.tag, 0.0) + 0.5 * bool(_TITLE_NAME.search(names_of(element)))


def _share(plain: str, text: str) -> float:
    """Return the share of the longer text that the shorter one makes up, if it is in it; higher at its beginning."""
    if plain not in text and text not in plain:
        same = len(common_start((plain, text)))
        return same / max(len(plain), len(text)) if same > 0.6 * len(plain) else 0.0
    share = min(len(plain), len(text)) / max(len(text), len(plain))
    return share if text.startswith(plain) or plain.startswith(text) else 0.6 * share


def own_title(title: str, other: str) -> str:
    """Return a <title> without the site's name, which another page's has, too.

    >>> own_title("Big Shoe | Shop", "Small Hat | Shop")
    'Big Shoe'
    """
    common = common_start((title[::-1], other[::-1]))[::-1]
    cut = re.search(r"\s*[|:–—·«»_(-]", common)
    own = title[: len(title) - len(common) + cut.start()] if cut else title
    return "" if title == other else own.strip(" |:–—-·«»_")


def _prices(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    """Yield texts that read like a price, near the title, most of all where they are named so and not struck out."""
    for element in page.leaves():
        if element not in page.forms or not any(sign.isdigit() for sign in page.text(element)):
            continue
        top = _whole_price(element, page)
        text = page.text(top)
        found = PRICE.search(text)
        if found is None or len(text) > A_HANDFUL * len(found[0]) or top not in page.forms:
            continue
        names = around(element, 3)
        score = 1.0 + 1.5 * bool(_PRICE_NAME.search(names)) + 1.0 * ("price" in (element.get("itemprop") or ""))
        old = any(map(_OLD_PRICE.search, (names, PRICE.sub("", text)))) or inside(element, "del", "s", "strike")
        score -= 1.2 * bool(old) + 1.5 * page.is_chrome(element) + 2.0 * bool(_BASKET.search(around(element, 6)))
        distance = position(page, element) - after
        yield Scored(score - min(abs(distance) / 3000, 1.0) - 0.8 * (distance < -200), top)


def _whole_price(element: Any, page: ReadPage) -> Any:
    """Return the innermost element with a whole price of several parts (currency, whole and cents; a range)."""
    whole = element
    for node in islice(element.iterancestors(), 4):
        if node.tag in ("tr", "table", "ul", "body") or len(page.text(node)) > 40:
            return whole
        text = page.text(node)
        rest = re.sub(r"[\s\d.,–—~-]|from|to|each", "", PRICE.sub("", text), flags=re.IGNORECASE)
        if rest.strip("$€£¥￥元") or (len(PRICE.findall(text)) > 1 and node.find(".//del") is not None):
            return whole
        if text != page.text(whole):
            whole = node
    return whole


def _price(page: ReadPage, element: Any) -> FieldValue:
    return _AFTER_PRICE.sub("", _LABEL.sub("", page.text(element)))


def _dates(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    """Yield the date of publication, as the page says it."""
    for element in page.leaves():
        text = page.text(element) if element in page.forms else ""
        if not 0 < len(text) <= 100 or not (DATE.search(text) or element.tag == "time") or page.is_chrome(element):
            continue
        if COMMENTS.search(around(element, 6)):
            continue
        names = around(element, 2)
        score = 0.6 + 1.0 * bool(_DATE_NAME.search(names)) + 0.7 * (element.tag == "time")
        yield Scored(score - min(abs(position(page, element) - after) / 1500, 1.0), element)


def _date(page: ReadPage, element: Any) -> FieldValue:
    text = _LABEL.sub("", page.text(element))
    found = DATE.search(text)
    return found[0] if found is not None and len(text) > len(found[0]) + 12 else text


def _authors(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    """Yield the elements with an author's name, outside of comments."""
    named = (*structured_values(page, "author", "author/name"), *page.structured.get("meta:author"))
    told = set(map(squeeze, named))
    for element in page.leaves():
        text = page.text(element) if element in page.forms else ""
        is_date = DATE.search(text) and not _dated_author(text)
        if not 2 <= len(text) <= 120 or is_date or page.is_chrome(element) or COMMENTS.search(around(element, 6)):
            continue
        names = around(element, 3)
        score = 1.2 * bool(_AUTHOR_NAME.search(names)) + 0.8 * ("author" in (element.get("rel") or ""))
        score += 1.5 * (squeeze(BYLINE.sub("", text)) in told) + 0.6 * bool(BYLINE.match(text))
        score += 1.6 * _is_under_title(element, text, page, after)
        yield Scored(score - min(abs(position(page, element) - after) / 2000, 1.0), element)


def _is_under_title(element: Any, text: str, page: ReadPage, after: int) -> bool:
    """Say whether a name with a remark in brackets stands right under the title: `[唐] 李白`."""
    above = element.getprevious()
    if above is None or not _REMARK.match(text) or len(text) > NAME_LENGTH:
        return False
    return page.text(above) != "" and page.index.text[after:].startswith(page.text(above))


def _author(page: ReadPage, element: Any) -> FieldValue:
    value = value_in(element, page)
    if not isinstance(value, str):
        return value
    return _dated_author(value) or _REMARK.sub("", BYLINE.sub("", value))


def _dated_author(text: str) -> str:
    """Return the author of a text that says when and by whom; "" for another text."""
    dated = _DATED_BYLINE.match(text)
    return dated["name"] if dated and DATE.search(text[: dated.start("name")]) else ""


def because(element: Any, clue: Clue) -> str:
    """Name the clue to a value, with the element that holds it."""
    names = (element.get("itemprop") or element.get("class") or element.get("id") or "").split()
    return clue.at(f"<{element.tag}{f' {names[0]}' if names else ''}>")
