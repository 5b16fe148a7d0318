"""Two pages built alike → fields with their values on both, each of them learnable.

Guesses for the same value are one field, named by the surest. One that can't be learned is left out, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from gwc_crawler.errors import LearnError
from gwc_crawler.extract.fields import same_value, squeeze
from gwc_crawler.extract.nodes import child_elements
from gwc_crawler.items import FieldValue, ValueShape, is_empty
from gwc_crawler.learn.propose.guess import Clue, FieldProposal, Guess, position
from gwc_crawler.learn.propose.labels import free_name, labelled
from gwc_crawler.learn.propose.left_out import is_no_field, is_of_others, is_seen_once
from gwc_crawler.learn.propose.page_reading import OUTER, ReadPage, around, differs, inside, names_of, structured_values
from gwc_crawler.learn.propose.rows import row_fields, varying_texts
from gwc_crawler.learn.propose.usual_fields import COMMENTS, Scored, choose, core_fields, told_fields
from gwc_crawler.learn.wrapper.learning import learn_wrapper
from gwc_crawler.learn.wrapper.locators.extent import LONG
from gwc_crawler.learn.wrapper.samples import Sample
from gwc_crawler.sites.samples import shape_of
from gwc_crawler.urls import host_of

# --- The picture of a page and the text that it is there for ----------------------------------------------------------

BODY_TAGS = ("div", "article", "section", "td", "main", "p", "dd", "blockquote", "span")
PROSE = ("p", "ul", "ol", "blockquote", "pre", "h2", "h3", "h4", "table", "dl")
_BODY_NAME = re.compile(
    r"^(?:(?:article|entry|post|story|blog|page|main|text|news|single)[-_]?(?:content|body|text)|content|story|prose|body"
    r"|.*description.*|articleBody|text)$",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"avatar|icon|logo|sprite|thumb|related|pixel|banner|badge", re.IGNORECASE)


def image_field(one: ReadPage, two: ReadPage) -> FieldProposal | None:
    """Return the picture of the thing: the likeliest one that is shown, else the one that structured data names."""
    shown = choose("image", _images, lambda page, image: page.picture(image), one, two, (0, 0), 1.0, Clue.PICTURE)
    told: list[FieldValue | None] = [_told_image(one, two), _told_image(two, one)]
    if all(told) and (shown is None or not shown.is_complete or _are_same(told, shown.values)):
        elements = shown.elements if shown is not None else [None, None]
        return FieldProposal("image", told, Clue.TOLD_PICTURE, "core:image", "", elements)
    return shown


def _are_same(told: Sequence[FieldValue | None], shown: Sequence[FieldValue | None]) -> bool:
    pairs = [(str(one), str(other)) for one, other in zip(told, shown, strict=True)]
    return all((host_of(one), _file_name(one)) == (host_of(other), _file_name(other)) for one, other in pairs)


def _told_image(page: ReadPage, other: ReadPage) -> str:
    def named(of: ReadPage) -> list[str]:
        structured = of.structured
        found = (*structured.get("meta:og:image"), *structured_values(of, "image", "image/url"))
        return [url for one in found if (url := of.absolute(one)).startswith("http")]

    others = named(other)
    return next((url for url in named(page) if url not in others), "")


def _images(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    others = {other.picture(one) for one in other.tree.iter("img")}
    title, told = squeeze(page.title), _file_name(_told_image(page, other))
    for number, image in enumerate(page.tree.iter("img")):
        url = page.picture(image)
        if not url.startswith("http") or url in others or image not in page.forms or inside(image, *OUTER):
            continue
        name, file_name = squeeze(image.get("alt") or ""), _file_name(url)
        near = around(image, 3)
        score = 1.0 + 1.0 * (len(name) > 3 and name in title) + 0.5 * (_size(image) >= 150)
        score += 1.5 * (told != "" and file_name == told)
        score -= min(len(page.by_form[page.forms[image]]) - 1, 10) * 0.1 + 0.02 * number
        score -= 0.8 * bool(_ASIDE.search(f"{near} {file_name}")) + 0.8 * bool(COMMENTS.search(around(image, 6)))
        yield Scored(score, image)


def _file_name(url: str) -> str:
    """Return the file name of a picture, whatever size it is sent in.

    >>> _file_name("http://a.example/i/tea-300x200.jpg?v=2")
    'tea.jpg'
    """
    return re.sub(r"-\d+x\d+(?=\.\w+$)", "", urlsplit(url).path.rpartition("/")[2])


def _size(image: Any) -> int:
    numbers = [int(found[0]) for name in ("width", "height") if (found := re.match(r"\d+", image.get(name) or ""))]
    return min(numbers, default=0) if len(numbers) == 2 else max(numbers, default=0)


def body_field(one: ReadPage, two: ReadPage) -> FieldProposal | None:
    """Return the text that the page is there for: the element with most of the text that other pages don't have."""
    found = choose("body", _bodies, lambda page, body: page.text(body), one, two, (0, 0), 1.0, Clue.MOST_TEXT)
    if found is None:
        return None
    both = list(zip((one, two), found.elements, strict=True))
    found.elements = [element if element is None else _below_heading(page, element) for page, element in both]
    known = next(element for element in found.elements if element is not None)
    if "description" in f"{names_of(known)} {names_of(known.getparent())}".lower():
        found.name = "description"
    both = list(zip((one, two), found.elements, strict=True))
    found.values = [None if element is None else page.text(element) or None for page, element in both]
    return found


def _bodies(page: ReadPage, other: ReadPage, after: int) -> Iterator[Scored]:
    for element in page.tree.iter(*BODY_TAGS):
        if element not in page.forms or inside(element, *OUTER, "form"):
            continue
        text = page.text(element)
        if len(text) < LONG or not differs(element, page, other) or element.find(".//h1") is not None:
            continue
        named = [names_of(child) for child in child_elements(element)]
        if len(named) > 1 and "" not in named and len(set(named)) == len(named):
            continue  # the members of an object of JSON: values, no text
        blocks = sum(len(page.text(child)) for child in element if child.tag in PROSE)
        own = blocks + sum(len((one or "").strip()) for one in (element.text, *(child.tail for child in element)))
        linked = sum(len(page.text(link)) for link in element.iter("a"))
        is_body = any(_BODY_NAME.match(name) for name in names_of(element).split())
        worth = (own - 1.5 * linked) * (2.0 if is_body else 1.0) * (0.2 if COMMENTS.search(around(element, 4)) else 1.0)
        if worth >= LONG:
            yield Scored(1.0 + worth / 100, element)


def _below_heading(page: ReadPage, element: Any) -> Any:
    """Return the element below a heading that all pages have, if a body consists of that heading and one element."""
    parts = [one for one in element if isinstance(one.tag, str) and page.text(one)]
    plain = not (element.text or "").strip()
    if len(parts) == 2 and plain and parts[0].tag in ("h2", "h3", "h4", "strong") and len(page.text(parts[0])) < 40:
        return parts[1]
    return element


MOST_FIELDS = 16


def propose_fields(pages: Sequence[ReadPage]) -> list[FieldProposal]:
    """Return the fields of the first two pages, unlearned; further pages tell what is the same everywhere."""
    chosen: list[FieldProposal] = []
    for proposal in _all(pages[0], pages[1]):
        shaped = _shaped(proposal.values)
        is_spare = proposal.why == Clue.TOLD and any(one.name == proposal.name for one in chosen)
        if shaped is None or is_spare:
            continue
        proposal.values = shaped
        if not is_no_field(proposal, chosen, pages):
            chosen.append(proposal)
    chosen = [one for one in chosen if not is_seen_once(one, pages)][:MOST_FIELDS]
    names: set[str] = set()
    for one in chosen:
        one.name = free_name(one.name, names)
        names.add(one.name)
    return chosen


def _all(one: ReadPage, two: ReadPage) -> Iterator[FieldProposal]:
    """Yield the proposals of all ways of looking, the surest first."""
    yield from core_fields(one, two)
    yield from filter(None, (image_field(one, two), body_field(one, two)))
    yield from row_fields(one, two)
    for look in (labelled, varying_texts):
        mine, theirs = _by_place(look(one, two), one), _by_place(look(two, one), two)
        for place in (*mine, *(other for other in theirs if other not in mine)):
            first, second = mine.get(place), theirs.get(place)
            known = first or second
            assert known is not None
            values = [first.value if first else None, second.value if second else None]
            elements = [first.element if first else None, second.element if second else None]
            yield FieldProposal(known.name, values, known.why, place, "", elements)
    yield from told_fields(one, two)


def _by_place(guesses: Iterator[Guess], page: ReadPage) -> dict[str, Guess]:
    found: dict[str, Guess] = {}
    for guess in guesses:
        if guess.place not in found and not is_of_others(guess.element, page):
            found[guess.place] = guess
    return found


def _shaped(values: list[FieldValue | None]) -> list[FieldValue | None] | None:
    """Bring two values into one shape: if one has several, the other becomes a list of one; None: they don't match."""
    full = [value for value in values if value]
    kinds = set(map(shape_of, full))
    if not kinds or (ValueShape.RECORDS in kinds and len(kinds) > 1):
        return None
    if len(kinds) > 1:
        return [[value] if isinstance(value, str) else value for value in values]
    if ValueShape.RECORDS in kinds:
        # records of both pages with the same parts: those that only one page knows are left out where rows are many
        rows: list[Any] = values
        known = [{name for record in value for name in record} for value in rows if value]
        shared = set.intersection(*known)
        shared = shared if len(shared) > 1 else set.union(*known)

        def cut(record: dict[str, Any]) -> dict[str, Any]:
            return {name: part for name, part in record.items() if name in shared}

        return [list(map(cut, value)) if value else None for value in rows]
    return values


def learnable(proposals: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> list[FieldProposal]:
    """Return the proposals, with `problem` set if learning from the first two of *pages* does not read their values."""
    trusted = [one for one in proposals if not all(map(is_empty, one.values))]
    _learn(trusted, pages)
    return trusted


def _learn(proposals: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> None:
    if not proposals:
        return
    more = [(page.url, page.html) for page in pages[2:]]
    samples = samples_of(proposals, pages[:2])
    try:
        wrapper = learn_wrapper(samples, more)
    except LearnError as error:
        if len(proposals) == 1:
            proposals[0].problem = str(error).partition("\n")[0]
            return
        lines = str(error).splitlines()
        named = [one for one in proposals if any(f"'{one.name}'" in line or f" {one.name}" in line for line in lines)]
        others = [one for one in proposals if one not in named]
        middle = len(proposals) // 2
        for half in (named, others) if named and others else (proposals[:middle], proposals[middle:]):
            _learn(half, pages)
        return
    records = [wrapper.extract(sample.html, sample.url) for sample in samples]
    for one in proposals:
        for record, value in zip(records, one.values, strict=True):
            if not same_value(record.get(one.name), value):
                one.problem = f"learned, it would read {_short(record.get(one.name))} for {_short(value)}"


def samples_of(proposals: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> list[Sample]:
    """Return the pages with the proposed values, as learning takes them."""
    return [
        Sample(page.url, page.html, {one.name: value for one in proposals if (value := one.values[number])})
        for number, page in enumerate(pages)
    ]


def in_page_order(proposals: Sequence[FieldProposal], pages: Sequence[ReadPage]) -> list[FieldProposal]:
    """Single values in the order in which they stand on the page, the title first; long texts and lists last."""

    def place(one: FieldProposal) -> tuple[Any, ...]:
        value = one.values[0] or one.values[1]
        late = 2 if not isinstance(value, str) and value and isinstance(value[0], dict) else one.name == "body"
        places = zip(pages, one.elements, strict=False)
        at = min((position(page, element) for page, element in places if element is not None), default=10**9)
        return (one.place != "core:title", late, at)

    return sorted(proposals, key=place)


def _short(value: Any) -> str:
    text = "nothing" if is_empty(value) else repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
