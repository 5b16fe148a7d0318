"""Lists and records inside a page: elements of one row form below one parent are rows, and so are those inside them
(answers to comments). An element in most rows with a form of its own is a part."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from gwc_crawler.extract.fields import squeeze
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import FieldValue
from gwc_crawler.learn.degrees import ENOUGH, MANY
from gwc_crawler.learn.propose.guess import Clue, FieldProposal, Guess
from gwc_crawler.learn.propose.labels import name_of_class, name_of_label, value_in
from gwc_crawler.learn.propose.page_reading import ReadPage, around, names_of
from gwc_crawler.learn.propose.usual_fields import COMMENTS, DATE, PRICE, because

# --- What differs between two pages built alike while the rest is the same --------------------------------------------

LONGEST = 600
PROSE = frozenset({"p", "ul", "ol", "blockquote", "br", "em", "i", "b", "strong", "a", "pre", "h3", "h4"})


def is_value(element: Any, page: ReadPage) -> bool:
    """Say whether an element is one value: it has a text of its own, or holds nothing but prose."""
    if (element.text or "").strip() or any((child.tail or "").strip() for child in element):
        return element.tag not in ("tr", "table", "ul", "ol", "dl", "form") and len(element) <= 12
    children = [child for child in element if isinstance(child.tag, str) and page.text(child)]
    plain = all(child.tag in PROSE and not child.get("class") and not child.get("itemprop") for child in children)
    return plain and (len(children) > 1 or (len(children) == 1 and children[0].tag in ("p", "a", "b", "strong", "em")))


def varying_texts(page: ReadPage, other: ReadPage) -> Iterator[Guess]:
    """Texts that stand once on *page* in a form of their own, and not the same on *other*, named by their classes."""
    count = 0
    for form, elements in page.by_form.items():
        if len(elements) != 1 or count >= ENOUGH:
            continue
        element = elements[0]
        if element.tag in ("a", "html", "body", "img") or page.is_chrome(element):
            continue
        own = element.get("itemprop") or element.get("id") or ""
        name = name_of_class(element.get("itemprop") or "") or name_of_class(f"{element.get('class') or ''} {own}")
        text = page.text(element) if name else ""
        if not 0 < len(text) <= LONGEST or not any(sign.isalnum() for sign in text):
            continue
        theirs = other.by_form.get(form, [])
        if len(theirs) > 1 or any(other.text(one) == text for one in theirs):
            continue
        if not is_value(element, page) or COMMENTS.search(around(element, 6)):
            continue
        count += 1
        yield Guess(name, value_in(element, page), f"form:{form}", because(element, Clue.DIFFERS), element)


HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "caption", "legend", "strong", "b")
NO_ROWS = frozenset(
    {"br", "option", "h1", "h2", "h3", "td", "th", "strong", "b", "em", "i", "script", "img", "dt", "dd", "label"}
)

TELLING = re.compile(
    r"review|comment|\btag|[-_]tag|ingredient|step|instruction|feature|author|categor|genre|track|chapter|episode|variant|"
    r"keyword|cast|actor|skill|requirement|answer|bullet|entries|notes?\b|quote",
    re.IGNORECASE,
)
WRITERS = frozenset({"who", "user", "username", "user_name", "reviewer", "commenter", "nickname", "poster"})
_COUNTING = re.compile(r"(?:^|[-_])(?:odd|even|alt|alternate|first|last|depth|children|active|current)(?:$|[-_\d])|\d")


@dataclass(slots=True)
class Rows:
    """Rows of one form on one page, and the form of their container."""

    container: Any
    form: str
    elements: list[Any]


def row_form(element: Any) -> str:
    """Return the form that rows share: the name and the first class that is no count."""
    token = next((one for one in (element.get("class") or "").split() if not _COUNTING.search(one)), "")
    return f"{element.tag}.{token}"


def rows_in(container: Any, form: str, page: ReadPage) -> Rows:
    """Return all rows of a form below an element, nested ones among them."""
    name = form.partition(".")[0]
    top = [one for one in child_elements(container) if one in page.forms and row_form(one) == form and page.text(one)]
    below = (one for row in top for one in row.iter(name))
    found = [one for one in below if one in page.forms and row_form(one) == form and page.text(one)]
    return Rows(container, form, found)


def all_rows(page: ReadPage) -> Iterator[Rows]:
    """Yield the groups of rows of a page, those farther out before those within."""
    for parent in page.forms:
        if page.count(parent) < 2 or page.is_chrome(parent):
            continue
        counts = Counter(row_form(child) for child in child_elements(parent) if child.tag not in NO_ROWS)
        for form, count in counts.items():
            if 2 <= count <= ENOUGH:
                found = rows_in(parent, form, page)
                if 2 <= len(found.elements) <= 2 * ENOUGH:
                    yield found


def _is_facts(found: Rows) -> bool:
    cells = [list(child_elements(row)) for row in found.elements]
    are_pairs = found.elements[0].tag == "tr" and all(len(row) == 2 for row in cells)
    return are_pairs and any(row[0].tag == "th" for row in cells)


def row_fields(one: ReadPage, two: ReadPage) -> Iterator[FieldProposal]:
    """Yield the lists and records of both pages, without menus (the same on the other page) and related things."""
    seen: set[tuple[str, str]] = set()
    taken: set[Any] = set()
    for page, other in ((one, two), (two, one)):
        for found in all_rows(page):
            if taken and any(each in taken for each in (found.container, *found.container.iterancestors())):
                continue
            key = page.forms[found.container], found.form
            if key in seen or _is_facts(found) or not _is_own(found, page, other):
                continue
            containers = other.by_form.get(key[0], [])
            theirs = next((rest for box in containers if (rest := rows_in(box, found.form, other)).elements), None)
            both = [found, theirs] if page is one else [theirs, found]
            if (proposal := _proposal(both, (one, two), found, page, other)) is not None:
                seen.add(key)
                taken.update(row for each in both if each is not None for row in each.elements)
                yield proposal


def like_this(element: Any, page: ReadPage) -> Rows | None:
    """Return the others like *element*, itself among them: the rows around it that repeat; None where nothing does."""
    best: Rows | None = None
    node = element
    while (parent := node.getparent()) is not None and node.tag not in ("body", "main"):
        found = rows_in(parent, row_form(node), page)
        fits = 2 <= len(found.elements) <= 5 * ENOUGH and node.tag not in NO_ROWS - {"dd", "dt", "td"}
        if fits and (best is None or _is_richer(found, best, page)):
            best = found
        node = parent
    return best


def _is_richer(outer: Rows, inner: Rows, page: ReadPage) -> bool:
    """Say whether rows farther out are the records: they hold parts by name, where those inside are mere texts."""
    if len(parts_of(outer, page)) <= max(1, len(parts_of(inner, page))):
        return False
    return len(outer.elements) >= len(inner.elements) / 2


def name_of_rows(found: Rows, page: ReadPage, other: ReadPage | None = None) -> str:
    """Return a name for a list: from its classes, else from the heading above it; "" if neither tells."""
    own, above = name_of_class(names_of(found.elements[0])), name_of_class(names_of(found.container))
    heading = name_of_label(heading_of(found, page, other))
    told = next((one for one in (own, above) if TELLING.search(one)), "")
    name = re.sub(r"_?list$", "", told) or heading or above or own
    return plural(name) if name and name.isascii() else name


def _is_own(found: Rows, page: ReadPage, other: ReadPage) -> bool:
    """Say whether rows belong to this page's thing."""
    if sum(_is_form(row, page) for row in found.elements) * 2 > len(found.elements):
        return False
    texts = [page.text(row) for row in found.elements]
    theirs = {other.text(one) for one in other.by_form.get(page.forms[found.elements[0]], ())}
    known = sum(text in other.texts or text in theirs for text in texts)
    if known > len(texts) / 2 or len(set(texts)) < len(texts) / 2:
        return False
    first = found.elements[0]
    if found.form.endswith(".") and first.tag in ("div", "span", "p", "section"):
        return False
    if TELLING.search(f"{names_of(first)} {names_of(found.container)}"):
        return True
    if len(parts_of(found, page)) >= 2:
        return not _leads_away(found.elements)
    is_list = first.tag == "li" and heading_of(found, page, other) != ""
    return bool(first.get("itemprop")) or (is_list and not _leads_away(found.elements))


def _is_form(row: Any, page: ReadPage) -> bool:
    asked = sum(len(page.text(form)) for form in row.iter("form"))
    return row.tag == "form" or 2 * asked > len(page.text(row))


def _leads_away(elements: Sequence[Any]) -> bool:
    """Say whether most rows are links to other pages: related things, not parts of this one."""
    addresses = ([one.get("href") or "#" for one in row.iter("a")] for row in elements)
    away = [any(not one.startswith(("#", "javascript:", "mailto:")) for one in row) for row in addresses]
    return sum(away) > len(elements) / 2


def _proposal(
    both: Sequence[Rows | None], pages: Sequence[ReadPage], found: Rows, page: ReadPage, other: ReadPage
) -> FieldProposal | None:
    name = name_of_rows(found, page, other)
    parts = parts_of(found, page)
    if not name:
        return None
    values = [value_of(one, at, parts) if one is not None else None for one, at in zip(both, pages, strict=True)]
    token = found.form.replace(".", " ").strip()
    why = (Clue.RECORDS if len(parts) > 1 else Clue.LIST).at(f"{len(found.elements)} × <{token}>")
    place = f"rows:{page.forms[found.container]}/{found.form}"
    return FieldProposal(name, values, why, place, "", [one.container if one else None for one in both])


def value_of(found: Rows, page: ReadPage, parts: dict[str, str] | None = None) -> FieldValue | None:
    """Return the texts of rows, or their records where they have parts."""
    parts = parts_of(found, page) if parts is None else parts
    if len(parts) < 2:
        return [page.text(row) for row in found.elements]
    records: list[dict[str, str | list[str]]] = []
    for row in found.elements:
        by_form: dict[str, Any] = {}
        for element in _within(row, found.form):
            by_form.setdefault(_form_in(element, row), element)
        record = {name: page.text(by_form[form]) for name, form in parts.items() if form in by_form}
        records.append({name: text for name, text in record.items() if text})
    return [record for record in records if record]


def parts_of(found: Rows, page: ReadPage) -> dict[str, str]:
    """Return name → form inside the row, for parts that most rows have once and that differ between rows."""
    counts: Counter[str] = Counter()
    texts: dict[str, list[str]] = defaultdict(list)
    own: dict[str, set[str]] = defaultdict(set)
    examples: dict[str, Any] = {}
    for row in found.elements:
        here: Counter[str] = Counter()
        for element in _within(row, found.form):
            if text := page.text(element):
                form = _form_in(element, row)
                here[form] += 1
                texts[form].append(squeeze(text))
                own[form].add(squeeze("".join((element.text or "", *(child.tail or "" for child in element)))))
                examples.setdefault(form, element)
        counts.update(form for form, times in here.items() if times == 1)
    names: dict[str, str] = {}
    used: list[Any] = []
    for form, count in counts.items():
        element = examples[form]
        if count < max(2, 0.5 * len(found.elements)) and not (len(found.elements) == 1 and count):
            continue
        if len(set(texts[form])) < 2 <= len(texts[form]) or len(names) >= MANY or not is_value(element, page):
            continue
        is_label = len(own[form]) < 2 <= len(texts[form]) and own[form] != {""}
        if is_label and any(page.text(child) for child in child_elements(element)):
            continue  # the value stands inside
        if any(one in element.iterancestors() for one in used):
            continue
        if name := _part_name(element, page, set(names)):
            names[name] = form
            used.append(element)
    return names


def _within(row: Any, form: str) -> Iterator[Any]:
    """Yield the elements of a row, without those of rows inside it."""
    stack = list(reversed(list(child_elements(row))))
    while stack:
        element = stack.pop()
        if row_form(element) == form and element.tag == row.tag:
            continue
        yield element
        stack.extend(reversed(list(child_elements(element))))


def _part_name(element: Any, page: ReadPage, taken: set[str]) -> str:
    above = element.getparent()
    said = element.get("itemprop") or ""
    if said == "name" and above is not None and above.get("itemprop") == "author":
        said = "author"
    text = page.text(element)
    if element.tag == "time" or (DATE.match(text) and len(text) < 40):
        return "date" if "date" not in taken else ""
    name = name_of_class(said) or name_of_class(names_of(element))
    if not name and above is not None and len(list(child_elements(above))) == 1:
        name = name_of_class(names_of(above))
    name = re.sub(r"^(?:comment|review)s?_?", "", name) or _name_by_look(element, text)
    name = "author" if name in WRITERS else name
    if name in taken:
        name = next((one for one in ("text", "value", f"{name}_2", f"{name}_3") if one not in taken), "")
    return name


def _name_by_look(element: Any, text: str) -> str:
    if PRICE.fullmatch(text):
        return "price"
    if element.tag in ("p", "dd", "blockquote") or len(text) > 80:
        return "text"
    return {"cite": "author", "h3": "title", "h4": "title", "h5": "title", "strong": "title"}.get(element.tag, "value")


def _form_in(element: Any, row: Any) -> str:
    steps = []
    while element is not None and element is not row:
        steps.append(row_form(element))
        element = element.getparent()
    return "/".join(reversed(steps))


def heading_of(found: Rows, page: ReadPage, other: ReadPage | None = None) -> str:
    """Return the label above rows: a heading before them, or before their container, that another page has, too."""
    first = found.elements[0]
    for node in islice((first, *first.iterancestors()), 3):
        for sibling in node.itersiblings(preceding=True):
            if sibling.tag in HEADINGS:
                text = _without_count(page.text(sibling))
                known = other is None or any(_without_count(one) == text for one in other.texts)
                return text if len(text) <= 40 and known else ""
    return ""


def _without_count(text: str) -> str:
    return re.sub(r"[\d()（）:：\s]+", " ", text).strip()


def plural(name: str) -> str:
    """
    >>> plural("review"), plural("category"), plural("tags")
    ('reviews', 'categories', 'tags')
    """
    if name.endswith("s"):
        return name
    return name[:-1] + "ies" if name.endswith("y") and name[-2:-1] not in "aeou" else name + "s"
